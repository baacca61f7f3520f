r"""Least-squares machines in closed form, for one ridge or for all of them.

With :math:`M = K + \lambda W^{-1}` (W the sample weights) and a bias b the machine solves

.. math::

    C \begin{pmatrix} \alpha \\ b \end{pmatrix} = \begin{pmatrix} y \\ 0 \end{pmatrix},
    \qquad C = \begin{pmatrix} M & 1 \\ 1^\top & 0 \end{pmatrix},

without a bias :math:`M \alpha = y`. Everything a user or a criterion asks of a fit follows from
:math:`\alpha` and the diagonal of :math:`C^{-1}`: training residuals
:math:`\lambda \alpha_i / w_i`, leave-one-out residuals :math:`\alpha_i / (C^{-1})_{ii}`.

Weights are worked in by the change of variables :math:`\tilde K = W^{1/2} K W^{1/2}`,
:math:`\tilde y = W^{1/2} y`, :math:`u = W^{1/2} 1`, after which the ridge multiplies the identity.

References
----------
J. A. K. Suykens et al., Least Squares Support Vector Machines, World Scientific 2002.
G. C. Cawley, Leave-one-out cross-validation based model selection criteria for weighted LS-SVMs,
IJCNN 2006.
"""

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.linalg.lapack import dpotrf, dtrtri

from kernelwise.gram.psd import without_rounding
from kernelwise.kernels.geometry import Array

_ROUNDING = 1e-12
_SMALLEST_RIDGE = 1e-100  # squares of coefficients stay within float64


@dataclass(frozen=True, eq=False)
class RidgeFit:
    r"""A least-squares machine at one ridge.

    Attributes
    ----------
    ridge : float
        :math:`\lambda`.
    coefficients : array of shape (n, c)
        :math:`\alpha`, one column per target.
    bias : array of shape (c,)
        b; zeros for a machine without bias.
    inverse_diagonal : array of shape (n,)
        The diagonal of the first n rows of :math:`C^{-1}`; of :math:`M^{-1}` without bias.
    degrees_of_freedom : float
        The trace of the hat matrix.
    weights : array of shape (n,)
        The sample weights, ones by default.
    """

    ridge: float
    coefficients: Array
    bias: Array
    inverse_diagonal: Array
    degrees_of_freedom: float
    weights: Array

    @property
    def training_residuals(self) -> Array:
        r"""Y - f(x) on the training rows: :math:`\lambda \alpha_i / w_i`."""
        return self.coefficients * (self.ridge / self.weights)[:, None]

    @property
    def loo_residuals(self) -> Array:
        r""":math:`y_i - f_{-i}(x_i) = \alpha_i / (C^{-1})_{ii}`, the machine refitted without i."""
        with np.errstate(divide="ignore", invalid="ignore"):  # one row alone cannot be left out
            return np.asarray(self.coefficients / self.inverse_diagonal[:, None])

    @property
    def training_loss(self) -> float:
        """The weighted mean of the squared training residuals, averaged over the targets."""
        squares = np.average(self.training_residuals**2, axis=0, weights=self.weights)
        return float(squares.mean())


