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
from typing import Any, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.gram.dense import is_wide
from kernelwise.kernels import Gaussian, Kernel, Linear, Pairs, Polynomial

_SERIES_UP_TO = 1.0 / 16.0  # exponents for which nine terms of the series are exact
_LARGEST_EXPONENT = 800.0  # exp(-800) is zero in float64
_RATIOS = range(3, 11)  # ratios of widths, besides 2, whose grids are climbed by multiplications
_SAME = 2e-15  # relative difference of two widths that rounding explains
_LONGEST = 64  # steps of a ladder: beyond, what lies between two kernels costs more than it saves
_NO_DOUBLING = 1.0  # exponent up to which sums may follow from those of the step before
# Exponent, at the first narrow step, below which a pair would stay near one for too many squarings.
_NEAR = {np.dtype(np.float64): 1e-4, np.dtype(np.float32): 0.02}
_WITHIN_SINGLE = 1e30  # distances and rates up to it, and down to its inverse, fit into float32
_VANISHING = 1e-12  # the squares of smaller deviations are not numbers in float32


@dataclass
class TileSums:
    """Lines of sums over one tile: over columns for its rows, over rows for its columns."""

    on_rows: Array  # (lines, rows)
    on_columns: Array

    def arrays(self, dtype: Any) -> tuple[Array, Array]:
        """Make the sums of a type, empty, and return them."""
        if self.on_rows.dtype != dtype:
            self.on_rows = self.on_rows.astype(dtype)
            self.on_columns = self.on_columns.astype(dtype)
        return self.on_rows, self.on_columns

    @classmethod
    def zeros(cls, lines: int, rows: int, columns: int) -> "TileSums":
        """Return empty sums."""
        return cls(np.zeros((lines, rows)), np.zeros((lines, columns)))


@dataclass
class TileProducts:
    """S V over one tile, by step: V on the tile's columns for its rows, and the other way round."""

    row_vectors: Array  # (steps, m, rows): V on the rows
    column_vectors: Array
    row_products: Array
    column_products: Array

    @classmethod
    def of(cls, vectors: Array, rows: slice, columns: slice) -> "TileProducts":
        """Return empty products with the part of (steps, m, n) vectors that a tile needs."""
        left = np.ascontiguousarray(vectors[:, :, rows])
        right = np.ascontiguousarray(vectors[:, :, columns])
        return cls(left, right, np.zeros_like(left), np.zeros_like(right))

    def arrays(self, dtype: Any) -> tuple[Array, Array, Array, Array]:
        """Make everything of a type, and return it in the order in which the loops take it."""
        for name in ("row_vectors", "column_vectors", "row_products", "column_products"):
            setattr(self, name, getattr(self, name).astype(dtype, copy=False))
        return self.row_vectors, self.column_vectors, self.row_products, self.column_products


class Family(ABC):
    """Kernels that share work."""

    steps: int
    lines: int
    members: dict[int, int]  # candidate -> step

    @abstractmethod
    def add_sums(self, pairs: Pairs, on_diagonal: bool, sums: TileSums) -> None:
        """Add the sums over a tile to all lines; some steps leave out the diagonal."""

    @abstractmethod
    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Add S V of every wanted step over a tile."""

    @abstractmethod
    def shift(self, step: int) -> float:
        """Return the constant c of a step: K = S + c."""

    def excludes_diagonal(self, step: int) -> bool:
        """Say whether the sums of a step leave out the diagonal, which would drown the rest."""
        return self.shift(step) == 0.0

    def rounding(self, step: int) -> float:
        """Return a bound on the rounding error of an entry, infinity where none is known."""
        return math.inf

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return the sums of S and of its squares, by step, from lines (lines, labels, n)."""
        return [(lines[2 * s], lines[2 * s + 1]) for s in range(self.steps)]


class _Ladder(Family):
    """Gaussian widths whose ratios are powers of an integer, from the widest down."""

    def __init__(
        self, candidates: dict[int, Gaussian], ratio: int, sample: Pairs, reach: "DistanceRange"
    ) -> None:
        self._widest = max(kernel.tau for kernel in candidates.values())
        self._ratio, self._largest = ratio, reach.largest
        self.members = {i: _rungs(self._widest, k.tau, ratio) for i, k in candidates.items()}
        self.steps = max(self.members.values()) + 1
        self.wide = sum(is_wide(Gaussian(self._width(s)), sample) for s in range(self.steps))
        self._rate = 0.5 / self._widest
        exponent = min(self._rate * self._largest, _LARGEST_EXPONENT)
        self._halvings = max(0, math.ceil(math.log2(max(exponent, 1e-300) / _SERIES_UP_TO)))
        extreme = self._rate * self._largest < _VANISHING or not all(
            1.0 / _WITHIN_SINGLE < number < _WITHIN_SINGLE for number in (self._rate, self._largest)
        )
        self._dtype = np.dtype(np.float64) if extreme else reach.dtype

    def _width(self, step: int) -> float:
        return self._widest / float(self._ratio) ** step

    def _geometry(self, pairs: Pairs) -> Array:
        return pairs["sqdist"].astype(self._dtype, copy=False)

    def shift(self, step: int) -> float:
        """Return 1 for wide steps, which carry the deviation."""
        return 1.0 if step < self.wide else 0.0

    def rounding(self, step: int) -> float:
        """Return eps times the largest entry: 1, or the deviation at the largest distance."""
        eps = float(np.finfo(self._dtype).eps)
        if step >= self.wide:
            return eps
        return -eps * math.expm1(-0.5 * self._largest / self._width(step))


