"""The error to expect on new rows."""

from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

from kernelwise._arguments import is_list, shown
from kernelwise._types import Array
from kernelwise.machines.folds import rows_of
from kernelwise.selection.estimators import mean_error
from kernelwise.selection.record import ErrorEstimate
from kernelwise.targets import Targets


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
    predicted = cross_val_predict(estimator, X, targets.labels, cv=splits)
    if targets.classes is None:
        losses = (targets.y - predicted) ** 2
    else:
        losses = np.asarray(predicted != targets.labels, dtype=float)
    return mean_error(targets, losses, method)


def _partition(cv: Any, X: Any, targets: Targets) -> list[tuple[Array, Array]]:
    """Return the splits of a splitter or a list, which must hold out every row exactly once."""
    pairs = cv if is_list(cv) else list(cv.split(X, targets.labels))
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
