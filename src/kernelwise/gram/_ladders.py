"""Families that compiled loops climb step by step: widths of kernels and polynomial degrees."""

import math
from typing import Any, ClassVar

import numpy as np

from kernelwise._types import Array
from kernelwise.gram import _loops
from kernelwise.gram.dense import are_small
from kernelwise.gram.families import Chain, Family, Metric, Reach
from kernelwise.gram.tiles import TilePairs, on_cache_lines
from kernelwise.kernels import Pairs, Polynomial

_SERIES_UP_TO = 1.0 / 16.0  # exponents for which nine terms of the series are exact
_NO_DOUBLING = 1.0  # exponent up to which sums may follow from those of the step before
# Exponent, at the first narrow step, below which a pair would stay near one for too many squarings.
_NEAR = {np.dtype(np.float64): 1e-4, np.dtype(np.float32): 0.02}
_WITHIN_SINGLE = 1e30  # distances and rates up to it, and down to its inverse, fit into float32
_VANISHING = 1e-12  # the squares of smaller deviations are not numbers in float32


class Ladder(Family):
    """A family whose every step follows from the one before; narrow steps come last."""

    metric: Metric
    loops: ClassVar[tuple[Any, Any]]  # one that sums, one that multiplies
    buffers: ClassVar[int]  # of four rows, for the loops
    ladder: tuple[float, ...]  # what the loops need to know
    dtype: np.dtype[Any] = np.dtype(np.float64)

    def sums(self, pairs: TilePairs, on_diagonal: bool) -> tuple[Array, Array]:
        """Climb the ladder, summing."""
        G = self._geometry(pairs)
        on_rows, on_columns = (
            pairs.room.array(side, (self.lines, size), G.dtype)
            for side, size in zip(("rows", "columns"), G.shape, strict=True)
        )
        on_rows.fill(0.0)
        on_columns.fill(0.0)
        without_diagonal = on_diagonal and self.excludes_diagonal[-1]
        self.loops[0](G, self.ladder, without_diagonal, on_rows, on_columns, *self._scratch(G))
        return on_rows, on_columns

    def products(
        self, pairs: Pairs, wanted: Array, on_rows: Array, on_columns: Array
    ) -> tuple[Array, Array]:
        """Climb the ladder, multiplying."""
        G = self._geometry(pairs)
        vectors = [V.astype(G.dtype, copy=False) for V in (on_rows, on_columns)]
        rows, columns = (np.zeros_like(V) for V in vectors)
        self.loops[1](G, self.ladder, wanted, *vectors, rows, columns, *self._scratch(G))
        return rows, columns

    def _geometry(self, pairs: Pairs) -> Array:
        G = self.metric.pairs(pairs)[self.metric.geometry]
        return G.astype(self.dtype, copy=False)

    def warm_up(self) -> None:
        """Climb the ladder of one pair."""
        G = np.zeros((1, 1), self.dtype)
        on_rows, on_columns = np.zeros((2, self.lines, 1), G.dtype)
        self.loops[0](G, self.ladder, True, on_rows, on_columns, *self._scratch(G))

    def _scratch(self, G: Array) -> Array:
        """Return room for the four rows that go together."""
        shape = self.buffers, 4, G.shape[1]
        return on_cache_lines(math.prod(shape), G.dtype).reshape(shape)


