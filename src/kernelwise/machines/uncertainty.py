"""Intervals and sets of fitted machines: :mod:`kernelwise.machines.conformal` on rows."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.machines import conformal
from kernelwise.machines.base import winners


class TooFewRowsWarning(UserWarning):
    """There are too few training rows for the level: an interval or a set says nothing."""


class PredictsIntervals:
    """A machine for real targets that knows how sure it is."""

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Array, Array]:
        """Return an interval for the target of every row.

        Intervals cover the targets of new rows like the training rows with about this probability,
        on average over rows and one target at a time
        (:mod:`~kernelwise.machines.conformal` has the formulas). A training row counts once,
        whatever its weight; those of weight zero do not count. All intervals of a target have the
        same width.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
        level : float, default=0.9
            The share of targets to cover. With fewer than level / (1 - level) training rows, the
            intervals are infinite, and a warning says so.

        Returns
        -------
        lower, upper : arrays of the shape that predict returns
        """
        return intervals(self, X, level)


class PredictsSets:
    """A machine for classes that knows how sure it is."""

    def predict_set(self, X: Any, level: float = 0.9) -> Array:
        """Return a set of classes for every row.

        Sets hold the classes of new rows like the training rows with about this probability, on
        average over rows and classes: a rare class may be missed more often. Rows that are clear
        have one class in it, unclear ones several. A set may be empty: at a level below the
        accuracy, which one class per row would exceed, the least clear rows get none.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
        level : float, default=0.9
            The share of classes to cover. With fewer than level / (1 - level) training rows, the
            sets hold every class, and a warning says so.

        Returns
        -------
        members : boolean array of shape (m, c)
            Which classes are in the set, in the order of ``classes_``; ``classes_[members[0]]`` are
            those of the first row.
        """
        return sets(self, X, level)


def intervals(machine: Any, X: Any, level: Any) -> tuple[Array, Array]:
    """Return the bounds of rows, by what a machine or a stack says of rows left out."""
    level, _, residuals = _left_out(machine, level)
    found = conformal.jackknife(_columns(machine._evaluate(X)), residuals, level)
    lower, upper = found[..., 0] if machine.loo_residuals_.ndim == 1 else found
    return lower, upper


def sets(machine: Any, X: Any, level: Any) -> Array:
    """Return which classes are in the sets of rows, by what is said of rows left out."""
    level, values, residuals = _left_out(machine, level)
    codes = winners(values + residuals)  # of the targets themselves
    own = conformal.margins(values)[np.arange(codes.size), codes]
    return conformal.jackknife_set(_columns(machine._evaluate(X)), own, level)


def _left_out(machine: Any, level: Any) -> tuple[float, Array, Array]:
    """Return the level, and leave-one-out values and residuals, (n, c), of the rows that have them.

    Rows of weight zero have none, nor has one alone. It warns where there are too few.
    """
    share = conformal.check_level(level)
    check_is_fitted(machine)
    values, residuals = _columns(machine.loo_values_), _columns(machine.loo_residuals_)
    rows = np.isfinite(residuals).all(axis=1)
    n = int(np.count_nonzero(rows))
    if conformal.rank(share, n) > n:
        warn_user(
            f"level={share:g} needs at least {conformal.fewest_rows(share)} training rows, and "
            f"there are {n}: intervals are infinite, sets hold every class.",
            TooFewRowsWarning,
        )
    return share, values[rows], residuals[rows]


def _columns(values: Array) -> Array:
    return values[:, None] if values.ndim == 1 else values
