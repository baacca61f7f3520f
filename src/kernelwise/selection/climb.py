"""A climb over kernels and ridges from where it begins to the best nearby, and who judges them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria import ELOO, Evidence
from kernelwise.gram.panels import steps_for
from kernelwise.gram.trials import Trials
from kernelwise.kernels import Kernel
from kernelwise.machines.base import standard_error
from kernelwise.machines.held_out import HeldOutFit, LeftOut
from kernelwise.selection.problem import Problem, Solution

_AS_GOOD = 0.005  # a rougher machine that is worse by no more than this is better on more rows
_GOES_ON = 0.7  # a doubling of the rows changes the log of a loss by this times the one before
_GAINS_MOST = 0.05  # of its loss, by which a machine is expected to gain on another


class SearchFailed(Exception):
    """Few rows have no finite value anywhere, or their pick has none on all rows."""


class GridIndex(NamedTuple):
    """A kernel and a ridge, by position: from wide to narrow, from small to large."""

    kernel: int
    ridge: int

    def is_rougher(self, other: "GridIndex") -> bool:
        """Say whether the kernel is narrower than another, or the same with a smaller ridge."""
        return (self.kernel, -self.ridge) > (other.kernel, -other.ridge)


class Grid(NamedTuple):
    """What a search looks among, and for the least value of what.

    Attributes
    ----------
    kernels : sequence of Kernel
        Neighbours should be alike: sorted by width.
    criterion : ELOO
        A loss to be minimised.
    ridges : array of shape (kernels, ridges)
        In ascending order.
    """

    kernels: Sequence[Kernel]
    criterion: ELOO
    ridges: Array


class Guide(NamedTuple):
    """What fewer rows say: values of everything, NaN where undefined, and where to begin.

    Of some places they were computed on as many rows as a stage had, of the others on a few.
    """

    values: Array
    pick: GridIndex
    compared: frozenset[GridIndex] = frozenset()


class Judge(ABC):
    """Says how good machines are; a climb asks it for each of them once."""

    @abstractmethod
    def value(self, place: GridIndex, progress: Task = SILENT) -> float:
        """Return a loss, infinite if it is undefined."""


class ExactJudge(Judge):
    """Judges machines on all rows by leave-one-out.

    Parameters
    ----------
    problem : Problem
    grid : Grid
    """

    def __init__(self, problem: Problem, grid: Grid) -> None:
        self._problem, self._grid = problem, grid
        self.values: dict[GridIndex, float] = {}
        self._best: tuple[GridIndex, Evidence] | None = None

    def value(self, place: GridIndex, progress: Task = SILENT) -> float:
        """Return the mean loss, infinite if it is undefined; the best machine so far is kept."""
        if place not in self.values:
            evidence = next(self._problem.evidence([self._grid.kernels[place.kernel]]))
            found = self.values[place] = self._mean_loss(evidence, place, progress)
            if np.isfinite(found) and found <= min(self.values.values()):
                self._best = place, evidence
        return self.values[place]

    def _mean_loss(self, evidence: Evidence, place: GridIndex, progress: Task) -> float:
        with progress.part("value", evidence.gram.sweeps) as task:
            evidence.gram.progress = task
            try:
                with np.errstate(all="ignore"):  # NaN tells
                    ridge = float(self._grid.ridges[place])
                    found = float(np.mean(self._grid.criterion.value(evidence, ridge)))
            except Undefined:
                return np.inf
            finally:
                evidence.gram.progress = SILENT
        return np.inf if np.isnan(found) else found

    def solution(self, place: GridIndex, progress: Task = SILENT) -> Solution:
        """Return the machine at a place, judged exactly."""
        if np.isinf(self.value(place, progress)):
            raise SearchFailed
        if self._best is None or self._best[0] != place:
            evidence = next(self._problem.evidence([self._grid.kernels[place.kernel]]))
        else:
            evidence = self._best[1]
        return self._problem.solution(evidence, float(self._grid.ridges[place]))


class TrialJudge(Judge):
    """Judges machines on some of the rows by all rows: leave-one-out, and predictions elsewhere.

    Parameters
    ----------
    problem : Problem
        Rows in some order.
    trials : Trials
        On the same rows.
    rows : int
        How many of them machines are fitted to.
    grid : Grid
    """

    def __init__(self, problem: Problem, trials: Trials, rows: int, grid: Grid) -> None:
        self._problem, self._trials, self._rows, self._grid = problem, trials, rows, grid
        self._values: dict[GridIndex, tuple[float, float]] = {}

    def value(self, place: GridIndex, progress: Task = SILENT) -> float:
        """Return the mean loss on all rows, infinite if it is undefined."""
        if place not in self._values:
            kernel, ridge = self._grid.kernels[place.kernel], float(self._grid.ridges[place])
            self._values[place] = self._mean_loss(kernel, ridge, progress)
        return self._values[place][0]

    def relative_error(self, place: GridIndex) -> float:
        """Return the standard error of a value over the value."""
        self.value(place)
        return self._values[place][1]

    def _mean_loss(self, kernel: Kernel, ridge: float, progress: Task) -> tuple[float, float]:
        """Return the mean loss and its relative standard error."""
        with progress.part("value", steps_for(self._rows)) as task:
            values = self._trials.left_out(kernel, ridge, task)
        if values is None:
            return np.inf, 0.0
        targets = self._problem.targets
        residuals, weights = targets.fit_columns - values, targets.relative_weights
        fit = HeldOutFit(ridge, np.zeros(1), values, residuals, None, weights)
        losses = np.atleast_1d(self._grid.criterion.losses(targets, LeftOut(fit)))
        mean = float(losses.mean())
        if not 0.0 < mean < np.inf:
            return (mean if mean == 0.0 else np.inf), 0.0
        return mean, standard_error(losses) / mean


class TrendJudge(Judge):
    """Judges machines by what twice as many rows are expected to say of them.

    Losses fall as rows are added, those of rough machines by more: what the last doubling changed,
    the next is expected to change by 0.7 as much, as losses do that approach their limit with the
    square root of the number of rows. Machines that fit too few rows too closely are so bad that
    their loss falls many times faster, for a while: by more than 5 % none is expected to gain on
    the first.

    Parameters
    ----------
    fewer, more : TrialJudge
        On half and on all of the rows.
    """

    def __init__(self, fewer: TrialJudge, more: TrialJudge) -> None:
        self._fewer, self._more = fewer, more
        self._of_first: float | None = None

    def value(self, place: GridIndex, progress: Task = SILENT) -> float:
        """Return the expected loss, infinite if it is undefined."""
        before, now = self._fewer.value(place), self._more.value(place, progress)
        if np.isinf(before) or np.isinf(now):
            return np.inf
        change = (now / before) ** _GOES_ON if before > 0.0 else 1.0
        if self._of_first is None:
            self._of_first = change
        return now * max(change, (1.0 - _GAINS_MOST) * self._of_first)


class Climb:
    """Values near a beginning, each computed once, and the best of them.

    Parameters
    ----------
    judge : Judge
    guide : Guide
    progress : Task
    rougher_first : bool, default=True
        Whether rougher neighbours come before others, as where the guide knows fewer rows alone;
        otherwise those that the guide has compared on many.

    Attributes
    ----------
    pick : GridIndex
        The best so far.
    is_peak : bool
        Whether all its neighbours were evaluated.
    """

    def __init__(
        self, judge: Judge, guide: Guide, progress: Task, *, rougher_first: bool = True
    ) -> None:
        self._judge, self._progress, self._guide = judge, progress, guide.values
        self._compared = guide.compared
        self._rougher_first = rougher_first
        self.pick, self.is_peak = guide.pick, False
        self._values: dict[GridIndex, float] = {}
        self._evaluate(guide.pick)

    def run(self, budget: int) -> "Climb":
        """Go to a better neighbour as long as there is one and the budget lasts."""
        while not self.is_peak:
            before = self.pick
            for place in self._worth_a_look():
                if len(self._values) >= budget:
                    return self
                self._evaluate(place)
                if self.pick != before:
                    break
            self.is_peak = self.pick == before
        return self

    def _worth_a_look(self) -> list[GridIndex]:
        """Return the neighbours of the pick, the most promising first.

        Rougher ones, or those compared before, come first, then the guide decides. It hides none:
        losses near zero vary many times over from few rows to all.
        """
        k, j = self.pick
        # A narrower kernel goes with a larger ridge.
        around = [(k, j - 1), (k, j + 1), (k + 1, j), (k - 1, j), (k + 1, j + 1), (k - 1, j - 1)]
        kernels, ridges = self._guide.shape
        places = [GridIndex(*p) for p in around if 0 <= p[0] < kernels and 0 <= p[1] < ridges]
        # What is undefined on fewer rows is not defined on more.
        new = [p for p in places if p not in self._values and np.isfinite(self._guide[p])]

        def rank(p: GridIndex) -> tuple[bool, float]:
            is_first = p.is_rougher(self.pick) if self._rougher_first else p in self._compared
            return not is_first, float(self._guide[p])

        return sorted(new, key=rank)

    def _evaluate(self, place: GridIndex) -> None:
        value = self._values[place] = self._judge.value(place, self._progress)
        if value < self._values[self.pick]:
            self.pick = place

    def guide(self, is_partial: bool) -> Guide:
        """Return what to expect next: the guide, rescaled at the pick, and the values.

        More rows, after part of them, begin with a rougher machine where that is as good.
        """
        value, expected = self._values[self.pick], self._guide[self.pick]
        scale = value / expected if expected > 0.0 else 1.0
        updated = self._guide * (scale if np.isfinite(scale) else 1.0)
        for place, value in self._values.items():
            updated[place] = value
        pick = self._start_on_more_rows() if is_partial else self.pick
        return Guide(updated, pick, frozenset(self._values))

    def _start_on_more_rows(self) -> GridIndex:
        """Return the best of what is rougher than the pick and as good, or the pick."""
        limit = self._values[self.pick] * (1.0 + _AS_GOOD)
        rougher = [
            place
            for place, value in self._values.items()
            if place.is_rougher(self.pick) and value <= limit
        ]
        return min(rougher, key=self._values.__getitem__, default=self.pick)


def judge_of(problem: Problem, order: Array, rows: int, grid: Grid) -> TrialJudge:
    """Return who judges machines that are fitted to the first rows in some order."""
    ordered = problem.part(np.concatenate([np.sort(order[:rows]), np.sort(order[rows:])]))
    trials = Trials(grid.kernels, ordered.X, ordered.targets, rows, problem.fit_intercept)
    return TrialJudge(ordered, trials, rows, grid)
