"""Running a cascade over candidate kernels."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise._progress import Task
from kernelwise.criteria import ELOO, Criterion, Evidence
from kernelwise.gram.psd import warn_indefinite
from kernelwise.kernels import Kernel
from kernelwise.selection.cascade import Cascade, Ridges
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.guards import edge, extended
from kernelwise.selection.inputs import name_columns
from kernelwise.selection.local_search import FIRST_LOOK, LocalSearch, SearchFailed, SearchResult
from kernelwise.selection.outcome import CascadeOutcome, Solution
from kernelwise.selection.plan import Kept
from kernelwise.selection.problem import Problem
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.scoring import score_candidates

LOCAL_ROWS = FIRST_LOOK + FIRST_LOOK // 5  # from here a first look at fewer rows pays
SEARCHES = 3  # with a grid that is extended between them


class Search:
    """A cascade over candidate kernels that keeps what it has learnt of the best.

    Parameters
    ----------
    problem : Problem
    cascade : Cascade
    ridges : Ridges
    """

    def __init__(self, problem: Problem, cascade: Cascade, ridges: Ridges) -> None:
        self._problem, self._cascade, self._ridges = problem, cascade, ridges
        self._columns = name_columns([criterion for criterion, _ in cascade.stages])
        self._kept = Kept(problem.engine.grams_at_once(problem.targets))

    def run(self, kernels: Sequence[Kernel], progress: Task, *, extend: bool) -> CascadeOutcome:
        """Choose; on request extend the grid and repeat while a kernel on its edge wins."""
        for attempt in range(SEARCHES):
            with progress.part("search", self._parts) as task:
                found = self._run_once(kernels, task)
            side = edge(kernels, found.winner)
            if not extend or side is None or attempt == SEARCHES - 1:
                break
            kernels = extended(kernels, side)
        return found

    @property
    def _parts(self) -> int:
        """How many tasks a cascade has at most."""
        # One more: what a first look at few rows cannot settle is scored in full.
        return 1 + sum(1 + criterion.has_open_tradeoffs for criterion in self._columns.values())

    def _run_once(self, kernels: Sequence[Kernel], progress: Task) -> CascadeOutcome:
        summary = _Summary(kernels, self._columns)
        survivors, picked = list(range(len(kernels))), None
        for name, (_, keep) in zip(self._columns, self._cascade.stages, strict=True):
            is_last, finalists = name == list(self._columns)[-1], len(survivors)
            if is_last and self._may_search_locally():
                survivors.sort(key=lambda i: _smoothness(kernels[i]))
                picked = self._search_locally([kernels[i] for i in survivors], progress)
            if picked is not None:
                result = picked.table
            else:
                result = self._score([kernels[i] for i in survivors], name, keep, progress)
            rule = self._cascade.rule if is_last else "best"
            survivors = summary.add(name, result, survivors, rule)[:keep]
        return self._outcome(summary.result(self._problem), survivors[0], finalists, picked)

    def _outcome(
        self, result: SelectionResult, winner: int, finalists: int, picked: "_Picked | None"
    ) -> CascadeOutcome:
        kernel, chosen = result.kernels[winner], float(result.ridges[winner])
        ridge = float(self._ridges.values[0]) if np.isnan(chosen) else chosen
        # Among equal values, one other than the search's pick may win.
        same = picked is not None and (picked.kernel, picked.solution.fit.ridge) == (kernel, ridge)
        known = picked.solution if picked is not None and same else None
        offered = None if self._ridges.relative else self._ridges.values
        evidence = self._evidence(kernel)
        return CascadeOutcome(result, winner, ridge, finalists, evidence, offered, known)

    def _evidence(self, kernel: Kernel) -> Evidence:
        """Return what is known of a kernel on all rows, or look at it again."""
        return self._kept.of(kernel) or next(self._problem.evidence([kernel]))

    def _score(
        self, kernels: Sequence[Kernel], name: str, keep: int, progress: Task
    ) -> SelectionResult:
        criterion = self._columns[name]
        ridges = self._ridges.choice if criterion.chooses_ridge else self._ridges.reference
        return score_candidates(
            self._problem, kernels, {name: criterion}, ridges, progress, self._kept, keep
        )

    def _may_search_locally(self) -> bool:
        """Say whether the last stage may look at few rows first.

        That is where it picks by leave-one-out after a screen, from enough rows. Asked for on its
        own, leave-one-out is computed for every candidate.
        """
        last, _ = self._cascade.stages[-1]
        return (
            len(self._cascade.stages) > 1
            and isinstance(last, ELOO)
            and last.greater_is_better is False
            and self._cascade.rule == "best"
            and self._problem.targets.n > LOCAL_ROWS
            and bool(np.all(np.diff(self._ridges.values) > 0.0))
            and not self._problem.takes_matrix
        )

    def _search_locally(self, kernels: Sequence[Kernel], progress: Task) -> "_Picked | None":
        """Return the values that picking took, and what was picked; None if that failed."""
        start, [*_, (name, criterion)] = time.perf_counter(), self._columns.items()
        grid = np.array([self._ridges.choice(self._evidence(k).gram) for k in kernels])
        try:
            found = LocalSearch(self._problem, kernels, criterion, grid).run(progress)
        except SearchFailed:
            return None
        for kernel in found.indefinite:
            warn_indefinite(str(kernel))
        table = SelectionResult(
            kernels=tuple(kernel for kernel in kernels for _ in grid[0]),
            ridges=grid.ravel(),
            criteria={name: criterion},
            table={name: np.where(np.isinf(found.values), np.nan, found.values).ravel()},
            notes=_set_aside(kernels, name, found),
            engine=self._problem.engine.name,
            engine_reason=self._problem.engine_reason,
            seconds=time.perf_counter() - start,
        )
        return _Picked(table, kernels[found.pick.kernel], found.solution)


class _Picked(NamedTuple):
    """What a local search picked."""

    table: SelectionResult
    kernel: Kernel
    solution: Solution


def _set_aside(kernels: Sequence[Kernel], name: str, found: SearchResult) -> dict[str, str]:
    """Return a note for every kernel that needed no exact value."""
    looked = " and ".join(str(rows) for rows in found.looked_at[:-1])
    return {
        f"{kernel}: {name}": Diagnostic(f"set aside after a look at {looked} rows", Code.SET_ASIDE)
        for kernel, values in zip(kernels, found.values, strict=True)
        if np.isnan(values).all()
    }


def _smoothness(kernel: Kernel) -> tuple[str, float]:
    """Return a key that puts wide kernels first, families apart."""
    return type(kernel).__name__, kernel.roughness


class _Summary:
    """The best value and ridge of every kernel, stage after stage."""

    def __init__(self, kernels: Sequence[Kernel], columns: dict[str, Criterion]) -> None:
        self._kernels, self._columns = kernels, columns
        self._ridges = np.full(len(kernels), np.nan)
        self._table, self._errors = {}, {}
        for name in columns:
            self._table[name], self._errors[name] = np.full((2, len(kernels)), np.nan)
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
