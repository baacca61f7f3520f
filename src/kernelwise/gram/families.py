"""Kernels that share work on a tile.

A family is a set of candidate kernels of one geometry that are cheaper together than one by one: a
ladder of Gaussian widths, a ladder of polynomial degrees, or a single kernel of any other kind. It
adds its sums over a tile to accumulators with one line per *step*; a candidate is one of the steps.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelwise.gram.dense import is_wide
from kernelwise.kernels import Gaussian, Kernel, Linear, Pairs, Polynomial
from kernelwise.kernels.geometry import Array

_SERIES_UP_TO = 1.0 / 16.0  # exponents for which nine terms of the series are exact
_LARGEST_EXPONENT = 800.0  # exp(-800) is zero in float64


@dataclass
class TileSums:
    """Sums of S over one tile, by step: over columns for its rows, over rows for its columns."""

    row_sums: Array
    row_squares: Array
    col_sums: Array
    col_squares: Array

    @classmethod
    def zeros(cls, steps: int, rows: int, columns: int) -> "TileSums":
        """Return empty sums."""
        return cls(*(np.zeros((steps, size)) for size in (rows, rows, columns, columns)))


@dataclass
class TileProducts:
    """S V over one tile, by step: V on the tile's columns for its rows, and the other way round."""

    row_vectors: Array  # (steps, m, rows): V on the rows
    col_vectors: Array
    row_products: Array
    col_products: Array

    @classmethod
    def of(cls, vectors: Array, rows: slice, columns: slice) -> "TileProducts":
        """Return empty products with the part of (steps, m, n) vectors that a tile needs."""
        left = np.ascontiguousarray(vectors[:, :, rows])
        right = np.ascontiguousarray(vectors[:, :, columns])
        return cls(left, right, np.zeros_like(left), np.zeros_like(right))


class Family(ABC):
    """Kernels that share work."""

    steps: int  # lines of the accumulators
    members: dict[int, int]  # candidate -> step

    @abstractmethod
    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Add the sums of every step over a tile."""

    @abstractmethod
    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Add S V of every wanted step over a tile."""

    @abstractmethod
    def shift(self, step: int) -> float:
        """Return the constant c of a step: K = S + c."""

    def row_squares(self, step: int, sums: Array, squares: Array) -> Array:
        """Return the row sums of squares of a step from all sums (steps, n) and squares."""
        return np.asarray(squares[step])


class GaussianLadder(Family):
    """Gaussian widths whose ratios are powers of two, from the widest down."""

    def __init__(
        self, candidates: dict[int, Gaussian], sample: Pairs, largest_distance: float
    ) -> None:
        widest = max(kernel.tau for kernel in candidates.values())
        self.members = {
            i: round(math.log2(widest / kernel.tau)) for i, kernel in candidates.items()
        }
        steps = max(self.members.values()) + 1
        self.wide = sum(is_wide(Gaussian(widest * 0.5**s), sample) for s in range(steps))
        self.steps = steps + 1  # the last holds the squares of the last but one
        rate = 0.5 / widest
        exponent = min(rate * largest_distance, _LARGEST_EXPONENT)
        halvings = max(0, math.ceil(math.log2(max(exponent, 1e-300) / _SERIES_UP_TO)))
        self._ladder = (rate, halvings, self.wide, steps)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Walk down the ladder, summing."""
        from kernelwise.gram import _loops

        G = pairs["sqdist"]
        scratch = np.empty((4, G.shape[1]))
        _loops.gaussian_tile(
            G,
            self._ladder,
            sums.row_sums,
            sums.row_squares,
            sums.col_sums,
            sums.col_squares,
            scratch,
        )

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk down the ladder, multiplying."""
        from kernelwise.gram import _loops

        G = pairs["sqdist"]
        _loops.gaussian_matmul_tile(
            G,
            self._ladder,
            wanted,
            products.row_vectors,
            products.col_vectors,
            products.row_products,
            products.col_products,
            np.empty((4, G.shape[1])),
        )

    def shift(self, step: int) -> float:
        """Return 1 for wide steps, which carry the deviation."""
        return 1.0 if step < self.wide else 0.0

    def row_squares(self, step: int, sums: Array, squares: Array) -> Array:
        """Return the squares of a narrow step as the sums of the next."""
        return np.asarray(squares[step] if step < self.wide else sums[step + 1])


