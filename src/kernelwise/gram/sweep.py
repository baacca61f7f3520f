"""The engine that never stores a kernel matrix: one sweep over tiles serves a grid of kernels.

The upper triangle of all kernel matrices at once is walked tile by tile. A tile's distances (or dot
products) are computed once; every family of kernels then adds its sums to them::

    rows sorted by class ──> strips of tiles ──> threads ──> Pairs of a tile ──> families
                                                             ladders of widths or degrees, any other

Rows are sorted by class and no tile crosses a class boundary, so K @ T for class indicators T is a
plain sum over each tile. Memory is O(n · kernels · classes) a thread; nothing n×n exists.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kernelwise._progress import SILENT, Task
from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.dense import DenseGram, sample_pairs
from kernelwise.gram.families import DistanceRange, Family, TileProducts, TileSums, arrange
from kernelwise.gram.statistics import GramStatistics
from kernelwise.kernels import Kernel, Pairs
from kernelwise.kernels.geometry import squared_norms
from kernelwise.targets import Targets

_EPS = float(np.finfo(float).eps)
# Squares of centred entries below this share of all squares are summed again, centred first.
_CANCELLATION = 1e-3
_DIRECT_FEATURES = 64  # up to here differences in a compiled loop beat a matrix product
_POLL = 0.1  # seconds between two looks at the keyboard
_PARTS = 100  # in which a sweep tells its progress


class Settings(NamedTuple):
    """How to sweep."""

    tile: int
    threads: int | None
    dtype: str


class Block(NamedTuple):
    """Rows of one class."""

    rows: slice
    label: int


class TilePairs(Pairs):
    """The pairs of two blocks of rows; distances go where there is room, tile after tile."""

    def __init__(
        self, features: Array | None, X: Any, rows: slice, columns: slice, room: Array
    ) -> None:
        super().__init__(X[rows], None if rows == columns else X[columns])
        self._features, self._rows, self._columns, self._room = features, rows, columns, room

    def __getitem__(self, geometry: str) -> Array:
        """Return a geometry; distances of few features by differences, which do not cancel."""
        if geometry == "sqdist" and self._features is not None and geometry not in self._known:
            from kernelwise.gram import _loops

            left = np.ascontiguousarray(self._features[:, self._rows])
            right = np.ascontiguousarray(self._features[:, self._columns])
            size = left.shape[1], right.shape[1]
            G = self._room[: size[0] * size[1]].reshape(size)
            _loops.squared_distance_tile(left, right, G)
            self._known[geometry] = G
        return super().__getitem__(geometry)


class Sweep:
    """Data sorted by class, cut into blocks, and the families of kernels that walk over it."""

    def __init__(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, settings: Settings
    ) -> None:
        self._kernels, self._targets, self._original = kernels, targets, X
        self._settings = settings
        self._threads = workers(settings.threads)
        codes = np.zeros(targets.n, int) if targets.classes is None else targets.y
        self._order = np.argsort(codes, kind="stable")
        self._place = np.argsort(self._order)  # of every row among the sorted
        self._X = X[self._order]
        few = not sp.issparse(X) and X.shape[1] <= _DIRECT_FEATURES
        self._features = self._by_feature() if few else None
        self._blocks = _blocks(codes[self._order], settings.tile)
        self._largest_tile = max(b.rows.stop - b.rows.start for b in self._blocks) ** 2
        self._sample = sample_pairs(X)
        reach = DistanceRange(_largest_distance(self._X), np.dtype(settings.dtype))
        self._families = arrange(kernels, self._sample, reach)

    def _by_feature(self) -> Array:
        """Return the sorted data with a row per feature."""
        return np.ascontiguousarray(self._X.T)

    def dense(self, index: int) -> DenseGram:
        """Return a kernel matrix in memory."""
        kernel, pairs = self._kernels[index], Pairs(self._original)
        return DenseGram(kernel, pairs, self._sample, self._targets)

    def columns(self, index: int) -> Callable[[Array], Array]:
        """Return what gives the columns of a kernel matrix at some rows."""
        kernel, X = self._kernels[index], self._original
        return lambda rows: kernel.values(Pairs(X, X[rows]))

    def alone(self, index: int) -> "Sweep":
        """Return a sweep for one of the kernels."""
        return Sweep([self._kernels[index]], self._original, self._targets, self._settings)

    def statistics(self, progress: Task = SILENT) -> list[GramStatistics]:
        """Return the statistics of every kernel from one sweep (two for real targets)."""
        lines = self._walk(self._new_lines, self._add_sums, progress)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._read(lines, progress)

    def _read(self, lines: list[Array], progress: Task) -> list[GramStatistics]:
        """Return the statistics that the lines of all families hold."""
        found: dict[int, GramStatistics] = {}
        for family, summed in zip(self._families, lines, strict=True):
            read = family.read(summed)
            for i, step in family.members.items():
                found[i] = self._assemble(i, family, step, *read[step])
        if self._targets.classes is None:  # a real target has a sweep of its own
            y = self._targets.centered[:, None]
            for i, with_y in self.multiply(dict.fromkeys(found, y), progress).items():
                ones = found[i].row_sums
                found[i] = replace(
                    found[i], products=np.vstack([ones, with_y.T]).T, excludes_diagonal=False
                )
        return self._centered_again([found[i] for i in range(len(found))])

    def _assemble(
        self, index: int, family: Family, step: int, sums: Array, squares: Array
    ) -> GramStatistics:
        """Return the statistics that the sums of a step are, (labels, n) over sorted rows."""
        n, excludes_diagonal = self._targets.n, family.excludes_diagonal(step)
        diagonal = self._kernels[index].diagonal(self._original)
        restored = self._restore(sums)
        row_sums, row_squares = restored.sum(axis=0), self._restore(squares.sum(axis=0))
        if excludes_diagonal:
            row_sums += diagonal
            row_squares += diagonal * diagonal
        # |HSH|^2 = |S|^2 - (2/n) |S1|^2 + (1'S1)^2 / n^2: S is never close to a constant
        centered = row_squares.sum() - 2.0 * (row_sums @ row_sums) / n + (row_sums.sum() / n) ** 2
        return GramStatistics(
            targets=self._targets,
            shift=family.shift(step),
            products=restored.T,
            row_squares=row_squares,
            centered_squares=max(float(centered), 0.0),
            diagonal=diagonal,
            precision=min(family.rounding(step), _EPS * float(np.sqrt(row_squares.max()))),
            excludes_diagonal=excludes_diagonal,
        )

    def _centered_again(self, found: list[GramStatistics]) -> list[GramStatistics]:
        """Take |HSH|^2 from a sweep that centres before it squares, where one pass lost digits.

        That is where the mean of S is large against its spread: dot products far from the origin.
        """
        lost = [
            i
            for i, statistics in enumerate(found)
            if statistics.invalid_reason is None
            and statistics.centered_squares < _CANCELLATION * statistics.row_squares.sum()
        ]
        means = {i: found[i].row_sums[self._order] / self._targets.n for i in lost}

        def add(totals: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
            for k, i in enumerate(lost):
                kernel, mean = self._kernels[i], means[i]
                S = kernel.deviations(pairs) if found[i].shift else kernel.values(pairs)
                S = S - (mean[left.rows, None] - mean.mean())
                S -= mean[right.rows]
                totals[0][k] += (1.0 if left == right else 2.0) * np.einsum("ij,ij->", S, S)

        if lost:
            [squares] = self._walk(lambda: [np.zeros(len(lost))], add)
            for i, square in zip(lost, squares.tolist(), strict=True):
                found[i] = replace(found[i], centered_squares=square)
        return found

    def _restore(self, lines: Array) -> Array:
        """Return lines over sorted rows in the order of the data."""
        return lines.take(self._place, axis=-1)

    def _new_lines(self) -> list[Array]:
        labels = self._blocks[-1].label + 1
        return [np.zeros((f.lines, labels, self._targets.n)) for f in self._families]

    def _add_sums(self, lines: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        rows, columns = left.rows, right.rows
        for family, into in zip(self._families, lines, strict=True):
            size = rows.stop - rows.start, columns.stop - columns.start
            tile = TileSums.zeros(family.lines, *size)
            family.add_sums(pairs, rows == columns, tile)
            into[:, right.label, rows] += tile.on_rows
            if rows != columns:
                into[:, left.label, columns] += tile.on_columns

    def matmul(self, vectors: dict[int, Array], progress: Task = SILENT) -> dict[int, Array]:
        """Return K @ V of several kernels, each with vectors of its own, from one sweep."""
        products = self.multiply(vectors, progress)
        for family in self._families:
            for i, step in family.members.items():
                if i in products:
                    products[i] += family.shift(step) * vectors[i].sum(axis=0)
        return products

    def multiply(self, vectors: dict[int, Array], progress: Task = SILENT) -> dict[int, Array]:
        """Return S @ V of several kernels from one sweep."""
        given = [self._lines(family, vectors) for family in self._families]
        wanted = [np.array([line.any() for line in lines]) for lines in given]

        def add(into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
            rows, columns = left.rows, right.rows
            for f, family in enumerate(self._families):
                if wanted[f].any():
                    tile = TileProducts.of(given[f], rows, columns)
                    family.add_products(pairs, wanted[f], tile)
                    into[f][:, :, rows] += tile.row_products
                    if rows != columns:
                        into[f][:, :, columns] += tile.column_products

        totals = self._walk(lambda: [np.zeros_like(g) for g in given], add, progress)
        return {
            i: self._restore(totals[f][step]).T
            for f, family in enumerate(self._families)
            for i, step in family.members.items()
            if i in vectors
        }

    def _lines(self, family: Family, vectors: dict[int, Array]) -> Array:
        """Return the vectors of a family's steps over sorted rows; zeros where none are given."""
        width = next(iter(vectors.values())).shape[1]
        lines = np.zeros((family.steps, width, self._targets.n))
        for i, step in family.members.items():
            if i in vectors:
                lines[step] = vectors[i][self._order].T
        return lines

    def _walk(
        self, new: Callable[[], list[Array]], add: Callable[..., None], progress: Task = SILENT
    ) -> list[Array]:
        """Let every thread add its strips to arrays of its own; return their sums."""
        blocks = len(self._blocks)
        strips = _deal(blocks, self._threads)
        stop = threading.Event()
        done = [0] * len(strips)  # tiles, by thread

        def work(thread: int) -> list[Array]:
            into, room = new(), np.empty(self._largest_tile)
            with np.errstate(
                over="ignore", invalid="ignore"
            ):  # GramStatistics.invalid_reason tells
                for i in strips[thread]:
                    for j in range(i, blocks):
                        if stop.is_set():
                            return into
                        left, right = self._blocks[i], self._blocks[j]
                        pairs = TilePairs(self._features, self._X, left.rows, right.rows, room)
                        add(into, pairs, left, right)
                        done[thread] += 1
            return into

        with pool(len(strips)) as threads:
            futures = [threads.submit(work, thread) for thread in range(len(strips))]
            try:
                with progress.part("sweep", _PARTS) as sweep:
                    told = 0
                    while wait(futures, timeout=_POLL).not_done:
                        reached = _PARTS * 2 * sum(done) // (blocks * (blocks + 1))
                        for _ in range(told, reached):
                            sweep.advance()
                        told = max(told, reached)
            except BaseException:
                stop.set()  # every thread ends with its tile
                raise
            totals, *others = (future.result() for future in futures)
        for part in others:
            for total, array in zip(totals, part, strict=True):
                with np.errstate(over="ignore", invalid="ignore"):
                    np.add(total, array, out=total)
        return totals


def _blocks(codes: Array, size: int) -> list[Block]:
    """Cut sorted rows into blocks of one class and at most the given size."""
    edges = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    return [
        Block(slice(start, min(start + size, stop)), int(codes[start]))
        for first, stop in pairwise(edges)
        for start in range(first, stop, size)
    ]


def _deal(strips: int, workers: int) -> list[list[int]]:
    """Share out the strips: the first is the longest, so every worker gets long and short ones."""
    dealt: list[list[int]] = [[] for _ in range(min(workers, strips))]
    for k in range(strips):
        turn = k // len(dealt)
        place = k % len(dealt)
        dealt[place if turn % 2 == 0 else len(dealt) - 1 - place].append(k)
    return dealt


def _largest_distance(X: Any) -> float:
    """Return a bound on the squared distances: the diameter is at most twice the radius."""
    centered = X if sp.issparse(X) else X - X.mean(axis=0)
    return 4.0 * float(squared_norms(centered).max())
