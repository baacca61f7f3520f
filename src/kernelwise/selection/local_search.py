"""Leave-one-out over kernels and ridges: few rows first, then exactly where it matters.

An eigendecomposition of every kernel serves all ridges but takes minutes for thousands of rows. On
a sixteenth of them it takes little time; there everything is evaluated. From the best of that one
climbs to a better neighbour (the next ridge, the next width, or both) as long as there is one: up
to 1,500 rows on all of them, by exact leave-one-out. With more, machines on a quarter of the rows,
then on half of them are compared by what they say of all rows. Few rows prefer smooth machines; as
rows are added, the best width narrows and the best ridge falls. Rougher neighbours therefore come
first, and on half of the rows one climbs by what all of them are expected to say. The pick, among
some thousand rows after a last climb on all of them, is fitted and judged exactly: one Cholesky
factor and its inverse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._progress import Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import ELOO, ask
from kernelwise.kernels import Kernel
from kernelwise.selection.climb import (
    Climb,
    ExactJudge,
    Grid,
    GridIndex,
    Guide,
    Judge,
    SearchFailed,
    TrendJudge,
    TrialJudge,
    judge_of,
)
from kernelwise.selection.diagnostics import Diagnostic
from kernelwise.selection.problem import Problem, Solution
from kernelwise.targets import stratified_order

FIRST_LOOK = 500  # rows at least
_FIRST_SHARE, _LARGEST_FIRST = 16, 1000  # the first look is at one in so many rows, up to these
EXACT_VALUES = 1500  # rows up to which all values are exact
_MOST, _MOST_TRIALS = 8, 12  # values on all rows, and on part of them
# Values on some rows may take as long together as one on so many, or on this share of all rows, and
# those on a quarter of the rows a quarter of that time.
_AFFORDABLE, _SHARE, _ON_A_QUARTER = 4900, 0.73, 0.25
# How long an eigendecomposition, and a value in double precision, take: in values of trials.
_DECOMPOSITION, _DOUBLE = 20, 2
_PARTS = 100  # of a bar, about
_DOUBTFUL, _IN_DOUBT = 0.1, 6  # relative standard error of a loss, values on all rows then


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    values : array of shape (kernels, ridges)
        Exact values, of machines on all rows; NaN where none was needed.
    pick : GridIndex
    solution : Solution
        The machine at the pick.
    looked_at : list of int
        The numbers of rows in each step.
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
    indefinite: list[Kernel]
    standard_errors: Array | None = None
    notes: tuple[Diagnostic, ...] = ()


class LocalSearch:
    """Looks for the kernel and ridge with the least value of a leave-one-out criterion.

    Parameters
    ----------
    problem : Problem
    kernels : list of Kernel
        Neighbours in the list should be alike: sorted by width.
    criterion : ELOO
        A loss to be minimised.
    ridges : array of shape (kernels, ridges)
        In ascending order.
    """

    def __init__(
        self, problem: Problem, kernels: Sequence[Kernel], criterion: ELOO, ridges: Array
    ) -> None:
        self._problem, self._grid = problem, Grid(kernels, criterion, ridges)
        self._order = stratified_order(problem.targets)
        self._indefinite: list[Kernel] = []

    def run(self, progress: Task) -> SearchResult:
        """Look at more and more rows, then fit the pick to all of them."""
        n, stages, exact = self._n, self._stages(), ExactJudge(self._problem, self._grid)
        budget = 1 if stages else _budget(n, n)
        first, *shares, last = self._shares(stages, budget)
        with progress.part("leave-one-out", first + sum(shares) + last) as task:
            with task.part("first look", len(self._grid.kernels), first) as part:
                guide = self._first_look(_first_rows(n), part)
            for stage, share in zip(stages, shares, strict=True):
                guide = self._compared(stage, guide, task.sized(share))
            with task.part("exact values", budget, last) as part, limited(rows=n):
                pick = Climb(exact, guide, part).run(budget).pick
                solution = exact.solution(pick)
        values = np.full(self._grid.ridges.shape, np.nan)
        for place, value in exact.values.items():
            values[place] = value
        looked_at = sorted({_first_rows(n), *(stage.rows for stage in stages), n})
        return SearchResult(values, pick, solution, looked_at, self._indefinite)

    @property
    def _n(self) -> int:
        return self._problem.targets.n

    def _stages(self) -> list["_Stage"]:
        """Return who compares machines before the pick is judged exactly, on more and more rows."""
        n = self._n
        if n <= EXACT_VALUES:
            return []
        quarter, half = (self._judge(rows) for rows in (n // 4, n // 2))
        return [
            _Stage(quarter, n // 4, _budget(n // 4, n, _ON_A_QUARTER), True),
            _Stage(TrendJudge(quarter, half), n // 2, _budget(n // 2, n), False),
            _Stage(self._judge(n), n, _budget(n, n), False, doubted_by=half),
        ]

    def _judge(self, rows: int) -> TrialJudge:
        return judge_of(self._problem, self._order, rows, self._grid)

    def _shares(self, stages: list["_Stage"], budget: int) -> list[int]:
        """Return how the time goes: into the first look, every stage, and exact values."""
        first = _DECOMPOSITION * len(self._grid.kernels) * _first_rows(self._n) ** 3
        between = [(stage.budget - 1 + stage.is_partial) * stage.rows**3 for stage in stages]
        work = np.array([first, *between, _DOUBLE * budget * self._n**3], dtype=float)
        return [max(1, round(share)) for share in _PARTS * work / work.sum()]

    def _compared(self, stage: "_Stage", guide: Guide, progress: Task) -> Guide:
        """Return where to begin after a stage."""
        budget = stage.budget_at(guide.pick)
        with progress.part("comparison", budget) as part, limited(rows=stage.rows):
            if budget == 1 and not stage.is_partial:
                return guide  # there is nothing to compare
            rough = stage.rows < self._n
            climb = Climb(stage.judge, guide, part, rougher_first=rough)
            return climb.run(budget).guide(stage.is_partial)

    def _first_look(self, rows: int, progress: Task) -> Guide:
        """Return the values of everything on a few rows."""
        kernels, criterion, grid = self._grid
        table = np.full(grid.shape, np.nan)
        with limited(rows=rows):
            for k, evidence in enumerate(self._part(rows).evidence(kernels)):
                ridges = grid[k].tolist()
                evidence.prefit(ridges, criterion.needs)
                table[k] = [ask(criterion, evidence, ridge).mean for ridge in ridges]
                if evidence.is_psd is False:
                    self._indefinite.append(kernels[k])
                progress.advance()
        if not np.isfinite(table).any():
            raise SearchFailed
        return Guide(
            table, GridIndex(*map(int, np.unravel_index(np.nanargmin(table), table.shape)))
        )

    def _part(self, rows: int) -> Problem:
        """Return the problem on the first rows, in an order that mixes the classes."""
        if rows == self._problem.targets.n:
            return self._problem
        return self._problem.part(np.sort(self._order[:rows]))


class _Stage(NamedTuple):
    """A climb on some of the rows."""

    judge: Judge
    rows: int
    budget: int  # values
    is_partial: bool  # whether what is best there need not be what is best on all rows
    doubted_by: TrialJudge | None = None

    def budget_at(self, pick: GridIndex) -> int:
        """Return the budget, a larger one where few rows decide over what was picked before."""
        if self.doubted_by is None or self.doubted_by.relative_error(pick) < _DOUBTFUL:
            return self.budget
        return max(self.budget, _IN_DOUBT)


def _first_rows(n: int) -> int:
    """Return the number of rows of the first look: a sixteenth, 500 to 1,000."""
    return max(FIRST_LOOK, min(n // _FIRST_SHARE, _LARGEST_FIRST))


def _budget(rows: int, n: int, share: float = 1.0) -> int:
    """Return how many values are affordable; the time of each grows with the cube of the rows."""
    most = _MOST if rows == n else _MOST_TRIALS
    return int(np.clip(share * (max(_AFFORDABLE, _SHARE * n) / rows) ** 3, 1, most))
