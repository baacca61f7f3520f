"""Kernels that share work on a tile.

A family is a set of candidate kernels of one geometry that are cheaper together than one by one: a
ladder of Gaussian widths, a ladder of polynomial degrees, or a single kernel of any other kind. It
gives its sums over a tile as *lines*, one number per row and per column, from which the sums of its
*steps* can be read; a candidate is one of the steps.
"""

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.gram.dense import is_wide
from kernelwise.kernels import Kernel, Pairs


class Family(ABC):
    """Kernels that share work; it can be pickled.

    Parameters
    ----------
    members : dict
        The step of every candidate.
    shifts : list of float
        By step, the constant c: K = S + c.
    roundings : list of float
        By step, a bound on the rounding error of an entry; infinity where none is known.
    """

    lines: int

    def __init__(
        self, members: dict[int, int], shifts: list[float], roundings: list[float]
    ) -> None:
        self.members, self.shifts, self.roundings = members, shifts, roundings
        self.steps = len(shifts)
        # By step, whether the sums leave out the diagonal, which would drown the rest.
        self.excludes_diagonal = [shift == 0.0 for shift in shifts]

    @abstractmethod
    def sums(self, pairs: Pairs, on_diagonal: bool) -> tuple[Array, Array]:
        """Return the lines of a tile: over columns for its rows, over rows for its columns."""

    @abstractmethod
    def products(
        self, pairs: Pairs, wanted: Array, on_rows: Array, on_columns: Array
    ) -> tuple[Array, Array]:
        """Return S V of the wanted steps on the rows and on the columns of a tile.

        V is given on both: (steps, m, rows) and (steps, m, columns), as are the products.
        """

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return the sums of S and of its squares, by step, from lines (lines, labels, n)."""
        return [(lines[2 * s], lines[2 * s + 1]) for s in range(self.steps)]


class AnyKernel(Family):
    """A kernel on its own: its matrix over the tile, by numpy."""

    lines = 2

    def __init__(self, candidate: int, kernel: Kernel, sample: Pairs) -> None:
        self._kernel, self._wide = kernel, is_wide(kernel, sample)
        super().__init__({candidate: 0}, [kernel.origin if self._wide else 0.0], [math.inf])

    def _tile(self, pairs: Pairs) -> Array:
        return self._kernel.deviations(pairs) if self._wide else self._kernel.values(pairs)

    def sums(self, pairs: Pairs, on_diagonal: bool) -> tuple[Array, Array]:
        """Sum the tile and its squares."""
        S = self._tile(pairs)
        if on_diagonal and self.excludes_diagonal[0]:
            S = S - np.diag(S.diagonal())
        squares = S * S  # not in place: a kernel may hand out the shared geometry itself
        on_rows, on_columns = (np.stack([S.sum(axis), squares.sum(axis)]) for axis in (1, 0))
        return on_rows, on_columns

    def products(
        self, pairs: Pairs, wanted: Array, on_rows: Array, on_columns: Array
    ) -> tuple[Array, Array]:
        """Multiply the tile."""
        S = self._tile(pairs)
        return on_columns @ S.T, on_rows @ S


class Chain(NamedTuple):
    """Gaussian widths whose ratios are powers of an integer."""

    widest: float
    ratio: int
    rungs: dict[int, int]  # candidate -> how often the widest is divided by the ratio


class DistanceRange(NamedTuple):
    """How far pairs are apart, and the type to compute in."""

    largest: float  # a bound on the squared distances
    dtype: np.dtype[Any]
