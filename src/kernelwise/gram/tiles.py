"""The data of a sweep: rows sorted by class and cut into blocks, whose pairs are the tiles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.kernels import Pairs
from kernelwise.kernels.geometry import Transform

_CACHE_LINE = 64  # bytes
_DIRECT_FEATURES = 64  # up to here differences in a compiled loop beat a matrix product
# Of rows that go to a worker together. What comes back grows with the number of groups: for 31
# widths of 20,000 rows in two classes 26 MB from four.
_BLOCKS_A_GROUP = 16
_FEWEST_GROUPS, _MOST_GROUPS = 4, 64


def on_cache_lines(size: int, dtype: Any = np.float64) -> Array:
    """Return memory that begins where compiled loops read it fastest, whatever the allocator."""
    memory = np.empty(size * np.dtype(dtype).itemsize + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : memory.size - _CACHE_LINE + start].view(dtype)


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
    """Memory for one tile after the other, by name and transform.

    Memory that is given back after every tile costs a worker of Dask, whose allocator returns it to
    the system at once, a quarter of its time.
    """

    def __init__(self) -> None:
        self._arrays: dict[tuple[str, Any], Array] = {}
        self._views: dict[Transform, Room] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
        """Return memory that holds something until the next tile."""
        size, key = math.prod(shape), (name, dtype)
        if key not in self._arrays or self._arrays[key].size < size:
            self._arrays[key] = on_cache_lines(size, dtype)
        return self._arrays[key][:size].reshape(shape)

    def view(self, transform: Transform) -> "Room":
        """Return the room for the distances of transformed points."""
        return self._views.setdefault(transform, Room())


class Block(NamedTuple):
    """Rows of one class."""

    rows: slice
    label: int


class Part(NamedTuple):
    """A part of the work on all rows, for a worker that has some of them.

    Attributes
    ----------
    plan : Plan
        Without its rows.
    rows : tuple of slice
        The rows that it takes, one after the other.
    """

    plan: Any
    rows: tuple[slice, ...]


def count_rows(rows: Sequence[slice]) -> int:
    """Return how many rows some slices have."""
    return sum(part.stop - part.start for part in rows)


def take_rows(array: Any, rows: Sequence[slice], axis: int = 0) -> Any:
    """Return some rows of an array, one slice after the other."""
    parts = [array[part] if axis == 0 else array[..., part] for part in rows]
    return parts[0] if len(parts) == 1 else stacked(parts, axis)


def stacked(parts: Sequence[Any], axis: int = 0) -> Any:
    """Return arrays, or CSR matrices, one after the other."""
    if sp.issparse(parts[0]):
        return sp.vstack(parts, format="csr")
    return np.concatenate(parts, axis=axis)


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

    Strip i holds the tiles of block i with some blocks: of all rows, with itself and every later
    one.
    """

    X: Any  # an array or CSR matrix of the rows, sorted by class
    order: Array  # where they are in the data
    blocks: list[Block]
    partners: list[range]  # of every strip, by their numbers among the blocks

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
        return cls(X[order], order, blocks, _triangle(0, len(blocks)))

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
        return sum(len(self.strip(i)) for i in range(self.strips))

    @property
    def strips(self) -> int:
        """The number of strips."""
        return len(self.partners)

    def room(self) -> Room:
        """Return room for the distances of any tile."""
        return Room()

    def strip(self, i: int) -> list[tuple[Block, Block]]:
        """Return the tiles of a strip, each by its two blocks."""
        return [(self.blocks[i], self.blocks[j]) for j in self.partners[i]]

    @cached_property
    def points(self) -> Points:
        """The rows, sorted by class, and what transforms make of them."""
        return Points(self.X)

    def pairs(self, left: Block, right: Block, room: Room) -> TilePairs:
        """Return the pairs of two blocks."""
        other = None if left == right else (self.points, right.rows)
        return TilePairs((self.points, left.rows), other, room)

    def parts(self) -> list[Part]:
        """Return the tiles of every group of blocks with every later group, and with itself.

        There are as many whatever the number of workers, so that sums do not depend on it. Tiles of
        groups with themselves go two groups together: as many as those between two, so that workers
        end together.
        """
        wanted = max(-(-len(self.blocks) // _BLOCKS_A_GROUP), _FEWEST_GROUPS)
        groups = min(wanted, _MOST_GROUPS, len(self.blocks))
        edges = [len(self.blocks) * i // groups for i in range(groups + 1)]
        spans = [self.blocks[a:b] for a, b in pairwise(edges)]
        couples = [spans[i : i + 2] for i in range(0, groups, 2)]
        return [*map(_between, combinations(spans, 2)), *map(_within, couples)]

    def shares(self, workers: int) -> list[list[int]]:
        """Deal out the strips, of which the first is the longest: to workers 0, 1, 2, 2, 1, 0..."""
        dealt: list[list[int]] = [[] for _ in range(min(workers, len(self.blocks)))]
        for strip in range(len(self.blocks)):
            turn, place = divmod(strip, len(dealt))
            dealt[place if turn % 2 == 0 else -1 - place].append(strip)
        return dealt


def _triangle(first: int, last: int) -> list[range]:
    """Return the partners of blocks that meet themselves and every later one."""
    return [range(i, last) for i in range(first, last)]


def _between(groups: Sequence[Sequence[Block]]) -> Part:
    """Return the tiles between two groups of blocks."""
    first, second = map(len, groups)
    return _part(groups, [range(first, first + second)] * first)


def _within(groups: Sequence[Sequence[Block]]) -> Part:
    """Return the tiles of groups of blocks, each with itself."""
    edges = np.cumsum([0, *map(len, groups)]).tolist()
    return _part(groups, [meets for span in pairwise(edges) for meets in _triangle(*span)])


def _part(groups: Sequence[Sequence[Block]], partners: list[range]) -> Part:
    """Return some tiles of groups of blocks."""
    rows = tuple(slice(group[0].rows.start, group[-1].rows.stop) for group in groups)
    blocks: list[Block] = []
    start = 0
    for block, label in chain.from_iterable(groups):
        blocks.append(Block(slice(start, start + block.stop - block.start), label))
        start = blocks[-1].rows.stop
    return Part(Tiles(None, np.empty(0, int), blocks, partners), rows)
