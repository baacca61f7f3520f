"""Running a cascade over candidate kernels."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise.criteria import ELOO, Criterion
from kernelwise.gram import Gram
from kernelwise.gram.psd import warn_indefinite
from kernelwise.kernels import Kernel
from kernelwise.machines import RidgeFit
from kernelwise.selection.cascade import Cascade
from kernelwise.selection.choice import Choice
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.guards import edge, extended
from kernelwise.selection.local_search import FIRST_LOOK, LocalSearch, SearchFailed
from kernelwise.selection.problem import Problem
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.scoring import score_candidates

# Ridges tried by default, in units of the mean of the kernel matrix's diagonal.
AUTO_RIDGES = 10.0 ** np.arange(-4.0, 3.0)
ZOOM_ROWS = FIRST_LOOK + FIRST_LOOK // 5  # from here a first look at fewer rows pays
SEARCHES = 3  # with a grid that is extended between them
REFERENCE_RIDGE = 1.0  # the papers' fixed ridge, for criteria that may not choose one


@dataclass(frozen=True, eq=False)
class Ridges:
    """The ridges to try: given numbers, or multiples of the mean diagonal of each matrix."""

    values: Array
    relative: bool

    def choice(self, gram: Gram) -> Array:
        """Return the ridges that a criterion may choose from."""
        return self.for_diagonal(gram.statistics.diagonal)

    def for_diagonal(self, diagonal: Array) -> Array:
        """Return the ridges to choose from for a matrix with this diagonal."""
        mean = float(diagonal.mean())
        unit = mean if self.relative and mean > 0.0 and np.isfinite(mean) else 1.0
        return np.asarray(self.values * unit)

    def reference(self, gram: Gram) -> Array:
        """Return the one ridge of a criterion that may not choose: that nearest the papers' 1."""
        nearest = np.abs(np.log(self.values / REFERENCE_RIDGE)).argmin()
        return self.choice(gram)[[nearest]]


def run_cascade(
    problem: Problem,
    kernels: Sequence[Kernel],
    cascade: Cascade,
    ridges: Ridges,
    progress: Task,
) -> Choice:
    """Return a table with one row per kernel, a column per stage, and what won."""
    columns = _stage_columns([criterion for criterion, _ in cascade.stages])
    summary = _Summary(kernels, columns)
    survivors = list(range(len(kernels)))
    machine: tuple[Kernel, RidgeFit] | None = None
    for (name, criterion), (_, keep) in zip(columns.items(), cascade.stages, strict=True):
        found, finalists = None, len(survivors)
        if name == list(columns)[-1] and _may_zoom(problem, cascade, ridges):
            survivors.sort(key=lambda i: _smoothness(kernels[i]))
            chosen = [kernels[i] for i in survivors]
            found = _zoom(problem, chosen, name, criterion, ridges, progress)
        if found is not None:
            result, machine = found
        else:
            result = score_candidates(
                problem,
                [kernels[i] for i in survivors],
                {name: criterion},
                ridges.choice if criterion.chooses_ridge else ridges.reference,
                progress,
            )
        rule = cascade.rule if name == list(columns)[-1] else "best"
        survivors = summary.add(name, result, survivors, rule)[:keep]
    result, winner = summary.result(problem), survivors[0]
    # Of equal values another than the one climbed to may be preferred.
    same = machine is not None and (kernels[winner], result.ridges[winner]) == (
        machine[0],
        machine[1].ridge,
    )
    known = machine[1] if machine is not None and same else None
    return Choice(result, winner, finalists, known)


def search(
    problem: Problem,
    kernels: Sequence[Kernel],
    cascade: Cascade,
    ridges: Ridges,
    progress: Task,
) -> tuple[list[Kernel], Choice]:
    """Run a cascade; while a Gaussian on the edge of the grid wins, extend the grid and repeat."""
    kernels = list(kernels)
    for attempt in range(SEARCHES):
        with progress.part("search", parts(cascade)) as task:
            found = run_cascade(problem, kernels, cascade, ridges, task)
        side = edge(kernels, found.winner)
        if side is None or attempt == SEARCHES - 1:
            break
        kernels = extended(kernels, side)
    return kernels, found


