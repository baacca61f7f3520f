"""The data of a sweep: rows sorted by class and cut into blocks, whose pairs are the tiles."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.kernels import Pairs

_DIRECT_FEATURES = 64  # up to here differences in a compiled loop beat a matrix product


class Block(NamedTuple):
    """Rows of one class."""

    rows: slice
    label: int


class TilePairs(Pairs):
    """The pairs of one tile; `room` holds the distances of one tile after the other."""

    def __init__(self, X: Any, Z: Any, room: Array) -> None:
        super().__init__(X, Z)
        self._room = room

    def __getitem__(self, geometry: str) -> Array:
        """Return a geometry; distances of few features by differences, which do not cancel."""
        is_direct = not sp.issparse(self.X) and self.X.shape[1] <= _DIRECT_FEATURES
        if geometry == "sqdist" and is_direct and geometry not in self._known:
            self._known[geometry] = self._direct_distances()
        return super().__getitem__(geometry)

    def _direct_distances(self) -> Array:
        from kernelwise.gram import _loops

        left = np.ascontiguousarray(self.X.T)
        right = left if self.Z is None else np.ascontiguousarray(self.Z.T)
        size = left.shape[1], right.shape[1]
        G = self._room[: size[0] * size[1]].reshape(size)
        _loops.squared_distance_tile(left, right, G)
        return G


@dataclass(frozen=True, eq=False)
class Tiles:
    """The upper triangle of a kernel matrix in tiles, none of which crosses a class boundary.

    Strip i holds the tiles of block i with itself and with every later block.
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

    def room(self) -> Array:
        """Return room for the distances of any tile."""
        return np.empty(max(rows.stop - rows.start for rows, _ in self.blocks) ** 2)

    def strip(self, i: int) -> list[tuple[Block, Block]]:
        """Return the tiles of a strip, each by its two blocks."""
        return [(self.blocks[i], right) for right in self.blocks[i:]]

    def pairs(self, left: Block, right: Block, room: Array) -> TilePairs:
        """Return the pairs of two blocks."""
        return TilePairs(self.X[left.rows], None if left == right else self.X[right.rows], room)

    def shares(self, workers: int) -> list[list[int]]:
        """Deal out the strips, of which the first is the longest: to workers 0, 1, 2, 2, 1, 0..."""
        dealt: list[list[int]] = [[] for _ in range(min(workers, len(self.blocks)))]
        for strip in range(len(self.blocks)):
            turn, place = divmod(strip, len(dealt))
            dealt[place if turn % 2 == 0 else -1 - place].append(strip)
        return dealt
