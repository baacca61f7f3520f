"""The weights of rows that a machine is fitted with."""

from typing import Any

import numpy as np

from kernelwise._sklearn import validate_weights
from kernelwise._types import Array
from kernelwise.machines.ridge_path import LARGEST_RIDGE, SMALLEST_RIDGE


def sample_weights(X: Any, sample_weight: Any) -> Array:
    """Return one weight per row, not all of them zero."""
    weights = np.asarray(validate_weights(sample_weight, X))
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: at least one must be positive.")
    return check_range(weights, "sample_weight")


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
