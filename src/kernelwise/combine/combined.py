"""What fitted machines say together, each with a weight."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelwise._collections import is_collection, lazily
from kernelwise._sklearn import validate_rows
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.machines.base import winners
from kernelwise.machines.calibration import Calibration
from kernelwise.machines.uncertainty import intervals, sets
from kernelwise.selection.selector import KernelSelector
from kernelwise.targets import as_vector


def _is_for(task: str) -> Any:
    """Return a check of whether a stack is for classes, or for numbers."""

    def check(stack: Any) -> bool:
        if stack._known_task() != task:
            raise AttributeError(f"a KernelStack has no such method unless it is for {task}.")
        return True

    return check


class WeightedMembers:
    """The predictions of a weighted sum of fitted selectors.

    A subclass has the attributes declared at the end. Members of weight zero are not evaluated.
    """

    def predict(self, X: Any) -> Any:
        """Return the predicted class, or the value, of every row."""
        if is_collection(X):
            return lazily(self, "predict", X)
        values = self._evaluate(X)
        return np.asarray(self.classes_[winners(values)]) if self._has_classes else values

    @available_if(_is_for("classification"))
    def decision_function(self, X: Any) -> Any:
        """Return f(x): one value per row for two classes, one per class otherwise."""
        if is_collection(X):
            return lazily(self, "decision_function", X)
        return self._evaluate(X)

    @available_if(_is_for("classification"))
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of every class, calibrated on the stacked leave-one-out values."""
        if is_collection(X):
            return lazily(self, "predict_proba", X)
        values = self._evaluate(X)
        return self.calibration_.probabilities(values)

    @available_if(_is_for("classification"))
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities."""
        values = self._evaluate(X)
        return self.calibration_.log_probabilities(values)

    @available_if(_is_for("regression"))
    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Array, Array]:
        """Return an interval for the target of every row, as :meth:`KRR.predict_interval`."""
        return intervals(self, X, level)

    @available_if(_is_for("classification"))
    def predict_set(self, X: Any, level: float = 0.9) -> Array:
        """Return a set of classes for every row, as :meth:`LSSVC.predict_set`."""
        return sets(self, X, level)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R² of a real target."""
        predicted, y = self.predict(X), as_vector(y)
        measure = accuracy_score if self._has_classes else r2_score
        return float(measure(y, predicted, sample_weight=sample_weight))

    def _evaluate(self, X: Any) -> Array:
        """Return what the members of positive weight say together."""
        check_is_fitted(self, "members_")
        rows = self._checked(X)
        method = "decision_function" if self._has_classes else "predict"
        with limited(self.n_jobs):
            values = (getattr(member, method)(rows) for member in self._weighted_members())
            return weighted_sum(self.weights_[self.weights_ > 0.0], values)

    def _weighted_members(self) -> list[KernelSelector]:
        """Return the members that have a weight."""
        check_is_fitted(self, "members_")
        pairs = zip(self.members_.values(), self.weights_, strict=True)
        return [member for member, weight in pairs if weight > 0.0]

    @property
    def _has_classes(self) -> bool:
        return hasattr(self, "classes_")

    def _checked(self, X: Any) -> Any:
        return validate_rows(self, X, reset=False)

    members_: dict[str, KernelSelector]
    weights_: Array
    loo_values_: Array
    loo_residuals_: Array
    classes_: Array  # of classes only
    calibration_: Calibration  # of classes only
    n_jobs: int | None

    _known_task: Callable[[], str]


def as_columns(values: Array) -> Array:
    """Return values of one target as a single column, others as they are."""
    return values[:, None] if values.ndim == 1 else values


def as_flat(values: Array) -> Array:
    """Return a single column as a vector, others as they are."""
    return values[:, 0] if values.shape[1] == 1 else values


def weighted_sum(weights: Array, values: Iterable[Array]) -> Array:
    """Return the sum of what has a weight; a single weight of one changes no bit."""
    parts = [w * v for w, v in zip(weights, values, strict=True) if w > 0.0]
    return np.asarray(reduce(np.add, parts))


def check_member(name: str, member: KernelSelector) -> None:
    """Refuse a member without leave-one-out values."""
    if not hasattr(getattr(member, "best_estimator_", None), "loo_values_"):
        raise ValueError(
            f"{name}, a member of recipe, has no leave-one-out values: give a selector with LSSVC "
            "or KRR, and refit=True."
        )


def loo_values_of(members: Iterable[KernelSelector]) -> tuple[Array, Array]:
    """Return the leave-one-out values, of shape (n, c, m), and the rows that have all of them."""
    values = [as_columns(np.asarray(member.best_estimator_.loo_values_)) for member in members]
    F = np.stack(values, axis=-1)
    rows = np.isfinite(F).all(axis=(1, 2))
    if np.count_nonzero(rows) < 2:
        raise ValueError(
            "the members of recipe are not judged on the same rows: give all of them one engine."
        )
    return F, rows
