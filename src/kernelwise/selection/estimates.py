"""The error to expect on new rows."""

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.utils import get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from kernelwise._arguments import as_integer, is_list, shown
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.kernels import Kernel, Matrix
from kernelwise.machines.folds import rows_of, split_by
from kernelwise.selection.estimators import mean_error
from kernelwise.selection.inputs import check_lengths
from kernelwise.selection.journal import for_parts
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.stacks import is_stack, part_of, side_by_side
from kernelwise.targets import Targets, stratified_order

_PART_ROWS = 500  # of a random part on which the pick is repeated
_MOST_RESAMPLES = 10_000


class AssessesProcedure:
    """What an estimator that chooses for itself can tell of its whole procedure.

    A subclass has what is declared at the end.
    """

    def nested_error(self, X: Any, y: Any, cv: Any = 5) -> ErrorEstimate:
        """Return the error to expect of the whole procedure: every fold chooses for itself.

        It takes as many selections as there are folds, and is not optimistic. ``cv`` is a number
        of folds, a splitter or a list of (train, test) rows that holds out every row once.
        """
        targets, chooser = self._targets(y), copy_for_parts(self)
        if is_stack(X) and "kernels" in chooser.get_params(deep=False):
            chooser.set_params(kernels=[Matrix(i) for i in range(len(X))])
            X = side_by_side(X)
        with warnings.catch_warnings(), limited(self.n_jobs, rows=targets.n):
            warnings.simplefilter("ignore", UserWarning)  # said already, of all rows
            return by_folds(chooser, X, targets, cv, "nested ")

    n_jobs: int | None
    _targets: Callable[[Any], Targets]


class SelfAssessing(AssessesProcedure):
    """What a selector can tell of its own choice.

    A subclass has the attributes of a fitted selector and the methods declared at the end.
    """

    def error_estimate(self, X: Any = None, y: Any = None, cv: Any = None) -> ErrorEstimate:
        """Return the error to expect of the fitted machine, kernel and ridge taken as given.

        Parameters
        ----------
        X, y : arrays, default=None
            The training data, for folds only. A selector keeps them where leave-one-out is not
            known; a loaded one does not.
        cv : int, splitter, list of (train, test) rows or None, default=None
            The folds for which the machine is refitted; they hold out every row once. None takes
            leave-one-out, which LSSVC and KRR know from the fit, and five folds for other machines.
        """
        check_is_fitted(self, "result_")
        if cv is None and self.error_ is not None:
            return self.error_
        if X is None and y is None:
            X, y = getattr(self, "_training", (None, None))
        if X is None or y is None:
            raise ValueError(
                f"X and y are needed to estimate the error of {type(self._fitted()).__name__}: "
                "give the training data again."
            )
        machine, rows, targets = clone(self._fitted()), self._checked(X), self._targets(y)
        with limited(self.n_jobs, rows=targets.n):
            return by_folds(machine, rows, targets, cv, "")

    def pick_stability(self, X: Any, y: Any, resamples: int = 10) -> dict[Kernel, float]:
        """Return how often each kernel is picked on random parts: half of the rows, at most 500.

        The most frequent comes first. Fewer rows call for slightly wider kernels, so that
        picking a neighbour of the choice on all rows is not a disagreement.
        """
        check_is_fitted(self, "result_")
        chooser = copy_for_parts(self).set_params(kernels=list(self.result_.kernels), refit=False)
        rows, targets = self._checked(X), self._targets(y)
        with limited(self.n_jobs, rows=targets.n):
            return pick_shares(chooser, rows, targets, resamples)

    error_: ErrorEstimate | None
    result_: SelectionResult

    _fitted: Callable[[], Any]
    _checked: Callable[[Any], Any]


