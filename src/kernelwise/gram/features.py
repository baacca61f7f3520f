r"""Nyström features of all rows, block by block: nothing as large as rows times features exists.

With landmarks Z and :math:`k(Z, Z) = L L^\top` the features of a row x are
:math:`\phi(x) = L^{-1} k(Z, x)`, and :math:`\Phi \Phi^\top` is the kernel matrix as far as the
landmarks span it. Every pass over the rows is a :class:`~kernelwise.gram.runner.Reduction` over
blocks of them, so that threads can share it.

References
----------
C. K. I. Williams and M. Seeger, Using the Nyström method to speed up kernel machines, NIPS 2000.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram._lapack import add_square, solve_triangle
from kernelwise.gram.pairs import kernel_between
from kernelwise.gram.runner import Reduction
from kernelwise.gram.tiles import Block, Points, Room, TilePairs
from kernelwise.kernels import Kernel, Pairs

_BLOCK = 256  # rows: their features stay in a core's cache
_ALL = Block(slice(None), 0)  # the landmarks
# A landmark that the others explain up to this share of the largest diagonal entry, for each of
# them, adds nothing but rounding errors.
_DEPENDENT = 1e-13


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a kernel by landmarks that do not depend on each other."""

    kernel: Kernel
    landmarks: Any  # Z, an array or CSR matrix
    factor: Array  # L, lower triangular, in column-major order

    @classmethod
    def of(cls, kernel: Kernel, landmarks: Any) -> "Features":
        """Drop the landmarks that others explain, by a pivoted Cholesky factor."""
        K = kernel_between(kernel, landmarks)
        tolerance = _DEPENDENT * K.shape[0] * float(K.diagonal().max())
        upper, order, rank, _ = dpstrf(K, tol=tolerance)
        rank = max(int(rank), 1)
        factor = np.asfortranarray(np.triu(upper[:rank, :rank]).T)
        if factor[0, 0] <= 0.0:  # a matrix of zeros has the features zero
            factor[0, 0] = 1.0
        return cls(kernel, landmarks[order[:rank] - 1], factor)

    @property
    def rank(self) -> int:
        """The number of features."""
        return int(self.factor.shape[0])

    def values(self, pairs: Pairs) -> Array:
        """Return the features of rows paired with the landmarks, (rows, rank)."""
        C = np.ascontiguousarray(self.kernel.values(pairs))
        return solve_triangle(self.factor, C.T, lower=True).T

    def coefficients(self, weights: Array) -> Array:
        """Return b with k(x, Z) b = phi(x)' weights."""
        return np.asarray(
            solve_triangular(self.factor, weights, lower=True, trans="T", check_finite=False)
        )


