"""Kernels that share work on a tile.

A family is a set of candidate kernels of one geometry that are cheaper together than one by one: a
ladder of Gaussian or Laplacian widths, a ladder of polynomial degrees, or a single kernel of any
other kind. Kernels on transformed features climb the same ladders on transformed data. A family
gives its sums over a tile as *lines*, one number per row and per column, from which the sums of its
*steps* can be read; a candidate is one of the steps. :func:`group_kernels` finds out which kernels
can share work.
"""

import gc
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from kernelwise._types import Array
from kernelwise.gram.dense import is_wide
from kernelwise.gram.tiles import Points, TilePairs
from kernelwise.kernels import Gaussian, Kernel, Laplacian, Linear, PairKernel, Pairs, Polynomial
from kernelwise.kernels.geometry import Transform, squared_norms
from kernelwise.kernels.transform import unwrapped

# The kernels exp(-c g / width) of a distance g: the name of the width, and the constant c.
_EXPONENTIAL: Mapping[type[Kernel], tuple[str, float]] = MappingProxyType(
    {Gaussian: ("tau", 0.5), Laplacian: ("scale", 1.0)}
)
_LONGEST = 64  # steps of a ladder: beyond, what lies between two kernels costs more than it saves


class Family(ABC):
    """Kernels that share work."""

    lines: int

    def __init__(
        self, members: dict[int, int], shifts: list[float], roundings: list[float]
    ) -> None:
        self.members, self.steps = members, len(shifts)  # the step of every candidate
        # By step: the constant c of K = S + c, a bound on the rounding error of an entry (infinity
        # where none is known), and whether sums leave out the diagonal, which would drown the rest.
        self.shifts, self.roundings = shifts, roundings
        self.excludes_diagonal = [shift == 0.0 for shift in shifts]

    @abstractmethod
    def sums(self, pairs: TilePairs, on_diagonal: bool) -> tuple[Array, Array]:
        """Return the lines of a tile: over columns for its rows, over rows for its columns."""

    @abstractmethod
    def products(
        self, pairs: Pairs, wanted: Array, on_rows: Array, on_columns: Array
    ) -> tuple[Array, Array]:
        """Return S V of the wanted steps on the rows and on the columns of a tile.

        V is given on both: (steps, m, rows) and (steps, m, columns), as are the products.
        """

    def read(self, lines: Array) -> list[tuple[Array, Array]]:
        """Return the sums of S and of its squares, by step, from lines (lines, labels, n)."""
        return [(lines[2 * s], lines[2 * s + 1]) for s in range(self.steps)]


class AnyKernel(Family):
    """A kernel on its own: its matrix over the tile, by numpy."""

    lines = 2

    def __init__(self, candidate: int, kernel: Kernel, sample: Pairs) -> None:
        self._kernel, self._wide = kernel, is_wide(kernel, sample)
        super().__init__({candidate: 0}, [kernel.origin if self._wide else 0.0], [math.inf])

    def _tile(self, pairs: Pairs) -> Array:
        return self._kernel.deviations(pairs) if self._wide else self._kernel.values(pairs)

    def sums(self, pairs: TilePairs, on_diagonal: bool) -> tuple[Array, Array]:
        """Sum the tile and its squares."""
        S = self._tile(pairs)
        if on_diagonal and self.excludes_diagonal[0]:
            S = S - np.diag(S.diagonal())
        squares = S * S  # not in place: a kernel may hand out the shared geometry itself
        on_rows, on_columns = (np.stack([S.sum(axis), squares.sum(axis)]) for axis in (1, 0))
        return on_rows, on_columns

    def products(
        self, pairs: Pairs, wanted: Array, on_rows: Array, on_columns: Array
    ) -> tuple[Array, Array]:
        """Multiply the tile."""
        S = self._tile(pairs)
        return on_columns @ S.T, on_rows @ S


