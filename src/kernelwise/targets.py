"""The target vector in the forms that statistics, criteria and machines need."""

import math
import numbers
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise._arguments import shown
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise._warnings import warn_user

FEW_VALUES = 20  # distinct integers that are classes if there are two rows to each
MOST_CLASSES_AUTO = 100  # more distinct integers are a count or a measurement
LARGEST_INTEGER = 2**53  # beyond it neighbours share a float64
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
        values = as_vector(y)
        if not isinstance(task, str) or task not in ("auto", "classification", "regression"):
            raise ValueError(
                f"task must be 'auto', 'classification' or 'regression', got {shown(task)}."
            )
        if values.size < 3:
            raise ValueError(f"y has n_samples = {values.size}: at least 3 rows are needed.")
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
            [only] = classes.tolist()
            raise ValueError(
                f"y has only one class ({shown(only)}): at least two classes are needed."
            )
        no_labels = _why_no_labels(classes)
        if no_labels is not None:
            raise ValueError(f"Unknown label type: y holds {no_labels}.")
        if classes.size > max(2, values.size // 2):
            raise ValueError(
                f"y has {classes.size} classes on {values.size} rows: use task='regression' for "
                "real targets, or merge classes."
            )
        return cls(codes.reshape(-1), classes)

    @classmethod
    def _regression(cls, values: Array) -> "Targets":
        try:
            y = values.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("y must be numeric for task='regression'.") from None
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
    can_be_labels = _why_no_labels(distinct) is None
    if distinct.size <= 2 or not can_be_labels:
        return can_be_labels
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


def as_vector(y: Any) -> Array:
    """Return a target as a vector of one type, or say what is wrong with it."""
    if y is None:
        raise ValueError("y is missing: a kernel is chosen for a target.")
    if np.ma.is_masked(y):
        raise ValueError("y has masked entries: drop those rows first.")
    try:
        values = np.asarray(y)
    except ValueError:
        raise ValueError("y must have one dimension, got rows of different lengths.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1:
        raise ValueError(f"y must have one dimension, got shape {values.shape}.")
    return values if values.dtype.kind in "biu" else _of_one_type(values)


def _of_one_type(values: Array) -> Array:
    """Return a vector as numbers or as text, without missing entries."""
    kind = values.dtype.kind
    if kind == "c" or (kind == "O" and any(isinstance(v, complex) for v in values)):
        raise ValueError("y must be real, got complex numbers.")
    if kind not in "biufOSUTmM":
        raise ValueError(f"y must hold one label or number per row, got the type {values.dtype}.")
    if kind == "f":
        values = values.astype(np.float64) if values.dtype.itemsize > 8 else values
        if not np.isfinite(values).all():
            raise ValueError("y contains NaN or infinity: drop those rows first.")
    if (kind == "O" and any(map(_is_missing, values))) or (kind in "mM" and np.isnat(values).any()):
        raise ValueError("y contains missing values: drop those rows first.")
    if kind == "O":
        return _uniform(values)
    if kind == "S":
        return np.asarray(np.char.decode(values, "utf-8", "backslashreplace"))
    if kind == "T":
        return np.array(values.tolist())
    return values.astype(str) if kind in "mM" else values


def _is_missing(value: Any) -> bool:
    """Say whether an entry of an object array is None, NaN or one of pandas' missing values."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def _uniform(values: Array) -> Array:
    """Return an object array as booleans, integers or reals where all are, else as text."""
    for kind, dtype in ((bool | np.bool_, bool), (numbers.Integral, int), (numbers.Real, float)):
        if all(isinstance(v, kind) and _is_exact(v) for v in values):
            return values.astype(dtype)
    try:
        distinct = len(set(values.tolist()))
    except TypeError:
        raise ValueError("y must hold one label or number per row, got lists.") from None
    texts = np.array([str(v) for v in values])
    if np.unique(texts).size < distinct:
        raise ValueError("y mixes labels that look alike, such as 1 and '1': make them one type.")
    return texts


def _is_exact(value: Any) -> bool:
    """Say whether a number is one that float64 has too, as far as integers go."""
    return bool(-LARGEST_INTEGER < value < LARGEST_INTEGER)


def _why_no_labels(values: Array) -> str | None:
    """Say what distinct numbers are, and what to do, where they are no class labels."""
    if values.dtype.kind != "f":
        return None
    if np.any(values != np.round(values)):
        return "fractions, not classes: use task='regression'"
    if float(np.abs(values).max()) > LARGEST_INTEGER:
        return (
            "numbers beyond 2^53, where float64 skips integers: use task='regression', or text for "
            "labels"
        )
    return None
