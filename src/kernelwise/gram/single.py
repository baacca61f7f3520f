"""Rows paired with landmarks in single precision, and the sums over them that machines take.

Half of the digits are enough for a kernel's values and twice as fast; sums over rows are kept in
double precision, but for those of a preconditioner.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram._lapack import solve_triangle
from kernelwise.gram.features import RowBlocks
from kernelwise.gram.runner import Reduction
from kernelwise.gram.tiles import Block, Points, Room
from kernelwise.kernels import Kernel, Pairs
from kernelwise.kernels.geometry import Transform

SINGLE = np.float32
_DIRECT_FEATURES = 32  # up to here differences in a compiled loop beat a matrix product


def in_single(X: Any, center: Array | None = None) -> Any:
    """Return rows in single precision, less a centre: far from zero distances lose digits."""
    if sp.issparse(X):
        return X.astype(SINGLE)
    if center is None:
        return np.asarray(X, dtype=SINGLE)
    single = np.empty(X.shape, SINGLE)  # and no copy in double precision on the way
    return np.subtract(X, center, out=single, casting="same_kind")


class Prepared(Points):
    """Landmarks in single precision, in the forms that make distances to them quick."""

    @cached_property
    def columns(self) -> Array:
        """The features as rows."""
        return np.ascontiguousarray(self.rows.T)

    @cached_property
    def wide(self) -> Array:
        """[-2 z, 1, |z|^2] for every landmark."""
        wide = _with_norms(self.rows, -2.0)
        wide[:, [-2, -1]] = wide[:, [-1, -2]]
        return wide


class SinglePairs(Pairs):
    """Rows and landmarks in single precision."""

    def __init__(self, X: Any, landmarks: Prepared) -> None:
        super().__init__(X, landmarks.rows)
        self._landmarks = landmarks

    def _transformed(self, transform: Transform) -> "SinglePairs":
        return SinglePairs(transform(self.X), self._landmarks.view(transform))

    def __getitem__(self, geometry: str) -> Array:
        """Return the values of a geometry."""
        is_distance = geometry in ("sqdist", "l1") and not sp.issparse(self.X)
        if is_distance and geometry not in self._known:
            is_product = geometry == "sqdist" and self.X.shape[1] > _DIRECT_FEATURES
            self._known[geometry] = (
                _distances_by_product(self.X, self._landmarks.wide)
                if is_product
                else _direct_distances(geometry, self.X, self._landmarks.columns)
            )
        return super().__getitem__(geometry)


def _direct_distances(geometry: str, X: Array, columns: Array) -> Array:
    """Return distances from differences, which do not cancel."""
    from kernelwise.gram import _loops

    G = np.empty((X.shape[0], columns.shape[1]), X.dtype)
    _loops.distance_tile(np.ascontiguousarray(X.T), columns, geometry == "l1", G)
    return G


def _distances_by_product(X: Array, wide: Array) -> Array:
    """Return squared distances: [x, |x|^2, 1] times [-2 z, 1, |z|^2]."""
    D = _with_norms(X, 1.0) @ wide.T
    return np.asarray(np.maximum(D, 0.0, out=D))


def _with_norms(X: Array, factor: float) -> Array:
    """Return [f x, |x|^2, 1] for every row."""
    wide = np.empty((len(X), X.shape[1] + 2), X.dtype)
    wide[:, :-2], wide[:, -2], wide[:, -1] = factor * X, np.einsum("ij,ij->i", X, X), 1.0
    return wide


@dataclass(frozen=True, eq=False)
class SingleBlocks(RowBlocks):
    """Blocks of rows in single precision, each paired with all landmarks."""

    @cached_property
    def _prepared(self) -> Prepared:
        return Prepared(self.landmarks)

    def room(self) -> Room:
        """Return no room: every product makes its own."""
        return Room()

    def pairs(self, left: Block, right: Block, room: Room) -> Pairs:
        """Return the pairs of a block with the landmarks."""
        return self.pairs_with(self.X[left.rows])

    def pairs_with(self, X: Any) -> Pairs:
        """Return the pairs of rows, in single precision, with the landmarks."""
        return SinglePairs(X, self._prepared)


@dataclass(frozen=True, eq=False)
class Normal(Reduction):
    """K' W K V."""

    kernel: Kernel
    weights: Array  # of shape (n, 1)
    vectors: Array  # V

    def zero(self) -> list[Array]:
        """Return zeros."""
        return [np.zeros(self.vectors.shape)]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add a block of rows."""
        tile = self.kernel.values(pairs)
        into[0] += tile.T @ (self.weights[left.rows] * (tile @ self.vectors))


@dataclass(frozen=True, eq=False)
class Whitened(Reduction):
    """B' B with B = W^1/2 (K - 1 means') T^-1."""

    kernel: Kernel
    roots: Array  # of the weights, of shape (n, 1)
    means: Array
    triangle: Array  # T

    def zero(self) -> list[Array]:
        """Return zeros."""
        return [np.zeros_like(self.triangle)]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add a block of rows."""
        tile = (self.kernel.values(pairs) - self.means) * self.roots[left.rows]
        half = solve_triangle(self.triangle, tile.T, lower=False, transposed=True)
        into[0] += half @ half.T
