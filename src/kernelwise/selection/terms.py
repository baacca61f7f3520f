"""A choice in scikit-learn's words: the parameters, scores and attributes of a grid search."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils.validation import check_is_fitted

from kernelwise._types import Array
from kernelwise.criteria import ELOO, SM
from kernelwise.kernels import Kernel
from kernelwise.selection.cascade import Cascade
from kernelwise.selection.params import params_of
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.result import SelectionResult
from kernelwise.targets import Targets


class Scoring(NamedTuple):
    """One of scikit-learn's scores, as a leave-one-out loss: score = constant - loss.

    The loss of R² is in units of the variance of the target.
    """

    loss: str
    constant: float
    is_for_classes: bool


SCORINGS = {
    "accuracy": Scoring("error", 1.0, True),
    "balanced_accuracy": Scoring("balanced_error", 1.0, True),
    "roc_auc": Scoring("auc", 0.0, True),
    "neg_log_loss": Scoring("log_loss", 0.0, True),
    "neg_mean_squared_error": Scoring("press", 0.0, False),
    "neg_mean_absolute_error": Scoring("absolute", 0.0, False),
    "r2": Scoring("press", 1.0, False),
}


def scoring_criterion(scoring: str, targets: Targets) -> ELOO:
    """Return the leave-one-out criterion that chooses by a score of scikit-learn."""
    told = SCORINGS[scoring]
    if told.is_for_classes and targets.classes is None:
        raise ValueError(f"scoring={scoring!r} is for classes: choose r2 or another, or set task.")
    return ELOO(told.loss)


class SearchAttributes:
    """The attributes of a fitted ``GridSearchCV``, from the table of a selection.

    A subclass has the attributes of a fitted selector that are declared at the end.
    """

    @property
    def best_index_(self) -> int:
        """The row of ``cv_results_`` that was chosen."""
        check_is_fitted(self, "result_")
        return self.result_.kernels.index(self.best_kernel_)

    @property
    def best_params_(self) -> dict[str, Any]:
        """The choice in scikit-learn's terms, as ``gamma``, ``C`` and ``alpha``."""
        check_is_fitted(self, "result_")
        theirs = self.estimator if _is_theirs(self.estimator) else None
        return params_of(self.best_kernel_, self.best_ridge_, theirs)

    @property
    def best_score_(self) -> float:
        """The score of the choice: greater is better.

        By ``scoring``, accuracy or R² without one: the leave-one-out score of the fitted machine.
        Where the machine does not know its own, the value that the choice was made by.
        """
        check_is_fitted(self, "result_")
        if self.scoring is None and self.error_ is not None:
            error = self.error_
            return 1.0 - (error.value if error.is_rate else error.value**2 / self.target_variance_)
        return float(self.cv_results_["mean_test_score"][self.best_index_])

    @property
    def cv_results_(self) -> dict[str, Any]:
        """The table as ``GridSearchCV`` has it, ready for ``pandas.DataFrame``.

        One row per kernel, with the ridge that suits it best. ``mean_test_score`` is what the last
        stage says, greater is better, NaN where a kernel did not reach it.
        """
        check_is_fitted(self, "result_")
        result = self.result_
        column = list(result.table)[-1]
        params = [params_of(k, r) for k, r in zip(result.kernels, result.ridges, strict=True)]
        scores = self._scores(result, column)
        ranks = result.ranks(column)
        last = np.count_nonzero(~np.isnan(ranks)) + 1
        return {
            "params": params,
            "param_kernel": np.array(result.kernels, dtype=object),
            "param_ridge": result.ridges,
            **{f"param_{name}": _values(params, name) for name in ("gamma", "C", "alpha")},
            "mean_test_score": scores,
            "rank_test_score": np.where(np.isnan(ranks), last, ranks).astype(np.int32),
            **{f"criterion_{name}": values for name, values in result.table.items()},
        }

    def _scores(self, result: SelectionResult, column: str) -> Array:
        """Return what a column says such that greater is better, by the scoring if one is given."""
        values = result.table[column]
        if result.criteria[column].greater_is_better:
            return values
        unit = self.target_variance_ if self.scoring == "r2" else 1.0
        constant = 0.0 if self.scoring is None else SCORINGS[self.scoring].constant
        return np.asarray(constant - values / unit)

    @property
    def scorer_(self) -> Any:
        """The function ``scorer(estimator, X, y)`` that :meth:`score` uses."""
        check_is_fitted(self, "result_")
        return get_scorer(self.scoring or ("accuracy" if hasattr(self, "classes_") else "r2"))

    scoring: str | None
    estimator: Any
    best_kernel_: Kernel
    best_ridge_: float
    error_: ErrorEstimate | None
    result_: SelectionResult
    target_variance_: float


def _is_theirs(estimator: Any) -> bool:
    """Say whether an estimator takes the ridge as C or alpha."""
    return estimator is not None and bool({"C", "alpha"} & set(estimator.get_params(deep=False)))


def _values(params: list[dict[str, Any]], name: str) -> Array:
    """Return one parameter of every candidate, masked where a candidate has none."""
    missing = [name not in candidate for candidate in params]
    return np.ma.MaskedArray([candidate.get(name, np.nan) for candidate in params], missing)


def stages_for(criterion: Any, scoring: str | None, targets: Targets) -> Any:
    """Return what to choose by: the criterion, or the stages that end in a score."""
    if scoring is None:
        return criterion
    if isinstance(criterion, str) and criterion == "auto":
        return Cascade((SM(r=2), 5), (scoring_criterion(scoring, targets), 1))
    raise ValueError("scoring and criterion both say what to choose by: give one of them.")
