r"""The inverse of :math:`M = K + \lambda I`, as machines and criteria ask for it.

An eigendecomposition serves every ridge, a Cholesky factor serves one, several times faster, and
keeps the digits of rows of very different scales.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve

from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.gram.panels import cholesky_factor, inverse_factor

_EPS = float(np.finfo(float).eps)
# Eigenvalues of a positive semidefinite matrix come out negative by rounding: n eps times the
# largest bounds that with room to spare.
_ROUNDING_A_ROW = 10 * _EPS
_DIGITS = 1e-4  # the relative error of a number with four digits


class NotPositiveDefinite(Undefined):
    """K + ridge I has no Cholesky factor."""

    def __init__(self, ridge: float) -> None:
        super().__init__(
            f"the kernel matrix plus ridge = {ridge:g} on the diagonal is not positive definite: "
            "use a larger ridge, or repair the matrix with kernelwise.gram.repair"
        )


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The eigenpairs of a kernel matrix; those left out have eigenvalue zero."""

    values: Array  # in ascending order, of shape (r,), r <= n
    vectors: Array  # as columns, of shape (n, r)

    @cached_property
    def vectors_by_row(self) -> Array:
        """The vectors with each row in one piece; LAPACK has each column so."""
        return np.ascontiguousarray(self.vectors)


def without_rounding(eigenvalues: Array) -> Array:
    """Return ascending eigenvalues with those that are negative by rounding only set to zero."""
    beyond = -_ROUNDING_A_ROW * eigenvalues.size * float(np.abs(eigenvalues).max())
    return eigenvalues if eigenvalues[0] < beyond else np.maximum(eigenvalues, 0.0)


class Solved(NamedTuple):
    r"""The solution of a machine: :math:`C (\alpha, b) = (y, 0)`.

    With a bias C is the bordered matrix :math:`(M, u; u^\top, 0)`, without one it is M.

    Attributes
    ----------
    alpha : array of shape (n, c)
    bias : array of shape (c,)
        Zeros without a bias.
    ones : array of shape (n,)
        :math:`M^{-1} u`; zeros without a bias.
    diagonal : array of shape (n,)
        Of the first n rows of :math:`C^{-1}`; NaN for rows not judged.
    trace : float
        The sum of the whole of it.
    weights : array of shape (m, c) or None
        Of the features, where the matrix is made of those: the sum of alpha times features.
    """

    alpha: Array
    bias: Array
    ones: Array
    diagonal: Array
    trace: float
    weights: Array | None = None


