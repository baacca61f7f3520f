"""The inner loop of the support vector machine on a kernel matrix, compiled by numba.

The dual in the signed multipliers b_i = y_i alpha_i has one equality, sum b = 0, and a box a row:
[0, C] for y = 1, [-C, 0] for y = -1, [0, 0] for a row that is left out; the C of a row is that of
the machine times its weight. Two rows move against each other: the one that wants to rise most, and
the one whose fall gains most to second order (the choice of Fan, Chen and Lin, JMLR 6 (2005), which
libsvm makes too). The products K b are kept for all rows, so that the values of a machine on rows
that are left out are there when it is trained.
"""

import numpy as np
from numba import njit

import kernelwise.gram._compiling  # noqa: F401 (says that it compiles)
from kernelwise._types import Array

ROUNDING = 1e-12  # a multiplier this near its bound, relative to the step, is at it
_FLATTEST = 1e-12  # of the largest: a smaller curvature is rounding, and counts as this one
_FLAT = 1e-300  # replaces a curvature that is not positive: the step ends at the box


@njit(nogil=True, cache=True)
def solve(
    K: Array,
    y: Array,
    box: tuple[Array, Array],
    b: Array,
    products: Array,
    tolerance: float,
    limit: int,
) -> tuple[float, float, bool]:
    """Move b and K b in place towards the optimum; return the highest riser and the lowest faller.

    They bracket the bias. The last value says whether they differ by less than the tolerance;
    where they do not, the limit of steps is met, and another call goes on from there.
    """
    lower, upper = box
    n = y.shape[0]
    diagonal = np.diag(K).copy()
    flattest = _FLATTEST * np.abs(diagonal).max()
    highest, lowest = -np.inf, np.inf
    for _ in range(limit):
        i, highest, lowest = -1, -np.inf, np.inf
        for k in range(n):
            wish = y[k] - products[k]
            if b[k] < upper[k] and wish > highest:
                i, highest = k, wish
            if b[k] > lower[k] and wish < lowest:
                lowest = wish
        if i < 0 or highest - lowest < tolerance:
            return highest, lowest, True
        row = K[i]
        j, gain = -1, 0.0
        for k in range(n):
            if b[k] > lower[k]:
                gap = highest - (y[k] - products[k])
                if gap > 0.0:
                    curvature = _curvature(diagonal[i] + diagonal[k] - 2.0 * row[k], flattest)
                    if gap * gap > gain * curvature:
                        j, gain = k, gap * gap / curvature
        if j < 0:
            return highest, lowest, True
        gap = highest - (y[j] - products[j])
        curvature = _curvature(diagonal[i] + diagonal[j] - 2.0 * row[j], flattest)
        step = min(gap / curvature, upper[i] - b[i], b[j] - lower[j])
        # A multiplier that misses its bound by rounding would pass for a free one.
        rounding = ROUNDING * max(abs(b[i]), step)
        b[i] = upper[i] if upper[i] - b[i] - step <= rounding else b[i] + step
        rounding = ROUNDING * max(abs(b[j]), step)
        b[j] = lower[j] if b[j] - step - lower[j] <= rounding else b[j] - step
        other = K[j]
        for k in range(n):
            products[k] += step * (row[k] - other[k])
    return highest, lowest, False


@njit(nogil=True, cache=True)
def leave(K: Array, y: Array, C: Array, b: Array, products: Array, rows: Array) -> None:
    """Remove rows from a machine in place: set their y and b to 0 and rebalance the others.

    Rows with the steepest gradient move first, within the box, until sum b = 0 again.
    """
    rounding = ROUNDING * np.abs(b).max()
    for i in rows:
        if b[i] != 0.0:
            _move(K[i], -b[i], products)
            b[i] = 0.0
        y[i] = 0.0
    excess = b.sum()
    while abs(excess) > rounding * b.shape[0]:
        direction = -1.0 if excess > 0.0 else 1.0
        best, most = -1, -np.inf
        for k in range(b.shape[0]):
            bound = direction * C[k] if y[k] == direction else 0.0
            wish = direction * (y[k] - products[k])
            if y[k] != 0.0 and direction * (bound - b[k]) > rounding and wish > most:
                best, most = k, wish
        if best < 0:
            break
        bound = direction * C[best] if y[best] == direction else 0.0
        step = direction * min(abs(bound - b[best]), abs(excess))
        b[best] += step
        _move(K[best], step, products)
        excess += step


@njit(nogil=True, cache=True, inline="always")
def _curvature(computed: float, flattest: float) -> float:
    return max(computed, flattest) if computed > 0.0 else _FLAT


@njit(nogil=True, cache=True, inline="always")
def _move(row: Array, step: float, products: Array) -> None:
    for k in range(products.shape[0]):
        products[k] += step * row[k]
