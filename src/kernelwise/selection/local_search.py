"""Leave-one-out over kernels and ridges: few rows first, then exactly where it matters.

An eigendecomposition of every kernel serves all ridges but takes minutes for thousands of rows. A
first look at 500 rows costs nothing and is nearly right; from its pick one climbs, with exact
leave-one-out on more rows, to the best of the neighbours (the next ridge, the next width, or both)
until none is better. Each of these values is one Cholesky factor; the last one is also the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._progress import Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import Criterion, ask
from kernelwise.kernels import Kernel
from kernelwise.selection.problem import Problem, Solution
from kernelwise.targets import Targets

FIRST_LOOK = 500  # rows
_GROWTH = 3  # between the first look and the next
_BAND = 0.25  # neighbours that the first look found worse by more than this share are left alone
_NARROW_BAND = 0.05  # the same for later looks, which are more to be trusted
_MOST = 8  # values on one set of rows
_AFFORDABLE = 2500  # rows at which that many may be computed


class SearchFailed(Exception):
    """The pick from few rows has no finite value on all rows."""


class GridIndex(NamedTuple):
    """A kernel and a ridge, by position."""

    kernel: int
    ridge: int


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    values : array of shape (kernels, ridges)
        Exact values on all rows; NaN where none was needed.
    pick : GridIndex
    solution : Solution
        The machine at the pick.
    looked_at : list of int
        The numbers of rows in each step.
    is_peak : bool
        Whether every promising neighbour of the pick was evaluated on all rows.
    indefinite : list of Kernel
        Those whose matrices are not positive semidefinite.
    """

    values: Array
    pick: GridIndex
    solution: Solution
    looked_at: list[int]
    is_peak: bool
    indefinite: list[Kernel]


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
        self._indefinite: list[Kernel] = []

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
        solution = look.solution(pick)
        return SearchResult(look.values(), pick, solution, sizes, is_peak, self._indefinite)

    def _first_look(self, rows: int) -> Array:
        """Return the values of everything on a few rows, NaN where they are undefined."""
        table = np.full(self._ridges.shape, np.nan)
        for k, evidence in enumerate(self.part(rows).evidence(self._kernels)):
            ridges = self._ridges[k].tolist()
            evidence.prefit(ridges, self._criterion.needs)
            table[k] = [ask(self._criterion, evidence, ridge).mean for ridge in ridges]
            if evidence.is_psd is False:
                self._indefinite.append(self._kernels[k])
        if np.isnan(table).all():
            raise SearchFailed
        return table

    def part(self, rows: int) -> Problem:
        """Return the problem on the first rows, in an order that mixes the classes."""
        if rows == self._problem.targets.n:
            return self._problem
        return self._problem.part(np.sort(self._order[:rows]))

    def exact(self, part: Problem, place: GridIndex) -> tuple[float, Solution | None]:
        """Return the value at a place, infinite where it is undefined, and the machine."""
        [evidence] = part.evidence([self._kernels[place.kernel]])
        ridge = float(self._ridges[place])
        value = ask(self._criterion, evidence, ridge).mean
        return (np.inf, None) if np.isnan(value) else (value, part.solution(evidence, ridge))

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of kernels and ridges."""
        return self._ridges.shape[0], self._ridges.shape[1]


class ExactValues:
    """Exact values on some of the rows, each computed once."""

    def __init__(self, search: LocalSearch, rows: int) -> None:
        self._search, self._part = search, search.part(rows)
        self._values: dict[GridIndex, float] = {}
        self._best: tuple[GridIndex, Solution | None] | None = None

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
        """Return the guide, rescaled to match the pick, with the values found here."""
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
        kernels, ridges = self._search.shape
        return 0 <= k < kernels and 0 <= j < ridges

    def _value(self, place: GridIndex) -> float:
        value, solution = self._search.exact(self._part, place)
        self._values[place] = value
        if value <= min(self._values.values()):
            self._best = place, solution
        return value

    def solution(self, place: GridIndex) -> Solution:
        """Return the machine at the pick."""
        if self._best is None or not np.isfinite(self._values[place]):
            raise SearchFailed
        best, known = self._best
        solution = known if best == place else self._search.exact(self._part, place)[1]
        assert solution is not None  # its value is finite
        return solution

    def values(self) -> Array:
        """Return the values as a table, NaN where none was computed."""
        table = np.full(self._search.shape, np.nan)
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
    """Return the rows in random order such that every prefix has all classes in proportion.

    The first rows are one of each class.
    """
    rng = np.random.default_rng(seed)
    place = np.empty(targets.n)
    for members in targets.members:
        place[rng.permutation(members)] = np.arange(members.size) / members.size
    return np.argsort(place, kind="stable")
