"""Running a cascade over candidate kernels."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise.criteria import ELOO, Criterion, Evidence, get
from kernelwise.gram import Gram
from kernelwise.gram.eigensystems import are_thin
from kernelwise.gram.psd import warn_indefinite
from kernelwise.kernels import Kernel
from kernelwise.machines.held_out import HeldOutFit
from kernelwise.selection.cascade import (
    AUTO_RIDGES,
    FOR_CLASSES,
    FOR_REALS,
    REFERENCE_RIDGE,
    Cascade,
    loo_criterion,
)
from kernelwise.selection.climb import SearchFailed
from kernelwise.selection.diagnostics import Code, Diagnostic, by_landmarks
from kernelwise.selection.inputs import as_ridges
from kernelwise.selection.landmark_search import LandmarkSearch
from kernelwise.selection.local_search import FIRST_LOOK, LocalSearch, SearchResult
from kernelwise.selection.problem import Problem, Solution, score_candidates
from kernelwise.selection.ranks import limit_of, pick_of, refine
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.screen import screen
from kernelwise.selection.summary import empty_summary, enter_stage
from kernelwise.selection.widths import edge, extended, surviving, with_narrower
from kernelwise.targets import Targets

LOCAL_ROWS = FIRST_LOOK + FIRST_LOOK // 5  # from here a first look at fewer rows pays
SEARCHES = 3  # with a grid that is extended between them
_FIRST_SHARE = 8  # times the share that the bar keeps for each of the others, which are rare
_BEYOND_SWEEPS = 12  # times the time of a sweep that a stage with factors takes


@dataclass(frozen=True, eq=False)
class CascadeOutcome:
    """What a cascade found.

    Attributes
    ----------
    result : SelectionResult
        A row per candidate, a column per stage.
    winner : int
        The row that won.
    kernel : Kernel
        The kernel of that row.
    ridge : float
        The ridge that goes with it.
    finalists : int
        How many kernels reached the last stage.
    evidence : Evidence
        Of the winner, on all rows.
    offered_ridges : array or None
        The ridges that the user offered; None if they were made from the data.
    known : Solution or None
        The least-squares machine of the winner, if a local search left it behind.
    """

    result: SelectionResult
    winner: int
    kernel: Kernel
    ridge: float
    finalists: int
    evidence: Evidence
    offered_ridges: Array | None = None
    known: Solution | None = None

    @property
    def judged_by(self) -> str:
        """How the error of the winner's machine is known."""
        if self.known is not None and isinstance(self.known.fit, HeldOutFit):
            return "held-out rows"
        is_sampled = self.evidence.gram.unsound is not None
        return "leave-one-out of a sample" if is_sampled else "leave-one-out"