def by_folds(estimator: Any, X: Any, targets: Targets, cv: Any, method: str) -> ErrorEstimate:
    """Return the error of an estimator that is refitted for every fold."""
    cv = _checked_folds(cv)
    if isinstance(cv, int | np.integer):
        is_regression = targets.classes is None
        smallest = targets.n if is_regression else max(2, int(targets.counts.min()))
        folds = KFold if is_regression else StratifiedKFold
        cv = folds(min(int(cv), smallest), shuffle=True, random_state=0)
        method = f"{method}{cv.n_splits}-fold"
    else:
        method = f"{method}{len(cv)} given folds" if is_list(cv) else method + type(cv).__name__
    splits = _partition(cv, X, targets)
    is_matrix = get_tags(estimator).input_tags.pairwise
    if is_matrix and X.shape[1] != X.shape[0]:
        predicted = _predicted_of_matrices(estimator, X, targets, splits)
    else:
        predicted = cross_val_predict(estimator, X, targets.labels, cv=splits)
    if targets.classes is None:
        losses = (targets.y - predicted) ** 2
    else:
        losses = np.asarray(predicted != targets.labels, dtype=float)
    return mean_error(targets, losses, method)


def _partition(cv: Any, X: Any, targets: Targets) -> list[tuple[Array, Array]]:
    """Return the splits of a splitter or a list, which must hold out every row exactly once."""
    pairs = cv if is_list(cv) else split_by(cv, X, targets.labels)
    splits = [rows_of(targets.n, pair) for pair in pairs]
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=targets.n)
    if (times == 1).all():
        return splits
    never, often = np.count_nonzero(times == 0), np.count_nonzero(times > 1)
    what = f"never holds out {never}" if never else f"more than once holds out {often}"
    raise ValueError(
        "cv must hold out every row exactly once, but "
        f"{'this list' if is_list(cv) else type(cv).__name__} {what} of {targets.n} rows: give "
        "KFold, or score such splits by scikit-learn's cross_val_score(selector, X, y, cv=cv)."
    )


def _predicted_of_matrices(estimator: Any, X: Array, targets: Targets, splits: Any) -> Array:
    """Return the predictions for folds of several matrices side by side."""
    labels = targets.labels
    predicted = np.empty_like(labels)
    for train, test in splits:
        fitted = clone(estimator).fit(part_of(X, train), labels[train])
        predicted[test] = fitted.predict(part_of(X, test, train))
    return predicted


def pick_shares(chooser: Any, X: Any, targets: Targets, resamples: int) -> dict[Kernel, float]:
    """Return how often a selector picks each kernel on random parts of the rows."""
    asked = as_integer(resamples)
    if asked is None or not 1 <= asked <= _MOST_RESAMPLES:
        raise ValueError(
            f"resamples must be a positive integer of at most {_MOST_RESAMPLES}, got "
            f"{shown(resamples)}."
        )
    check_lengths(X, targets.n)
    is_matrix = get_tags(chooser).input_tags.pairwise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what there is to say was said of all rows
        parts = (_random_part(X, targets, seed, is_matrix) for seed in range(asked))
        # One after the other, unless joblib is set to something else.
        picks = Counter(Parallel()(delayed(_pick)(chooser, *part) for part in parts))
    return {kernel: count / asked for kernel, count in picks.most_common()}


def _random_part(X: Any, targets: Targets, seed: int, is_matrix: bool) -> tuple[Any, Array]:
    rows = np.sort(stratified_order(targets, seed)[: min(_PART_ROWS, targets.n // 2)])
    return part_of(X, rows) if is_matrix else X[rows], targets.labels[rows]


def _pick(chooser: Any, X: Any, y: Array) -> Kernel:
    kernel: Kernel = clone(chooser).fit(X, y).best_kernel_
    return kernel


def _checked_folds(cv: Any) -> Any:
    """Return a number of folds, five for None as in scikit-learn, or what makes splits."""
    if cv is None:
        return 5
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool) and cv >= 2:
        return cv
    if is_list(cv):
        splits = list(cv)
        if splits:
            return splits
    if hasattr(cv, "split") and not isinstance(cv, str | bytes | type):
        return cv
    raise ValueError(
        "cv must be a number of folds of at least 2, a splitter or a list of (train, test) rows, "
        f"got {shown(cv)}."
    )


def copy_for_parts(estimator: Any) -> Any:
    """Return an unfitted copy for parts of the data, with the same journal if there is one."""
    copy = clone(estimator)
    if "journal" in copy.get_params(deep=False):
        copy.set_params(journal=for_parts(copy.journal))
    return copy