class Inverse(ABC):
    """The inverse of K + ridge I; what it cannot do beyond solving, its gram does not provide."""

    ridge: float
    condition: float = 0.0  # how many times solutions magnify rounding errors of the kernel matrix
    judged: Array | None = None  # the rows of which the diagonal is known; None for all of them
    is_thin: bool = False  # whether there is a way to leave rows out without a block of it

    @abstractmethod
    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""

    def diagonal(self) -> Array:
        """Return the diagonal, by which machines leave one row out; NaN for rows not judged."""
        raise NotImplementedError(f"{type(self).__name__} does not provide the diagonal.")

    def trace(self) -> float:
        """Return the sum of the whole diagonal."""
        return float(self.diagonal().sum())

    def block(self, rows: Array) -> Array:
        """Return some rows and the same columns, by which machines leave out a fold."""
        raise NotImplementedError(f"{type(self).__name__} does not provide blocks.")

    def logdet(self) -> float:
        """Return the logarithm of the determinant of K + ridge I."""
        raise NotImplementedError(f"{type(self).__name__} does not provide determinants.")

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with a block, without forming it where that is cheaper."""
        block = self.block(rows)
        return lambda V: np.asarray(block @ V)

    def fit(self, Y: Array, u: Array | None) -> Solved:
        """Return the machine with the bias that u stands for; without one where it is None."""
        if u is None:
            alpha, nothing = self.solve(Y), np.zeros(Y.shape[0])
            return Solved(alpha, np.zeros(Y.shape[1]), nothing, self.diagonal(), self.trace())
        columns = self.solve(np.column_stack([Y, u]))
        h = columns[:, -1]
        # One row alone, or all that is left of lost digits, may be nothing to divide by.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            alpha, bias = eliminate_intercept(columns[:, :-1], h, u)
            shares = h / float(u @ h)  # h may be as small as 1e-200
            diagonal, trace = self.diagonal() - h * shares, self.trace() - float(h @ shares)
        return Solved(alpha, bias, h, diagonal, trace)

    def held_out(self, rows: Array, Y: Array, u: Array | None) -> Array:
        """Return what a machine without some rows says of them, where the inverse is thin."""
        raise NotImplementedError(f"{type(self).__name__} is not thin.")

    def off_diagonal_product(self, B: Array) -> Array:
        """Return the product with B of all but the diagonal."""
        return np.asarray(self.solve(B) - self.diagonal()[:, None] * B)

    @property
    def lost_digits(self) -> str | None:
        """What to do if solutions have fewer than four digits; None if they do not."""
        if self.condition * _EPS < _DIGITS:
            return None
        return (
            "rounding errors of the kernel matrix leave fewer than four digits at ridge = "
            f"{self.ridge:g}, so use a larger ridge or standardise the features"
        )


class CholeskyInverse(Inverse):
    """By a Cholesky factor L of M, and its own inverse N: M^-1 = N'N.

    N is kept in two parts, below its diagonal and on it: of a kernel so narrow that its matrix is
    the identity up to 1e-100, products with the off-diagonal part keep all their digits. Only the
    upper triangle of K is read; a matrix in C order is overwritten. The task is told of the steps
    of large ones, those to the factor and those to its inverse.
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
    def _inverse_factor(self) -> tuple[Array, Array]:
        """N below its diagonal, and the diagonal; the factor itself is lost."""
        strict = inverse_factor(self._lower, self._progress)
        del self._lower
        on_diagonal = strict.diagonal().copy()
        np.fill_diagonal(strict, 0.0)
        return strict, on_diagonal

    @cached_property
    def _strict_squares(self) -> Array:
        strict, _ = self._inverse_factor
        return np.asarray(np.einsum("ij,ij->j", strict, strict))

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""
        if "_inverse_factor" not in vars(self):
            return np.asarray(cho_solve((self._lower, True), B, check_finite=False))
        strict, g = self._inverse_factor
        once = strict @ B + g[:, None] * B
        return np.asarray(strict.T @ once + g[:, None] * once)

    def diagonal(self) -> Array:
        """Return the column sums of squares of N."""
        return np.asarray(self._strict_squares + self._inverse_factor[1] ** 2)

    def _columns(self, rows: Array) -> Array:
        """Return columns of N."""
        strict, g = self._inverse_factor
        columns = strict[:, rows]
        columns[rows, np.arange(rows.size)] = g[rows]
        return np.asarray(columns)

    def block(self, rows: Array) -> Array:
        """Return some rows and the same columns."""
        N = self._columns(rows)
        return np.asarray(N.T @ N)

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with a block, in O(n |rows|)."""
        N = self._columns(rows)
        return lambda V: np.asarray(N.T @ (N @ V))

    def logdet(self) -> float:
        """Return the logarithm of the determinant of M."""
        return self._logdet

    def end_of_diagonal(self, rows: int) -> Array:
        """Return the diagonal on the last rows: (M^-1)_22 = (L_22 L_22')^-1, a small factor."""
        N = inverse_factor(np.array(self._lower[-rows:, -rows:], order="F"))
        return np.asarray(np.einsum("ij,ij->j", N, N))

    def off_diagonal_product(self, B: Array) -> Array:
        """Return the product with all but the diagonal: N'N without its diagonal, times B."""
        strict, g = self._inverse_factor[0], self._inverse_factor[1][:, None]
        below = strict @ B
        return np.asarray(
            g * below + strict.T @ (below + g * B) - self._strict_squares[:, None] * B
        )

    @property
    def condition(self) -> float:  # type: ignore[override]
        """Errors are relative to sqrt(M_ii M_jj), so rows of any scale do no harm."""
        return float(self.size @ self.diagonal())


class ReorderedInverse(Inverse):
    """By a Cholesky factor of the matrix with its rows in another order, those judged last.

    The diagonal on those alone takes the end of the factor, not its inverse, which takes as long as
    the factor itself.
    """

    def __init__(self, inverse: CholeskyInverse, order: Array, judged: int) -> None:
        self._inverse, self._order, self._count = inverse, order, judged
        self.ridge, self.judged = inverse.ridge, np.sort(order[-judged:])

    def whole(self) -> Inverse:
        """Return the inverse with its diagonal on all rows, by the same factor."""
        whole = ReorderedInverse(self._inverse, self._order, self._order.size)
        whole.judged = None
        return whole

    def _placed(self, values: Array) -> Array:
        """Return values by row, NaN where they are not known."""
        placed = np.full((self._order.size, *values.shape[1:]), np.nan)
        placed[self._order[-values.shape[0] :]] = values
        return placed

    @cached_property
    def _known(self) -> Array:
        """The diagonal on the rows judged, in their order here."""
        if self.judged is None:
            return self._inverse.diagonal()
        return self._inverse.end_of_diagonal(self._count)

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""
        return self._placed(self._inverse.solve(B[self._order]))

    def diagonal(self) -> Array:
        """Return the diagonal; NaN for rows not judged."""
        return self._placed(self._known)

    def trace(self) -> float:
        """Return the sum of the diagonal, from its mean on the rows judged."""
        return float(self._known.mean() * self._order.size)

    def logdet(self) -> float:
        """Return the logarithm of the determinant of M."""
        return self._inverse.logdet()

    def off_diagonal_product(self, B: Array) -> Array:
        """Return the product with all but the diagonal."""
        return self._placed(self._inverse.off_diagonal_product(B[self._order]))

    @property
    def condition(self) -> float:  # type: ignore[override]
        """As of a Cholesky factor, from the rows judged."""
        return float(np.mean(self._inverse.size[-self._count :] * self._known)) * self._order.size


@dataclass(eq=False)
class SpectralInverse(Inverse):
    """By the eigenpairs of K.

    What eigenvectors cannot resolve comes from `exact`, where that is given: it returns the inverse
    at a ridge by a Cholesky factor of the matrix itself.
    """

    spectrum: Spectrum
    ridge: float
    # The eigenvalues of M^-1: on what a thin spectrum leaves out, and on the rest less that.
    rest: float
    gains: Array
    # Shared by all ridges: their gains, and what was last solved for all of them by one product.
    place: int
    all_gains: Array
    last: list[Array]
    on_diagonal: Array
    condition: float
    exact: Callable[[float], Inverse] | None = None

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""
        if not self.last or not np.array_equal(self.last[0], B):
            Q, (r, ridges) = self.spectrum.vectors, self.all_gains.shape
            coordinates = self.all_gains[:, :, None] * (Q.T @ B)[:, None, :]
            solved = Q @ coordinates.reshape(r, -1)
            self.last[:] = B.copy(), solved.reshape(-1, ridges, B.shape[1])
        return np.asarray(self.last[1][:, self.place] + self.rest * B)

    def diagonal(self) -> Array:
        """Return the diagonal."""
        return self.on_diagonal

    def block(self, rows: Array) -> Array:
        """Return some rows and the same columns."""
        block = _weighted_square(self.spectrum.vectors_by_row[rows], self.gains)
        block.flat[:: rows.size + 1] += self.rest
        return block

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with a block, in O(n |rows|)."""
        Q, gains, rest = self.spectrum.vectors[rows], self.gains[:, None], self.rest
        return lambda V: np.asarray(Q @ (gains * (Q.T @ V)) + rest * V)

    def logdet(self) -> float:
        """Return the logarithm of the determinant of M."""
        s, n = self.spectrum.values, self.spectrum.vectors.shape[0]
        return float(np.log(s + self.ridge).sum() + (n - s.size) * np.log(self.ridge))

    def off_diagonal_product(self, B: Array) -> Array:
        """Return the product with all but the diagonal, by a Cholesky factor where there is one."""
        if self.exact is None:
            return super().off_diagonal_product(B)
        return self.exact(self.ridge).off_diagonal_product(B)


def spectral_inverses(
    spectrum: Spectrum, ridges: Sequence[float], exact: Callable[[float], Inverse] | None = None
) -> list[Inverse]:
    """Return inverses by eigenpairs; by Cholesky factors where those leave too few digits."""
    s, n, ridge = spectrum.values, spectrum.vectors.shape[0], np.array(ridges, dtype=np.float64)
    for too_small in ridge[s.min(initial=0.0) + ridge <= 0.0]:
        raise NotPositiveDefinite(too_small)
    is_thin, M = s.size < n, s[:, None] + ridge
    gains, rest = (-s[:, None] / (M * ridge), 1.0 / ridge) if is_thin else (1.0 / M, 0.0 * ridge)
    diagonals = spectrum.vectors**2 @ gains  # of all of them, by one product
    inverses: list[Inverse] = []
    last: list[Array] = []
    for k, (gain, base) in enumerate(zip(gains.T, rest.tolist(), strict=True)):
        # Every eigenvalue errs as much as the largest.
        condition = float(s.max(initial=0.0) * (float(gain.sum()) / n + base))
        diagonal = diagonals[:, k] + base
        inverse = SpectralInverse(
            spectrum, ridges[k], base, gain, k, gains, last, diagonal, condition, exact
        )
        inverses.append(inverse)
        if exact is not None and inverse.lost_digits is not None:
            with suppress(NotPositiveDefinite):
                inverses[k] = exact(ridges[k])
    return inverses


def _weighted_square(Q: Array, weights: Array) -> Array:
    """Return Q diag(weights) Q'; of weights with one sign half of it is computed."""
    if weights.min() < 0.0 < weights.max():
        return np.asarray((Q * weights) @ Q.T)
    root = Q * np.sqrt(np.abs(weights))
    square = root @ root.T
    return np.asarray(-square if weights.min() < 0.0 else square)


def eliminate_intercept(solved: Array, h: Array, u: Array) -> tuple[Array, Array]:
    """Add the bias to M^-1 y by the block inverse: b = h'y / u'h, alpha = M^-1 y - h b."""
    bias = (u @ solved) / float(u @ h)  # h'y = u'M^-1 y
    return solved - np.outer(h, bias), bias
