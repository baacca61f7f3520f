"""Weights of rows and of classes."""

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight

from kernelwise._sklearn import _check_sample_weight
from kernelwise._types import Array
from kernelwise.machines.ridges import LARGEST_RIDGE, SMALLEST_RIDGE


def checked_weights(sample_weight: Any, X: Any) -> Array:
    """Return one non-negative weight per row, ones where none are given."""
    return np.asarray(
        _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    )


def sample_weights(X: Any, sample_weight: Any) -> Array:
    """Return one weight per row, not all of them zero."""
    weights = checked_weights(sample_weight, X)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: at least one must be positive.")
    return check_range(weights, "sample_weight")


def with_class_weights(weights: Array, class_weight: Any, y: Array) -> Array:
    """Return weights of rows times those of their classes; "balanced" counts rows by weight."""
    return check_range(
        weights * _class_weights(weights, class_weight, y), "sample_weight times class_weight"
    )


def _class_weights(weights: Array, class_weight: Any, y: Array) -> Array:
    """Return the weight of every row's class."""
    if not isinstance(class_weight, str):
        found = np.asarray(compute_sample_weight(class_weight, y))
        if not np.all(found >= 0.0):
            raise ValueError(f"class_weight must not be negative, got {class_weight}.")
        return check_range(found, "class_weight")
    classes, codes = np.unique(y, return_inverse=True)
    sizes = np.bincount(codes, weights, minlength=classes.size)
    present = sizes > 0.0
    balance = np.zeros(classes.size)
    balance[present] = weights.sum() / (np.count_nonzero(present) * sizes[present])
    return np.asarray(balance[codes])


def check_range(weights: Array, name: str) -> Array:
    """Return the weights; refuse those outside the range of ridges, which could overflow."""
    positive = weights[weights != 0.0]
    for extreme in (positive.min(initial=1.0), positive.max(initial=1.0)):
        if not SMALLEST_RIDGE <= extreme <= LARGEST_RIDGE:
            raise ValueError(
                f"{name} must be zero or lie between 1e-100 and 1e100, got {extreme:g}: "
                "divide it by its mean."
            )
    return weights


def placed(values: Array, used: Array, elsewhere: float) -> Array:
    """Return the values of the rows that are used at their places among all rows."""
    placed = np.full((used.size, values.shape[1]), elsewhere)
    placed[used] = values
    return placed
