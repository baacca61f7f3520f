"""One sweep over the tiles of all kernel matrices at once; no matrix is ever stored.

The upper triangle is walked tile by tile. A tile's distances (or dot products) are computed once;
every family of kernels then adds its sums to them::

    rows sorted by class ──> strips of tiles ──> threads ──> Pairs of a tile ──> sums of families
                   tiles                          runner                          families

Rows are sorted by class and no tile crosses a class boundary, so K @ T for class indicators T is a
plain sum over each tile. Memory is O(n · kernels · classes) a thread; nothing n×n exists.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.base import GramStatistics
from kernelwise.gram.dense import sample_pairs
from kernelwise.gram.families import Family, Reach, group_kernels
from kernelwise.gram.runner import Reduction, run
from kernelwise.gram.tiles import Block, TilePairs, Tiles
from kernelwise.kernels import Kernel, Pairs
from kernelwise.targets import Targets

_EPS = float(np.finfo(float).eps)
# Squares of centred entries below this share of all squares are summed again, centred first.
_CANCELLATION = 1e-3


@dataclass(frozen=True, eq=False)
class Sums(Reduction):
    """The lines of every family, summed over each class: arrays (lines, labels, n)."""

    families: Sequence[Family]
    labels: int
    n: int

    def zero(self) -> list[Array]:
        """Return empty lines."""
        return [np.zeros((family.lines, self.labels, self.n)) for family in self.families]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the sums over the columns of a tile, and off the diagonal those over its rows."""
        tile = cast(TilePairs, pairs)  # only tiles have classes
        for family, lines in zip(self.families, into, strict=True):
            on_rows, on_columns = family.sums(tile, left == right)
            lines[:, right.label, left.rows] += on_rows
            if left != right:
                lines[:, left.label, right.rows] += on_columns


@dataclass(frozen=True, eq=False)
class Products(Reduction):
    """S V of some families, every step with vectors of its own: arrays (steps, m, n)."""

    families: Sequence[Family]
    vectors: Sequence[Array]  # V by family, (steps, m, n); zeros for steps that are not wanted
    wanted: Sequence[Array]  # which steps are, by family

    @classmethod
    def of(cls, families: Sequence[Family], vectors: Mapping[int, Array]) -> "Products":
        """Return the products of some candidates with vectors (n, m) over sorted rows."""
        asked = [family for family in families if not vectors.keys().isdisjoint(family.members)]
        n, m = next(iter(vectors.values())).shape
        by_step = [np.zeros((family.steps, m, n)) for family in asked]
        for family, V in zip(asked, by_step, strict=True):
            for i in vectors.keys() & family.members:
                V[family.members[i]] = vectors[i].T
        return cls(asked, by_step, [np.array([v.any() for v in V]) for V in by_step])

    def zero(self) -> list[Array]:
        """Return empty products."""
        return [np.zeros_like(V) for V in self.vectors]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the products of a tile."""
        parts = zip(self.families, self.vectors, self.wanted, into, strict=True)
        for family, vectors, wanted, products in parts:
            if not wanted.any():
                continue
            V = [np.ascontiguousarray(vectors[:, :, block.rows]) for block in (left, right)]
            on_rows, on_columns = family.products(pairs, wanted, *V)
            products[:, :, left.rows] += on_rows
            if left != right:
                products[:, :, right.rows] += on_columns


class RowMeans(NamedTuple):
    """A kernel whose S = K - c has known row means."""

    kernel: Kernel
    has_shift: bool  # whether c is the kernel's origin; it is zero otherwise
    means: Array  # S 1 / n over sorted rows
    mean: float  # of the means of all rows


@dataclass(frozen=True, eq=False)
class CenteredSquares(Reduction):
    """|HSH|^2 of some kernels, centred before squaring: one array, a number for each."""

    kernels: Sequence[RowMeans]

    def zero(self) -> list[Array]:
        """Return zeros."""
        return [np.zeros(len(self.kernels))]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the squares of a tile, twice off the diagonal."""
        for k, (kernel, has_shift, means, mean) in enumerate(self.kernels):
            S = kernel.deviations(pairs) if has_shift else kernel.values(pairs)
            S = S - (means[left.rows, None] - mean)
            S -= means[right.rows]
            into[0][k] += (1.0 if left == right else 2.0) * np.einsum("ij,ij->", S, S)


def _row_means(kernel: Kernel, statistics: GramStatistics, means: Array) -> RowMeans:
    return RowMeans(kernel, statistics.shift != 0.0, means, float(means.mean()))


class Settings(NamedTuple):
    """How to sweep."""

    tile: int
    threads: int | None


@dataclass(frozen=True, eq=False)
class Sweep:
    """Kernels and the data to sweep over; everything is computed on first use."""

    kernels: Sequence[Kernel]
    X: Any  # an array or CSR matrix of shape (n, d)
    targets: Targets
    settings: Settings
    progress: Task = SILENT  # of the sweep for the statistics

    @cached_property
    def _tiles(self) -> Tiles:
        targets = self.targets
        codes = np.zeros(targets.n, int) if targets.classes is None else targets.y
        return Tiles.of(self.X, codes, self.settings.tile)

    @cached_property
    def _families(self) -> list[Family]:
        return group_kernels(self.kernels, Reach(self._tiles.points, sample_pairs(self.X)))

    @cached_property
    def statistics(self) -> list[GramStatistics]:
        """The statistics of every kernel from one sweep (two for real targets)."""
        lines = self._walk(Sums(self._families, self._tiles.labels, self.targets.n), self.progress)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._read(lines)

    def _walk(self, reduction: Reduction, progress: Task = SILENT) -> list[Array]:
        return run(self._tiles, reduction, progress, self.settings.threads)

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
        """Take |HSH|^2 from a sweep that centres first where a large mean of S has cost digits."""
        lost = {
            i: _row_means(self.kernels[i], s, s.row_sums[self._tiles.order] / s.n)
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