class Search:
    """A cascade over candidate kernels that keeps what it has learnt of the best.

    Parameters
    ----------
    problem : Problem
    criterion : "auto", str, Criterion or Cascade
        The criterion to choose by, or several in stages.
    ridge : "auto", float or list of float
        Numbers, or "auto" for multiples of the mean diagonal of each (weighted) matrix.
    """

    def __init__(self, problem: Problem, criterion: Any, ridge: Any) -> None:
        self._problem = problem
        self._relative = isinstance(ridge, str) and ridge == "auto"
        self._ridges = AUTO_RIDGES if self._relative else np.unique(as_ridges(ridge))
        self._cascade = _cascade_for(criterion, problem.targets, self._ridges.size)
        criteria, self._keep = zip(*self._cascade.stages, strict=True)
        self._columns = problem.columns(criteria)
        self._known: dict[Kernel, Evidence] = {}
        refinements = len(problem.engine.refinements(problem.targets.n))
        self._parts = refinements * _share(criteria[-1])
        for each in criteria:
            self._parts += _share(each) * (2 if each.has_open_tradeoffs else 1)

    def run(self, kernels: Sequence[Kernel], progress: Task, *, extend: bool) -> CascadeOutcome:
        """Choose; on request extend the grid and repeat while a kernel on its edge wins."""
        for attempt in range(SEARCHES):
            share = _FIRST_SHARE if extend and attempt == 0 else 1
            with progress.part("search", self._parts, share) as task:
                found = self._run_once(kernels, task)
            side = edge(kernels, found.winner)
            if not extend or side is None or attempt == SEARCHES - 1:
                break
            kernels = extended(kernels, side)
        return found

    def _run_once(self, kernels: Sequence[Kernel], progress: Task) -> CascadeOutcome:
        summary = empty_summary(self._problem, kernels, self._columns)
        survivors, picked = list(range(len(kernels))), None
        for name, keep in zip(self._columns, self._keep, strict=True):
            is_last, finalists = name == list(self._columns)[-1], len(survivors)
            alive, task = [kernels[i] for i in survivors], self._sized(progress, name)
            if is_last and self._may_search_locally(alive):
                survivors = with_narrower(kernels, survivors)
                alive = [kernels[i] for i in survivors]
                picked = self._search_locally(alive, task)
            if picked is not None:
                stage = picked.table
            elif self._problem.is_large and not is_last:
                stage = self._screen(alive, name, keep, task)
            else:
                stage = self._score(alive, name, keep, task)
            rule = self._cascade.rule if is_last else "best"
            order = enter_stage(summary, stage, survivors, rule)
            survivors = order[:keep] if is_last else self._surviving(kernels, order, name)
        winner = survivors[0]
        if picked is None:
            winner = self._refine(summary, winner, task)
        return self._outcome(summary, winner, finalists, picked)

    def _sized(self, progress: Task, name: str) -> Task:
        """Return the task of a search as a stage sees it, whose parts have their share of it."""
        return progress.sized(_share(self._columns[name]))

    def _surviving(self, kernels: Sequence[Kernel], order: Sequence[int], name: str) -> list[int]:
        """Return who survives a stage: by family where its criterion knows the matrix alone."""
        keep = self._keep[list(self._columns).index(name)]
        if self._columns[name].uses_ridge:
            return list(order[:keep])
        return surviving(kernels, order, keep)

    def _refine(self, summary: SelectionResult, winner: int, progress: Task) -> int:
        """Let an engine come closer to the matrices while that pays; return the row that won."""
        [*_, (name, criterion)] = self._columns.items()
        kernel, ridge = summary.kernels[winner], self._ridge_of(summary, winner)
        evidence, ridges_for = self._evidence(kernel), partial(self._ridges_for, criterion)
        if not (evidence.gram.rank or self._problem.engine.refinements(evidence.n)):
            return winner
        start, seconds = time.perf_counter(), summary.timings[name]
        pick = pick_of(evidence, ridge, criterion)
        given = self._problem, summary.kernels, (name, criterion), ridges_for
        pick, tables, paid = refine(*given, pick, progress)
        for table in tables:
            rows = [summary.kernels.index(kernel) for kernel in dict.fromkeys(table.kernels)]
            [winner, *_] = enter_stage(summary, table, rows, "best")
        self._known = {summary.kernels[winner]: pick.evidence}
        sets = evidence.gram.unsound, pick.evidence.gram.unsound
        summary.notes.update(by_landmarks([name], [s.size for s in sets if s is not None]))
        summary.timings[name] = seconds + time.perf_counter() - start
        limit = limit_of(pick, ridges_for(pick.evidence.gram), paid)
        if limit is not None:
            summary.notes[f"{pick.evidence.kernel}: rank"] = limit
        return winner

    def _screen(
        self, kernels: Sequence[Kernel], name: str, keep: int, progress: Task
    ) -> SelectionResult:
        """Score on samples of the rows."""
        column = name, self._columns[name]
        ridges_for = partial(self._ridges_for, column[1])
        return screen(self._problem, kernels, column, ridges_for, keep, progress)

    def _score(
        self, kernels: Sequence[Kernel], name: str, keep: int, progress: Task
    ) -> SelectionResult:
        criterion = self._columns[name]
        ridges_for = partial(self._ridges_for, criterion)
        result, self._known = score_candidates(
            self._problem, kernels, {name: criterion}, ridges_for, progress, self._known, keep
        )
        return result

    def _ridges_for(self, criterion: Criterion, gram: Gram) -> Array:
        """Return the ridges to choose from; the one nearest the papers' 1 if it may not choose."""
        diagonal, weights = gram.diagonal, self._problem.targets.weights
        if weights is not None and weights.size == diagonal.size:  # not on a sample of the rows
            diagonal = weights * diagonal
        mean = float(diagonal.mean())
        unit = mean if self._relative and mean > 0.0 and np.isfinite(mean) else 1.0
        if criterion.chooses_ridge:
            return np.asarray(self._ridges * unit)
        nearest = np.abs(np.log(self._ridges / REFERENCE_RIDGE)).argmin()
        return np.asarray(self._ridges[[nearest]] * unit)

    def _outcome(
        self, summary: SelectionResult, winner: int, finalists: int, picked: "_Picked | None"
    ) -> CascadeOutcome:
        kernel, ridge = summary.kernels[winner], self._ridge_of(summary, winner)
        # Among equal values, one other than the search's pick may win.
        same = picked is not None and (picked.kernel, picked.solution.fit.ridge) == (kernel, ridge)
        return CascadeOutcome(
            replace(summary, seconds=sum(summary.timings.values())),
            winner,
            kernel,
            ridge,
            finalists,
            self._evidence(kernel),
            None if self._relative else self._ridges,
            picked.solution if picked is not None and same else None,
        )

    def _ridge_of(self, summary: SelectionResult, row: int) -> float:
        """Return the ridge of a row; the only one offered where no criterion took it."""
        ridge = float(summary.ridges[row])
        return float(self._ridges[0]) if np.isnan(ridge) else ridge

    def _evidence(self, kernel: Kernel) -> Evidence:
        """Return what is known of a kernel on all rows, or look at it again."""
        return self._known.get(kernel) or next(self._problem.evidence([kernel]))

    def _may_search_locally(self, kernels: Sequence[Kernel]) -> bool:
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
            and bool(np.all(np.diff(self._ridges) > 0.0))
            and not self._problem.takes_matrix
            and (self._problem.is_large or not self._problem.engine.serves_all_ridges)
            and (self._problem.is_large or not are_thin(kernels, self._problem.X))
        )

    def _search_locally(self, kernels: Sequence[Kernel], progress: Task) -> "_Picked | None":
        """Return the values that picking took, and what was picked; None if that failed."""
        start, [*_, (name, criterion)] = time.perf_counter(), self._columns.items()
        grid = np.array([self._ridges_for(criterion, self._evidence(k).gram) for k in kernels])
        try:
            method = LandmarkSearch if self._problem.is_large else LocalSearch
            assert isinstance(criterion, ELOO)
            found = method(self._problem, kernels, criterion, grid).run(progress)
        except SearchFailed:
            return None
        for kernel in found.indefinite:
            warn_indefinite(str(kernel))
        table = SelectionResult(
            kernels=tuple(kernel for kernel in kernels for _ in grid[0]),
            ridges=grid.ravel(),
            criteria={name: criterion},
            table={name: np.where(np.isinf(found.values), np.nan, found.values).ravel()},
            notes=_notes(kernels, name, found),
            engine=self._problem.engine.name,
            engine_reason=self._problem.engine_reason,
            seconds=time.perf_counter() - start,
            standard_errors=_errors(name, found),
        )
        return _Picked(table, kernels[found.pick.kernel], found.solution)


