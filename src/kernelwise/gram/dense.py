"""The engine that holds the kernel matrix in memory: the reference for all others."""

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from kernelwise._arguments import as_bytes
from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.base import Engine, Gram, GramStatistics, Need
from kernelwise.gram.cholesky import CholeskyInverse
from kernelwise.gram.eigensystems import (
    eigensystem,
    eigensystem_of_features,
    eigensystem_of_groups,
    thin_features,
)
from kernelwise.gram.inverse import (
    Inverse,
    NotPositiveDefinite,
    Spectrum,
    spectral_inverses,
    without_rounding,
)
from kernelwise.gram.pairs import EnginePairs, kernel_between, upper_triangle
from kernelwise.gram.panels import steps_for
from kernelwise.gram.partial_cholesky import thin_eigensystem
from kernelwise.gram.refusals import DoesNotFit
from kernelwise.kernels import Kernel, Pairs
from kernelwise.kernels.transform import unwrapped
from kernelwise.targets import Targets

_MATRICES_AT_ONCE = 5  # geometry, matrix, its copy for LAPACK, eigenvectors, LAPACK's workspace
_EPS = float(np.finfo(float).eps)
_BLOCK = 256  # rows centred at once
_NEARLY_ALL = 0.9
_THIN_ROWS = 700  # below it a decomposition of the whole matrix takes no time
_PROBE = 128  # rows looked at to decide which form of the matrix loses nothing


@dataclass(frozen=True)
class Dense(Engine):
    """Every kernel matrix in memory, one after the other: O(n²) memory, exact.

    Parameters
    ----------
    memory : str, float or None, default=None
        What it may take: an amount such as "4GB", or a share of what is free (None: 0.8). Rows that
        need more are refused before any work.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import Gaussian, gram
    >>> targets = gram.Targets.of([0, 0, 1, 1])
    >>> [g] = gram.Dense().grams([Gaussian(1.0)], np.arange(4.0)[:, None], targets)
    >>> round(g.statistics.trace, 12)
    4.0
    """

    memory: str | float | None = None

    name: ClassVar[str] = "dense"

    def __post_init__(self) -> None:
        as_bytes(self.memory)

    def check_memory(self, needs: frozenset[Need], rows: int) -> None:
        """Refuse rows whose matrix does not fit."""
        budget = as_bytes(self.memory)
        if needed(rows) > budget:
            how, fits = " with their matrix in memory", math.isqrt(int(budget / needed(1)))
            ways = [f"use at most {fits} rows"] if fits > 0 else []
            raise DoesNotFit(f"{rows} rows", needed(rows), budget, how, ways)

    def grams_at_once(self, targets: Targets) -> int:
        """Return how many matrices fit beside what the work on one of them takes."""
        spare = as_bytes(self.memory) - needed(targets.n)
        return max(0, int(min(spare / (8.0 * targets.n**2), sys.maxsize)))

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator["DenseGram"]:
        """Yield the gram of every kernel; distances and dot products are computed once."""
        self.check_memory(frozenset(), targets.n)
        pairs, sample = EnginePairs(X), sample_pairs(X)
        for metric, alike in groupby(kernels, key=lambda kernel: unwrapped(kernel)[1]):
            # The distances of transformed rows go with the last kernel on them.
            viewed = pairs.without_views() if metric else pairs
            for kernel in alike:
                yield DenseGram(kernel, viewed, sample, targets)


def dense_gram(kernel: Kernel, X: Any, targets: Targets, entries: int) -> "DenseGram":
    """Return the gram of one kernel, with distances as for a matrix of so many entries."""
    return DenseGram(kernel, EnginePairs(X, entries=entries), sample_pairs(X), targets)


def needed(n: int) -> float:
    """Return the bytes that n rows take with everything about them in memory."""
    return _MATRICES_AT_ONCE * 8.0 * n * n


