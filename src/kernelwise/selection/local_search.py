"""Leave-one-out over kernels and ridges: few rows first, then exactly where it matters.

An eigendecomposition of every kernel serves all ridges but takes minutes for thousands of rows. A
first look at 500 rows costs nothing and is nearly right; from its pick one climbs, with exact
leave-one-out on more rows, to the best of the neighbours (the next ridge, the next width, or both)
until none is better. Each of these values is one Cholesky factor; the last one is also the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelwise._progress import Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence
from kernelwise.gram import Targets
from kernelwise.gram.dense import upper_triangle
from kernelwise.kernels import Kernel, Pairs
from kernelwise.machines import RidgeFit, RidgePath, fit_cholesky
from kernelwise.selection.problem import Problem

FIRST_LOOK = 500  # rows
_GROWTH = 3  # between the first look and the next
_BAND = 0.25  # neighbours that the first look found worse by more than this share are left alone
_NARROW_BAND = 0.05  # the same for later looks, which are more to be trusted
_MOST = 8  # values on one set of rows
_AFFORDABLE = 2500  # rows at which that many may be computed


class SearchFailed(Exception):
    """Few rows told nothing: the matrix of the pick is not positive definite on all rows."""


class GridIndex(NamedTuple):
    """A kernel and a ridge, by position."""

    kernel: int
    ridge: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a zoom found.

    Attributes
    ----------
    values : array of shape (kernels, ridges)
        Exact values on all rows; NaN where none was needed.
    pick : GridIndex
    fit : RidgeFit
        The machine at the pick.
    looked_at : list of int
        The numbers of rows looked at.
    is_peak : bool
        Whether every neighbour of the pick that could have been better was looked at on all rows.
    """

    values: Array
    pick: GridIndex
    fit: RidgeFit
    looked_at: list[int]
    is_peak: bool


class _Known(Evidence):
    """The evidence of a machine that is fitted already."""

    def __init__(self, targets: Targets, fit: RidgeFit) -> None:
        self.targets, self._fit = targets, fit

    def fit(self, ridge: float) -> RidgeFit:
        """Return the machine."""
        return self._fit


