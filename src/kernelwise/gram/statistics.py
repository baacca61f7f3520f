"""What every O(n²) criterion needs of a kernel matrix."""

from dataclasses import dataclass

import numpy as np

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.targets import Targets

SMALLEST = 1e-140  # a diagonal below it has squares that lose digits to underflow
_EPS = float(np.finfo(float).eps)


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

    @cached_property
    def invalid_reason(self) -> str | None:
        """Why the squares of the entries overflow or underflow; None if they do not."""
        with np.errstate(over="ignore", invalid="ignore"):
            sums = self.kernel_row_squares.sum(), self.products.sum()
        if not np.isfinite(sums).all():
            return "its matrix overflows, so standardise the features"
        if 0.0 < np.abs(self.diagonal).max() < SMALLEST:
            return "the squares of its entries vanish, so rescale the kernel"
        return None

    @property
    def trace(self) -> float:
        """The trace of K."""
        return float(self.diagonal.sum())

    @cached_property
    def row_sums(self) -> Array:
        """S 1: the class indicators add up to ones."""
        if self.targets.classes is None:
            return self.full_products[:, 0]
        sums = self.products.sum(axis=1)
        return np.asarray(sums + self.diagonal if self.excludes_diagonal else sums)

    @cached_property
    def full_products(self) -> Array:
        """S @ T, with the diagonal."""
        if not self.excludes_diagonal:
            return self.products
        return np.asarray((self.products.T + self.diagonal * self.targets.columns.T).T)

    @property
    def total(self) -> float:
        """The sum of all entries of K."""
        return float(self.row_sums.sum() + self.shift * self.n**2)

    @cached_property
    def kernel_row_squares(self) -> Array:
        """The row sums of squares of K: sum (s + c)^2 = sum s^2 + 2 c sum s + n c^2."""
        c = self.shift
        return np.asarray(self.row_squares + 2.0 * c * self.row_sums + self.n * c * c)

    @property
    def frobenius(self) -> float:
        """|K|_F."""
        return float(np.sqrt(max(self.kernel_row_squares.sum(), 0.0)))

    @property
    def centered_frobenius(self) -> float:
        """|HKH|_F = |HSH|_F."""
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
