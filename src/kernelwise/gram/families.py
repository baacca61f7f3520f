"""Kernels that share work on a tile.

A family is a set of candidate kernels of one geometry that are cheaper together than one by one: a
ladder of Gaussian widths, a ladder of polynomial degrees, or a single kernel of any other kind. It
adds its sums over a tile to *lines*, one number per row and per column, from which the sums of its
*steps* can be read; a candidate is one of the steps.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.gram.dense import is_wide
from kernelwise.kernels import Gaussian, Kernel, Linear, Pairs, Polynomial
from kernelwise.kernels.geometry import Array

_SERIES_UP_TO = 1.0 / 16.0  # exponents for which nine terms of the series are exact
_LARGEST_EXPONENT = 800.0  # exp(-800) is zero in float64
_RATIOS = range(3, 11)  # ratios of widths, besides 2, whose grids are climbed by multiplications
_SAME = 2e-15  # relative difference of two widths that rounding explains


@dataclass
class TileSums:
    """Lines of sums over one tile: over columns for its rows, over rows for its columns."""

    on_rows: Array  # (lines, rows)
    on_columns: Array

    @classmethod
    def zeros(cls, lines: int, rows: int, columns: int, dtype: Any) -> "TileSums":
        """Return empty sums."""
        return cls(np.zeros((lines, rows), dtype), np.zeros((lines, columns), dtype))


@dataclass
class TileProducts:
    """S V over one tile, by step: V on the tile's columns for its rows, and the other way round."""

    row_vectors: Array  # (steps, m, rows): V on the rows
    column_vectors: Array
    row_products: Array
    column_products: Array

    @classmethod
    def of(cls, vectors: Array, rows: slice, columns: slice, dtype: Any) -> "TileProducts":
        """Return empty products with the part of (steps, m, n) vectors that a tile needs."""
        left = vectors[:, :, rows].astype(dtype, order="C")
        right = vectors[:, :, columns].astype(dtype, order="C")
        return cls(left, right, np.zeros_like(left), np.zeros_like(right))

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array]:
        """The arrays in the order in which the loops take them."""
        return self.row_vectors, self.column_vectors, self.row_products, self.column_products


class Family(ABC):
    """Kernels that share work."""

    steps: int
    lines: int
    members: dict[int, int]  # candidate -> step

    @abstractmethod
    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Add the sums over a tile to all lines."""

    @abstractmethod
    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Add S V of every wanted step over a tile."""

    @abstractmethod
    def shift(self, step: int) -> float:
        """Return the constant c of a step: K = S + c."""

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return the sums of S and of its squares, by step, from lines (lines, labels, n)."""
        return [(lines[2 * s], lines[2 * s + 1]) for s in range(self.steps)]


class GaussianLadder(Family):
    """Gaussian widths whose ratios are powers of two, from the widest down."""

    def __init__(
        self, candidates: dict[int, Gaussian], sample: Pairs, largest_distance: float
    ) -> None:
        widest = max(kernel.tau for kernel in candidates.values())
        self.members = _rungs(candidates, widest, 2)
        self.steps = max(self.members.values()) + 1
        self.wide = _wide_steps(widest, 2, self.steps, sample)
        self.lines = self.steps + (1 if self.wide == self.steps else 2)
        rate, halvings = _start(widest, largest_distance)
        self._ladder = (rate, halvings, self.wide, self.steps)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Walk down the ladder, summing."""
        from kernelwise.gram import _loops

        G = pairs["sqdist"]
        _loops.gaussian_tile(G, self._ladder, sums.on_rows, sums.on_columns, _scratch(G))

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk down the ladder, multiplying."""
        from kernelwise.gram import _loops

        G = pairs["sqdist"]
        _loops.gaussian_matmul_tile(G, self._ladder, wanted, *products.arrays, _scratch(G))

    def shift(self, step: int) -> float:
        """Return 1 for wide steps, which carry the deviation."""
        return 1.0 if step < self.wide else 0.0

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return what the lines hold, and what follows: e' = 2 e + e^2 also for sums."""
        found = []
        sums = lines[0]
        for s in range(self.wide):
            found.append((sums, lines[s + 1]))
            sums = 2.0 * sums + lines[s + 1]
        return found + [(lines[s + 1], lines[s + 2]) for s in range(self.wide, self.steps)]


class PowerLadder(Family):
    """Gaussian widths whose ratios are powers of an integer, from the widest down."""

    def __init__(
        self, candidates: dict[int, Gaussian], ratio: int, sample: Pairs, largest_distance: float
    ) -> None:
        widest = max(kernel.tau for kernel in candidates.values())
        self.members = _rungs(candidates, widest, ratio)
        self.steps = max(self.members.values()) + 1
        self.lines = 2 * self.steps
        self.wide = _wide_steps(widest, ratio, self.steps, sample)
        rate, halvings = _start(widest, largest_distance)
        self._ladder = (rate, halvings, ratio, self.wide, self.steps)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Walk down the ladder, summing."""
        from kernelwise.gram import _loops

        G = pairs["sqdist"]
        _loops.power_tile(G, self._ladder, sums.on_rows, sums.on_columns, _scratch(G), _scratch(G))

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk down the ladder, multiplying."""
        from kernelwise.gram import _loops

        G = pairs["sqdist"]
        _loops.power_matmul_tile(
            G, self._ladder, wanted, *products.arrays, _scratch(G), _scratch(G)
        )

    def shift(self, step: int) -> float:
        """Return 1 for wide steps, which carry the deviation."""
        return 1.0 if step < self.wide else 0.0


