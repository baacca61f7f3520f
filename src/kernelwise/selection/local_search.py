"""Leave-one-out over kernels and ridges: few rows first, then exactly where it matters.

An eigendecomposition of every kernel serves all ridges but takes minutes for thousands of rows. On
a twelfth of the rows it takes little time; there everything is evaluated. From the best of that one
climbs on a quarter of the rows, then on half of them, then on all, to a better neighbour (the next
ridge, the next width, or both) as long as there is one. Few rows prefer smooth machines; as rows
are added, the best width narrows and the best ridge falls. Rougher neighbours therefore come first,
and where fewer rows find one of them as good as their best, more rows begin there. Each value is
one Cholesky factor; the last one is also the machine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import Criterion, ask
from kernelwise.kernels import Kernel
from kernelwise.selection.diagnostics import Diagnostic
from kernelwise.selection.problem import Problem, Solution
from kernelwise.targets import stratified_order

FIRST_LOOK = 500  # rows at least
_FIRST_SHARE = 12  # the first look is at one in so many rows
_APART = 1.4  # times as many rows are worth another look
_AS_GOOD = 0.01  # what is rougher and worse by this share is better on more rows
_MOST = 12  # values on one set of rows
_AFFORDABLE = 5200  # rows: values on fewer may take as long together as one on so many,
_SHARE = 0.87  # or as one on this share of all rows


class SearchFailed(Exception):
    """Few rows have no finite value anywhere, or their pick has none on all rows."""


class GridIndex(NamedTuple):
    """A kernel and a ridge, by position: from wide to narrow, from small to large."""

    kernel: int
    ridge: int

    def is_rougher(self, other: "GridIndex") -> bool:
        """Say whether the kernel is narrower than another, or the same with a smaller ridge."""
        return (self.kernel, -self.ridge) > (other.kernel, -other.ridge)


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
        Whether all neighbours of the pick were evaluated on all rows.
    indefinite : list of Kernel
        Those whose matrices are not positive semidefinite.
    standard_errors : array of shape (kernels, ridges) or None
        Those of values that are estimates; None for exact ones.
    notes : tuple of Diagnostic
        What there is to say of the choice.
    """

    values: Array
    pick: GridIndex
    solution: Solution
    looked_at: list[int]
    is_peak: bool
    indefinite: list[Kernel]
    standard_errors: Array | None = None
    notes: tuple[Diagnostic, ...] = ()


class Guide(NamedTuple):
    """What fewer rows say: values of everything, NaN where undefined, and where to begin."""

    values: Array
    pick: GridIndex


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
        look = self._look(sizes, progress)
        return SearchResult(
            look.values(), look.pick, look.solution(), sizes, look.is_peak, self._indefinite
        )

    def _look(self, sizes: list[int], progress: Task) -> "ExactValues":
        """Return values on the last number of rows, near what is best on the ones before.

        Those take about as long together: every step gets half of what is left of a bar.
        """
        *fewer, rows = sizes
        budget = _budget(rows, self._problem.targets.n)
        with progress.part("leave-one-out", 2) as task:
            if len(fewer) > 1:
                guide = self._look(fewer, task).guide()
            else:
                with task.part("first look", len(self._kernels)) as part, limited(rows=fewer[0]):
                    guide = self._first_look(fewer[0], part)
            with task.part("exact values", budget) as part, limited(rows=rows):
                look = ExactValues(self, rows, guide, part)
                look.climb(budget)
        return look

    def _first_look(self, rows: int, progress: Task) -> Guide:
        """Return the values of everything on a few rows."""
        table = np.full(self._ridges.shape, np.nan)
        for k, evidence in enumerate(self.part(rows).evidence(self._kernels)):
            ridges = self._ridges[k].tolist()
            evidence.prefit(ridges, self._criterion.needs)
            table[k] = [ask(self._criterion, evidence, ridge).mean for ridge in ridges]
            if evidence.is_psd is False:
                self._indefinite.append(self._kernels[k])
            progress.advance()
        if not np.isfinite(table).any():
            raise SearchFailed
        return Guide(
            table, GridIndex(*map(int, np.unravel_index(np.nanargmin(table), table.shape)))
        )

    def part(self, rows: int) -> Problem:
        """Return the problem on the first rows, in an order that mixes the classes."""
        if rows == self._problem.targets.n:
            return self._problem
        return self._problem.part(np.sort(self._order[:rows]))

    def exact(
        self, part: Problem, place: GridIndex, progress: Task
    ) -> tuple[float, Solution | None]:
        """Return the value at a place, infinite where it is undefined, and the machine."""
        [evidence] = part.evidence([self._kernels[place.kernel]])
        ridge = float(self._ridges[place])
        with progress.part("value", evidence.gram.sweeps) as task:
            evidence.gram.progress = task
            value = ask(self._criterion, evidence, ridge).mean
            evidence.gram.progress = SILENT
            return (np.inf, None) if np.isnan(value) else (value, part.solution(evidence, ridge))