class DenseGram(Gram):
    """One kernel matrix in memory, as S = K - shift; a sample of the pairs decides on the shift.

    With a scale, D K D in the place of K, D = diag(scale).
    """

    def __init__(
        self,
        kernel: Kernel,
        pairs: EnginePairs,
        sample: Pairs,
        targets: Targets,
        scale: Array | None = None,
    ) -> None:
        self._kernel, self._pairs, self._sample, self._targets = kernel, pairs, sample, targets
        self._scale = scale
        self._form: tuple[Array, float, float] | None = None
        self._spectrum: Spectrum | None = None
        self._is_factorised = False
        self.is_psd = kernel.is_psd  # until a spectrum tells
        self.sweeps = steps_for(targets.n)

    @cached_property
    def _diagonal(self) -> Array:
        diagonal = self._kernel.diagonal(self._pairs.X)
        return diagonal if self._scale is None else diagonal * self._scale**2

    def scaled(self, scale: Array) -> "DenseGram":
        """Return D K D with D = diag(scale); distances and dot products are those of K."""
        scaled = DenseGram(self._kernel, self._pairs, self._sample, self._targets, scale)
        scaled.progress = self.progress
        return scaled

    def _shifted(self) -> tuple[Array, float, float]:
        """Return S, c and the rounding error of S in the form K = S + c that keeps most digits."""
        if self._form is not None:
            return self._form
        kernel, shift = self._kernel, 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # GramStatistics.invalid_reason tells
            if self._scale is not None:
                S = kernel.values(self._pairs) * np.outer(self._scale, self._scale)
            elif is_wide(kernel, self._sample):
                S, shift = kernel.deviations(self._pairs), kernel.origin
            else:
                S = kernel.values(self._pairs)
            low, high = float(S.min()), float(S.max())
            if shift == 0.0 and 0.0 < low and high <= 2.0 * low:
                S, shift = S - low, low  # exact, by Sterbenz's lemma: what K says is in S
        self._form = S, shift, _EPS * max(high, -low)
        return self._form

    def compute_statistics(self) -> GramStatistics:
        """Return the statistics of the matrix."""
        S, shift, precision = self._shifted()
        on_diagonal = S.diagonal().copy()
        with np.errstate(over="ignore", invalid="ignore"):
            squares, centered = np.einsum("ij,ij->i", S, S), _centered_squares(S)
            if shift == 0.0:  # next to the diagonal small entries would lose digits
                np.fill_diagonal(S, 0.0)
            products = S @ self._targets.columns
            np.fill_diagonal(S, on_diagonal)
        return GramStatistics(
            targets=self._targets,
            shift=shift,
            products=products,
            row_squares=squares,
            centered_squares=centered,
            diagonal=self._diagonal,
            precision=precision,
            excludes_diagonal=shift == 0.0,
        )

    def matmul(self, V: Array) -> Array:
        """Return K @ V."""
        S, shift, _ = self._shifted()
        return np.asarray(S @ V + shift * V.sum(axis=0))

    def rows(self, index: Array) -> Array:
        """Return some rows of K."""
        if self._kernel.takes_matrix or self._form is not None or self._scale is not None:
            S, shift, _ = self._shifted()
            return np.asarray(S[index] + shift)
        return kernel_between(self._kernel, self._pairs.X[index], self._pairs.X)

    def entries(self) -> Array:
        """Return K, a copy."""
        S, shift, _ = self._shifted()
        K = S + shift
        np.fill_diagonal(K, self._diagonal)
        return np.asarray(K)

    def prepare(self, needs: Iterable[Need]) -> None:
        """Decompose the matrix at once where eigenvalues will be asked for."""
        if not {Need.SPECTRUM, Need.LEADING}.isdisjoint(needs):
            self.spectrum()

    def release(self) -> None:
        """Release the spectrum; the matrix stays."""
        self._spectrum, self.is_psd = None, self._kernel.is_psd
        self._is_factorised = False

    def spectrum(self) -> Spectrum:
        """Return the eigenpairs: few of them where the matrix has a small rank to rounding."""
        if self._spectrum is not None:
            return self._spectrum
        found, phi = None, thin_features(self._kernel, self._pairs.X)
        if phi is not None:
            phi = phi if self._scale is None else self._scale[:, None] * phi
            found = eigensystem_of_features(phi)
        if found is None and self._kernel.is_psd is True and self._targets.n >= _THIN_ROWS:
            S, shift, _ = self._shifted()
            found = thin_eigensystem(lambda rows: S[:, rows] + shift, self._diagonal)
        if found is None:
            groups = self._groups()
            if len(groups) > 1:
                s, Q = eigensystem_of_groups(self.entries(), groups)
            else:
                s, Q = eigensystem(self.entries)
            found = without_rounding(s), Q
        self._spectrum = Spectrum(*found)
        self.is_psd = bool(found[0].min(initial=0.0) >= 0.0)
        return self._spectrum

    def inverses(self, ridges: Sequence[float]) -> Iterable[Inverse]:
        """Return inverses: by a Cholesky factor for a first ridge alone, else by the spectrum."""
        if len(ridges) == 1 and not self._is_factorised and self._spectrum is None:
            self._is_factorised = True
            try:
                return [self._cholesky(ridges[0])]
            except NotPositiveDefinite:
                if self._kernel.is_psd is not True:
                    raise  # otherwise by rounding only: the spectrum goes on
        return spectral_inverses(self.spectrum(), ridges, self._cholesky)

    def _cholesky(self, ridge: float) -> Inverse:
        return CholeskyInverse(self._triangle(), ridge, self.progress)

    def _triangle(self) -> Array:
        """Return K; of a matrix not yet at hand the upper triangle."""
        if self._kernel.takes_matrix or self._form is not None:
            return self.entries()
        K = upper_triangle(self._kernel, self._pairs.X, self._pairs.entries)
        if self._scale is not None:
            with np.errstate(all="ignore"):  # the other triangle may hold anything
                K *= self._scale
                K *= self._scale[:, None]
        return K

    def _groups(self) -> list[Array]:
        """Return the rows in groups without entries between them; a narrow kernel has many."""
        (S, shift, _), n = self._shifted(), self._diagonal.size
        negligible = _EPS * float(np.abs(self._diagonal).max()) / n  # next to any eigenvalue
        if shift != 0.0 or np.count_nonzero(np.abs(S[0]) > negligible) > n // 2:
            return [np.arange(n)]  # found without a look at the rest, for nearly all matrices
        touching = csr_matrix(np.abs(S) > negligible)
        count, labels = connected_components(touching, directed=False)
        order = np.argsort(labels, kind="stable")
        return np.split(order, np.cumsum(np.bincount(labels, minlength=count))[:-1])


def _centered_squares(S: Array) -> float:
    """Return |HSH|^2, centring before squaring: no digit is lost to a large mean."""
    means = S.mean(axis=1)
    left = means - means.mean()
    total = 0.0
    for start in range(0, S.shape[0], _BLOCK):
        block = S[start : start + _BLOCK] - left[start : start + _BLOCK, None]
        block -= means
        total += float(np.einsum("ij,ij->", block, block))
    return total


def sample_pairs(X: Any) -> Pairs:
    """Return the pairs of some rows, evenly spaced, by which the form of a matrix is decided."""
    return Pairs(X[:: max(1, X.shape[0] // _PROBE)])


def is_wide(kernel: Kernel, sample: Pairs) -> bool:
    """Say whether a kernel is near its origin, so that its deviations from it keep most digits."""
    if kernel.takes_matrix or kernel.origin == 0.0:
        return False
    return are_small(kernel.deviations(sample), kernel.origin)


def are_small(deviations: Array, origin: float) -> bool:
    """Say whether nearly all deviations from an origin are small next to it."""
    near = np.abs(deviations) < 0.5 * abs(origin)
    return bool(np.count_nonzero(near) > _NEARLY_ALL * near.size)
