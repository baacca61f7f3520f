"""What an engine promises of a kernel matrix: the narrow waist of the library.

Engines produce grams; criteria and machines consume them; neither knows the other. What a consumer
needs and what an engine provides are sets of :class:`Need`, compared before any work.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.inverse import Inverse, Spectrum
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

SMALLEST = 1e-140  # a diagonal below it has squares that lose digits to underflow
_EPS = float(np.finfo(float).eps)
OVERFLOWS = "its matrix overflows, so standardise the features"
VANISHES = "the squares of its entries vanish, so rescale the kernel"


class Need(Enum):
    """What a criterion or a machine may need of a kernel matrix; the value ends a sentence."""

    STATISTICS = "its statistics"
    PRODUCTS = "products with it"
    LEADING = "its leading eigenvalues"
    SPECTRUM = "its spectrum"
    SOLVE = "linear systems"
    DIAGONAL = "the diagonal of inverses"
    BLOCKS = "blocks of inverses"
    LOGDET = "determinants"
    ENTRIES = "its entries"
    # What a criterion needs of the machine it judges by, which says what that takes of the matrix.
    TRAINING = "a machine trained on it"
    FOLDS = "machines trained on folds of it"


class Powers(NamedTuple):
    """The need of K^k y for all k up to the highest, each of which costs a sweep.

    Attributes
    ----------
    highest : int
    weighted : bool
        Whether the classes in y are weighted by their size.
    """

    highest: int
    weighted: bool


@dataclass(frozen=True, eq=False)
class GramStatistics:
    r"""What every O(n²) criterion needs of a kernel matrix K, in three arrays and three numbers.

    The arrays describe :math:`S = K - c\,11^\top` with a constant c that the engine chooses: the
    kernel's origin where K is close to it, zero elsewhere. Differences of class means and centred
    quantities do not depend on c; taken from S they are exact for very wide kernels, where K is
    constant up to rounding.
    """

    targets: Targets  # what the columns T are
    shift: float  # the constant c
    products: Array  # S @ T, of shape (n, m); fastest in column-major order
    row_squares: Array  # the row sums of squares of S
    centered_squares: float  # the sum of squares of HSH, H = I - 11'/n
    diagonal: Array  # of K itself
    # The rounding error of an entry of S: eps times the largest entry of S where S was computed
    # without cancellation, of K where it is a difference.
    precision: float
    # Whether the diagonal is left out of the products: that of a very narrow kernel would drown the
    # rest. Only where the shift is zero.
    excludes_diagonal: bool = False
    full_products: Array = field(init=False)  # S @ T, with the diagonal
    row_sums: Array = field(init=False)  # S 1
    kernel_row_squares: Array = field(init=False)  # the row sums of squares of K
    frobenius: float = field(init=False)  # |K|_F
    trace: float = field(init=False)  # of K
    # Why the squares of the entries overflow or underflow; None if they do not.
    invalid_reason: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        c, diagonal, T = self.shift, self.diagonal, self.targets.columns
        with np.errstate(over="ignore", invalid="ignore"):
            full = self.products
            if self.excludes_diagonal:
                full = np.asarray((self.products.T + diagonal * T.T).T)
            if self.targets.classes is None:
                sums = full[:, 0]
            else:  # the class indicators add up to ones
                sums = self.products.sum(axis=1) + (diagonal if self.excludes_diagonal else 0.0)
            # sum (s + c)^2 = sum s^2 + 2 c sum s + n c^2
            squares = self.row_squares + 2.0 * c * sums + self.targets.n * c * c
            all_squares, all_products = float(squares.sum()), float(self.products.sum())
            trace = float(diagonal.sum())
        derived = vars(self)  # a frozen value is complete once this has run
        derived.update(full_products=full, row_sums=sums, kernel_row_squares=squares)
        derived.update(frobenius=math.sqrt(max(all_squares, 0.0)), trace=trace)
        if not (math.isfinite(all_squares) and math.isfinite(all_products)):
            derived["invalid_reason"] = OVERFLOWS
        elif 0.0 < np.abs(diagonal).max() < SMALLEST:
            derived["invalid_reason"] = VANISHES

    @classmethod
    def of_features(cls, F: Array, targets: Targets) -> "GramStatistics":
        """Return the statistics of K = F F', in O(n m²) for n rows of m features."""
        diagonal = np.einsum("ij,ij->i", F, F)
        centered = F - F.mean(axis=0)
        return cls(
            targets=targets,
            shift=0.0,
            products=F @ (F.T @ targets.columns),
            row_squares=np.einsum("ij,ij->i", F @ (F.T @ F), F),
            centered_squares=float(np.sum((centered.T @ centered) ** 2)),
            diagonal=diagonal,
            precision=_EPS * float(diagonal.max()),
        )

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.targets.n

    @property
    def total(self) -> float:
        """The sum of all entries of K."""
        return float(self.row_sums.sum() + self.shift * self.n**2)

    @property
    def centered_frobenius(self) -> float:
        """The Frobenius norm of HKH, which is that of HSH."""
        return float(np.sqrt(self.centered_squares))

    @cached_property
    def class_means(self) -> list[Array]:
        """For the rows of every class the means of S over every class, by columns.

        Where `excludes_diagonal` the diagonal is left out of the sums, not of the counts.
        """
        counts = self.targets.counts[:, None]
        return [(self.products.T[:, rows] / counts).T for rows in self.targets.members]

    @cached_property
    def block_sums(self) -> Array:
        """T' S T: the sums of S over the class blocks."""
        sums = np.asarray(self.products.T @ self.targets.columns).T
        if self.excludes_diagonal:
            sums = sums + (self.targets.columns.T * self.diagonal) @ self.targets.columns
        return sums

    @cached_property
    def centered_block_sums(self) -> Array:
        """(HT)' K (HT), centred on either side before summing: small values keep their digits."""
        means = self.targets.column_sums / self.n
        right = self.full_products.T - means[:, None] * self.row_sums  # (S H T)'
        right -= right.mean(axis=1, keepdims=True)
        return np.asarray(right @ self.targets.columns).T

    @cached_property
    def kernel_block_sums(self) -> Array:
        """T' K T."""
        sums = self.targets.column_sums
        return np.asarray(self.block_sums + self.shift * np.outer(sums, sums))


