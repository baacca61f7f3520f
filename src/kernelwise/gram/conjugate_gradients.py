r"""Linear systems with a kernel matrix that is never stored.

:math:`(K + \lambda I) x = b` by conjugate gradients, preconditioned with a partial Cholesky factor
L of the matrix: what :math:`L L^\top + \lambda I` misses is small, so a few dozen products with K
are enough.

The residual bounds the error where it matters: :math:`\lambda (K + \lambda I)^{-1}` does not
stretch a vector, so the training residuals :math:`\lambda x` of a least-squares machine are wrong
by at most the norm of the residual that is left.

References
----------
M. Díaz, E. N. Epperly, Z. Frangella, J. A. Tropp and R. J. Webber, Robust, randomized
preconditioning for kernel ridge regression, arXiv 2304.12465 (2023).
"""

from collections.abc import Callable

import numpy as np

from kernelwise._types import Array
from kernelwise._undefined import NotConverged
from kernelwise.gram.inverse import Inverse
from kernelwise.gram.partial_cholesky import PartialCholesky

TOLERANCE = 1e-10  # of the residual, relative to the right-hand side
_LONGEST = 1000  # iterations


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
            step = _ratio(rho, np.einsum("ij,ij->j", P, Q))
            X += step * P
            R -= step * Q
            Z = self._precondition(ridge, R)
            rho, before = np.einsum("ij,ij->j", R, Z), rho
            P = Z + _ratio(rho, before) * P
        raise NotConverged(
            f"conjugate gradients did not converge at ridge = {ridge:g}, so use a larger ridge or "
            "raise memory"
        )


def _ratio(above: Array, below: Array) -> Array:
    """Return above / below; zero where a column is solved already."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
