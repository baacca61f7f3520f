"""Running a cascade over candidate kernels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelwise._progress import Task
from kernelwise.criteria import Criterion
from kernelwise.gram import Gram
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import Array
from kernelwise.selection.cascade import Cascade
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.scoring import Problem, score_candidates

# Ridges tried by default, in units of the mean of the kernel matrix's diagonal.
AUTO_RIDGES = 10.0 ** np.arange(-4.0, 3.0)
REFERENCE_RIDGE = 1.0  # the papers' fixed ridge, for criteria that may not choose one


@dataclass(frozen=True, eq=False)
class Ridges:
    """The ridges to try: given numbers, or multiples of the mean diagonal of each matrix."""

    values: Array
    relative: bool

    def choice(self, gram: Gram) -> Array:
        """Return the ridges that a criterion may choose from."""
        return self.values * self._unit(gram)

    def reference(self, gram: Gram) -> Array:
        """Return the one ridge of a criterion that may not choose: that nearest the papers' 1."""
        nearest = np.abs(np.log(self.values / REFERENCE_RIDGE)).argmin()
        return self.choice(gram)[[nearest]]

    def _unit(self, gram: Gram) -> float:
        mean = gram.statistics.trace / gram.statistics.n
        return mean if self.relative and mean > 0.0 and np.isfinite(mean) else 1.0


def run_cascade(
    problem: Problem,
    kernels: Sequence[Kernel],
    cascade: Cascade,
    ridges: Ridges,
    progress: Task,
) -> tuple[SelectionResult, int]:
    """Return a table with one row per kernel, a column per stage, and the row that won."""
    columns = _stage_columns([criterion for criterion, _ in cascade.stages])
    summary = _Summary(kernels, columns)
    survivors = list(range(len(kernels)))
    for (name, criterion), (_, keep) in zip(columns.items(), cascade.stages, strict=True):
        result = score_candidates(
            problem,
            [kernels[i] for i in survivors],
            {name: criterion},
            ridges.choice if criterion.chooses_ridge else ridges.reference,
            progress,
        )
        survivors = summary.add(name, result, survivors)[:keep]
    return summary.result(problem), survivors[0]


def _stage_columns(criteria: Sequence[Criterion]) -> dict[str, Criterion]:
    """Name the column of every stage, also where two stages ask the same."""
    names = [criterion.name for criterion in criteria]
    columns: dict[str, Criterion] = {}
    for criterion in criteria:
        name = criterion.name if names.count(criterion.name) == 1 else criterion.label
        while name in columns:
            name += " again"
        columns[name] = criterion
    return columns


def ridge_of(result: SelectionResult, winner: int, ridges: Ridges) -> float:
    """Return the ridge chosen for the winner, or the only one there was."""
    chosen = float(result.ridges[winner])
    return float(ridges.values[0]) if np.isnan(chosen) else chosen


class _Summary:
    """The best value and ridge of every kernel, stage after stage."""

    def __init__(self, kernels: Sequence[Kernel], columns: dict[str, Criterion]) -> None:
        self._kernels, self._columns = kernels, columns
        self._ridges = np.full(len(kernels), np.nan)
        self._table = {name: np.full(len(kernels), np.nan) for name in columns}
        self._notes: dict[str, str] = {}
        self._seconds = 0.0

    def add(self, name: str, result: SelectionResult, rows: list[int]) -> list[int]:
        """Add a stage and return its rows from the best to the worst, the undefined left out."""
        result.best_index(name)  # says so where nothing is defined
        sign = -1.0 if self._columns[name].greater_is_better else 1.0
        losses = sign * result.table[name].reshape(len(rows), -1)
        ridges = result.ridges.reshape(len(rows), -1)
        at = np.where(np.isnan(losses), np.inf, losses).argmin(axis=1)
        best = np.take_along_axis(losses, at[:, None], axis=1)[:, 0]
        self._table[name][rows] = sign * best
        if self._columns[name].uses_ridge:
            self._ridges[rows] = np.take_along_axis(ridges, at[:, None], axis=1)[:, 0]
        self._notes.update(result.notes)
        self._seconds += result.seconds
        order = np.argsort(best, kind="stable")  # NaN comes last
        return [rows[i] for i in order[: np.count_nonzero(~np.isnan(best))]]

    def result(self, problem: Problem) -> SelectionResult:
        """Return the table."""
        return SelectionResult(
            tuple(self._kernels),
            self._ridges,
            self._columns,
            self._table,
            self._notes,
            problem.engine.name,
            problem.engine_reason,
            self._seconds,
        )
