"""The engine that never stores a kernel matrix."""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from kernelwise._arguments import is_one_of, shown
from kernelwise._progress import SILENT, Task
from kernelwise._threads import workers
from kernelwise._types import Array
from kernelwise.gram import conjugate_gradients
from kernelwise.gram.base import Engine, Gram, GramStatistics
from kernelwise.gram.dense import DenseGram, check_memory, needed
from kernelwise.gram.memory import as_bytes
from kernelwise.gram.partial_cholesky import PartialCholesky
from kernelwise.gram.runner import ThreadRunner
from kernelwise.gram.sweep import Settings, Sweep
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

_TYPES = ("float64", "float32")
# What a sweep holds: sums and squares of every kernel a thread and in total, besides copies of them
# in the order of the data; distances and the matrices of single kernels by tile.
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
    dtype : {"float64", "float32"}, default="float64"
        The type in which Gaussian ladders are walked. float32 takes 0.7 to 1.1 of the
        time and leaves four to six digits of a criterion; where fewer than four are left it is
        NaN. Distances, other kernels and spectra are computed in float64 always.
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
    dtype: str = "float64"
    memory: str | float | None = None

    name: ClassVar[str] = "tiled"
    shares_sweeps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for field, value in (("tile", self.tile), ("threads", self.threads)):
            if field == "threads" and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(
                    f"{field} of Tiled must be an integer of at least 1, got {shown(value)}."
                )
            object.__setattr__(self, field, int(value))

        as_bytes(self.memory)
        if not is_one_of(self.dtype, _TYPES):
            raise ValueError(
                f"dtype of Tiled must be {' or '.join(map(repr, _TYPES))}, got {shown(self.dtype)}."
            )

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator["TiledGram"]:
        """Sweep once for all kernels, then yield their grams."""
        if any(kernel.takes_matrix for kernel in kernels):
            raise ValueError("a given matrix is in memory already: use engine='dense'.")
        settings = Settings(self.tile, ThreadRunner(self.threads), self.dtype)
        sweep = Sweep(kernels, X, targets, settings)
        for i, statistics in enumerate(sweep.statistics(progress)):
            yield TiledGram(sweep, i, statistics, self.memory)

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

    def check(self, targets: Targets, *, whole_matrix: bool) -> None:
        """Refuse spectra of matrices that do not fit."""
        if whole_matrix:
            check_memory(targets.n, self.memory)

    def kernels_at_once(self, targets: Targets) -> int:
        """Return how many kernels the budget allows in one sweep, at least one."""
        threads = workers(self.threads)
        columns = targets.columns.shape[1]
        tiles = _TILES_AT_ONCE * threads * self.tile**2
        each = _ARRAYS_A_KERNEL * (threads + 1) * columns * targets.n
        budget = as_bytes(self.memory)
        return max(1, int((budget / 8 - tiles) / each)) if budget < math.inf else sys.maxsize


class TiledGram(Gram):
    """One of the kernel matrices of a sweep."""

    def __init__(
        self,
        sweep: Sweep,
        index: int,
        statistics: GramStatistics,
        memory: str | float | None = None,
    ) -> None:
        self.sweep, self.index, self._statistics = sweep, index, statistics
        self._memory = memory

    @property
    def statistics(self) -> GramStatistics:
        """The statistics from the first sweep."""
        return self._statistics

    def matmul(self, V: Array) -> Array:
        """Return K @ V by a sweep for this kernel."""
        return self.sweep.matmul({self.index: V})[self.index]

    def matrix(self) -> Array:
        """Return K, where it fits into memory."""
        return self._dense.matrix()

    def leading_eigenvalues(self, t: int) -> Array:
        """Return the t largest eigenvalues by Lanczos iterations, to 1e-10 relative."""
        n = self._statistics.n
        if t >= n - 1 or "_dense" in vars(self):
            return self.eigensystem()[0][::-1][:t]
        operator = LinearOperator(
            (n, n), matvec=lambda v: self._multiply(v.reshape(n, 1))[:, 0], dtype=np.float64
        )
        start = np.ones(n) + 0.1 * np.cos(np.arange(n))  # the same every time
        return np.sort(eigsh(operator, t, which="LA", tol=1e-10, v0=start)[0])[::-1]

    @property
    def in_reach(self) -> bool:
        """Whether the matrix fits into the memory budget."""
        return needed(self._statistics.n) <= as_bytes(self._memory)

    def solve(self, ridge: float, right: Array) -> Array:
        """Return (K + ridge I)^-1 right by products with K, to 1e-10 of the right-hand side."""
        return conjugate_gradients.solve(self._multiply, self._preconditioner, ridge, right)

    @cached_property
    def _preconditioner(self) -> conjugate_gradients.Preconditioner:
        n = self._statistics.n
        room = as_bytes(self._memory) / (_COPIES_OF_A_FACTOR * 8 * n)
        factor = PartialCholesky(self.sweep.columns(self.index), self._statistics.diagonal)
        factor.grow(int(max(1, min(room, n // 8, _LARGEST_RANK))))
        return conjugate_gradients.Preconditioner(factor)

    @cached_property
    def _alone(self) -> Sweep:
        """A sweep without the rest of the ladder."""
        return self.sweep.alone(self.index)

    def _multiply(self, V: Array) -> Array:
        return self._alone.matmul({0: V})[0]

    def eigensystem(self) -> tuple[Array, Array]:
        """Return the full spectrum, from the matrix in memory where it fits."""
        return self._dense.eigensystem()

    def thin_eigensystem(self) -> tuple[Array, Array] | None:
        """Return the few eigenpairs of a matrix that has a small rank, where it fits in memory."""
        return self._dense.thin_eigensystem()

    @cached_property
    def _dense(self) -> DenseGram:
        check_memory(self._statistics.n, self._memory)
        return self.sweep.dense(self.index)