def parts_of(extend: bool) -> int:
    """Return the parts of a task that searches may take, if their grid may be extended."""
    return _FIRST_SHARE + SEARCHES - 1 if extend else 1


def _share(criterion: Criterion) -> int:
    """Return the share of a search's task that each part of a stage has, as the time goes."""
    return 1 if criterion.cost == "n^2" else _BEYOND_SWEEPS


class _Picked(NamedTuple):
    """What a local search picked."""

    table: SelectionResult
    kernel: Kernel
    solution: Solution


def _notes(kernels: Sequence[Kernel], name: str, found: SearchResult) -> dict[str, str]:
    """Return a note for every kernel that needed no exact value, and what the search says."""
    *first, last = map(str, found.looked_at[:-1])
    looked = " and ".join([", ".join(first), last] if first else [last])
    set_aside = Diagnostic(f"set aside after a look at {looked} rows", Code.SET_ASIDE)
    notes: dict[str, str] = {f"{name}: {note.code}": note for note in found.notes}
    for kernel, values in zip(kernels, found.values, strict=True):
        if np.isnan(values).all():
            notes[f"{kernel}: {name}"] = set_aside
    return notes


def _errors(name: str, found: SearchResult) -> dict[str, Array]:
    """Return the standard errors of estimates, none of exact values."""
    return {} if found.standard_errors is None else {name: found.standard_errors.ravel()}


def _cascade_for(criterion: Any, targets: Targets, ridges: int) -> Cascade:
    """Return the stages; leave-one-out comes last where no other may choose among ridges."""
    if isinstance(criterion, Cascade):
        cascade = criterion
    elif criterion == "auto":
        cascade = FOR_REALS if targets.classes is None else FOR_CLASSES
    else:
        cascade = Cascade((get(criterion), 1))
    if ridges > 1 and not cascade.stages[-1][0].chooses_ridge:
        cascade = Cascade(*cascade.stages, (loo_criterion(targets), 1), rule=cascade.rule)
    return cascade