class PolynomialLadder(Family):
    """Polynomial degrees of one constant and factor, from the first up; deviations throughout."""

    def __init__(self, candidates: dict[int, Polynomial]) -> None:
        self.members = {i: kernel.degree - 1 for i, kernel in candidates.items()}
        self.steps = max(self.members.values()) + 1
        self.lines = 2 * self.steps
        first = next(iter(candidates.values()))
        self._coef0 = first.coef0
        self._ladder = (first.gamma, first.coef0, self.steps)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Walk up the degrees, summing."""
        from kernelwise.gram import _loops

        G = pairs["dot"]
        _loops.polynomial_tile(
            G, self._ladder, sums.on_rows, sums.on_columns, _scratch(G), _scratch(G)
        )

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk up the degrees, multiplying."""
        from kernelwise.gram import _loops

        G = pairs["dot"]
        _loops.polynomial_matmul_tile(
            G, self._ladder, wanted, *products.arrays, _scratch(G), _scratch(G)
        )

    def shift(self, step: int) -> float:
        """Return c^d."""
        return float(self._coef0 ** (step + 1))


class AnyKernel(Family):
    """A kernel on its own: its matrix over the tile, by numpy."""

    steps, lines = 1, 2

    def __init__(self, candidate: int, kernel: Kernel, sample: Pairs) -> None:
        self.members = {candidate: 0}
        self._kernel, self._wide = kernel, is_wide(kernel, sample)

    def _tile(self, pairs: Pairs) -> Array:
        return self._kernel.deviations(pairs) if self._wide else self._kernel.values(pairs)

    def add_sums(self, pairs: Pairs, sums: TileSums) -> None:
        """Sum the tile and its squares."""
        S = self._tile(pairs)
        for line in range(2):
            sums.on_rows[line] += S.sum(axis=1)
            sums.on_columns[line] += S.sum(axis=0)
            S *= S

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Multiply the tile."""
        S = self._tile(pairs)
        products.row_products[0] += products.column_vectors[0] @ S.T
        products.column_products[0] += products.row_vectors[0] @ S

    def shift(self, step: int) -> float:
        """Return the kernel's origin where it is wide."""
        return self._kernel.origin if self._wide else 0.0


def _scratch(G: Array) -> Array:
    """Return room for the four rows that go together."""
    return np.empty((4, G.shape[1]), G.dtype)


def _rungs(candidates: dict[int, Gaussian], widest: float, ratio: int) -> dict[int, int]:
    """Return how often the widest width must be divided by the ratio, by candidate."""
    return {i: round(math.log(widest / k.tau, ratio)) for i, k in candidates.items()}


def _wide_steps(widest: float, ratio: int, steps: int, sample: Pairs) -> int:
    return sum(is_wide(Gaussian(widest / ratio**s), sample) for s in range(steps))


def _start(widest: float, largest_distance: float) -> tuple[float, int]:
    """Return the rate of the first exponential, and the squarings after its series."""
    rate = 0.5 / widest
    exponent = min(rate * largest_distance, _LARGEST_EXPONENT)
    return rate, max(0, math.ceil(math.log2(max(exponent, 1e-300) / _SERIES_UP_TO)))


def arrange(kernels: Sequence[Kernel], sample: Pairs, largest_distance: float) -> list[Family]:
    """Return the families of candidate kernels; a sample of the pairs tells which are wide."""
    gaussians: dict[int, Gaussian] = {}
    polynomials: dict[tuple[float, float], dict[int, Polynomial]] = {}
    families: list[Family] = []
    for i, kernel in enumerate(kernels):
        if isinstance(kernel, Gaussian):
            gaussians[i] = kernel
        elif isinstance(kernel, Polynomial | Linear):
            power = Polynomial(1, 0.0) if isinstance(kernel, Linear) else kernel
            polynomials.setdefault((power.coef0, power.gamma), {})[i] = power
        else:
            families.append(AnyKernel(i, kernel, sample))
    families += _ladders(gaussians, sample, largest_distance)
    families += [PolynomialLadder(c) for c in polynomials.values()]
    return families


def _ladders(
    gaussians: dict[int, Gaussian], sample: Pairs, largest_distance: float
) -> list[Family]:
    """Return ladders of squares for widths of one mantissa, and of powers for what is left."""
    by_mantissa: dict[float, dict[int, Gaussian]] = {}
    for i, kernel in gaussians.items():
        by_mantissa.setdefault(math.frexp(kernel.tau)[0], {})[i] = kernel
    several = [group for group in by_mantissa.values() if len(group) > 1]
    left = {i: k for group in by_mantissa.values() if len(group) == 1 for i, k in group.items()}
    families: list[Family] = [GaussianLadder(g, sample, largest_distance) for g in several]
    while left:
        ratio, chain = _longest_chain(left)
        if len(chain) > 1:
            families.append(PowerLadder(chain, ratio, sample, largest_distance))
        else:
            families.append(GaussianLadder(chain, sample, largest_distance))
        left = {i: k for i, k in left.items() if i not in chain}
    return families


def _longest_chain(left: dict[int, Gaussian]) -> tuple[int, dict[int, Gaussian]]:
    """Return the integer ratio that leads from the widest width to most others, and those."""
    widest = max(kernel.tau for kernel in left.values())
    chains = {
        ratio: {i: k for i, k in left.items() if _is_power(widest / k.tau, ratio)}
        for ratio in _RATIOS
    }
    best = max(chains, key=lambda ratio: len(chains[ratio]))
    return best, chains[best]


def _is_power(quotient: float, ratio: int) -> bool:
    power = float(ratio) ** round(math.log(quotient, ratio))
    return abs(quotient - power) <= _SAME * power