class _Widths:
    """Widths from the widest down: the steps of a ladder, and how its loops begin."""

    def __init__(self, chain: Chain, metric: Metric, reach: Reach) -> None:
        lowest, largest = max(chain.rungs.values()), reach.largest(metric)
        widths = [chain.widest / float(chain.ratio) ** s for s in range(lowest + 1)]
        rates = [metric.constant / width for width in widths]
        sample = metric.pairs(reach.sample)[metric.geometry]
        with np.errstate(over="ignore"):  # what is beyond float64 is far
            self.wide = sum(are_small(np.expm1(-rate * sample), 1.0) for rate in rates)
        self.rate = rates[0]
        self.exponent = self.rate * largest
        within = max(min(self.exponent, _loops.LARGEST_EXPONENT), 1e-300)
        self.halvings = max(0, math.ceil(math.log2(within / _SERIES_UP_TO)))
        fits_single = self.exponent >= _VANISHING and all(
            1.0 / _WITHIN_SINGLE < number < _WITHIN_SINGLE for number in (self.rate, largest)
        )
        self.dtype = reach.dtype if fits_single else np.dtype(np.float64)
        # A wide step carries the deviation. An entry is off by eps times the largest one: the
        # deviation at the largest distance, or 1.
        eps, narrow = float(np.finfo(self.dtype).eps), len(rates) - self.wide
        self.shifts = [1.0] * self.wide + [0.0] * narrow
        entries = [-math.expm1(-rate * largest) for rate in rates[: self.wide]]
        self.roundings = [eps * entry for entry in entries] + [eps] * narrow


class WidthLadder(Ladder):
    """Widths whose ratios are powers of two: K <- K^2."""

    buffers = 2
    loops = _loops.width_tile, _loops.width_matmul_tile

    def __init__(self, chain: Chain, metric: Metric, reach: Reach) -> None:
        widths = _Widths(chain, metric, reach)
        super().__init__(chain.rungs, widths.shifts, widths.roundings)
        self.metric = metric
        self.dtype, self._wide = widths.dtype, widths.wide
        exponents = (widths.exponent * 2.0**s for s in range(self._wide))
        self._recursive = sum(exponent <= _NO_DOUBLING for exponent in exponents)
        direct = 2 * (self._wide - self._recursive)
        narrow = 0 if self._wide == self.steps else self.steps + 1 - self._wide
        self.lines = (1 + self._recursive if self._recursive else 0) + direct + narrow
        steps = self._recursive, self._wide, self.steps
        self.ladder = widths.rate, widths.halvings, _NEAR[self.dtype], *steps

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return what the lines hold, and what follows: e' = 2 e + e^2 also for sums."""
        found = []
        sums = lines[0]
        for s in range(self._recursive):
            found.append((sums, lines[s + 1]))
            sums = 2.0 * sums + lines[s + 1]
        line = len(found) + 1 if found else 0
        for step in range(self._recursive, self.steps):
            found.append((lines[line], lines[line + 1]))
            line += 2 if step < self._wide else 1  # the squares of a narrow step are the next one
        return found


class PowerLadder(Ladder):
    """Widths whose ratios are powers of another integer p: K <- K^p."""

    buffers = 3
    loops = _loops.power_tile, _loops.power_matmul_tile

    def __init__(self, chain: Chain, metric: Metric, reach: Reach) -> None:
        widths = _Widths(chain, metric, reach)
        super().__init__(chain.rungs, widths.shifts, widths.roundings)
        self.metric = metric
        self.dtype, self.lines = widths.dtype, 2 * self.steps
        self.ladder = widths.rate, widths.halvings, chain.ratio, widths.wide, self.steps


class PolynomialLadder(Ladder):
    """Polynomial degrees of one constant and factor, from the first up; deviations throughout."""

    buffers = 2
    loops = _loops.polynomial_tile, _loops.polynomial_matmul_tile

    def __init__(self, candidates: dict[int, Polynomial], metric: Metric) -> None:
        members = {i: kernel.degree - 1 for i, kernel in candidates.items()}
        steps = max(members.values()) + 1
        first = next(iter(candidates.values()))
        with np.errstate(over="ignore"):
            shifts = [float(np.float64(first.coef0) ** (s + 1)) for s in range(steps)]
        super().__init__(members, shifts, [math.inf] * steps)
        self.metric = metric
        self.excludes_diagonal = [first.coef0 == 0.0] * steps  # c^d of a small c vanishes too
        self.lines = 2 * steps
        self.ladder = first.gamma, first.coef0, steps
