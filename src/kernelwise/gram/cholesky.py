"""The inverse of a kernel matrix plus a ridge by a Cholesky factor: one ridge, all digits."""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve

from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.inverse import Inverse, NotPositiveDefinite
from kernelwise.gram.panels import cholesky_factor, inverse_factor


class CholeskyInverse(Inverse):
    """By a Cholesky factor L of M, and its own inverse N: M^-1 = N'N.

    Only the upper triangle of K is read; a matrix in C order is overwritten. The task is told of
    the steps of large ones, those to the factor and those to its inverse.
    """

    def __init__(self, K: Array, ridge: float, progress: Task = SILENT) -> None:
        self.ridge, self._progress = ridge, progress
        K.flat[:: K.shape[0] + 1] += ridge
        self.size = K.diagonal().copy()  # of M, the diagonal
        # M is symmetric, so M.T is M in LAPACK's order.
        factor = cholesky_factor(K.T, progress)
        if factor is None:
            raise NotPositiveDefinite(ridge)
        self._lower = factor
        self._logdet = 2.0 * float(np.log(self._lower.diagonal()).sum())

    @cached_property
    def _inverse_factor(self) -> Array:
        """N; the factor itself is lost."""
        N = inverse_factor(self._lower, self._progress)
        del self._lower
        return N

    @cached_property
    def _diagonal(self) -> Array:
        return np.asarray(np.einsum("ij,ij->j", self._inverse_factor, self._inverse_factor))

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""
        if "_inverse_factor" not in vars(self):
            return np.asarray(cho_solve((self._lower, True), B, check_finite=False))
        return np.asarray(self._inverse_factor.T @ (self._inverse_factor @ B))

    def diagonal(self) -> Array:
        """Return the column sums of squares of N."""
        return self._diagonal

    def block(self, rows: Array) -> Array:
        """Return some rows and the same columns."""
        N = self._inverse_factor[:, rows]
        return np.asarray(N.T @ N)

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with a block, in O(n |rows|)."""
        N = self._inverse_factor[:, rows]
        return lambda V: np.asarray(N.T @ (N @ V))

    def logdet(self) -> float:
        """Return the logarithm of the determinant of M."""
        return self._logdet

    @property
    def condition(self) -> float:  # type: ignore[override]
        """Errors are relative to sqrt(M_ii M_jj), so rows of any scale do no harm."""
        return float(self.size @ self.diagonal())
