"""The target vector in the forms that statistics, criteria and machines need."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils import check_array, column_or_1d

from kernelwise._sklearn import StrOptions, check_numbers, check_parameters
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise._warnings import warn_user

TASKS = {"auto", "classification", "regression"}
FEW_VALUES = 20  # distinct integers that are classes if there are two rows to each
MOST_CLASSES_AUTO = 100  # more distinct integers are a count or a measurement
LARGEST = 1e50  # squares, and products with the kernel matrix, stay within float64


@dataclass(frozen=True, eq=False)
class Targets:
    """A validated target, and what follows from it."""

    y: Array  # a real target, several as columns, or class codes 0..c-1
    classes: Array | None  # the class labels in sorted order; None for regression
    weights: Array | None = None  # of the rows, positive; None where all are one
    n: int = field(init=False)  # the number of rows
    kind: str = field(init=False)  # "binary", "multiclass" or "regression"
    counts: Array = field(init=False)  # the class sizes; for regression a single entry, n
    # T, the columns that every engine multiplies the kernel matrix with: the class indicators, or
    # ones and the centred target. Their sums, the class sizes or n and zero, are known exactly,
    # which the centred criteria of very wide kernels depend on.
    columns: Array = field(init=False)
    column_sums: Array = field(init=False)
    # What least squares fit: the real target, ±1 of two classes, or of each and the rest.
    fit_columns: Array = field(init=False)
    # Where cross-validation keeps the folds it has drawn: every kernel sees the same.
    splits: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        derived = vars(self)  # a frozen value is complete once this has run
        derived["n"] = n = int(self.y.shape[0])
        if self.classes is None:
            derived.update(kind="regression", counts=np.array([n]))
            derived["columns"] = np.column_stack([np.ones(n), self.centered])
            sums = np.array([n, *np.zeros(derived["columns"].shape[1] - 1)])
            derived.update(column_sums=sums, fit_columns=self.y.reshape(n, -1))
            return
        c = self.classes.size
        counts = np.bincount(self.y, minlength=c)
        columns = np.equal.outer(self.y, np.arange(c)).astype(np.float64)
        signs = 2.0 * columns - 1.0
        derived.update(kind="binary" if c == 2 else "multiclass", counts=counts)
        derived.update(columns=columns, column_sums=counts.astype(np.float64))
        derived["fit_columns"] = signs[:, 1:] if c == 2 else signs

    @classmethod
    def of(cls, y: Any, task: str = "auto") -> "Targets":
        """Validate a target: task is "classification", "regression" or "auto"."""
        check_parameters("kernelwise", {"task": [StrOptions(TASKS)]}, task=task)
        values = as_vector(y, least=3)
        is_real = task == "regression"
        if task == "auto" and values.dtype.kind in "iuf":
            is_real = not are_classes(values)
        return cls._regression(values) if is_real else cls._classification(values)

    @classmethod
    def of_several(cls, Y: Array) -> "Targets":
        """Validate several real targets, the columns of numbers that are finite."""
        if Y.shape[0] < 3:
            raise ValueError(f"y has n_samples = {Y.shape[0]}: at least 3 rows are needed.")
        return cls(np.column_stack([cls._regression(column).y for column in Y.T]), None)

    @classmethod
    def _classification(cls, values: Array) -> "Targets":
        classes, codes = np.unique(values, return_inverse=True)
        if classes.size < 2:
            raise ValueError(
                f"y has only one class {classes.tolist()}: at least two classes are needed."
            )
        if classes.dtype.kind == "f" and np.any(classes != np.round(classes)):
            raise ValueError("Unknown label type: y holds fractions: use task='regression'.")
        if classes.size > max(2, values.size // 2):
            raise ValueError(
                f"y has {classes.size} classes on {values.size} rows: use task='regression' for "
                "real targets, or merge classes."
            )
        return cls(codes.reshape(-1), classes)

    @classmethod
    def _regression(cls, values: Array) -> "Targets":
        check_numbers(values, "y")
        y = values.astype(np.float64)
        if np.ptp(y) == 0.0:
            raise ValueError("y is constant: there is nothing to choose a kernel by.")
        if np.abs(y).max() > LARGEST or np.ptp(y) < 1.0 / LARGEST:
            raise ValueError(
                f"y has entries beyond {LARGEST:g}, or differences below {1.0 / LARGEST:g}: "
                "rescale y."
            )
        return cls(y, None)

    def part(self, rows: Array) -> "Targets":
        """Return the target of some rows; the classes stay those of all."""
        weights = None if self.weights is None else self.weights[rows]
        return Targets(self.y[rows], self.classes, weights)

    def weighted(self, weights: Array | None) -> "Targets":
        """Return the target with weights of its rows."""
        if weights is None or np.all(weights == 1.0):
            return self
        return Targets(self.y, self.classes, weights)

    @cached_property
    def relative_weights(self) -> Array:
        """The weights over their mean: losses times them have the weighted mean of the losses."""
        return np.ones(self.n) if self.weights is None else self.weights / self.weights.mean()

    @cached_property
    def weights_within(self) -> Array | None:
        """The weights over their mean in each class; None where they are equal there."""
        parts = [rows for rows in self.members if rows.size]
        if self.weights is None or all(np.ptp(self.weights[rows]) == 0.0 for rows in parts):
            return None
        within = np.ones(self.n)
        for rows in parts:
            within[rows] = self.weights[rows] / self.weights[rows].mean()
        return within

    @cached_property
    def sizes(self) -> Array:
        """The class sizes with every row counted by its relative weight."""
        if self.weights is None or self.classes is None:
            return self.counts
        return np.bincount(self.y, self.relative_weights, minlength=self.classes.size)

    @property
    def task(self) -> str:
        """Either "classification" or "regression"."""
        return "regression" if self.classes is None else "classification"

    @property
    def labels(self) -> Array:
        """The target as a machine is fitted to it: class labels of one type, or reals."""
        return self.y if self.classes is None else np.asarray(self.classes[self.y])

    @cached_property
    def members(self) -> list[Array]:
        """The rows of every class; for regression all rows."""
        if self.classes is None:
            return [np.arange(self.n)]
        return np.split(np.argsort(self.y, kind="stable"), np.cumsum(self.counts)[:-1])

    @cached_property
    def centered(self) -> Array:
        """The regression target less its mean."""
        return np.asarray(self.y - self.y.mean(axis=0))


def stratified_order(targets: Targets, seed: int = 0) -> Array:
    """Return the rows in random order such that every prefix has all classes in proportion.

    The first rows are one of each class.
    """
    rng = np.random.default_rng(seed)
    place = np.empty(targets.n)
    for members in targets.members:
        place[rng.permutation(members)] = np.arange(members.size) / members.size
    return np.argsort(place, kind="stable")


def last_rows(targets: Targets, order: Array, most: int) -> Array:
    """Return the last rows of a stratified order, and one of every class that has none there.

    A class with a single row keeps it for training.
    """
    last = order[-most:]
    if targets.classes is None:
        return last
    lacking = np.setdiff1d(np.flatnonzero(targets.counts > 1), targets.y[last])
    more = [order[targets.y[order] == c][-1:] for c in lacking]
    return np.concatenate([*more, last])


class IntegerTargetWarning(UserWarning):
    """Integers are regressed on, which could be classes."""


def are_classes(values: Array) -> bool:
    """Decide whether numbers are class labels; warn where integers are not taken for classes.

    Integers are classes if few values have many rows each: up to 20 values with two rows to each on
    average, or up to 100 that are the codes 0, 1, ... or 1, 2, ... with five rows to each on
    average and none with less than a quarter of that. Counts and measurements are more uneven.
    """
    distinct, counts = np.unique(values, return_counts=True)
    is_whole = bool(np.all(distinct == np.round(distinct)))
    if distinct.size <= 2 or not is_whole:
        return is_whole
    mean = values.size / distinct.size
    if distinct.size <= FEW_VALUES:
        found = mean >= 2.0
    else:
        is_code = distinct[0] in (0, 1) and distinct[-1] - distinct[0] == distinct.size - 1
        is_even = mean >= 5.0 and counts.min() >= mean / 4.0
        found = bool(is_code and is_even and distinct.size <= MOST_CLASSES_AUTO)
    if not found and distinct.size <= min(MOST_CLASSES_AUTO, values.size // 2):
        warn_user(
            f"y holds {distinct.size} different integers on {values.size} rows, which are "
            "regressed on: set task='classification' if they are classes, else "
            "task='regression'",
            IntegerTargetWarning,
        )
    return found


def as_vector(y: Any, least: int = 1) -> Array:
    """Return a target of at least so many rows as a vector of numbers, booleans or texts."""
    values = column_or_1d(y)
    if values.dtype.kind not in "biufcU":
        values = _of_one_type(values)
    options = {"ensure_2d": False, "dtype": None, "ensure_min_samples": least}
    return np.asarray(check_array(values, input_name="y", **options))


def _of_one_type(values: Array) -> Array:
    """Return objects, dates and the like as numbers or booleans where all are, else as texts."""
    for value in values:
        is_nan = value != value  # noqa: PLR0124 (neither NaN nor NaT is equal to itself)
        if value is None or type(value).__name__ == "NAType" or is_nan:
            raise ValueError("y contains missing values: drop those rows first.")
    found = np.array(values.tolist()) if values.dtype.kind == "O" else values
    return np.asarray(column_or_1d(found if found.dtype.kind in "biufc" else values.astype(str)))
