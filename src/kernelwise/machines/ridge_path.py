"""Least-squares machines for every ridge, from one eigendecomposition."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from kernelwise._types import Array
from kernelwise.gram.psd import without_rounding
from kernelwise.machines.cholesky import CholeskySolution, InverseFactor
from kernelwise.machines.ridge_fit import (
    RidgeFit,
    as_columns,
    as_weights,
    cancels,
    eliminate_intercept,
    lost_digits,
    not_positive_definite,
)


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
    matrix : callable or None
        Returns the kernel matrix itself, for held-out values that eigenvectors cannot resolve.

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
    matrix: Callable[[], Array] | None = None
    _factors: dict[float, InverseFactor] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls, K: Array, y: Array, *, fit_intercept: bool = True, sample_weight: Array | None = None
    ) -> "RidgePath":
        """Decompose a kernel matrix, weighted by positive sample weights."""
        Y = as_columns(y)
        weights = as_weights(sample_weight, Y.shape[0])
        root = np.sqrt(weights)
        s, Q = eigh(root[:, None] * K * root[None, :], driver="evd", overwrite_a=True)
        return cls(without_rounding(s), Q, Y, fit_intercept, weights, lambda: K)

    @classmethod
    def from_eigensystem(
        cls,
        eigensystem: tuple[Array, Array],
        y: Array,
        *,
        fit_intercept: bool = True,
        matrix: Callable[[], Array] | None = None,
    ) -> "RidgePath":
        """Use an eigendecomposition that is known already."""
        Y = as_columns(y)
        return cls(*eigensystem, Y, fit_intercept, np.ones(Y.shape[0]), matrix)

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
        if self.matrix is not None and self.lost_digits(ridge) is not None:
            with suppress(np.linalg.LinAlgError):
                return self._factor(ridge).fit()
        trace = float(np.sum(self.eigenvalues / (self.eigenvalues + ridge)))
        root, bias = np.sqrt(self.weights), np.zeros(solved.shape[1])
        if self.fit_intercept:
            # Eigenvectors that have lost all digits may leave nothing to divide by.
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                solved, bias, diagonal, extra = eliminate_intercept(solved, diagonal, h, root)
            trace += ridge * extra
        return RidgeFit(
            ridge=ridge,
            targets=self.targets,
            coefficients=root[:, None] * solved,
            bias=bias,
            inverse_diagonal=self.weights * diagonal,
            degrees_of_freedom=trace,
            weights=self.weights,
            condition=self._condition(ridge),
            off_diagonal_values=self.matrix and (lambda: self._factor(ridge).loo_values),
        )

    def held_out_values(self, fit: RidgeFit, rows: Array) -> Array:
        r"""Return f(x) on rows B of the machine refitted without them, at the same ridge."""
        if self.matrix is None:
            return np.asarray(self.targets[rows] - self.held_out_residuals(fit, rows))
        if self.lost_digits(fit.ridge) is None:
            values = self.targets[rows] - self.held_out_residuals(fit, rows)
            if not cancels(self.targets[rows], values):
                return np.asarray(values)
        if rows.size == 1:
            return self._factor(fit.ridge).loo_values[rows]
        return self._refitted_values(self.matrix(), fit.ridge, rows)

    def _refitted_values(self, K: Array, ridge: float, rows: Array) -> Array:
        """Return the values on rows of a machine trained on the others."""
        rest = np.setdiff1d(np.arange(self.targets.shape[0]), rows)
        solution = CholeskySolution.of(
            K[np.ix_(rest, rest)],
            self.targets[rest],
            ridge,
            fit_intercept=self.fit_intercept,
            weights=self.weights[rest],
            overwrite=True,
        )
        coefficients, bias = solution.coefficients()
        return np.asarray(K[np.ix_(rows, rest)] @ coefficients + bias)

    def held_out_residuals(self, fit: RidgeFit, rows: Array) -> Array:
        r"""Return y - f(x) on rows B of the machine refitted without them, at the same ridge.

        .. math:: r_B = [(C^{-1})_{BB}]^{-1} \alpha_B
        """
        block = self.inverse_block(fit.ridge, rows)
        factor = cho_factor(block, overwrite_a=True, check_finite=False)
        return np.asarray(cho_solve(factor, fit.coefficients[rows]))

    def _condition(self, ridge: float) -> float:
        """Return by how much rounding errors grow: those of eigenvalues are as the largest."""
        mean = self._gains(ridge).sum() / self.targets.shape[0] + self._rest(ridge)
        return float(self.eigenvalues.max(initial=0.0) * mean)

    def lost_digits(self, ridge: float) -> str | None:
        """Return what to do where eigenvectors leave fewer than four digits; None elsewhere.

        A Cholesky factor may still have them: rows of very different scales do not harm it.
        """
        return lost_digits(self._condition(ridge), ridge)

    def _factor(self, ridge: float) -> InverseFactor:
        """Return the Cholesky factor of the matrix, kept until another ridge is asked for."""
        assert self.matrix is not None
        if ridge not in self._factors:
            self._factors.clear()
            solution = CholeskySolution.of(
                self.matrix(),
                self.targets,
                ridge,
                fit_intercept=self.fit_intercept,
                weights=self.weights,
            )
            self._factors[ridge] = solution.invert()
        return self._factors[ridge]

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
            raise not_positive_definite(ridge)
        return np.asarray(shifted)


def _weighted_square(Q: Array, weights: Array) -> Array:
    """Return Q diag(weights) Q'; of weights with one sign half of it is computed."""
    if weights.min() < 0.0 < weights.max():
        return np.asarray((Q * weights) @ Q.T)
    root = Q * np.sqrt(np.abs(weights))
    square = root @ root.T
    return np.asarray(-square if weights.min() < 0.0 else square)