class Gram(ABC):
    """One kernel matrix as an engine sees it.

    It computes what it is asked for when it is asked for it.
    """

    provides: frozenset[Need] = frozenset(Need)
    is_psd: bool | None = None  # whether it is positive semidefinite, where that is known
    rank: int | None = None  # what cuts it off, where more might be gained by a larger one
    explained: float = 1.0  # share of the trace of the kernel's own matrix that it has
    unsound: Array | None = None  # rows on which no machine may be judged, if there are such
    sweeps: int = 0  # passes over the rows that a machine takes, and that are told of one by one
    progress: Task = SILENT  # who is told of them
    _statistics: GramStatistics | None = None

    @property
    def diagonal(self) -> Array:
        """The diagonal; that of the kernel's own matrix where this one is close to it."""
        return self.statistics.diagonal

    @property
    def invalid_reason(self) -> str | None:
        """Why squares of the entries overflow or underflow; None if they do not."""
        return self.statistics.invalid_reason

    @property
    def statistics(self) -> GramStatistics:
        """The statistics, computed once."""
        if self._statistics is None:
            self._statistics = self.compute_statistics()
        return self._statistics

    @abstractmethod
    def compute_statistics(self) -> GramStatistics:
        """Return the statistics."""

    @abstractmethod
    def matmul(self, V: Array) -> Array:
        """Return K @ V for V of shape (n, m)."""

    @abstractmethod
    def spectrum(self) -> Spectrum:
        """Return the eigenpairs, computed once; those of eigenvalue zero may be left out."""

    def leading_eigenvalues(self, t: int) -> Array:
        """Return the t largest eigenvalues in descending order."""
        leading = np.zeros(t)
        known = self.spectrum().values[::-1][:t]
        leading[: known.size] = known
        return leading

    @abstractmethod
    def inverses(self, ridges: Sequence[float]) -> Iterable[Inverse]:
        """Return the inverse of K + ridge I for every ridge."""

    @abstractmethod
    def scaled(self, scale: Array) -> "Gram":
        """Return D K D with D = diag(scale), the matrix of a machine whose rows have weights."""

    @abstractmethod
    def rows(self, index: Array) -> Array:
        """Return some rows of K, of shape (rows, n)."""

    def entries(self) -> Array:
        """Return K itself, a copy, where it is in memory."""
        raise NotImplementedError(f"{type(self).__name__} does not provide its entries.")

    def prepare(self, needs: Iterable[Need]) -> None:
        """Prepare for these needs, so that one factorisation can serve them all."""
        return None

    @abstractmethod
    def release(self) -> None:
        """Release what takes much memory and can be computed again, such as a spectrum."""

    def expansion(self, X: Any, coefficients: Array) -> tuple[Any, Array]:
        """Return rows Z and coefficients b with f(x) = k(x, Z) b for the machine K alpha.

        An engine with a matrix of low rank has few rows; others have the training rows themselves.
        """
        return X, coefficients

    def feature_expansion(self, weights: Array) -> tuple[Any, Array]:
        """Return the same for a machine that is known by the weights of its features."""
        raise NotImplementedError(f"{type(self).__name__} has no features.")


@dataclass(frozen=True)
class Engine(ABC):
    """A way to look at kernel matrices.

    A subclass that shares work between kernels says so and multiplies them all in one sweep.
    """

    name: ClassVar[str]
    provides: ClassVar[frozenset[Need]] = frozenset(Need)
    # Whether all grams may exist together, so that further products are worth doing in one sweep.
    shares_sweeps: ClassVar[bool] = False
    # Whether more ridges cost next to nothing, and time is linear: to look at fewer saves little.
    serves_all_ridges: ClassVar[bool] = False
    # What it takes to multiply the rows and columns of a matrix by weights.
    needs_to_scale: ClassVar[frozenset[Need]] = frozenset({Need.ENTRIES})

    @abstractmethod
    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator[Gram]:
        """Yield one gram per kernel, in order; every sweep shared by them is a part of progress."""

    def matmul(
        self, grams: Sequence[Gram], vectors: Sequence[Array], progress: Task = SILENT
    ) -> list[Array]:
        """Return K @ V of every gram with vectors of its own."""
        return [gram.matmul(V) for gram, V in zip(grams, vectors, strict=True)]

    def refinements(self, rows: int) -> "list[Engine]":
        """Return engines that come closer and closer to the matrices, for a selection to try."""
        return []

    @abstractmethod
    def check_memory(self, needs: frozenset[Need], rows: int) -> None:
        """Refuse, before any work, what cannot fit."""

    @abstractmethod
    def grams_at_once(self, targets: Targets) -> int:
        """Return how many grams the memory allows to exist together."""
