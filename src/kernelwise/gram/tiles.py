"""The data of a sweep: rows sorted by class and cut into blocks, whose pairs are the tiles."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.kernels import Pairs
from kernelwise.kernels.geometry import Transform

_CACHE_LINE = 64  # bytes
_DIRECT_FEATURES = 64  # up to here differences in a compiled loop beat a matrix product


def on_cache_lines(size: int) -> Array:
    """Return memory that begins where compiled loops read it fastest, whatever the allocator."""
    memory = np.empty(8 * size + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : memory.size - _CACHE_LINE + start].view(np.float64)


class Points:
    """Rows of data, and what transforms make of them, computed once each."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self._views: dict[Transform, Points] = {}

    def view(self, transform: Transform) -> Self:
        """Return the transformed points."""
        if transform not in self._views:
            self._views[transform] = type(self)(transform(self.rows))
        return self._views[transform]  # type: ignore[return-value]


class Room:
    """Memory for one tile after the other, by name and transform."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}
        self._views: dict[Transform, Room] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> Array:
        """Return memory that holds something until the next tile."""
        size = math.prod(shape)
        if name not in self._arrays or self._arrays[name].size < size:
            self._arrays[name] = on_cache_lines(size)
        return self._arrays[name][:size].reshape(shape)

    def view(self, transform: Transform) -> "Room":
        """Return the room for the distances of transformed points."""
        return self._views.setdefault(transform, Room())


class Block(NamedTuple):
    """Rows of one class."""

    rows: slice
    label: int


class TilePairs(Pairs):
    """The pairs of one tile: some points with some others, or with themselves."""

    def __init__(
        self, left: tuple[Points, slice], right: tuple[Points, slice] | None, room: Room
    ) -> None:
        points, rows = left
        super().__init__(points.rows[rows], None if right is None else right[0].rows[right[1]])
        self._left, self._right, self.room = left, right, room

    def _transformed(self, transform: Transform) -> "TilePairs":
        (points, rows), right = self._left, self._right
        if right is not None:
            right = right[0].view(transform), right[1]
        return TilePairs((points.view(transform), rows), right, self.room.view(transform))

    def __getitem__(self, geometry: str) -> Array:
        """Return a geometry; where that is faster by differences, which do not cancel."""
        if geometry not in self._known and is_direct(geometry, self.X):
            shape = self.X.shape[0], (self.X if self.Z is None else self.Z).shape[0]
            G = self.room.array(geometry, shape)
            self._known[geometry] = direct_distances(geometry, self.X, self.Z, G)
        return super().__getitem__(geometry)


def is_direct(geometry: str, X: Any) -> bool:
    """Say whether a compiled loop computes a geometry faster than anything else."""
    if sp.issparse(X):
        return False
    return geometry == "l1" or (geometry == "sqdist" and X.shape[1] <= _DIRECT_FEATURES)


def direct_distances(geometry: str, X: Array, Z: Array | None, G: Array) -> Array:
    """Set G to the distances between X and Z, or X and itself, from their differences."""
    from kernelwise.gram import _loops

    left = np.ascontiguousarray(X.T)
    right = left if Z is None else np.ascontiguousarray(Z.T)
    _loops.distance_tile(left, right, geometry == "l1", G)
    return G


@dataclass(frozen=True, eq=False)
class Tiles:
    """The upper triangle of a kernel matrix in tiles, none of which crosses a class boundary.

    Strip i holds the tiles of block i with itself and every later one.
    """

    X: Any  # an array or CSR matrix of the rows, sorted by class
    order: Array  # where they are in the data
    blocks: list[Block]

    @classmethod
    def of(cls, X: Any, codes: Array, size: int) -> "Tiles":
        """Sort rows by their class codes and cut them into blocks of at most the given size."""
        order = np.argsort(codes, kind="stable")
        labels = codes[order]
        edges = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
        blocks = [
            Block(slice(start, min(start + size, stop)), int(labels[start]))
            for first, stop in pairwise(edges)
            for start in range(first, stop, size)
        ]
        return cls(X[order], order, blocks)

    @cached_property
    def _place(self) -> Array:
        """The place of every row of the data among the sorted."""
        return np.argsort(self.order)

    def restore(self, lines: Array) -> Array:
        """Return lines over sorted rows in the order of the data."""
        return lines.take(self._place, axis=-1)

    @property
    def labels(self) -> int:
        """The number of classes."""
        return self.blocks[-1].label + 1

    @property
    def count(self) -> int:
        """The number of tiles."""
        return len(self.blocks) * (len(self.blocks) + 1) // 2

    def room(self) -> Room:
        """Return room for the distances of any tile."""
        return Room()

    def strip(self, i: int) -> list[tuple[Block, Block]]:
        """Return the tiles of a strip, each by its two blocks."""
        return [(self.blocks[i], other) for other in self.blocks[i:]]

    @cached_property
    def points(self) -> Points:
        """The rows, sorted by class, and what transforms make of them."""
        return Points(self.X)

    def pairs(self, left: Block, right: Block, room: Room) -> TilePairs:
        """Return the pairs of two blocks."""
        other = None if left == right else (self.points, right.rows)
        return TilePairs((self.points, left.rows), other, room)

    def shares(self, threads: int) -> list[list[int]]:
        """Deal out the strips, of which the first is the longest: to threads 0, 1, 2, 2, 1, 0..."""
        dealt: list[list[int]] = [[] for _ in range(min(threads, len(self.blocks)))]
        for strip in range(len(self.blocks)):
            turn, place = divmod(strip, len(dealt))
            dealt[place if turn % 2 == 0 else -1 - place].append(strip)
        return dealt
