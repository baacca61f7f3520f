"""The engine that holds the kernel matrix in memory: the reference for all others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from kernelwise._progress import SILENT, Task
from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.base import Engine, Gram, GramStatistics
from kernelwise.gram.memory import as_bytes, in_words
from kernelwise.gram.partial_cholesky import thin_eigensystem
from kernelwise.kernels import Kernel, Pairs
from kernelwise.targets import Targets

# The geometry, the matrix, its copy for LAPACK, the eigenvectors and LAPACK's workspace.
_MATRICES_AT_ONCE = 5
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

    def check(self, targets: Targets, *, whole_matrix: bool) -> None:
        """Refuse rows whose matrix does not fit."""
        check_memory(targets.n, self.memory)

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator["DenseGram"]:
        """Yield the gram of every kernel; distances and dot products are computed once."""
        self.check(targets, whole_matrix=True)
        pairs, sample = Pairs(X), sample_pairs(X)
        for kernel in kernels:
            yield DenseGram(kernel, pairs, sample, targets)


def upper_triangle(kernel: Kernel, X: Any) -> Array:
    """Return a kernel matrix of which only the upper triangle is set, by blocks in threads.

    A factorisation reads no more, and the intermediate results of a block stay in cache.
    """
    n = X.shape[0]
    K = np.empty((n, n))

    def fill(start: int) -> None:
        rows = slice(start, start + _BLOCK)
        K[rows, start:] = kernel.values(Pairs(X[rows], X[start:]))

    with pool(workers()) as threads:
        list(threads.map(fill, range(0, n, _BLOCK)))
    return K


def needed(n: int) -> float:
    """Return the bytes that n rows take with everything about them in memory."""
    return _MATRICES_AT_ONCE * 8.0 * n * n


def check_memory(n: int, memory: str | float | None) -> None:
    """Refuse, before any work, what cannot fit."""
    budget = as_bytes(memory)
    if needed(n) > budget:
        raise MemoryError(
            f"{n} rows need about {in_words(needed(n))} with their matrix in memory and the budget "
            f"is {in_words(budget)}: use fewer rows, a criterion of cost n^2, or raise memory."
        )


class DenseGram(Gram):
    """One kernel matrix in memory, as S = K - shift."""

    def __init__(self, kernel: Kernel, pairs: Pairs, sample: Pairs, targets: Targets) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # GramStatistics.invalid_reason tells
            self._S, self._shift, self._precision = _shifted(kernel, pairs, is_wide(kernel, sample))
        self._diagonal = kernel.diagonal(pairs.X)
        self._targets = targets
        self._may_be_thin = kernel.is_psd is True and targets.n >= _THIN_ROWS

    @cached_property
    def statistics(self) -> GramStatistics:
        """The statistics of the matrix."""
        S, T, excludes_diagonal = self._S, self._targets.columns, self._shift == 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            return GramStatistics(
                targets=self._targets,
                shift=self._shift,
                products=_hollow_product(S, T) if excludes_diagonal else S @ T,
                row_squares=np.einsum("ij,ij->i", S, S),
                centered_squares=_centered_squares(S),
                diagonal=self._diagonal,
                precision=self._precision,
                excludes_diagonal=excludes_diagonal,
            )

    def matmul(self, V: Array) -> Array:
        """Return K @ V."""
        return np.asarray(self._S @ V + self._shift * V.sum(axis=0))

    def matrix(self) -> Array:
        """Return K, a copy."""
        K = self._S + self._shift
        np.fill_diagonal(K, self._diagonal)
        return np.asarray(K)

    def leading_eigenvalues(self, t: int) -> Array:
        """Return the t largest eigenvalues."""
        return self._eigensystem[0][::-1][:t]

    def thin_eigensystem(self) -> tuple[Array, Array] | None:
        """Return the few eigenpairs of a matrix that has a small rank to rounding."""
        if not self._may_be_thin or "_eigensystem" in vars(self):
            return None
        return thin_eigensystem(lambda rows: self._S[:, rows] + self._shift, self._diagonal)

    def eigensystem(self) -> tuple[Array, Array]:
        """Return eigenvalues, ascending, and eigenvectors."""
        return self._eigensystem

    @cached_property
    def _eigensystem(self) -> tuple[Array, Array]:
        groups = self._groups()
        if len(groups) > 1:
            return _eigensystem_of_groups(self.matrix(), groups)
        s, Q = eigh(self.matrix(), driver="evd", overwrite_a=True, check_finite=False)
        return s, Q

    def _groups(self) -> list[Array]:
        """Return the rows in groups that have nothing to do with each other; mostly one.

        What is between groups is below the rounding error of the eigenvalues. A narrow kernel
        leaves most rows alone.
        """
        n = self._diagonal.size
        negligible = _EPS * float(np.abs(self._diagonal).max()) / n
        if self._shift != 0.0 or np.count_nonzero(np.abs(self._S[0]) > negligible) > n // 2:
            return [np.arange(n)]  # found without a look at the rest, for nearly all matrices
        touching = csr_matrix(np.abs(self._S) > negligible)
        count, labels = connected_components(touching, directed=False)
        order = np.argsort(labels, kind="stable")
        return np.split(order, np.cumsum(np.bincount(labels, minlength=count))[:-1])


def _eigensystem_of_groups(K: Array, groups: Sequence[Array]) -> tuple[Array, Array]:
    """Return the eigensystem of a matrix that is zero between groups of rows."""
    s, Q = np.empty(K.shape[0]), np.zeros(K.shape)
    start = 0
    for rows in groups:
        columns = slice(start, start + rows.size)
        if rows.size == 1:
            s[start], Q[rows[0], start] = K[rows[0], rows[0]], 1.0
        else:
            block = K[np.ix_(rows, rows)]
            s[columns], Q[rows, columns] = eigh(block, driver="evd", check_finite=False)
        start += rows.size
    order = np.argsort(s, kind="stable")
    return s[order], Q[:, order]


def _hollow_product(S: Array, T: Array) -> Array:
    """Return S @ T without what the diagonal of S adds: next to it small entries lose digits."""
    diagonal = S.diagonal().copy()
    np.fill_diagonal(S, 0.0)
    product = S @ T
    np.fill_diagonal(S, diagonal)
    return np.asarray(product)


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


def _shifted(kernel: Kernel, pairs: Pairs, wide: bool) -> tuple[Array, float, float]:
    """Return S, c and the rounding error of S, K = S + c, in the form that keeps most digits."""
    if wide:
        E = kernel.deviations(pairs)
        return E, kernel.origin, _EPS * max(float(E.max()), -float(E.min()))
    K = kernel.values(pairs)
    low, high = float(K.min()), float(K.max())
    precision = _EPS * max(high, -low)
    if 0.0 < low and high <= 2.0 * low:
        # Exact, by Sterbenz's lemma: what a nearly constant matrix says is in S.
        return K - low, low, precision
    return K, 0.0, precision


def sample_pairs(X: Any) -> Pairs:
    """Return the pairs of some rows, evenly spaced, by which the form of a matrix is decided."""
    return Pairs(X[:: max(1, X.shape[0] // _PROBE)])


def is_wide(kernel: Kernel, sample: Pairs) -> bool:
    """Say whether nearly all pairs of a sample of the rows stay near the kernel's origin.

    Where some do not, the matrix is far from constant and its own entries keep more digits.
    """
    if kernel.takes_matrix or kernel.origin == 0.0:
        return False
    near = np.abs(kernel.deviations(sample)) < 0.5 * abs(kernel.origin)
    return bool(np.count_nonzero(near) > _NEARLY_ALL * near.size)