class ExactValues:
    """Exact values on some of the rows, each computed once, and the best of them.

    Parameters
    ----------
    search : LocalSearch
    rows : int
    guide : Guide
    progress : Task

    Attributes
    ----------
    pick : GridIndex
        The best so far.
    is_peak : bool
        Whether all its neighbours were evaluated.
    """

    def __init__(self, search: LocalSearch, rows: int, guide: Guide, progress: Task) -> None:
        self._search, self._part, self._progress = search, search.part(rows), progress
        self._guide, self.pick, self.is_peak = guide.values, guide.pick, False
        self._values: dict[GridIndex, float] = {}
        self._solution: Solution | None = None
        self._evaluate(guide.pick)

    def climb(self, budget: int) -> None:
        """Go to a better neighbour as long as there is one and the budget lasts."""
        while not self.is_peak:
            before = self.pick
            for place in self._worth_a_look():
                if len(self._values) >= budget:
                    return
                self._evaluate(place)
                if self.pick != before:
                    break
            self.is_peak = self.pick == before

    def _worth_a_look(self) -> list[GridIndex]:
        """Return the neighbours of the pick, the most promising first.

        Rougher ones come first, then the guide decides. It hides none: losses near zero vary many
        times over from few rows to all.
        """
        k, j = self.pick
        # A narrower kernel goes with a larger ridge.
        around = [(k, j - 1), (k, j + 1), (k + 1, j), (k - 1, j), (k + 1, j + 1), (k - 1, j - 1)]
        kernels, ridges = self._guide.shape
        places = [GridIndex(*p) for p in around if 0 <= p[0] < kernels and 0 <= p[1] < ridges]
        # What is undefined on fewer rows is not defined on more.
        new = [p for p in places if p not in self._values and np.isfinite(self._guide[p])]
        return sorted(new, key=lambda p: (not p.is_rougher(self.pick), float(self._guide[p])))

    def _evaluate(self, place: GridIndex) -> None:
        value, solution = self._search.exact(self._part, place, self._progress)
        self._values[place] = value
        if place == self.pick or value < self._values[self.pick]:
            self.pick, self._solution = place, solution

    def guide(self) -> Guide:
        """Return what to expect on more rows: the guide, rescaled at the pick, and the values."""
        value, expected = self._values[self.pick], self._guide[self.pick]
        scale = value / expected if expected > 0.0 else 1.0
        updated = self._guide * (scale if np.isfinite(scale) else 1.0)
        for place, value in self._values.items():
            updated[place] = value
        return Guide(updated, self._start_on_more_rows())

    def _start_on_more_rows(self) -> GridIndex:
        """Return the best of what is rougher than the pick and as good, or the pick."""
        limit = self._values[self.pick] * (1.0 + _AS_GOOD)
        rougher = [
            place
            for place, value in self._values.items()
            if place.is_rougher(self.pick) and value <= limit
        ]
        return min(rougher, key=self._values.__getitem__, default=self.pick)

    def solution(self) -> Solution:
        """Return the machine at the pick."""
        if self._solution is None:
            raise SearchFailed
        return self._solution

    def values(self) -> Array:
        """Return the values as a table, NaN where none was computed."""
        table = np.full(self._guide.shape, np.nan)
        for place, value in self._values.items():
            table[place] = value
        return table


def _sizes(n: int) -> list[int]:
    """Return the numbers of rows to look at: a twelfth (at least 500), a quarter, half, all."""
    first = max(FIRST_LOOK, n // _FIRST_SHARE)
    return [first, *(rows for rows in (n // 4, n // 2) if rows > _APART * first), n]


def _budget(rows: int, n: int) -> int:
    """Return how many values are affordable; the time of each grows with the cube of the rows."""
    return int(np.clip((max(_AFFORDABLE, _SHARE * n) / rows) ** 3, 1, _MOST))