@dataclass(frozen=True, eq=False)
class RidgePath:
    """Least-squares machines for every ridge from one eigendecomposition.

    Attributes
    ----------
    eigenvalues : array of shape (r,)
        Of the (weighted) kernel matrix; fewer than n where the others are zero.
    eigenvectors : array of shape (n, r)
        As columns.
    targets : array of shape (n, c)
    fit_intercept : bool
        Whether the machine has a bias.
    weights : array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.machines import RidgePath
    >>> path = RidgePath.of(np.eye(4), np.array([1.0, 1.0, -1.0, -1.0]), fit_intercept=False)
    >>> path.at(1.0).coefficients.ravel()
    array([ 0.5,  0.5, -0.5, -0.5])
    """

    eigenvalues: Array
    eigenvectors: Array
    targets: Array
    fit_intercept: bool
    weights: Array

    @classmethod
    def of(
        cls, K: Array, y: Array, *, fit_intercept: bool = True, sample_weight: Array | None = None
    ) -> "RidgePath":
        """Decompose a kernel matrix, weighted by positive sample weights."""
        Y = as_columns(y)
        weights = _weights(sample_weight, Y.shape[0])
        root = np.sqrt(weights)
        s, Q = eigh(root[:, None] * K * root[None, :], driver="evd", overwrite_a=True)
        return cls(without_rounding(s), Q, Y, fit_intercept, weights)

    @classmethod
    def from_eigensystem(
        cls, eigensystem: tuple[Array, Array], y: Array, *, fit_intercept: bool = True
    ) -> "RidgePath":
        """Use an eigendecomposition that is known already."""
        Y = as_columns(y)
        return cls(*eigensystem, Y, fit_intercept, np.ones(Y.shape[0]))

    @cached_property
    def _eigenvectors_by_row(self) -> Array:
        """The eigenvectors with each row in one piece; LAPACK has each column so."""
        return np.ascontiguousarray(self.eigenvectors)

    @cached_property
    def _has_weights(self) -> bool:
        return bool(np.any(self.weights != 1.0))

    @cached_property
    def _rotated_targets(self) -> Array:
        return np.asarray(self.eigenvectors.T @ (np.sqrt(self.weights)[:, None] * self.targets))

    @cached_property
    def _squared_eigenvectors(self) -> Array:
        return np.asarray(self.eigenvectors**2)

    @cached_property
    def _rotated_ones(self) -> Array:
        return np.asarray(self.eigenvectors.T @ np.sqrt(self.weights))

    def at(self, ridge: float) -> RidgeFit:
        """Return the machine at one ridge, in O(n²)."""
        return self.at_all([ridge])[0]

    def at_all(self, ridges: Sequence[float]) -> list[RidgeFit]:
        """Return the machines at several ridges, by products with all of them at once."""
        rests = np.array([self._rest(ridge) for ridge in ridges])
        gains = np.column_stack([self._gains(ridge) for ridge in ridges])
        rotated = np.column_stack([self._rotated_targets, self._rotated_ones])
        columns = gains[:, :, None] * rotated[:, None, :]
        products = self.eigenvectors @ columns.reshape(gains.shape[0], -1)
        solved = products.reshape(-1, *columns.shape[1:])
        if self._is_thin:
            root = np.sqrt(self.weights)
            plain = np.column_stack([root[:, None] * self.targets, root])
            solved = solved + rests[:, None] * plain[:, None, :]
        diagonals = self._squared_eigenvectors @ gains + rests
        return [
            self._finish(ridge, solved[:, j], diagonals[:, j]) for j, ridge in enumerate(ridges)
        ]

    def _finish(self, ridge: float, columns: Array, diagonal: Array) -> RidgeFit:
        """Return the machine from M^-1 [y, u] and the diagonal of M^-1."""
        solved, h = columns[:, :-1], columns[:, -1]
        trace = float(np.sum(self.eigenvalues / (self.eigenvalues + ridge)))
        if not self.fit_intercept:
            return self._assemble(ridge, solved, np.zeros(solved.shape[1]), diagonal, trace)
        solved, bias, diagonal, extra = with_bias(solved, diagonal, h, np.sqrt(self.weights))
        return self._assemble(ridge, solved, bias, diagonal, trace + ridge * extra)

    def held_out_residuals(self, fit: RidgeFit, rows: Array) -> Array:
        r"""Return y - f(x) on rows B of the machine refitted without them, at the same ridge.

        .. math:: r_B = [(C^{-1})_{BB}]^{-1} \alpha_B
        """
        block = self.inverse_block(fit.ridge, rows)
        factor = cho_factor(block, overwrite_a=True, check_finite=False)
        return np.asarray(cho_solve(factor, fit.coefficients[rows]))

    def inverse_block(self, ridge: float, rows: Array) -> Array:
        r"""Return the rows and columns B of :math:`C^{-1}` (of :math:`M^{-1}` without bias)."""
        gains, rest = self._gains(ridge), self._rest(ridge)
        Q = self._eigenvectors_by_row[rows]
        block = _weighted_square(Q, gains)
        block.flat[:: rows.size + 1] += rest
        if self.fit_intercept:
            ones = gains * self._rotated_ones
            h = Q @ ones + rest * np.sqrt(self.weights[rows])
            total = float(self._rotated_ones @ ones) + rest * float(self.weights.sum())
            block -= np.outer(h, h / total)
        if not self._has_weights:
            return np.asarray(block)
        root = np.sqrt(self.weights[rows])
        return np.asarray(root[:, None] * block * root)

    def inverse_block_times(self, ridge: float, rows: Array) -> Callable[[Array], Array]:
        r"""Return the product with that block, in O(n |B|) without forming it; no weights."""
        gains, rest = self._gains(ridge), self._rest(ridge)
        Q = self.eigenvectors[rows]
        h, total = np.zeros(rows.size), 1.0
        if self.fit_intercept:
            ones = gains * self._rotated_ones
            h = Q @ ones + rest
            total = float(self._rotated_ones @ ones) + rest * self.targets.shape[0]

        def times(v: Array) -> Array:
            return np.asarray(
                Q @ (gains[:, None] * (Q.T @ v)) + rest * v - np.outer(h, (h @ v) / total)
            )

        return times

    @property
    def _is_thin(self) -> bool:
        """Whether eigenpairs of eigenvalue zero are left out."""
        return bool(self.eigenvalues.size < self.targets.shape[0])

    def _rest(self, ridge: float) -> float:
        """Return the eigenvalue of M^-1 on what is left out."""
        return 1.0 / ridge if self._is_thin else 0.0

    def _gains(self, ridge: float) -> Array:
        """Return the eigenvalues of M^-1, less that of what is left out."""
        shifted = self._shifted_eigenvalues(ridge)
        if self._is_thin:  # 1 / (s + ridge) - 1 / ridge
            return np.asarray(-self.eigenvalues / (shifted * ridge))
        return np.asarray(1.0 / shifted)

    def _shifted_eigenvalues(self, ridge: float) -> Array:
        shifted = self.eigenvalues + ridge
        if shifted.min() <= 0.0:
            raise np.linalg.LinAlgError(_not_positive_definite(ridge))
        return np.asarray(shifted)

    def _assemble(
        self, ridge: float, solved: Array, bias: Array, diagonal: Array, trace: float
    ) -> RidgeFit:
        root = np.sqrt(self.weights)
        return RidgeFit(
            ridge, root[:, None] * solved, bias, self.weights * diagonal, trace, self.weights
        )


