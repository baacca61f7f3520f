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

_EPS = float(np.finfo(float).eps)
_SERIES_UP_TO = 1.0 / 16.0  # exponents for which nine terms of the series are exact
_NO_DOUBLING = 1.0  # exponent up to which sums may follow from those of the step before


class Ladder(Family):
    """A family whose every step follows from the one before; narrow steps come last."""

    metric: Metric
    loops: ClassVar[tuple[Any, Any]]  # one that sums, one that multiplies
    ladder: tuple[float, ...]  # what the loops need to know

    def sums(self, pairs: TilePairs, on_diagonal: bool) -> tuple[Array, Array]:
        """Climb the ladder, summing."""
        G = self._geometry(pairs)
        on_rows, on_columns = (
            pairs.room.array(side, (self.lines, size))
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
        vectors = on_rows, on_columns
        rows, columns = map(np.zeros_like, vectors)
        self.loops[1](G, self.ladder, wanted, *vectors, rows, columns, *self._scratch(G))
        return rows, columns

    def _geometry(self, pairs: Pairs) -> Array:
        return self.metric.pairs(pairs)[self.metric.geometry]

    def warm_up(self) -> None:
        """Climb the ladder of one pair."""
        G = np.zeros((1, 1))
        on_rows, on_columns = np.zeros((2, self.lines, 1))
        self.loops[0](G, self.ladder, True, on_rows, on_columns, *self._scratch(G))

    def _scratch(self, G: Array) -> Array:
        """Return room for two times the four rows that go together."""
        shape = 2, 4, G.shape[1]
        return on_cache_lines(math.prod(shape)).reshape(shape)


class WidthLadder(Ladder):
    """Widths whose ratios are powers of two, from the widest down: K <- K^2."""

    loops = _loops.width_tile, _loops.width_matmul_tile

    def __init__(self, chain: Chain, metric: Metric, reach: Reach) -> None:
        self.metric, largest = metric, reach.largest(metric)
        rates = [
            metric.constant / chain.widest * 2.0**s for s in range(max(chain.rungs.values()) + 1)
        ]
        sample = metric.pairs(reach.sample)[metric.geometry]
        self._wide = sum(are_small(np.expm1(-rate * sample), 1.0) for rate in rates)
        # A wide step carries the deviation. An entry is off by eps times the largest one: the
        # deviation at the largest distance, or 1.
        narrow = len(rates) - self._wide
        entries = [-math.expm1(-rate * largest) for rate in rates[: self._wide]]
        roundings = [_EPS * entry for entry in entries] + [_EPS] * narrow
        super().__init__(chain.rungs, [1.0] * self._wide + [0.0] * narrow, roundings)
        exponents = [rate * largest for rate in rates]
        within = min(exponents[0], _loops.LARGEST_EXPONENT)
        halvings = math.ceil(math.log2(max(within / _SERIES_UP_TO, 1.0)))
        self._recursive = sum(exponent <= _NO_DOUBLING for exponent in exponents[: self._wide])
        direct = 2 * (self._wide - self._recursive)
        self.lines = (1 + self._recursive if self._recursive else 0) + direct
        self.lines += 0 if self._wide == self.steps else self.steps + 1 - self._wide
        self.ladder = rates[0], halvings, self._recursive, self._wide, self.steps

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


class PolynomialLadder(Ladder):
    """Polynomial degrees of one constant and factor, from the first up; deviations throughout."""

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