class GaussianLadder(_Ladder):
    """Gaussian widths whose ratios are powers of two: K <- K^2."""

    def __init__(
        self, candidates: dict[int, Gaussian], sample: Pairs, reach: "DistanceRange"
    ) -> None:
        super().__init__(candidates, 2, sample, reach)
        exponents = (self._rate * self._largest * 2.0**s for s in range(self.wide))
        self._recursive = sum(exponent <= _NO_DOUBLING for exponent in exponents)
        direct = 2 * (self.wide - self._recursive)
        narrow = 0 if self.wide == self.steps else self.steps + 1 - self.wide
        self.lines = (1 + self._recursive if self._recursive else 0) + direct + narrow
        self._ladder = (
            self._rate,
            self._halvings,
            _NEAR[self._dtype],
            self._recursive,
            self.wide,
            self.steps,
        )

    def add_sums(self, pairs: Pairs, on_diagonal: bool, sums: TileSums) -> None:
        """Walk down the ladder, summing."""
        from kernelwise.gram import _loops

        G = self._geometry(pairs)
        _loops.gaussian_tile(
            G, self._ladder, on_diagonal, *sums.arrays(self._dtype), *_scratch(G, 2)
        )

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk down the ladder, multiplying."""
        from kernelwise.gram import _loops

        G = self._geometry(pairs)
        arrays = products.arrays(self._dtype)
        _loops.gaussian_matmul_tile(G, self._ladder, wanted, *arrays, *_scratch(G, 2))

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return what the lines hold, and what follows: e' = 2 e + e^2 also for sums."""
        found = []
        sums = lines[0]
        for s in range(self._recursive):
            found.append((sums, lines[s + 1]))
            sums = 2.0 * sums + lines[s + 1]
        line = len(found) + 1 if found else 0
        for _ in range(self._recursive, self.wide):
            found.append((lines[line], lines[line + 1]))
            line += 2
        for _ in range(self.wide, self.steps):
            found.append((lines[line], lines[line + 1]))
            line += 1
        return found


class PowerLadder(_Ladder):
    """Gaussian widths whose ratios are powers of another integer p: K <- K^p."""

    def __init__(
        self, candidates: dict[int, Gaussian], ratio: int, sample: Pairs, reach: "DistanceRange"
    ) -> None:
        super().__init__(candidates, ratio, sample, reach)
        self.lines = 2 * self.steps
        self._ladder = (self._rate, self._halvings, ratio, self.wide, self.steps)

    def add_sums(self, pairs: Pairs, on_diagonal: bool, sums: TileSums) -> None:
        """Walk down the ladder, summing."""
        from kernelwise.gram import _loops

        G = self._geometry(pairs)
        _loops.power_tile(G, self._ladder, on_diagonal, *sums.arrays(self._dtype), *_scratch(G, 3))

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk down the ladder, multiplying."""
        from kernelwise.gram import _loops

        G = self._geometry(pairs)
        arrays = products.arrays(self._dtype)
        _loops.power_matmul_tile(G, self._ladder, wanted, *arrays, *_scratch(G, 3))


class PolynomialLadder(Family):
    """Polynomial degrees of one constant and factor, from the first up; deviations throughout."""

    def __init__(self, candidates: dict[int, Polynomial]) -> None:
        self.members = {i: kernel.degree - 1 for i, kernel in candidates.items()}
        self.steps = max(self.members.values()) + 1
        self.lines = 2 * self.steps
        first = next(iter(candidates.values()))
        self._coef0 = first.coef0
        self._ladder = (first.gamma, first.coef0, self.steps)

    def add_sums(self, pairs: Pairs, on_diagonal: bool, sums: TileSums) -> None:
        """Walk up the degrees, summing."""
        from kernelwise.gram import _loops

        G = pairs["dot"]
        excludes_diagonal = on_diagonal and self.excludes_diagonal(0)
        into = sums.on_rows, sums.on_columns
        _loops.polynomial_tile(G, self._ladder, excludes_diagonal, *into, *_scratch(G, 2))

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Walk up the degrees, multiplying."""
        from kernelwise.gram import _loops

        G = pairs["dot"]
        arrays = products.arrays(np.float64)
        _loops.polynomial_matmul_tile(G, self._ladder, wanted, *arrays, *_scratch(G, 2))

    def excludes_diagonal(self, step: int) -> bool:
        """Say whether there is no constant: c^d may also vanish for a small one."""
        return self._coef0 == 0.0

    def shift(self, step: int) -> float:
        """Return c^d."""
        with np.errstate(over="ignore"):
            return float(np.float64(self._coef0) ** (step + 1))


