"""Intervals and sets of the least-squares machines: :mod:`kernelwise.machines.conformal` on rows.

Nothing is kept for the jackknife+ but the weights of the rows: a call factorises the kernel matrix
again, once, which takes as long as a fit does and as much memory, and solves for every row asked
about, in O(n^2) each.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelwise._arguments import is_one_of
from kernelwise._registry import unknown
from kernelwise._sklearn import validate_rows
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise._warnings import warn_user
from kernelwise.gram.cholesky import CholeskyInverse
from kernelwise.gram.psd import check_matrix
from kernelwise.machines import conformal
from kernelwise.machines.base import winners
from kernelwise.machines.ridge_path import weighted_matrix
from kernelwise.machines.ridges import check_ridge

METHODS = ("auto", "jackknife", "jackknife+")
MOST_ROWS = 2000  # up to which "auto" factorises the matrix again: a fraction of a second
_FEW = 0.5  # of the rows
_ENTRIES = 2**22  # of the largest array at a time

Weigher = Callable[[Array], Array]  # from k(x) to the weights of the training targets in f(x)


class TooFewRowsWarning(UserWarning):
    """There are too few training rows for the level: an interval or a set says nothing."""


class PredictsIntervals:
    """A machine for real targets that knows how sure it is."""

    def predict_interval(
        self: Any, X: Any, level: float = 0.9, method: str = "auto"
    ) -> tuple[Array, Array]:
        """Return an interval for the target of every row.

        Intervals cover the targets of new rows like the training rows with about this probability,
        on average over rows and one target at a time
        (:mod:`~kernelwise.machines.conformal` has the formulas). A training row counts once,
        whatever its weight; those of weight zero do not count.

        Parameters
        ----------
        X : array or sparse matrix of shape (m, d)
        level : float, default=0.9
            The share of targets to cover. With fewer than level / (1 - level) training rows, the
            intervals are infinite, and a warning says so.
        method : {"auto", "jackknife", "jackknife+"}, default="auto"
            "jackknife" is immediate: every interval has the same width. "jackknife+" is safer for
            machines that depend on single rows, and takes as long as a fit. "auto" takes it up to
            2,000 training rows where it can be had; a machine loaded from a file of an earlier
            version, or that is a sum over fewer rows than it was trained on, cannot.

        Returns
        -------
        lower, upper : arrays of the shape that predict returns
        """
        level, weigher = _prepare(self, level, method)
        residuals = _left_out(self)[1]

        def bounds(values: Array, weights: Array | None) -> Array:
            if weights is None:
                return conformal.jackknife(values, residuals, level)
            return conformal.jackknife_plus(values, residuals, level, weights)

        found = _in_parts(self, X, weigher, bounds)
        lower, upper = found[..., 0] if self.dual_coef_.ndim == 1 else found
        return lower, upper


class PredictsSets:
    """A machine for classes that knows how sure it is."""

    def predict_set(self: Any, X: Any, level: float = 0.9, method: str = "auto") -> Array:
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
        method : {"auto", "jackknife", "jackknife+"}, default="auto"
            As of :meth:`KRR.predict_interval`.

        Returns
        -------
        members : boolean array of shape (m, c)
            Which classes are in the set, in the order of ``classes_``; ``classes_[members[0]]`` are
            those of the first row.
        """
        level, weigher = _prepare(self, level, method)
        values, residuals = _left_out(self)
        codes = winners(values + residuals)  # of the targets themselves
        own = conformal.margins(values)[np.arange(codes.size), codes]

        def members(values: Array, weights: Array | None) -> Array:
            if weights is None:
                return conformal.jackknife_set(values, own, level)
            # A threshold moves all values, and none by leaving out a row.
            moves = residuals - self.threshold_
            return conformal.jackknife_plus_set(values, own, level, weights, moves)

        return _in_parts(self, X, weigher, members)