class Chain(NamedTuple):
    """Widths whose ratios are powers of two."""

    widest: float
    rungs: dict[int, int]  # candidate -> how often the widest is halved


class Metric(NamedTuple):
    """What kernels are functions of: a geometry after some transforms, times a constant."""

    geometry: str
    transforms: tuple[Transform, ...] = ()
    constant: float = 1.0

    def pairs(self, pairs: Pairs) -> Pairs:
        """Return the pairs of the transformed points."""
        return reduce(Pairs.view, self.transforms, pairs)


class Reach(NamedTuple):
    """The points of a sweep, which tell how far pairs are apart."""

    points: Points
    sample: Pairs  # of some of them: it tells which kernels are wide

    def largest(self, metric: Metric) -> float:
        """Return a bound on the distances: the diameter is at most twice the radius."""
        X = reduce(Points.view, metric.transforms, self.points).rows
        X = X if sp.issparse(X) else X - X.mean(axis=0)
        if metric.geometry == "l1":
            return 2.0 * float(np.abs(X).sum(axis=1).max())
        return 4.0 * float(squared_norms(X).max())


def group_kernels(kernels: Sequence[Kernel], reach: Reach) -> list[Family]:
    """Return the families of candidate kernels."""
    widths: dict[Metric, dict[int, float]] = {}
    polynomials: dict[tuple[Metric, float, float], dict[int, Polynomial]] = {}
    alone: list[Family] = []
    for i, kernel in enumerate(kernels):
        inner, transforms = unwrapped(kernel)
        # A subclass may mean something else.
        if isinstance(inner, PairKernel) and type(inner) in _EXPONENTIAL:
            width, constant = _EXPONENTIAL[type(inner)]
            metric = Metric(inner.geometry, transforms, constant)
            widths.setdefault(metric, {})[i] = getattr(inner, width)
        elif type(inner) is Linear or (type(inner) is Polynomial and inner.degree <= _LONGEST):
            power = Polynomial(1, 0.0) if isinstance(inner, Linear) else inner
            key = Metric("dot", transforms), power.coef0, power.gamma
            polynomials.setdefault(key, {})[i] = power
        else:
            alone.append(AnyKernel(i, kernel, reach.sample))
    if not widths and not polynomials:
        return alone
    with _garbage_kept():
        return [*alone, *_ladders(widths, polynomials, reach)]


def _ladders(
    widths: Mapping[Metric, dict[int, float]],
    polynomials: Mapping[tuple[Metric, float, float], dict[int, Polynomial]],
    reach: Reach,
) -> list[Family]:
    """Return the families that compiled loops climb; the first of them loads numba, all of it."""
    from kernelwise.gram import _ladders as compiled

    ladders: list[compiled.Ladder] = [
        compiled.WidthLadder(chain, metric, reach)
        for metric, of_metric in widths.items()
        for chain in _chains(of_metric)
    ]
    for (metric, _, _), degrees in polynomials.items():
        ladders.append(compiled.PolynomialLadder(degrees, metric))
    ladders[0].warm_up()  # half of numba waits for a call
    return [*ladders]


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Look for no garbage: numba's hundred thousand objects stay, and cost time at every look."""
    pause = gc.isenabled()
    if pause:
        gc.disable()
    try:
        yield
    finally:
        if pause:
            gc.enable()


def _chains(widths: dict[int, float]) -> list[Chain]:
    """Return the widths in chains that are not too long, each of widths of one mantissa."""
    by_mantissa: dict[float, list[Chain]] = {}
    for i, width in sorted(widths.items(), key=lambda item: -item[1]):
        chains = by_mantissa.setdefault(math.frexp(width)[0], [])
        if not chains or chains[-1].widest / width >= 2.0**_LONGEST:
            chains.append(Chain(width, {}))
        chains[-1].rungs[i] = round(math.log2(chains[-1].widest / width))
    return [chain for chains in by_mantissa.values() for chain in chains]