def parts(cascade: Cascade) -> int:
    """Return how many tasks a cascade has at most."""
    # One more: what a first look at few rows cannot settle is scored in full.
    return (
        1
        + len(cascade.stages)
        + sum(criterion.has_open_tradeoffs for criterion, _ in cascade.stages)
    )


def _may_zoom(problem: Problem, cascade: Cascade, ridges: Ridges) -> bool:
    """Say whether the last stage may look at few rows first.

    That is where it picks by leave-one-out after a screen, from enough rows. Asked for on its own,
    leave-one-out is computed for every candidate.
    """
    return (
        len(cascade.stages) > 1
        and isinstance(cascade.stages[-1][0], ELOO)
        and cascade.stages[-1][0].greater_is_better is False
        and cascade.rule == "best"
        and problem.targets.n > ZOOM_ROWS
        and bool(np.all(np.diff(ridges.values) > 0.0))
        and not problem.takes_matrix
    )


def _smoothness(kernel: Kernel) -> tuple[str, float]:
    """Return a key that puts wide kernels first, families apart."""
    return type(kernel).__name__, kernel.roughness


def _zoom(
    problem: Problem,
    kernels: Sequence[Kernel],
    name: str,
    criterion: Criterion,
    ridges: Ridges,
    progress: Task,
) -> tuple[SelectionResult, tuple[Kernel, RidgeFit]] | None:
    """Return the values that picking took, and the machine that was picked; None if it failed."""
    start = time.perf_counter()
    grid = np.array([ridges.for_diagonal(k.diagonal(problem.X)) for k in kernels])
    try:
        found = LocalSearch(problem, kernels, criterion, grid).run(progress)
    except SearchFailed:
        return None
    for kernel in kernels:
        if kernel.is_psd is False:
            warn_indefinite(str(kernel))
    looked = " and ".join(str(rows) for rows in found.looked_at[:-1])
    notes: dict[str, str] = {
        f"{kernel}: {name}": Diagnostic(f"set aside after a look at {looked} rows", Code.SET_ASIDE)
        for kernel, values in zip(kernels, found.values, strict=True)
        if np.isnan(values).all()
    }
    result = SelectionResult(
        kernels=tuple(kernel for kernel in kernels for _ in grid[0]),
        ridges=grid.ravel(),
        criteria={name: criterion},
        table={name: np.where(np.isinf(found.values), np.nan, found.values).ravel()},
        notes=notes,
        engine=problem.engine.name,
        engine_reason=problem.engine_reason,
        seconds=time.perf_counter() - start,
    )
    return result, (kernels[found.pick.kernel], found.fit)


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
        self._errors = {name: np.full(len(kernels), np.nan) for name in columns}
        self._notes: dict[str, str] = {}
        self._timings: dict[str, float] = {}

    def add(self, name: str, result: SelectionResult, rows: list[int], rule: str) -> list[int]:
        """Add a stage and return its rows from the best to the worst, the undefined left out.

        Every kernel enters with its preferred ridge.
        """
        ridges = len(result) // len(rows)
        order: list[int] = []
        for place in result.ranking(name, rule):
            row = rows[place // ridges]
            if row not in order:
                order.append(row)
                self._table[name][row] = result.table[name][place]
                if name in result.standard_errors:
                    self._errors[name][row] = result.standard_errors[name][place]
                if self._columns[name].uses_ridge:
                    self._ridges[row] = result.ridges[place]
        self._notes.update(result.notes)
        self._timings[name] = result.seconds
        return order

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
            sum(self._timings.values()),
            standard_errors=self._errors,
            timings=self._timings,
        )
