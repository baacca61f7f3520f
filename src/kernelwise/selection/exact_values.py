"""Exact leave-one-out on some of the rows: a climb from where it begins to the best nearby.

Leave-one-out on all rows takes the inverse of a Cholesky factor, as long again as the factor
itself. Of thousands of rows only the first machine is judged on all; the others are compared with
it on half of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria import ELOO, Evidence
from kernelwise.kernels import Kernel
from kernelwise.selection.problem import Problem, Solution

COMPARED_ROWS = 1500  # up to them every machine is judged on all rows
_ONE_IN = 4  # the share of the rows with the largest losses, and of a sample of the others
_AS_GOOD = 0.005  # a rougher machine that is worse by no more than this is better on more rows
_BY_ROW = ("press", "absolute", "squared_hinge", "error")  # losses that do not depend on other rows


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

    def losses(self, evidence: Evidence, place: GridIndex, progress: Task = SILENT) -> Array | None:
        """Return the losses of a machine on the rows that it is judged on; None if undefined."""
        with progress.part("value", evidence.gram.sweeps) as task:
            evidence.gram.progress = task
            try:
                with np.errstate(all="ignore"):  # NaN tells
                    found = np.asarray(self.criterion.value(evidence, float(self.ridges[place])))
            except Undefined:
                return None
            finally:
                evidence.gram.progress = SILENT
        return None if np.isnan(found).any() else found


class Guide(NamedTuple):
    """What fewer rows say: values of everything, NaN where undefined, and where to begin."""

    values: Array
    pick: GridIndex


class Yardstick(NamedTuple):
    """Rows on which machines are compared with a first one, which is judged on all of them.

    The mean loss is that of the first plus the mean difference, known from the rows where the first
    has its largest losses and from a sample of the others: few rows decide where losses are small.

    Attributes
    ----------
    rows : array of int
    shares : array
        What the difference of a row counts in the mean.
    losses : array
        Of the first machine on these rows.
    mean : float
        Of its losses on all rows.
    """

    rows: Array
    shares: Array
    losses: Array
    mean: float

    @classmethod
    def of(cls, losses: Array) -> "Yardstick":
        """Return the rows to compare with the losses of a machine on all rows."""
        count = losses.size // _ONE_IN
        largest, others = np.split(np.argsort(-losses, kind="stable"), [count])
        sample = np.random.default_rng(0).permutation(others)[:count]
        shares = np.full(losses.size, 1.0 / losses.size)
        shares[sample] *= others.size / sample.size
        rows = np.sort(np.concatenate([largest, sample]))
        return cls(rows, shares[rows], losses[rows], float(losses.mean()))

    def mean_of(self, losses: Array) -> float:
        """Return the mean loss of a machine on all rows, from its losses on these."""
        found = self.mean + float(self.shares @ (losses - self.losses))
        return max(found, 0.0)  # an estimate may fall below what no mean loss does


class ExactValues:
    """Values on some of the rows, each computed once, and the best of them.

    Parameters
    ----------
    part : Problem
        Those rows.
    grid : Grid
    guide : Guide
    progress : Task

    Attributes
    ----------
    pick : GridIndex
        The best so far.
    is_peak : bool
        Whether all its neighbours were evaluated.
    losses : dict of GridIndex to array
        Of machines that were not only compared.
    """

    def __init__(self, part: Problem, grid: Grid, guide: Guide, progress: Task) -> None:
        self._part, self._grid, self._progress = part, grid, progress
        self._guide, self.pick, self.is_peak = guide.values, guide.pick, False
        self._values: dict[GridIndex, float] = {}
        self.losses: dict[GridIndex, Array] = {}
        self._yardstick: Yardstick | None = None
        self._best: Evidence | None = None
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
        evidence = next(self._part.evidence([self._grid.kernels[place.kernel]]))
        yardstick = self._yardstick
        evidence.gram.judged_on = None if yardstick is None else yardstick.rows
        given = self._grid.criterion, evidence.kernel, self._grid.ridges[place]
        losses = self._part.piece(
            ("losses", *given, evidence.gram.judged_on),
            lambda: self._grid.losses(evidence, place, self._progress),
        )
        if losses is None:
            value = np.inf
        elif yardstick is not None and losses.size == yardstick.rows.size:
            value = yardstick.mean_of(losses)
        else:  # on all rows, which an engine may prefer
            value, self.losses[place] = float(losses.mean()), losses
            self._yardstick = yardstick or self._yardstick_of(losses)
        self._values[place] = value
        if place == self.pick or value < self._values[self.pick]:
            self.pick, self._best = place, None if losses is None else evidence

    def _yardstick_of(self, losses: Array) -> Yardstick | None:
        """Return what other machines are compared with; None if they are judged as this one."""
        targets = self._part.targets
        is_by_row = self._grid.criterion.loss in _BY_ROW and targets.weights is None
        return Yardstick.of(losses) if is_by_row and targets.n > COMPARED_ROWS else None

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
        """Return the machine at the pick, which is now judged if it was only compared."""
        evidence, ridge = self._best, float(self._grid.ridges[self.pick])
        if evidence is None:
            raise SearchFailed
        if self.pick not in self.losses:
            evidence.least_squares.judge_on_all(ridge)
            losses = self._grid.losses(evidence, self.pick)
            if losses is None:
                raise SearchFailed
            self.losses[self.pick] = losses
        return self._part.solution(evidence, ridge)

    def values(self) -> Array:
        """Return the means of losses as a table: infinite if undefined, NaN if only compared."""
        table = np.full(self._guide.shape, np.nan)
        for place, value in self._values.items():
            if np.isinf(value) or place in self.losses:
                table[place] = self.losses[place].mean() if place in self.losses else value
        return table
