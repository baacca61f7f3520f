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

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise._undefined import Undefined

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
            shares = h / float(u @ h)
            diagonal, trace = self.diagonal() - h * shares, self.trace() - float(h @ shares)
        return Solved(alpha, bias, h, diagonal, trace)

    def held_out(self, rows: Array, Y: Array, u: Array | None) -> Array:
        """Return what a machine without some rows says of them, where the inverse is thin."""
        raise NotImplementedError(f"{type(self).__name__} is not thin.")

    @property
    def lost_digits(self) -> str | None:
        """What to do if solutions have fewer than four digits; None if they do not."""
        if self.condition * _EPS < _DIGITS:
            return None
        return (
            "rounding errors of the kernel matrix leave fewer than four digits at ridge = "
            f"{self.ridge:g}, so use a larger ridge or standardise the features"
        )


@dataclass(eq=False)
class SpectralInverse(Inverse):
    """By the eigenpairs of K."""

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


def spectral_inverses(
    spectrum: Spectrum, ridges: Sequence[float], exact: Callable[[float], Inverse] | None = None
) -> list[Inverse]:
    """Return inverses by eigenpairs; by Cholesky factors where those leave too few digits.

    `exact` returns the inverse at a ridge by a Cholesky factor of the matrix itself.
    """
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
            spectrum, ridges[k], base, gain, k, gains, last, diagonal, condition
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
