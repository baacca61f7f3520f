"""One sweep over the tiles of all kernel matrices at once; no matrix is ever stored.

The upper triangle is walked tile by tile. A tile's distances (or dot products) are computed once;
every family of kernels then adds its sums to them::

    rows sorted by class ──> strips of tiles ──> workers ──> Pairs of a tile ──> sums of families
                   tiles                          runner                   reductions, families

Rows are sorted by class and no tile crosses a class boundary, so K @ T for class indicators T is a
plain sum over each tile. Memory is O(n · kernels · classes) a worker; nothing n×n exists.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.dense import sample_pairs
from kernelwise.gram.families import DistanceRange, Family, group_kernels
from kernelwise.gram.reductions import CenteredSquares, Products, Reduction, RowMeans, Sums
from kernelwise.gram.runner import Runner
from kernelwise.gram.statistics import GramStatistics
from kernelwise.gram.tiles import Tiles
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import squared_norms
from kernelwise.targets import Targets

_EPS = float(np.finfo(float).eps)
# Squares of centred entries below this share of all squares are summed again, centred first.
_CANCELLATION = 1e-3


class Settings(NamedTuple):
    """How to sweep."""

    tile: int
    runner: Runner
    dtype: str


@dataclass(frozen=True, eq=False)
class Sweep:
    """Kernels and the data to sweep over; everything is computed on first use.

    Parameters
    ----------
    kernels : sequence of Kernel
    X : array or CSR matrix of shape (n, d)
    targets : Targets
    settings : Settings
    progress : Task
        Of the sweep for the statistics.
    """

    kernels: Sequence[Kernel]
    X: Any
    targets: Targets
    settings: Settings
    progress: Task = SILENT

    @cached_property
    def _tiles(self) -> Tiles:
        targets = self.targets
        codes = np.zeros(targets.n, int) if targets.classes is None else targets.y
        return Tiles.of(self.X, codes, self.settings.tile)

    @cached_property
    def _families(self) -> list[Family]:
        reach = DistanceRange(_largest_distance(self._tiles.X), np.dtype(self.settings.dtype))
        return group_kernels(self.kernels, sample_pairs(self.X), reach)

    @cached_property
    def statistics(self) -> list[GramStatistics]:
        """The statistics of every kernel from one sweep (two for real targets)."""
        lines = self._walk(Sums(self._families, self._tiles.labels, self.targets.n), self.progress)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._read(lines)

    def _walk(self, reduction: Reduction, progress: Task = SILENT) -> list[Array]:
        return self.settings.runner.run(self._tiles, reduction, progress)

    def _read(self, lines: list[Array]) -> list[GramStatistics]:
        """Return the statistics that the lines of all families hold."""
        found: dict[int, GramStatistics] = {}
        for family, summed in zip(self._families, lines, strict=True):
            read = family.read(summed)
            for i, step in family.members.items():
                found[i] = self._assemble(i, family, step, *read[step])
        if self.targets.classes is None:  # a real target has a sweep of its own
            y = self.targets.centered[:, None]
            for i, with_y in self.multiply(dict.fromkeys(found, y), self.progress).items():
                products = np.vstack([found[i].row_sums, with_y.T]).T
                found[i] = replace(found[i], products=products, excludes_diagonal=False)
        return self._centered_again([found[i] for i in range(len(found))])

    def _assemble(
        self, index: int, family: Family, step: int, sums: Array, squares: Array
    ) -> GramStatistics:
        """Return the statistics that the sums of a step are, (labels, n) over sorted rows."""
        n, excludes_diagonal = self.targets.n, family.excludes_diagonal[step]
        diagonal = self.kernels[index].diagonal(self.X)
        products = self._tiles.restore(sums)
        row_sums, row_squares = products.sum(axis=0), self._tiles.restore(squares.sum(axis=0))
        if excludes_diagonal:
            row_sums += diagonal
            row_squares += diagonal * diagonal
        # |HSH|^2 = |S|^2 - (2/n) |S1|^2 + (1'S1)^2 / n^2: S is never close to a constant
        centered = row_squares.sum() - 2.0 * (row_sums @ row_sums) / n + (row_sums.sum() / n) ** 2
        return GramStatistics(
            targets=self.targets,
            shift=family.shifts[step],
            products=products.T,
            row_squares=row_squares,
            centered_squares=max(float(centered), 0.0),
            diagonal=diagonal,
            precision=min(family.roundings[step], _EPS * float(np.sqrt(row_squares.max()))),
            excludes_diagonal=excludes_diagonal,
        )

    def _centered_again(self, found: list[GramStatistics]) -> list[GramStatistics]:
        """Take |HSH|^2 from a sweep that centres before it squares, where one pass lost digits.

        That is where the mean of S is large against its spread: dot products far from the origin.
        """
        lost = {
            i: RowMeans(self.kernels[i], s.shift != 0.0, s.row_sums[self._tiles.order] / s.n)
            for i, s in enumerate(found)
            if s.invalid_reason is None and s.centered_squares < _CANCELLATION * s.row_squares.sum()
        }
        if lost:
            [squares] = self._walk(CenteredSquares(list(lost.values())))
            for i, square in zip(lost, squares.tolist(), strict=True):
                found[i] = replace(found[i], centered_squares=square)
        return found

    def matmul(self, vectors: Mapping[int, Array], progress: Task = SILENT) -> dict[int, Array]:
        """Return K @ V of several kernels, each with vectors of its own, from one sweep."""
        products = self.multiply(vectors, progress)
        for family in self._families:
            for i, step in family.members.items():
                if i in products:
                    products[i] += family.shifts[step] * vectors[i].sum(axis=0)
        return products

    def multiply(self, vectors: Mapping[int, Array], progress: Task = SILENT) -> dict[int, Array]:
        """Return S @ V of several kernels from one sweep."""
        order = self._tiles.order
        reduction = Products.of(self._families, {i: V[order] for i, V in vectors.items()})
        totals = self._walk(reduction, progress)
        return {
            i: self._tiles.restore(total[step]).T
            for family, total in zip(reduction.families, totals, strict=True)
            for i, step in family.members.items()
            if i in vectors
        }


def _largest_distance(X: Any) -> float:
    """Return a bound on the squared distances: the diameter is at most twice the radius."""
    centered = X if sp.issparse(X) else X - X.mean(axis=0)
    return 4.0 * float(squared_norms(centered).max())
