"""The support vector machine of the theorems: without bias, and exact for any ridge."""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from kernelwise._types import Array
from kernelwise.criteria import Undefined

_GAP = 1e-10  # between primal and dual objective, relative: where to stop
_ROUNDING = 1e-30  # of a product, relative to the objective: the rest of the gap is rounding
_ITERATIONS = 60  # ten to twenty do
_TO_THE_WALL = 0.995  # share of the way to the nearest wall that a step goes
_ATTEMPTS = 10  # at a factor, each with a hundred times the jitter
_ENOUGH = 1e-6  # a gap, relative, that rounding may leave where the solution is still one
_LARGEST_BOX = 1e10  # C times the largest k(x, x): beyond, rounding errors hide the solution
_HARD = 0.5  # of the box: a solution below it, with a hard margin, is that of every larger C
_JITTER = 1e-13  # relative to K: what keeps the factor of a singular matrix real


def svm_coefficients(K: Array, y: Array, ridge: float) -> Array:
    r"""Return the alpha of f = K alpha, the support vector machine without bias.

    It minimises :math:`\tfrac12 |f|_K^2 + C \sum_i \max(0, 1 - y_i f(x_i))`, C = 1 / (2 ridge), by
    its dual :math:`\min_{0 \le a \le C} \tfrac12 a^\top G a - \sum_i a_i`,
    :math:`G_{ij} = y_i y_j K_{ij}`, with Mehrotra's primal-dual steps. They number about a dozen
    whatever K and C are, where methods that move a few coefficients at a time need millions of
    steps for a wide kernel at a small ridge. K is positive semidefinite, y is ±1 and may be all the
    same. Undefined where the ridge is so small that rounding errors hide the solution, unless that
    has a hard margin.

    References
    ----------
    S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on
    Optimization 2 (1992).
    """
    C = 0.5 / ridge
    largest = _LARGEST_BOX / (float(np.abs(K.diagonal()).max()) or 1.0)
    a = _dual(K * np.outer(y, y), min(C, largest))
    if C > largest and a.max() > _HARD * largest:
        raise _not_converged(ridge)
    return np.asarray(a * y)


def _not_converged(ridge: float) -> Undefined:
    return Undefined(
        f"the support vector machine did not converge at ridge = {ridge:g}, so use a larger ridge"
    )


def _dual(G: Array, C: float) -> Array:
    """Return the solution of the dual."""
    a = np.full(G.shape[0], 0.5 * C)
    multipliers = np.full(a.size, max(1.0, float(np.abs(G @ a).max())))
    state = _State(a, a, multipliers, multipliers)
    best, least, objective = a, np.inf, np.inf
    for _ in range(_ITERATIONS):
        margins = G @ state.a
        primal = 0.5 * state.a @ margins + C * np.maximum(1.0 - margins, 0.0).sum()
        gap = primal - (state.a.sum() - 0.5 * state.a @ margins)
        if gap < least:
            best, least, objective = state.a, gap, primal
        if gap <= _GAP * primal or state.mean <= _ROUNDING * primal:
            break
        state = _step(G, state, margins - 1.0)
    if not least <= _ENOUGH * abs(objective):
        raise _not_converged(0.5 / C)
    return np.asarray(np.minimum(best, C))


class _State(NamedTuple):
    """Coefficients a, their room C - a, and the multipliers of both; all stay positive.

    The room has a place of its own because C - a has no digits left near C.
    """

    a: Array
    room: Array
    lower: Array
    upper: Array

    @property
    def mean(self) -> float:
        """The mean of the products, which are zero at the solution."""
        return float(self.lower @ self.a + self.upper @ self.room) / (2 * self.a.size)

    def moved(self, by: "_State", share: float) -> "_State":
        """Return the state after a move, of which so much as is left of it before a wall."""
        values, moves = np.concatenate(self), np.concatenate(by)
        falling = moves < 0.0
        length = min(1.0, share * np.min(-values[falling] / moves[falling], initial=np.inf))
        return _State(*(v + length * move for v, move in zip(self, by, strict=True)))


def _step(G: Array, state: _State, gradient: Array) -> _State:
    """Return the state after a step: a first one, straight to the end, tells how far to aim."""
    a, room, lower, upper = state
    factor = _factor(G, lower / a + upper / room)

    def towards(mean: float, below: Array | float, above: Array | float) -> _State:
        """Return the move to products of that mean, with second-order terms taken off."""
        to_lower, to_upper = (mean - below) / a, (mean - above) / room
        move = scipy.linalg.cho_solve(factor, to_lower - to_upper - gradient, check_finite=False)
        dual = to_lower - lower * (1.0 + move / a), to_upper - upper * (1.0 - move / room)
        return _State(move, -move, *dual)

    ahead = towards(0.0, 0.0, 0.0)
    left = state.moved(ahead, 1.0).mean / state.mean
    move = towards(left**3 * state.mean, ahead.a * ahead.lower, -ahead.a * ahead.upper)
    return state.moved(move, _TO_THE_WALL)


def _factor(G: Array, diagonal: Array) -> tuple[Array, bool]:
    """Return the Cholesky factor of a sum that is positive definite but for rounding."""
    jitter = _JITTER * float(np.abs(G.diagonal()).max())
    for _ in range(_ATTEMPTS):
        M = G.copy()
        M.flat[:: M.shape[0] + 1] += diagonal + jitter
        try:
            L, is_lower = scipy.linalg.cho_factor(
                M, lower=True, overwrite_a=True, check_finite=False
            )
            return np.asarray(L), bool(is_lower)
        except np.linalg.LinAlgError:
            jitter *= 100.0
    raise Undefined("the matrix is too far from positive semidefinite for a support vector machine")