@dataclass(frozen=True, eq=False)
class RowBlocks:
    """Blocks of rows, each paired with all landmarks."""

    X: Any  # an array or CSR matrix of the rows
    landmarks: Any
    size: int = _BLOCK

    @property
    def count(self) -> int:
        """The number of blocks."""
        return -(-int(self.X.shape[0]) // self.size)

    def shares(self, threads: int) -> list[list[int]]:
        """Deal out the blocks in turn."""
        threads = min(threads, self.count)
        return [list(range(i, self.count, threads)) for i in range(threads)]

    def strip(self, i: int) -> list[tuple[Block, Block]]:
        """Return a block with the landmarks."""
        stop = min((i + 1) * self.size, int(self.X.shape[0]))
        return [(Block(slice(i * self.size, stop), 0), _ALL)]

    def room(self) -> Room:
        """Return room for the distances of a block."""
        return Room()

    @cached_property
    def _points(self) -> tuple[Points, Points]:
        return Points(self.X), Points(self.landmarks)

    def pairs(self, left: Block, right: Block, room: Room) -> Pairs:
        """Return the pairs of a block with the landmarks."""
        points, landmarks = self._points
        return TilePairs((points, left.rows), (landmarks, right.rows), room)


@dataclass(frozen=True, eq=False)
class FeatureReduction(Reduction):
    """A pass over the features of rows, each multiplied by its entry of the scale."""

    features: Features
    scale: Array | None

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add a block of rows."""
        phi = self.features.values(pairs)
        if self.scale is not None:
            phi *= self.scale[left.rows, None]
        self.add(into, phi, left.rows)

    @abstractmethod
    def add(self, into: list[Array], phi: Array, rows: slice) -> None:
        """Add the features of a block."""


@dataclass(frozen=True, eq=False)
class Moments(FeatureReduction):
    """The upper triangle of Phi' Phi, and Phi' B."""

    columns: Array  # B

    def zero(self) -> list[Array]:
        """Return zeros."""
        m = self.features.rank
        return [np.zeros((m, m), order="F"), np.zeros((m, self.columns.shape[1]))]

    def add(self, into: list[Array], phi: Array, rows: slice) -> None:
        """Add the products of a block."""
        add_square(into[0], phi.T)
        into[1] += phi.T @ self.columns[rows]


@dataclass(frozen=True, eq=False)
class RowStatistics(FeatureReduction):
    """Phi W, and the diagonal and the row sums of squares of Phi Phi'."""

    weights: Array  # W
    second_moments: Array  # Phi' Phi
    rows: int

    def zero(self) -> list[Array]:
        """Return room for every row."""
        return [np.zeros((self.rows, self.weights.shape[1])), *np.zeros((2, self.rows))]

    def add(self, into: list[Array], phi: Array, rows: slice) -> None:
        """Set the statistics of a block."""
        into[0][rows] = phi @ self.weights
        into[1][rows] = np.einsum("ij,ij->i", phi, phi)
        into[2][rows] = np.einsum("ij,ij->i", phi @ self.second_moments, phi)


@dataclass(frozen=True, eq=False)
class Leverages(FeatureReduction):
    """With q = phi' U: the sums of q times weights, and of q^2 times gains, by their columns."""

    vectors: Array  # U
    gains: Array
    weights: Array
    rows: int

    def zero(self) -> list[Array]:
        """Return room for every row."""
        return [np.zeros((self.rows, sets.shape[1])) for sets in (self.weights, self.gains)]

    def add(self, into: list[Array], phi: Array, rows: slice) -> None:
        """Set the sums of a block."""
        rotated = phi @ self.vectors
        into[0][rows] = rotated @ self.weights
        into[1][rows] = rotated**2 @ self.gains


@dataclass(frozen=True, eq=False)
class Projections(Reduction):
    """Phi W, from the kernel itself: as a fitted function is evaluated."""

    features: Features
    scale: Array | None
    coefficients: Array  # b, with k(x, Z) b = phi(x)' W
    rows: int

    def zero(self) -> list[Array]:
        """Return room for every row."""
        return [np.zeros((self.rows, self.coefficients.shape[1]))]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Set the values of a block."""
        values = self.features.kernel.values(pairs) @ self.coefficients
        if self.scale is not None:
            values *= self.scale[left.rows, None]
        into[0][left.rows] = values


@dataclass(frozen=True, eq=False)
class KernelSums(Reduction):
    """The products of k(Z, rows) with columns: L Phi' B."""

    kernel: Kernel
    columns: Array  # B
    landmarks: int  # their number

    def zero(self) -> list[Array]:
        """Return zeros."""
        return [np.zeros((self.landmarks, self.columns.shape[1]))]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the products of a block."""
        into[0] += self.kernel.values(pairs).T @ self.columns[left.rows]


@dataclass(frozen=True, eq=False)
class OrderlessSums(KernelSums):
    """The same in two arrays, whose sum hardly depends on the order in which blocks are added.

    The products of a block are rounded to multiples of a unit that is so large that their sums are
    exact, and so small that what is left over, the second array, hardly counts. Solving with the
    factor of landmarks that are nearly alike would magnify the rounding errors of a plain sum.
    """

    # 3/2 2^52 units of every column: adding one rounds to units; zero rounds nothing.
    anchors: Array

    @classmethod
    def of(cls, kernel: Kernel, columns: Array, landmarks: int, largest: float) -> "OrderlessSums":
        """Choose units by the largest value of the kernel."""
        with np.errstate(divide="ignore"):  # a column of zeros has the unit zero
            exponents = np.ceil(np.log2(np.abs(columns).sum(axis=0) * largest))
        return cls(kernel, columns, landmarks, 3.0 * 2.0**exponents)

    def zero(self) -> list[Array]:
        """Return zeros."""
        return [*super().zero(), *super().zero()]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the products of a block."""
        products = self.kernel.values(pairs).T @ self.columns[left.rows]
        rounded = (products + self.anchors) - self.anchors
        into[0] += rounded
        into[1] += products - rounded
