r"""A partial factor in place of a whole kernel matrix, and linear systems by means of it.

A partial Cholesky factor reproduces some columns of the matrix and, up to a known trace, the rest:
:math:`K = L L^\top + E` with E positive semidefinite, so that no eigenvalue of E exceeds
:math:`\mathrm{tr} E`, which is known.

It gives the eigenpairs of a matrix of small rank. For a matrix that is never stored it makes
:math:`(K + \lambda I) x = b` a matter of a few dozen products with K, by conjugate gradients: what
:math:`L L^\top + \lambda I` misses is small. Their residual bounds the error where it matters:
:math:`\lambda (K + \lambda I)^{-1}` does not stretch a vector, so the training residuals
:math:`\lambda x` of a least-squares machine are wrong by at most the norm of what is left.

References
----------
Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber, Randomly pivoted Cholesky, Communications on
Pure and Applied Mathematics 78 (2025).
M. Díaz, E. N. Epperly, Z. Frangella, J. A. Tropp and R. J. Webber, Robust, randomized
preconditioning for kernel ridge regression, arXiv 2304.12465 (2023).
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from kernelwise._types import Array
from kernelwise._undefined import NotConverged
from kernelwise.gram.eigensystems import eigensystem
from kernelwise.gram.inverse import Inverse

_BLOCK = 64  # pivots at once
_SMALL_PART = 8  # of the rows: a rank up to which a factor is much cheaper than a decomposition
TOLERANCE = 1e-10  # of the residual, relative to the right-hand side
_LONGEST = 1000  # iterations
_EPS = float(np.finfo(float).eps)


class PartialCholesky:
    """A factor of a semidefinite matrix, given by its columns, that grows on demand."""

    def __init__(
        self, columns: Callable[[Array], Array], diagonal: Array, random_state: int = 0
    ) -> None:
        self._columns, self._rng = columns, np.random.default_rng(random_state)
        self._total = float(diagonal.sum())
        self._missing = diagonal.astype(np.float64)
        self.factor = np.empty((diagonal.size, 0))  # L, of shape (n, rank)
        self.pivots: list[int] = []  # the rows that it reproduces

    @property
    def rank(self) -> int:
        """The number of columns of the factor."""
        return self.factor.shape[1]

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
            self.factor = np.hstack([self.factor, block])

    def _next_block(self, size: int) -> Array:
        """Return the next columns, of pivots drawn in proportion to what their diagonal misses."""
        size = min(size, int(np.count_nonzero(self._missing)))
        pivots = self._rng.choice(
            self._missing.size, size, replace=False, p=self._missing / self._missing.sum()
        )
        C = self._columns(pivots) - self.factor @ self.factor[pivots].T
        upper, order, rank, _ = dpstrf(C[pivots], tol=_EPS * self._total)
        kept = order[:rank] - 1
        self.pivots += pivots[kept].tolist()
        block = solve_triangular(upper[:rank, :rank], C[:, kept].T, trans="T").T
        self._missing = np.maximum(self._missing - np.einsum("ij,ij->i", block, block), 0.0)
        self._missing[pivots] = 0.0
        return np.asarray(block)

    def eigensystem(self) -> tuple[Array, Array]:
        """Return the eigenvalues of L L' above rounding, ascending, and their eigenvectors."""
        s, V = eigensystem(lambda: self.factor.T @ self.factor)
        kept = s > s.max(initial=0.0) * self._missing.size * _EPS
        return s[kept], np.asarray(self.factor @ (V[:, kept] / np.sqrt(s[kept])))


def thin_eigensystem(
    columns: Callable[[Array], Array], diagonal: Array
) -> tuple[Array, Array] | None:
    """Return the eigenpairs of a matrix whose rank is small to rounding, None if it is not."""
    factor = PartialCholesky(columns, diagonal)
    if not 0.0 < diagonal.sum() < np.inf:
        return None
    factor.grow(diagonal.size // _SMALL_PART)
    return factor.eigensystem() if factor.is_complete else None


class Preconditioner:
    """The inverse of L L' + ridge I, for every ridge, from a partial factor L."""

    def __init__(self, factor: PartialCholesky) -> None:
        self._eigenvalues, self._vectors = factor.eigensystem()

    def __call__(self, ridge: float, V: Array) -> Array:
        """Return ridge (L L' + ridge I)^-1 V; the factor keeps small ridges within range."""
        gains = -self._eigenvalues / (self._eigenvalues + ridge)
        return np.asarray(V + self._vectors @ (gains[:, None] * (self._vectors.T @ V)))


class IterativeInverse(Inverse):
    """The inverse of K + ridge I, from products with K alone: it solves, and nothing else."""

    def __init__(
        self, multiply: Callable[[Array], Array], precondition: Preconditioner, ridge: float
    ) -> None:
        self.ridge, self._multiply, self._precondition = ridge, multiply, precondition

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B, all of them side by side."""
        ridge, goal = self.ridge, TOLERANCE * np.linalg.norm(B, axis=0)
        X, R = np.zeros_like(B), B.copy()
        Z = self._precondition(ridge, R)
        P, rho = Z, np.einsum("ij,ij->j", R, Z)
        for _ in range(_LONGEST):
            if np.all(np.linalg.norm(R, axis=0) <= goal):
                return X
            Q = self._multiply(P) + ridge * P
            step = ratio(rho, np.einsum("ij,ij->j", P, Q))
            X += step * P
            R -= step * Q
            Z = self._precondition(ridge, R)
            rho, before = np.einsum("ij,ij->j", R, Z), rho
            P = Z + ratio(rho, before) * P
        raise NotConverged(
            f"conjugate gradients did not converge at ridge = {ridge:g}, so use a larger ridge or "
            "raise memory"
        )


def ratio(above: Array, below: Array) -> Array:
    """Return above / below; zero where a column is solved already."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