def _has_left_out(machine: Any) -> Array:
    """Return which training rows can be left out: not those of weight zero, nor one alone."""
    return np.asarray(np.isfinite(_columns(machine.loo_residuals_)).all(axis=1))


def _are_held_out_together(machine: Any) -> bool:
    """Say whether rows judge a machine that lacks all of them, not one by one: few have values.

    Of a machine with leave-one-out values nearly all have them, or, of a single row, none.
    """
    share = float(_has_left_out(machine)[machine.sample_weight_ > 0.0].mean())
    return 0.0 < share < _FEW


def _left_out(machine: Any) -> tuple[Array, Array]:
    """Return leave-one-out values and residuals, (n, c), of the rows that have them."""
    rows = _has_left_out(machine)
    return _columns(machine.loo_values_)[rows], _columns(machine.loo_residuals_)[rows]


def _columns(values: Array) -> Array:
    return values[:, None] if values.ndim == 1 else values


def level_for(level: Any, n: int) -> float:
    """Return a level as a float; warn where so many training rows are too few for it."""
    share = conformal.check_level(level)
    if conformal.rank(share, n) > n:
        warn_user(
            f"level={share:g} needs at least {conformal.fewest_rows(share)} training rows, and "
            f"there are {n}: intervals are infinite, sets hold every class.",
            TooFewRowsWarning,
        )
    return share


def _prepare(machine: Any, level: Any, method: Any) -> tuple[float, Weigher | None]:
    """Check the arguments; return the level, and None for the jackknife."""
    conformal.check_level(level)
    if not is_one_of(method, METHODS):
        raise ValueError(unknown("method", method, list(METHODS)))
    check_is_fitted(machine)
    n = int(np.count_nonzero(_has_left_out(machine)))
    level = level_for(level, n)
    if method == "jackknife" or (method == "auto" and n > MOST_ROWS):
        return level, None
    try:
        return level, _weigher(machine)
    except Undefined as error:
        if method == "auto":
            return level, None
        raise ValueError(f"{error}.") from None


def _weigher(machine: Any) -> Weigher:
    """Return what gives the weights of the training targets, from the matrix factorised again."""
    rows, weights = machine.X_fit_, getattr(machine, "sample_weight_", np.empty(0))
    if weights.size != rows.shape[0] or _are_held_out_together(machine):
        raise Undefined(
            "the jackknife+ needs every training row with its weight and its leave-one-out value, "
            "and this machine does not have them: use method='jackknife'"
        )
    used, bias = weights > 0.0, machine.fit_intercept
    weights, judged = weights[used], _has_left_out(machine)[used]
    with limited(rows=weights.size):
        K = check_matrix(machine.kernel(rows, rows))[np.ix_(used, used)]
        M = np.array(weighted_matrix(K, weights), order="C")
        inverse = CholeskyInverse(M, check_ridge(machine.ridge))

    def weigh(cross: Array) -> Array:
        of_targets = conformal.target_weights(inverse, cross[:, used], weights, fit_intercept=bias)
        return of_targets[:, judged]

    return weigh


def _in_parts(
    machine: Any, X: Any, weigher: Weigher | None, judge: Callable[[Array, Array | None], Array]
) -> Array:
    """Return what is judged of rows from f(x) and weights, some rows at a time."""
    if weigher is None:
        return judge(_columns(machine._evaluate(X)), None)
    X = validate_rows(machine, X, reset=False)
    n = machine.X_fit_.shape[0]
    alpha = _columns(machine.dual_coef_)
    at_once = max(1, _ENTRIES // (n * alpha.shape[1]))
    parts = []
    with limited(rows=max(X.shape[0], n)):
        for start in range(0, X.shape[0], at_once):
            cross = machine.kernel(X[start : start + at_once], machine.X_fit_)
            cross = cross.toarray() if hasattr(cross, "toarray") else np.asarray(cross)
            values = cross @ alpha + machine.intercept_
            parts.append(judge(values, weigher(cross)))
    return np.concatenate(parts, axis=-2)
