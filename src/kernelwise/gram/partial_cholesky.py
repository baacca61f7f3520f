r"""A partial factor in place of a whole kernel matrix.

A partial Cholesky factor reproduces some columns of the matrix and, up to a known trace, the rest:
:math:`K = L L^\top + E` with E positive semidefinite, so that no eigenvalue of E exceeds
:math:`\mathrm{tr} E`, which is known.

References
----------
Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber, Randomly pivoted Cholesky, Communications on
Pure and Applied Mathematics 78 (2025).
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.linalg.lapack import dpstrf

from kernelwise._types import Array

_BLOCK = 64  # pivots at once
_SMALL_PART = 8  # of the rows: a rank up to which a factor is much cheaper than a decomposition
_EPS = float(np.finfo(float).eps)


class PartialCholesky:
    """A factor of a positive semidefinite matrix that grows on demand.

    Pivots are drawn in proportion to what is still missing on the diagonal. `columns` returns the
    columns of the matrix at some positions.
    """

    def __init__(
        self, columns: Callable[[Array], Array], diagonal: Array, random_state: int = 0
    ) -> None:
        self._columns, self._rng = columns, np.random.default_rng(random_state)
        self._total = float(diagonal.sum())
        self._missing = diagonal.astype(np.float64)
        self._factor = np.empty((diagonal.size, 0))

    @property
    def factor(self) -> Array:
        """L, of shape (n, rank)."""
        return self._factor

    @property
    def rank(self) -> int:
        """The number of columns of the factor."""
        return self._factor.shape[1]

    @property
    def missing_trace(self) -> float:
        """The trace of K - L L': no eigenvalue of it is larger."""
        return float(self._missing.sum())

    @property
    def is_complete(self) -> bool:
        """Whether what is missing is the rounding error of the matrix itself."""
        return self.missing_trace <= self._missing.size * _EPS * self._total

    def grow(self, rank: int) -> None:
        """Add columns up to a rank, fewer if the matrix has no more."""
        while self.rank < rank and not self.is_complete:
            block = self._next_block(min(_BLOCK, rank - self.rank))
            if block.shape[1] == 0:
                break
            self._factor = np.hstack([self._factor, block])

    def _next_block(self, size: int) -> Array:
        """Return the next columns of the factor; pivots that add nothing are left out."""
        size = min(size, int(np.count_nonzero(self._missing)))
        pivots = self._rng.choice(
            self._missing.size, size, replace=False, p=self._missing / self._missing.sum()
        )
        C = self._columns(pivots) - self._factor @ self._factor[pivots].T
        upper, order, rank, _ = dpstrf(C[pivots], tol=_EPS * self._total)
        kept = order[:rank] - 1
        block = solve_triangular(upper[:rank, :rank], C[:, kept].T, trans="T").T
        self._missing = np.maximum(self._missing - np.einsum("ij,ij->i", block, block), 0.0)
        self._missing[pivots] = 0.0
        return np.asarray(block)

    def eigensystem(self) -> tuple[Array, Array]:
        """Return the eigenvalues of L L' above rounding, ascending, and their eigenvectors."""
        s, V = eigh(self._factor.T @ self._factor, driver="evd", check_finite=False)
        kept = s > s.max(initial=0.0) * self._missing.size * _EPS
        return s[kept], np.asarray(self._factor @ (V[:, kept] / np.sqrt(s[kept])))


def thin_eigensystem(
    columns: Callable[[Array], Array], diagonal: Array
) -> tuple[Array, Array] | None:
    """Return the eigenpairs of a matrix whose rank is small to rounding, None if it is not.

    What is missing has a trace, and so no eigenvalue, above the rounding error of a decomposition
    of the whole matrix.
    """
    factor = PartialCholesky(columns, diagonal)
    if not 0.0 < diagonal.sum() < np.inf:
        return None
    factor.grow(diagonal.size // _SMALL_PART)
    return factor.eigensystem() if factor.is_complete else None
