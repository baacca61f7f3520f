"""The engine that never stores a kernel matrix."""

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from kernelwise._arguments import as_bytes
from kernelwise._progress import SILENT, Task
from kernelwise._sklearn import Interval, check_parameters
from kernelwise._threads import cached_property, workers
from kernelwise._types import Array
from kernelwise.gram.base import Engine, Gram, GramStatistics, Need
from kernelwise.gram.dense import Dense, DenseGram, dense_gram, needed
from kernelwise.gram.inverse import Inverse, Spectrum
from kernelwise.gram.pairs import kernel_between
from kernelwise.gram.panels import steps_for
from kernelwise.gram.partial_cholesky import IterativeInverse, PartialCholesky, Preconditioner
from kernelwise.gram.sweep import Settings, Sweep
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

_WITHOUT_THE_MATRIX = frozenset({Need.STATISTICS, Need.PRODUCTS, Need.LEADING, Need.SOLVE})
# A sweep holds sums and squares of every kernel, per thread and in total, with copies in the order
# of the data; and, per tile, distances and the matrices of single kernels.
_ARRAYS_A_KERNEL = 4
_TILES_AT_ONCE = 4
_LARGEST_RANK = 512  # of a preconditioner: beyond, it costs more than the products it saves
_COPIES_OF_A_FACTOR = 4  # it grows, and becomes an eigensystem


@dataclass(frozen=True)
class Tiled(Engine):
    """Every kernel matrix in tiles, all kernels in one sweep: O(n) memory a kernel.

    Parameters
    ----------
    tile : int, default=384
        Rows and columns of a tile; its distances must fit into a core's cache.
    threads : int or None, default=None
        How many threads, at most ``n_jobs`` where that is given; None takes one for every
        processor that this process may use.
    memory : str, float or None, default=None
        What it may take: an amount such as "4GB", or a share of what is free (None: 0.8). Kernels
        that do not fit into one sweep are shared out over several.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import gram, grids
    >>> X = np.arange(6.0)[:, None]
    >>> targets = gram.Targets.of([0, 0, 0, 1, 1, 1])
    >>> len(list(gram.Tiled().grams(grids.gaussian(), X, targets)))
    31
    """

    tile: int = 384
    threads: int | None = None
    memory: str | float | None = None

    name: ClassVar[str] = "tiled"
    shares_sweeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        counts = Interval(Integral, 1, None, closed="left")
        allowed = {"tile": [counts], "threads": [counts, None]}
        check_parameters("Tiled", allowed, tile=self.tile, threads=self.threads)
        as_bytes(self.memory)

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator["TiledGram"]:
        """Yield the grams of all kernels; the first one asked sweeps for all."""
        if any(kernel.takes_matrix for kernel in kernels):
            raise ValueError("a given matrix is in memory already: use engine='dense'.")
        settings = Settings(self.tile, self.threads)
        sweep = Sweep(kernels, X, targets, settings, progress)
        for i in range(len(kernels)):
            yield TiledGram(sweep, i, self.memory)

    def matmul(
        self, grams: Sequence[Gram], vectors: Sequence[Array], progress: Task = SILENT
    ) -> list[Array]:
        """Return K @ V of every gram from one sweep."""
        mine = [gram for gram in grams if isinstance(gram, TiledGram)]
        assert len(mine) == len(grams)
        products = mine[0].sweep.matmul(
            {gram.index: V for gram, V in zip(mine, vectors, strict=True)}, progress
        )
        return [products[gram.index] for gram in mine]

    def check_memory(self, needs: frozenset[Need], rows: int) -> None:
        """Refuse what takes the matrix itself where it does not fit."""
        if not needs <= _WITHOUT_THE_MATRIX:
            Dense(self.memory).check_memory(needs, rows)

    def grams_at_once(self, targets: Targets) -> int:
        """Return how many kernels the budget allows in one sweep, at least one."""
        threads = workers(self.threads)
        columns = targets.columns.shape[1]
        tiles = _TILES_AT_ONCE * threads * self.tile**2
        each = _ARRAYS_A_KERNEL * (threads + 1) * columns * targets.n
        budget = as_bytes(self.memory)
        return max(1, int((budget / 8 - tiles) / each)) if budget < math.inf else sys.maxsize