def fit_one(
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
    weights = _weights(sample_weight, Y.shape[0])
    root = np.sqrt(weights)
    if sample_weight is None:
        M = K if overwrite and K.flags.c_contiguous else np.array(K, order="C")
    else:
        M = root[:, None] * K * root[None, :]
    M.flat[:: M.shape[0] + 1] += ridge
    # M is symmetric, so M.T is M in LAPACK's order; clean=1 zeroes the other triangle.
    lower, info = dpotrf(M.T, lower=1, clean=1, overwrite_a=1)
    if info != 0:
        raise np.linalg.LinAlgError(_not_positive_definite(ridge))
    columns = np.column_stack([root[:, None] * Y, root])
    rotated = cho_solve((lower, True), columns, check_finite=False)
    inverse, _ = dtrtri(lower, lower=1, overwrite_c=1)
    diagonal = np.einsum("ij,ij->j", inverse, inverse)  # M^-1 = L^-T L^-1
    trace = Y.shape[0] - ridge * float(diagonal.sum())
    solved, h = rotated[:, :-1], rotated[:, -1]
    bias = np.zeros(Y.shape[1])
    if fit_intercept:
        solved, bias, diagonal, extra = with_bias(solved, diagonal, h, root)
        trace += ridge * extra
    return RidgeFit(ridge, root[:, None] * solved, bias, weights * diagonal, trace, weights)


def check_ridge(ridge: Any) -> float:
    """Return a ridge as a float, or say that it must be a positive number within reason."""
    value = float(ridge) if isinstance(ridge, numbers.Real) else 0.0
    if _SMALLEST_RIDGE <= value <= 1.0 / _SMALLEST_RIDGE:
        return value
    raise ValueError(f"ridge must be a positive number (1e-100 to 1e100), got {ridge!r}.")


def held_out_scores(targets: Array, residuals: Array) -> Array:
    """Return what machines say of rows that they did not see: the target less the residual.

    Where that is nothing but the rounding error of the difference it is zero: the error has the
    sign of the target, and a machine that says nothing, as that of a very narrow kernel without a
    bias, would seem to be always right.
    """
    scores = targets - residuals
    return np.asarray(np.where(np.abs(scores) <= _ROUNDING * np.abs(targets), 0.0, scores))


def _weighted_square(Q: Array, weights: Array) -> Array:
    """Return Q diag(weights) Q'; of weights with one sign half of it is computed."""
    if weights.min() < 0.0 < weights.max():
        return np.asarray((Q * weights) @ Q.T)
    root = Q * np.sqrt(np.abs(weights))
    square = root @ root.T
    return np.asarray(-square if weights.min() < 0.0 else square)


def with_bias(
    solved: Array, diagonal: Array, h: Array, u: Array
) -> tuple[Array, Array, Array, float]:
    """Add the bias to M^-1 y by the block inverse: b = h'y / u'h, alpha = M^-1 y - h b."""
    total = float(u @ h)
    bias = (u @ solved) / total  # h'y = u'M^-1 y
    return (
        solved - np.outer(h, bias),
        bias,
        diagonal - h * h / total,
        float(h @ h) / total,
    )


def as_columns(y: Any) -> Array:
    """Return targets as columns of floats."""
    y = np.asarray(y, dtype=np.float64)
    return np.asarray(y[:, None] if y.ndim == 1 else y)


def _weights(sample_weight: Array | None, n: int) -> Array:
    return np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)


def _not_positive_definite(ridge: float) -> str:
    return (
        f"the kernel matrix plus ridge = {ridge:g} on the diagonal is not positive definite: "
        "use a larger ridge, or repair the matrix with kernelwise.gram.repair."
    )
