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

import numpy as np

from kernelwise._progress import Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import ELOO, ask
from kernelwise.kernels import Kernel
from kernelwise.selection.diagnostics import Diagnostic
from kernelwise.selection.exact_values import ExactValues, Grid, GridIndex, Guide, SearchFailed
from kernelwise.selection.problem import Problem, Solution
from kernelwise.targets import stratified_order

FIRST_LOOK = 500  # rows at least
_FIRST_SHARE, _LARGEST_FIRST = 12, 1000  # the first look is at one in so many rows, up to these
_APART = 1.4  # times as many rows are worth another look
_MOST = 12  # values on one set of rows
# Values on fewer rows may take as long together as one on so many, or on this share of all rows.
_AFFORDABLE, _SHARE = 5800, 0.8


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
        """Look at more and more rows."""
        sizes = _sizes(self._problem.targets.n)
        look = self._look(sizes, progress)
        solution = look.solution()  # which may judge the pick
        return SearchResult(
            look.values(), look.pick, solution, sizes, look.is_peak, self._indefinite
        )

    def _look(self, sizes: list[int], progress: Task) -> ExactValues:
        """Return values on the last number of rows, near what is best on the ones before.

        Those take about as long together: every step gets half of what is left of a bar.
        """
        *fewer, rows = sizes
        budget = _budget(rows, self._problem.targets.n)
        with progress.part("leave-one-out", 2) as task:
            if len(fewer) > 1:
                guide = self._look(fewer, task).guide()
            else:
                with task.part("first look", len(self._grid.kernels)) as part:
                    guide = self._first_look(fewer[0], part)
            with task.part("exact values", budget) as part, limited(rows=rows):
                look = ExactValues(self._part(rows), self._grid, guide, part)
                look.climb(budget)
        return look

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


def _sizes(n: int) -> list[int]:
    """Return the numbers of rows to look at: a twelfth (500 to 1,000), a quarter, half, all."""
    first = max(FIRST_LOOK, min(n // _FIRST_SHARE, _LARGEST_FIRST))
    return [first, *(rows for rows in (n // 4, n // 2) if rows > _APART * first), n]


def _budget(rows: int, n: int) -> int:
    """Return how many values are affordable; the time of each grows with the cube of the rows."""
    return int(np.clip((max(_AFFORDABLE, _SHARE * n) / rows) ** 3, 1, _MOST))