class AnyKernel(Family):
    """A kernel on its own: its matrix over the tile, by numpy."""

    steps, lines = 1, 2

    def __init__(self, candidate: int, kernel: Kernel, sample: Pairs) -> None:
        self.members = {candidate: 0}
        self._kernel, self._wide = kernel, is_wide(kernel, sample)

    def _tile(self, pairs: Pairs) -> Array:
        return self._kernel.deviations(pairs) if self._wide else self._kernel.values(pairs)

    def add_sums(self, pairs: Pairs, on_diagonal: bool, sums: TileSums) -> None:
        """Sum the tile and its squares."""
        S = self._tile(pairs)
        if on_diagonal and self.excludes_diagonal(0):
            S = S - np.diag(S.diagonal())
        for line in range(2):
            sums.on_rows[line] += S.sum(axis=1)
            sums.on_columns[line] += S.sum(axis=0)
            S = S * S  # not in place: a kernel may hand out the shared geometry itself

    def add_products(self, pairs: Pairs, wanted: Array, products: TileProducts) -> None:
        """Multiply the tile."""
        S = self._tile(pairs)
        products.row_products[0] += products.column_vectors[0] @ S.T
        products.column_products[0] += products.row_vectors[0] @ S

    def shift(self, step: int) -> float:
        """Return the kernel's origin where it is wide."""
        return self._kernel.origin if self._wide else 0.0


class DistanceRange(NamedTuple):
    """How far pairs are apart, and the type to compute in."""

    largest: float  # a bound on the squared distances
    dtype: np.dtype[Any]


def _scratch(G: Array, buffers: int) -> Array:
    """Return room for the four rows that go together."""
    return np.empty((buffers, 4, G.shape[1]), G.dtype)


def _rungs(widest: float, width: float, ratio: int) -> int:
    """Return how often the widest width must be divided by the ratio; logs do not overflow."""
    return round((math.log(widest) - math.log(width)) / math.log(ratio))


def arrange(kernels: Sequence[Kernel], sample: Pairs, reach: DistanceRange) -> list[Family]:
    """Return the families of candidate kernels; a sample of the pairs tells which are wide."""
    gaussians: dict[int, Gaussian] = {}
    polynomials: dict[tuple[float, float], dict[int, Polynomial]] = {}
    families: list[Family] = []
    for i, kernel in enumerate(kernels):
        # A subclass may mean something else.
        if type(kernel) is Gaussian:
            gaussians[i] = kernel
        elif type(kernel) is Linear:
            polynomials.setdefault((0.0, 1.0), {})[i] = Polynomial(1, 0.0)
        elif type(kernel) is Polynomial and kernel.degree <= _LONGEST:
            polynomials.setdefault((kernel.coef0, kernel.gamma), {})[i] = kernel
        else:
            families.append(AnyKernel(i, kernel, sample))
    families += _ladders(gaussians, sample, reach)
    families += [PolynomialLadder(c) for c in polynomials.values()]
    return families


def _ladders(gaussians: dict[int, Gaussian], sample: Pairs, reach: DistanceRange) -> list[Family]:
    """Return ladders of squares for widths of one mantissa, and of powers for what is left."""
    by_mantissa: dict[float, dict[int, Gaussian]] = {}
    for i, kernel in gaussians.items():
        by_mantissa.setdefault(math.frexp(kernel.tau)[0], {})[i] = kernel
    families: list[Family] = []
    left: dict[int, Gaussian] = {}
    for group in by_mantissa.values():
        for chain in _short(group, 2):
            if len(chain) > 1:
                families.append(GaussianLadder(chain, sample, reach))
            else:
                left |= chain
    while left:
        ratio, chain = _longest_chain(left)
        if len(chain) > 1:
            families.append(PowerLadder(chain, ratio, sample, reach))
        else:
            families.append(GaussianLadder(chain, sample, reach))
        left = {i: k for i, k in left.items() if i not in chain}
    return families


def _short(group: dict[int, Gaussian], ratio: int) -> list[dict[int, Gaussian]]:
    """Cut a chain of widths into ladders that are not too long."""
    chains: list[dict[int, Gaussian]] = []
    for i, kernel in sorted(group.items(), key=lambda item: -item[1].tau):
        first = next(iter(chains[-1].values())) if chains else None
        if first is None or _rungs(first.tau, kernel.tau, ratio) >= _LONGEST:
            chains.append({})
        chains[-1][i] = kernel
    return chains


def _longest_chain(left: dict[int, Gaussian]) -> tuple[int, dict[int, Gaussian]]:
    """Return the integer ratio that leads from the widest width to most others, and those."""
    widest = max(kernel.tau for kernel in left.values())
    chains = {
        ratio: _short({i: k for i, k in left.items() if _is_power(widest, k.tau, ratio)}, ratio)[0]
        for ratio in _RATIOS
    }
    best = max(chains, key=lambda ratio: len(chains[ratio]))
    return best, chains[best]


def _is_power(widest: float, width: float, ratio: int) -> bool:
    rungs = _rungs(widest, width, ratio)
    if rungs >= _LONGEST:
        return False
    product = width * float(ratio) ** rungs
    return abs(product - widest) <= _SAME * widest