class LocalSearch:
    """Looks for the kernel and ridge with the least value of a leave-one-out criterion.

    Parameters
    ----------
    problem : Problem
    kernels : list of Kernel
        Neighbours in the list should be alike: sorted by width.
    criterion : Criterion
        A function of the fitted machine alone, to be minimised.
    ridges : array of shape (kernels, ridges)
        In ascending order.
    """

    def __init__(
        self, problem: Problem, kernels: Sequence[Kernel], criterion: Criterion, ridges: Array
    ) -> None:
        self._problem, self._kernels = problem, kernels
        self._criterion, self._ridges = criterion, ridges
        self._order = stratified_order(problem.targets)

    def run(self, progress: Task) -> SearchResult:
        """Look at more and more rows."""
        sizes = _sizes(self._problem.targets.n)
        with progress.part("leave-one-out", len(sizes)) as task:
            with task.part("first look"), limited(rows=sizes[0]):
                table = self._first_look(sizes[0])
            pick = GridIndex(*map(int, np.unravel_index(np.nanargmin(table), table.shape)))
            guide, band = table, _BAND
            for rows in sizes[1:]:
                with task.part("exact values"), limited(rows=rows):
                    look = ExactValues(self, rows)
                    pick, is_peak = look.climb(pick, guide, band, _budget(rows))
                guide, band = look.update(guide, pick), _NARROW_BAND
        return SearchResult(look.values(), pick, look.fit(pick), sizes, is_peak)

    def _first_look(self, rows: int) -> Array:
        """Return the values of everything on a few rows."""
        targets, X = self.part(rows)
        pairs = Pairs(X)
        table = np.full(self._ridges.shape, np.nan)
        for k, kernel in enumerate(self._kernels):
            path = RidgePath.of(
                kernel.values(pairs),
                targets.fit_columns,
                fit_intercept=self._problem.fit_intercept,
            )
            # A ridge may be too small for a matrix that is not positive semidefinite.
            sound = np.flatnonzero(self._ridges[k] + path.eigenvalues[0] > 0.0)
            if sound.size == 0:
                continue
            for j, fit in zip(sound, path.at_all(self._ridges[k][sound].tolist()), strict=True):
                table[k, j] = self.value(targets, fit)
        if np.isnan(table).all():
            raise SearchFailed
        return table

    def part(self, rows: int) -> tuple[Targets, Any]:
        """Return the targets and data of the first rows, in an order that mixes the classes."""
        problem = self._problem
        if rows == problem.targets.n:
            return problem.targets, problem.X
        chosen = np.sort(self._order[:rows])
        return problem.targets.part(chosen), problem.X[chosen]

    def value(self, targets: Targets, fit: RidgeFit) -> float:
        """Return the criterion of a machine."""
        return float(self._criterion.value(_Known(targets, fit), fit.ridge))

    def exact(self, targets: Targets, X: Any, place: GridIndex) -> RidgeFit:
        """Return the machine at a place, by one Cholesky factor."""
        return fit_cholesky(
            upper_triangle(self._kernels[place.kernel], X),
            targets.fit_columns,
            float(self._ridges[place]),
            fit_intercept=self._problem.fit_intercept,
            overwrite=True,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of kernels and ridges."""
        return self._ridges.shape[0], self._ridges.shape[1]


class ExactValues:
    """Exact values on some of the rows, each computed once."""

    def __init__(self, zoom: LocalSearch, rows: int) -> None:
        self._zoom = zoom
        self._targets, self._X = zoom.part(rows)
        self._values: dict[GridIndex, float] = {}
        self._best: tuple[GridIndex, RidgeFit] | None = None

    def climb(
        self, start: GridIndex, guide: Array, band: float, budget: int
    ) -> tuple[GridIndex, bool]:
        """Go to a better neighbour as long as there is one and the budget lasts.

        The guide, a table of values on fewer rows, says where to look first; neighbours that it
        finds worse than its best by more than the band are left alone.
        """
        best = start
        self._value(best)
        limit = float(np.nanmin(guide)) * (1.0 + band)
        while True:
            for place in self._worth_a_look(best, guide, limit):
                if len(self._values) >= budget:
                    return best, False
                if self._value(place) < self._values[best]:
                    best = place
                    break
            else:
                return best, True

    def update(self, guide: Array, pick: GridIndex) -> Array:
        """Return a guide with the values found here; others are scaled as the pick is."""
        scale = self._values[pick] / guide[pick] if guide[pick] > 0.0 else 1.0
        updated = np.array(guide * (scale if np.isfinite(scale) else 1.0))
        for place, value in self._values.items():
            updated[place] = value
        return updated

    def _worth_a_look(self, place: GridIndex, guide: Array, limit: float) -> list[GridIndex]:
        k, j = place
        # A narrower kernel goes with a larger ridge.
        around = [(k, j - 1), (k, j + 1), (k + 1, j), (k - 1, j), (k + 1, j + 1), (k - 1, j - 1)]
        places = [GridIndex(*p) for p in around if self._is_inside(*p)]
        new = [p for p in places if p not in self._values and guide[p] <= limit]
        return sorted(new, key=lambda p: float(guide[p]))

    def _is_inside(self, k: int, j: int) -> bool:
        kernels, ridges = self._zoom.shape
        return 0 <= k < kernels and 0 <= j < ridges

    def _value(self, place: GridIndex) -> float:
        try:
            fit = self._zoom.exact(self._targets, self._X, place)
        except np.linalg.LinAlgError:
            self._values[place] = np.inf
            return np.inf
        value = self._values[place] = self._zoom.value(self._targets, fit)
        if value <= min(self._values.values()):
            self._best = place, fit
        return value

    def fit(self, place: GridIndex) -> RidgeFit:
        """Return the machine at the pick."""
        if self._best is None or not np.isfinite(self._values[place]):
            raise SearchFailed
        if self._best[0] != place:
            return self._zoom.exact(self._targets, self._X, place)
        return self._best[1]

    def values(self) -> Array:
        """Return the values as a table, NaN where none was computed."""
        table = np.full(self._zoom.shape, np.nan)
        for place, value in self._values.items():
            table[place] = value
        return table


def _sizes(n: int) -> list[int]:
    """Return the numbers of rows to look at."""
    between = FIRST_LOOK * _GROWTH
    return [FIRST_LOOK, between, n] if n > _AFFORDABLE else [FIRST_LOOK, n]


def _budget(rows: int) -> int:
    """Return how many exact values are affordable: their cost grows with the cube of the rows."""
    return int(np.clip(_MOST * (_AFFORDABLE / rows) ** 3, 1, _MOST))


def stratified_order(targets: Targets, seed: int = 0) -> Array:
    """Return the rows in random order, every beginning of which has all classes in proportion.

    The first rows are one of each class.
    """
    rng = np.random.default_rng(seed)
    place = np.empty(targets.n)
    for members in targets.members:
        place[rng.permutation(members)] = np.arange(members.size) / members.size
    return np.argsort(place, kind="stable")
