r"""The support vector machine with squared hinge loss, by Newton's method.

It minimises :math:`\lambda |f|^2 + \sum_i \max(0, 1 - y_i f(x_i))^2`: a least-squares machine on
the *active* rows, those with a margin below one, which Newton's method finds.

References
----------
O. Chapelle, Training a support vector machine in the primal, Neural Computation 19 (2007).
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kernelwise._types import Array

_ITERATIONS = 100


class SquaredHingeFit(NamedTuple):
    """A machine with squared hinge loss: f = K[:, active] alpha + b."""

    active: Array
    coefficients: Array
    bias: float
    inverse: Array  # the first rows and columns of C^-1 on the active rows
    to_bias: Array  # the last row of C^-1

    def scores(self, K: Array) -> Array:
        """Return f on the rows of a (cross) kernel matrix."""
        return np.asarray(K[:, self.active] @ self.coefficients + self.bias)


def fit_squared_hinge(
    K: Array, y: Array, ridge: float, fit_intercept: bool = True
) -> SquaredHingeFit:
    r"""Return the machine for labels ±1.

    Parameters
    ----------
    K : array of shape (n, n)
        A symmetric kernel matrix.
    y : array of shape (n,)
        1.0 and -1.0.
    ridge : float
        :math:`\lambda`, added to the diagonal of K as it is.
    fit_intercept : bool, default=True
        Whether there is a bias b.

    Returns
    -------
    fit : SquaredHingeFit

    Raises
    ------
    LinAlgError
        If the matrix of the active rows plus ridge is not positive definite.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.machines import fit_squared_hinge
    >>> fit_squared_hinge(np.eye(2), np.array([1.0, -1.0]), ridge=1.0).coefficients
    array([ 0.5, -0.5])
    """
    active = np.arange(y.size)
    seen: set[bytes] = set()
    for _ in range(_ITERATIONS):
        fit = _on(K, y, ridge, active, fit_intercept)
        wanted = np.flatnonzero(y * fit.scores(K) < 1.0)
        if np.array_equal(wanted, active):
            return fit
        key = wanted.tobytes()
        if key in seen:  # rounding at a margin of one: either set is right
            return fit
        seen.add(key)
        active = wanted if wanted.size else active[:1]
    return fit


def _on(K: Array, y: Array, ridge: float, active: Array, fit_intercept: bool) -> SquaredHingeFit:
    """Return the least-squares machine on some rows."""
    M = K[np.ix_(active, active)].copy()
    M.flat[:: active.size + 1] += ridge
    inverse = cho_solve(cho_factor(M, overwrite_a=True), np.eye(active.size))
    to_bias, bias = np.zeros(active.size), 0.0
    if fit_intercept:
        h = inverse.sum(axis=1)
        to_bias = h / h.sum()
        inverse = inverse - np.outer(h, to_bias)
        bias = float(to_bias @ y[active])
    return SquaredHingeFit(active, inverse @ y[active], bias, inverse, to_bias)