class PolynomialLadder(Family):
    """Polynomial degrees of one constant and factor, from the first up; deviations throughout."""

    def __init__(self, candidates: dict[int, Polynomial]) -> None:
        self.members = {i: kernel.degree - 1 for i, kernel in candidates.items()}
        self.steps = max(self.members.values()) + 1
        first = next(iter(candidates.values()))
        self._coef0 = first.coef0
        self._ladder = (first.gamma, first.coef0, self.steps)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Walk up the degrees, summing."""
        from kernelwise.gram import _loops

        G = pairs["dot"]
        e, u = np.empty((2, 4, G.shape[1]))
        _loops.polynomial_tile(
            G,
            self._ladder,
            sums.row_sums,
            sums.row_squares,
            sums.col_sums,
            sums.col_squares,
            e,
            u,
        )

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk up the degrees, multiplying."""
        from kernelwise.gram import _loops

        G = pairs["dot"]
        e, u = np.empty((2, 4, G.shape[1]))
        _loops.polynomial_matmul_tile(
            G,
            self._ladder,
            wanted,
            products.row_vectors,
            products.col_vectors,
            products.row_products,
            products.col_products,
            e,
            u,
        )

    def shift(self, step: int) -> float:
        """Return c^d."""
        return float(self._coef0 ** (step + 1))


class AnyKernel(Family):
    """A kernel on its own: its matrix over the tile, by numpy."""

    steps = 1

    def __init__(self, candidate: int, kernel: Kernel, sample: Pairs) -> None:
        self.members = {candidate: 0}
        self._kernel, self._wide = kernel, is_wide(kernel, sample)

    def _tile(self, pairs: Pairs) -> Array:
        return self._kernel.deviations(pairs) if self._wide else self._kernel.values(pairs)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Sum the tile and its squares."""
        S = self._tile(pairs)
        sums.row_sums[0] += S.sum(axis=1)
        sums.col_sums[0] += S.sum(axis=0)
        np.multiply(S, S, out=S)
        sums.row_squares[0] += S.sum(axis=1)
        sums.col_squares[0] += S.sum(axis=0)

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Multiply the tile."""
        S = self._tile(pairs)
        products.row_products[0] += products.col_vectors[0] @ S.T
        products.col_products[0] += products.row_vectors[0] @ S

    def shift(self, step: int) -> float:
        """Return the kernel's origin where it is wide."""
        return self._kernel.origin if self._wide else 0.0


def arrange(kernels: Sequence[Kernel], sample: Pairs, largest_distance: float) -> list[Family]:
    """Return the families of candidate kernels; a sample of the pairs tells which are wide."""
    gaussians: dict[float, dict[int, Gaussian]] = {}
    polynomials: dict[tuple[float, float], dict[int, Polynomial]] = {}
    families: list[Family] = []
    for i, kernel in enumerate(kernels):
        if isinstance(kernel, Gaussian):
            mantissa, _ = math.frexp(kernel.tau)  # equal where the ratio is a power of two
            gaussians.setdefault(mantissa, {})[i] = kernel
        elif isinstance(kernel, Polynomial | Linear):
            power = Polynomial(1, 0.0) if isinstance(kernel, Linear) else kernel
            polynomials.setdefault((power.coef0, power.gamma), {})[i] = power
        else:
            families.append(AnyKernel(i, kernel, sample))
    families += [GaussianLadder(c, sample, largest_distance) for c in gaussians.values()]
    families += [PolynomialLadder(c) for c in polynomials.values()]
    return families