class TiledGram(Gram):
    """One of the kernel matrices of a sweep; in memory for what takes the matrix, if it fits."""

    def __init__(self, sweep: Sweep, index: int, memory: str | float | None = None) -> None:
        self.sweep, self.index, self._memory = sweep, index, memory
        self._kernel, self._X, self._targets = sweep.kernels[index], sweep.X, sweep.targets
        self.sweeps = steps_for(sweep.targets.n)

    @property
    def provides(self) -> frozenset[Need]:  # type: ignore[override]
        """Everything, where the matrix fits into memory."""
        return frozenset(Need) if self._fits else _WITHOUT_THE_MATRIX

    @cached_property
    def _fits(self) -> bool:
        """Whether the matrix fits: asked once, for what is free falls as it is used."""
        return needed(self._targets.n) <= as_bytes(self._memory)

    @property
    def is_psd(self) -> bool | None:  # type: ignore[override]
        """Whether it is positive semidefinite, as far as that is known."""
        return self._dense.is_psd if "_dense" in vars(self) else self._kernel.is_psd

    @cached_property
    def diagonal(self) -> Array:
        """The diagonal, which takes no sweep."""
        return self._kernel.diagonal(self._X)

    def compute_statistics(self) -> GramStatistics:
        """Return the statistics from the sweep for all kernels."""
        return self.sweep.statistics[self.index]

    def matmul(self, V: Array) -> Array:
        """Return K @ V by a sweep for this kernel."""
        return self.sweep.matmul({self.index: V})[self.index]

    def rows(self, index: Array) -> Array:
        """Return some rows of K."""
        return kernel_between(self._kernel, self._X[index], self._X)

    def entries(self) -> Array:
        """Return K, where it fits into memory."""
        return self._dense.entries()

    def scaled(self, scale: Array) -> Gram:
        """Return D K D with D = diag(scale), where the matrix fits into memory."""
        self._dense.progress = self.progress
        return self._dense.scaled(scale)

    def leading_eigenvalues(self, t: int) -> Array:
        """Return the t largest eigenvalues by Lanczos iterations, to 1e-10 relative."""
        n = self._targets.n
        if t >= n - 1 or "_dense" in vars(self):
            return self._dense.leading_eigenvalues(t)
        operator = LinearOperator(
            (n, n), matvec=lambda v: self._multiply(v.reshape(n, 1))[:, 0], dtype=np.float64
        )
        start = np.ones(n) + 0.1 * np.cos(np.arange(n))  # the same every time
        return np.sort(eigsh(operator, t, which="LA", tol=1e-10, v0=start)[0])[::-1]

    def prepare(self, needs: Iterable[Need]) -> None:
        """Decompose the matrix at once where it fits and eigenvalues will be asked for."""
        if Need.ENTRIES in self.provides and not _WITHOUT_THE_MATRIX.issuperset(needs):
            self._dense.prepare(needs)

    def release(self) -> None:
        """Release the matrix."""
        vars(self).pop("_dense", None)

    def spectrum(self) -> Spectrum:
        """Return the eigenpairs, where the matrix fits into memory."""
        return self._dense.spectrum()

    def inverses(self, ridges: Sequence[float]) -> Iterable[Inverse]:
        """Return the inverses; where the matrix does not fit, by products with it."""
        if Need.ENTRIES in self.provides:
            self._dense.progress = self.progress
            return self._dense.inverses(ridges)
        return [IterativeInverse(self._multiply, self._preconditioner, ridge) for ridge in ridges]

    @cached_property
    def _preconditioner(self) -> Preconditioner:
        n, X, kernel = self._targets.n, self._X, self._kernel
        room = as_bytes(self._memory) / (_COPIES_OF_A_FACTOR * 8 * n)
        factor = PartialCholesky(
            lambda rows: kernel_between(kernel, X, X[rows]), kernel.diagonal(X)
        )
        factor.grow(int(max(1, min(room, n // 8, _LARGEST_RANK))))
        return Preconditioner(factor)

    @cached_property
    def _alone(self) -> Sweep:
        """A sweep without the rest of the ladder."""
        return Sweep([self._kernel], self._X, self._targets, self.sweep.settings)

    def _multiply(self, V: Array) -> Array:
        return self._alone.matmul({0: V})[0]

    @cached_property
    def _dense(self) -> DenseGram:
        Dense(self._memory).check_memory(frozenset(), self._targets.n)
        return dense_gram(self._kernel, self._X, self._targets, entries=sys.maxsize)
