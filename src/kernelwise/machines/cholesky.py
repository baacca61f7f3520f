r"""The least-squares machine at one ridge, by a Cholesky factor.

Several times faster than an eigendecomposition, and the way to held-out values that are too small
for the difference of target and residual. With :math:`M = L L^\top` and :math:`N = L^{-1}`

.. math:: f_{-i}(x_i) = -\sum_{j \ne i} (C^{-1})_{ij}\, y_j / (C^{-1})_{ii} ,

where the sum takes no entry of :math:`M^{-1} = N^\top N` from its diagonal: of a kernel so narrow
that its matrix is the identity up to 1e-100, values of about 1e-100 come out with all digits.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotrf, dtrtri

from kernelwise._types import Array
from kernelwise.machines.ridge_fit import (
    RidgeFit,
    as_columns,
    as_weights,
    eliminate_intercept,
    not_positive_definite,
)


@dataclass(frozen=True, eq=False)
class CholeskySolution:
    """M^-1 Y and M^-1 u from the Cholesky factor of M = W^1/2 K W^1/2 + ridge I.

    Attributes
    ----------
    ridge : float
    lower : array of shape (n, n)
        The factor, in LAPACK's order.
    size : array of shape (n,)
        The diagonal of M.
    targets : array of shape (n, c)
        Y, times the roots of the weights.
    solved : array of shape (n, c)
        M^-1 Y.
    h : array of shape (n,)
        M^-1 u; zeros for a machine without bias.
    weights : array of shape (n,)
        The sample weights.
    """

    ridge: float
    lower: Array
    size: Array
    targets: Array
    solved: Array
    h: Array
    weights: Array

    @classmethod
    def of(
        cls,
        K: Array,
        Y: Array,
        ridge: float,
        *,
        fit_intercept: bool,
        weights: Array,
        overwrite: bool = False,
    ) -> "CholeskySolution":
        """Factorise K + ridge W^-1; only the upper triangle of K is read."""
        root = np.sqrt(weights)
        if np.any(weights != 1.0):
            M = root[:, None] * K * root[None, :]
        else:
            M = K if overwrite and K.flags.c_contiguous else np.array(K, order="C")
        M.flat[:: M.shape[0] + 1] += ridge
        size = M.diagonal().copy()
        # M is symmetric, so M.T is M in LAPACK's order; clean=1 zeroes the other triangle.
        lower, info = dpotrf(M.T, lower=1, clean=1, overwrite_a=1)
        if info != 0:
            raise not_positive_definite(ridge)
        columns = np.column_stack([root[:, None] * Y, root])
        solved = cho_solve((lower, True), columns, check_finite=False)
        h = solved[:, -1] if fit_intercept else np.zeros(root.size)
        return cls(ridge, lower, size, columns[:, :-1], solved[:, :-1], h, weights)

    def coefficients(self) -> tuple[Array, Array]:
        """Return alpha and the bias."""
        root, solved, bias = np.sqrt(self.weights), self.solved, np.zeros(self.solved.shape[1])
        if self.h.any():
            solved, bias, _, _ = eliminate_intercept(solved, root, self.h, root)
        return root[:, None] * solved, bias

    def invert(self) -> "InverseFactor":
        """Return the inverse of the factor, which is lost."""
        inverse, _ = dtrtri(self.lower, lower=1, overwrite_c=1)
        diagonal = inverse.diagonal().copy()
        np.fill_diagonal(inverse, 0.0)
        return InverseFactor(self, inverse, diagonal)


@dataclass(frozen=True, eq=False)
class InverseFactor:
    """The inverse N of the Cholesky factor of M, in two parts.

    Attributes
    ----------
    solution : CholeskySolution
    strict : array of shape (n, n)
        N below its diagonal, zero elsewhere.
    diagonal : array of shape (n,)
        That of N.
    """

    solution: CholeskySolution
    strict: Array
    diagonal: Array

    @property
    def inverse_diagonal(self) -> Array:
        """The diagonal of M^-1 = N'N."""
        return np.asarray(self._strict_squares + self.diagonal**2)

    @cached_property
    def _strict_squares(self) -> Array:
        return np.asarray(np.einsum("ij,ij->j", self.strict, self.strict))

    @cached_property
    def loo_values(self) -> Array:
        """What the machine without row i says of i, for all i."""
        Y, h, root = self.solution.targets, self.solution.h, np.sqrt(self.solution.weights)
        g, squares = self.diagonal[:, None], self._strict_squares[:, None]
        below = self.strict @ Y
        # sum_{j != i} (M^-1)_ij y_j, with M^-1 = N'N and N = strict + diag(g)
        others = g * below + self.strict.T @ (below + g * Y) - squares * Y
        diagonal = self.inverse_diagonal
        if h.any():
            share = h / float(root @ h)
            others -= np.outer(share, h @ Y) - (share * h)[:, None] * Y
            diagonal = diagonal - share * h
        with np.errstate(divide="ignore", invalid="ignore"):  # one row alone cannot be left out
            return np.asarray(-others / (root * diagonal)[:, None])

    def fit(self) -> RidgeFit:
        """Return the machine."""
        solution, diagonal = self.solution, self.inverse_diagonal
        root, ridge = np.sqrt(solution.weights), solution.ridge
        trace = root.size - ridge * float(diagonal.sum())
        # Cholesky's errors are relative to sqrt(M_ii M_jj), so rows of any scale do no harm.
        condition = float(solution.size @ diagonal)
        if solution.h.any():
            _, _, diagonal, extra = eliminate_intercept(solution.solved, diagonal, solution.h, root)
            trace += ridge * extra
        alpha, bias = solution.coefficients()
        fit = RidgeFit(
            ridge=ridge,
            targets=solution.targets / root[:, None],
            coefficients=alpha,
            bias=bias,
            inverse_diagonal=solution.weights * diagonal,
            degrees_of_freedom=trace,
            weights=solution.weights,
            condition=condition,
            off_diagonal_values=lambda: self.loo_values,
        )
        values = fit.loo_values  # now: a machine must not keep the factor
        return replace(fit, off_diagonal_values=lambda: values)


def fit_cholesky(
    K: Array,
    y: Array,
    ridge: float,
    *,
    fit_intercept: bool = True,
    sample_weight: Array | None = None,
    overwrite: bool = False,
) -> RidgeFit:
    """Return the machine at one ridge by a Cholesky factor: several times faster than a path.

    Only the upper triangle of K is read; with ``overwrite`` it is lost.
    """
    Y = as_columns(y)
    solution = CholeskySolution.of(
        K,
        Y,
        ridge,
        fit_intercept=fit_intercept,
        weights=as_weights(sample_weight, Y.shape[0]),
        overwrite=overwrite,
    )
    return solution.invert().fit()
