"""The engine that replaces every kernel matrix by one of low rank: time and memory linear in rows.

A kernel matrix is as good as its :mod:`features <kernelwise.gram.features>` by a few hundred or
thousand landmarks, rows drawn at random. All that is kept are m x m matrices; what criteria and
machines ask for takes passes over blocks of rows.

Leave-one-out is exact for the machine on these features. At a landmark, however, it says too
little: the features know that row better than they will know a new one. So it is taken on a sample
of the other rows, which is what an estimate with a standard error needs.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from kernelwise._arguments import as_bytes
from kernelwise._progress import SILENT, Task
from kernelwise._sklearn import Interval, StrOptions, check_parameters
from kernelwise._threads import cached_property, workers
from kernelwise._types import Array
from kernelwise.gram.base import (
    OVERFLOWS,
    SMALLEST,
    VANISHES,
    Engine,
    Gram,
    GramStatistics,
    Need,
)
from kernelwise.gram.dense import Dense
from kernelwise.gram.feature_matrix import FeatureMatrix, Sample
from kernelwise.gram.features import Features
from kernelwise.gram.inverse import Inverse, Spectrum
from kernelwise.gram.pairs import kernel_between
from kernelwise.gram.partial_cholesky import PartialCholesky
from kernelwise.gram.refusals import DoesNotFit
from kernelwise.gram.thin_inverse import thin_inverses
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

RANKS = (500, 1000, 2000)  # that "auto" goes through
_LANDMARKS = ("uniform", "pivoted")
_POOL = 20_000  # rows among which pivots are drawn
_PIVOTS = 64  # drawn at once
# With fewer rows to a landmark, the matrix itself costs little more and there are few to judge by.
_FEWEST_ROWS = 1.5
# As large as Phi' Phi: itself, the factor, eigenvectors with LAPACK's workspace; one a thread.
_MATRICES_AT_ONCE = 6
_MATRICES_KEPT = 2
_NUMBERS_A_ROW = 140  # of machines at seven ridges: their solutions, values and residuals
_LOOKED_AT = 500  # rows, to see whether anything is missing
_EPS = float(np.finfo(float).eps)
_EXPLAINED = 1e-8  # share of the diagonal that is nothing
_PROVIDED = frozenset(Need) - {Need.ENTRIES}
_VECTORS_AT_ONCE = 2  # as large as all eigenvectors: themselves, and what criteria make of them


@dataclass(frozen=True)
class LowRank(Engine):
    """Every kernel matrix by Nyström features of landmarks: O(n m²) time, O(m²) memory.

    Up to 1.5 times as many rows as landmarks have their matrices in memory, exactly.

    Parameters
    ----------
    rank : int or "auto", default=1000
        How many landmarks; those that others explain are dropped. With "auto", a selection begins
        with 500 and doubles them, up to 2,000, while that lowers the leave-one-out loss of its
        choice by 1 % and by two standard errors.
    landmarks : {"uniform", "pivoted"}, default="uniform"
        Rows drawn at random, without duplicates, or the pivots of a randomly pivoted Cholesky
        factor on up to 20,000 rows, which cost more and come closer to the matrix. A larger rank
        has the landmarks of a smaller one.
    random_state : int, default=0
        Which rows are drawn.
    memory : str, float or None, default=None
        What it may take: an amount such as "4GB", or a share of what is free (None: 0.8). A rank
        that needs more is refused before any work.
    judged : int, default=6000
        How many rows, at most, leave-one-out is taken on; more make its standard error smaller.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import Gaussian, gram
    >>> X = np.linspace(0.0, 1.0, 400)[:, None]
    >>> [g] = gram.LowRank(rank=50).grams([Gaussian(1.0)], X, gram.Targets.of(X[:, 0] > 0.5))
    >>> round(g.statistics.trace, 6)
    400.0
    """

    rank: int | str = 1000
    landmarks: str = "uniform"
    random_state: int = 0
    memory: str | float | None = None
    judged: int = 6000

    name: ClassVar[str] = "low_rank"
    provides: ClassVar[frozenset[Need]] = _PROVIDED
    serves_all_ridges: ClassVar[bool] = True
    needs_to_scale: ClassVar[frozenset[Need]] = frozenset()

    def __post_init__(self) -> None:
        counts = Interval(Integral, 1, None, closed="left")
        allowed = {
            "rank": [counts, StrOptions({"auto"})],
            "landmarks": [StrOptions(set(_LANDMARKS))],
            "random_state": [Interval(Integral, 0, None, closed="left")],
            "judged": [counts],
        }
        check_parameters("LowRank", allowed, **{name: getattr(self, name) for name in allowed})
        as_bytes(self.memory)

    @property
    def landmarks_wanted(self) -> int:
        """The number of landmarks; the first that "auto" goes through."""
        return RANKS[0] if isinstance(self.rank, str) else self.rank

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator[Gram]:
        """Yield the gram of every kernel; few rows have their matrices in memory."""
        if any(kernel.takes_matrix for kernel in kernels):
            raise ValueError("a given matrix is in memory already: use engine='dense'.")
        if not self._is_thin(targets.n):
            yield from Dense(self.memory).grams(kernels, X, targets, progress)
            return
        for kernel in kernels:
            if kernel.is_psd is not True:
                raise ValueError(
                    f"engine 'low_rank' takes positive semidefinite kernels, and {kernel} is not "
                    "known to be one: use engine='tiled'."
                )
        self.check_memory(frozenset(), targets.n)
        order = np.random.default_rng(self.random_state).permutation(targets.n)
        uniform = distinct_rows(X, order, self.landmarks_wanted)
        for kernel in kernels:
            chosen = uniform if self.landmarks == "uniform" else self._pivots(kernel, X, order)
            sample = Sample(chosen, self._judged_rows(order, chosen))
            yield LowRankGram(kernel, X, targets, sample)

    def refinements(self, rows: int) -> list[Engine]:
        """Return engines of larger rank that fit, where that is left to the selection."""
        found: list[Engine] = []
        for rank in RANKS[1:] if self.rank == "auto" and self._is_thin(rows) else ():
            finer = replace(self, rank=rank)
            with suppress(MemoryError):
                finer.check_memory(frozenset(), rows)
                found.append(finer)
        return found

    def _is_thin(self, rows: int) -> bool:
        return rows > _FEWEST_ROWS * self.landmarks_wanted

    def _pivots(self, kernel: Kernel, X: Any, order: Array) -> Array:
        """Return the pivots of a factor that grows by whole blocks, whatever the rank."""
        pool, rank = np.sort(order[:_POOL]), self.landmarks_wanted
        P = X[pool]
        factor = PartialCholesky(
            lambda rows: kernel_between(kernel, P, P[rows]), kernel.diagonal(P), self.random_state
        )
        factor.grow(-(-rank // _PIVOTS) * _PIVOTS)
        return np.asarray(pool[factor.pivots[:rank]]) if factor.rank else pool[:1]

    def _judged_rows(self, order: Array, landmarks: Array) -> Array:
        """Return a sample of the rows that are no landmarks: nearly the same for any landmarks."""
        others = order[~np.isin(order, landmarks)]
        return np.sort(others[-self.judged :])

    def check_memory(self, needs: frozenset[Need], rows: int) -> None:
        """Refuse a rank whose matrices do not fit."""
        if not self._is_thin(rows):
            Dense(self.memory).check_memory(needs, rows)
            return
        budget, wanted = as_bytes(self.memory), self._needed(rows, needs)
        if wanted <= budget:
            return
        rank = smaller = self.landmarks_wanted
        while smaller > 0 and replace(self, rank=smaller)._needed(rows, needs) > budget:
            smaller //= 2
        ways = [f"set rank={smaller}"] if smaller else []
        raise DoesNotFit(f"{rows} rows at rank {rank}", wanted, budget, ways=ways)

    def _needed(self, rows: int, needs: frozenset[Need] = frozenset()) -> float:
        """Return the bytes that the work on one kernel takes, and all eigenvectors if needed."""
        rank = float(self.landmarks_wanted)
        matrices = rank**2 * (_MATRICES_AT_ONCE + workers())
        factor = 0.0 if self.landmarks == "uniform" else 2.0 * rank * min(rows, _POOL)  # it grows
        vectors = _VECTORS_AT_ONCE * rank * rows if Need.SPECTRUM in needs else 0.0
        return 8.0 * (matrices + factor + vectors + _NUMBERS_A_ROW * rows)

    def grams_at_once(self, targets: Targets) -> int:
        """Return how many grams fit beside what the work on one of them takes."""
        if not self._is_thin(targets.n):
            return Dense(self.memory).grams_at_once(targets)
        one = 8.0 * _MATRICES_KEPT * float(self.landmarks_wanted) ** 2
        spare = as_bytes(self.memory) - self._needed(targets.n)
        return max(0, int(min(spare / one, sys.maxsize)))


def distinct_rows(X: Any, order: Array, most: int) -> Array:
    """Return the first rows of an order that differ from each other."""
    seen: set[bytes] = set()
    chosen: list[int] = []
    for i in order.tolist():
        row = X[i]
        # Zero has two signs.
        parts = (row.indices, row.data) if sp.issparse(X) else (row + 0.0,)
        key = b"".join(part.tobytes() for part in parts)
        if key not in seen:
            seen.add(key)
            chosen.append(i)
        if len(chosen) == most:
            break
    return np.array(chosen)


class LowRankGram(Gram):
    """Phi Phi' with the features Phi of all rows; D Phi Phi' D with a scale D."""

    provides = _PROVIDED
    is_psd = True
    sweeps = 3  # for the second moments, for the rows judged, for the solution

    def __init__(self, kernel: Kernel, X: Any, targets: Targets, sample: Sample) -> None:
        self._kernel, self._X, self._targets, self.sample = kernel, X, targets, sample
        self._phi = FeatureMatrix(kernel, X, targets, sample)
        self.unsound = sample.landmarks

    @property
    def progress(self) -> Task:
        """What is told of every pass over the rows."""
        return self._phi.progress

    @progress.setter
    def progress(self, task: Task) -> None:
        self._phi.progress = task

    @property
    def features(self) -> Features:
        """The features by the landmarks."""
        return self._phi.features

    @cached_property
    def diagonal(self) -> Array:
        """The diagonal of the kernel's own matrix."""
        return self._kernel.diagonal(self._X)

    @cached_property
    def invalid_reason(self) -> str | None:
        """Why squares of entries are no numbers: the diagonal bounds all entries."""
        with np.errstate(over="ignore", invalid="ignore"):
            bound = self.diagonal.sum() ** 2
        if not np.isfinite(bound):
            return OVERFLOWS
        return VANISHES if 0.0 < self.diagonal.max() < SMALLEST else None

    @property
    def rank(self) -> int | None:  # type: ignore[override]
        """The number of landmarks; None where they explain the diagonal of some rows entirely."""
        return None if 1.0 - self.explained <= _EXPLAINED else int(self.sample.landmarks.size)

    @cached_property
    def explained(self) -> float:  # type: ignore[override]
        """The share of the diagonal that the features have, on some of the rows judged."""
        some = self.sample.judged[:: max(1, self.sample.judged.size // _LOOKED_AT)]
        whole, found = float(self.diagonal[some].sum()), np.sum(self._phi.part(some) ** 2)
        return float(found / whole) if whole > 0.0 else 1.0

    def compute_statistics(self) -> GramStatistics:
        """Return the statistics of Phi Phi'."""
        return self._phi.statistics()

    def matmul(self, V: Array) -> Array:
        """Return Phi Phi' V."""
        return self._phi.times(self._phi.onto(V))

    def rows(self, index: Array) -> Array:
        """Return some rows of Phi Phi'."""
        return self._phi.times(self._phi.part(index).T).T

    def spectrum(self) -> Spectrum:
        """Return the eigenpairs above rounding: the eigenvectors are as large as all features."""
        s, U = self._phi.eigensystem
        kept = s > s.max(initial=0.0) * self._targets.n * _EPS
        turned, Q = U[:, kept] / np.sqrt(s[kept]), np.empty((self._targets.n, kept.sum()))
        for start in range(0, len(Q), _POOL):
            rows = np.arange(start, min(start + _POOL, len(Q)))
            Q[rows] = self._phi.part(rows) @ turned
        return Spectrum(s[kept], Q / np.linalg.norm(Q, axis=0))

    def leading_eigenvalues(self, t: int) -> Array:
        """Return the t largest eigenvalues, those of Phi' Phi, in descending order."""
        known = self._phi.eigensystem[0][::-1][:t]
        return np.pad(known, (0, t - known.size))

    def inverses(self, ridges: Sequence[float]) -> Iterable[Inverse]:
        """Return the inverses; one eigendecomposition serves them all."""
        return thin_inverses(self._phi, ridges)

    def scaled(self, scale: Array) -> "LowRankGram":
        """Return D Phi Phi' D with D = diag(scale)."""
        again = LowRankGram(self._kernel, self._X, self._targets, self.sample)
        again._phi = self._phi.scaled(scale)
        return again

    def release(self) -> None:
        """Release the eigenvectors; the second moments stay, which took the time."""
        self._phi.release()

    def expansion(self, X: Any, coefficients: Array) -> tuple[Any, Array]:
        """Return the landmarks, and coefficients such that f(x) = k(x, landmarks) coefficients."""
        return self.feature_expansion(self._phi.onto(coefficients))

    def feature_expansion(self, weights: Array) -> tuple[Any, Array]:
        """Return the same for a machine that is known by the weights of its features."""
        features = self._phi.features
        return features.landmarks, features.coefficients(weights)
