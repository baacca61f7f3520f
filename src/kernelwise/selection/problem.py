"""Validated data, with the engine and the machine to judge it by, and the scoring loop."""

import copy
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from kernelwise._arguments import as_bytes, in_words
from kernelwise._progress import SILENT, FirstParts, Task
from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence
from kernelwise.criteria.base import LEAVE_ONE_OUT, check_task
from kernelwise.gram import Engine, Gram, LowRank, Need, lacking, resolve_engine
from kernelwise.gram.dense import needed
from kernelwise.gram.refusals import NotProvided
from kernelwise.kernels import Kernel
from kernelwise.machines import Machine, RidgeFit, needs_with
from kernelwise.machines.held_out import HeldOutFit
from kernelwise.selection.budget import Budget as Budget
from kernelwise.selection.budget import rows_within, seconds_for
from kernelwise.selection.inputs import check_lengths
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.scores import Scores
from kernelwise.selection.stacks import check_matrices, part_of
from kernelwise.selection.sweeps import Sweeps
from kernelwise.selection.tradeoff import resolve_all
from kernelwise.targets import Targets, stratified_order

EXACT_ROWS = 8000  # beyond them matrices are estimated unless an engine is asked for
FEWEST_ROWS = 2500  # that an estimate makes sense for
CUBIC = frozenset({Need.SOLVE, Need.DIAGONAL, Need.BLOCKS, Need.LOGDET})
_ENTRIES_ALONE = frozenset({Need.ENTRIES, Need.SPECTRUM})


class Solution(NamedTuple):
    """A least-squares machine and what its function is a sum over.

    Attributes
    ----------
    fit : RidgeFit or HeldOutFit
    rows : array or sparse matrix of shape (m, d)
    coefficients : array of shape (m, c)
    """

    fit: RidgeFit | HeldOutFit
    rows: Any
    coefficients: Array


class Problem:
    """Data, with the engine and the machine: what every stage shares.

    Parameters
    ----------
    X : array or sparse matrix
        Validated rows, or the matrix that is given in their place.
    targets : Targets
    kernels : list of Kernel
        The candidates: all of them take a matrix, or none does.
    engine : str or Engine
    fit_intercept : bool
        Whether the least-squares machine has a bias.
    machine : subclass of Machine
        The machine that criteria with a training or cross-validation error judge by.
    budget : Budget, default=Budget()

    Attributes
    ----------
    is_large : bool
        Whether estimates take the place of exact matrices.
    swept_by : tuple of Engine and str
        The engine, and the reason for it, of what takes exact matrices all the same.
    """

    def __init__(
        self,
        X: Any,
        targets: Targets,
        kernels: Sequence[Kernel],
        engine: str | Engine,
        *,
        fit_intercept: bool,
        machine: type[Machine],
        budget: Budget = Budget(),  # noqa: B008 (a frozen value)
    ) -> None:
        self.takes_matrix = kernels[0].takes_matrix
        for kernel in kernels:
            if kernel.takes_matrix != self.takes_matrix:
                raise ValueError(
                    "kernels mixes Precomputed() with kernels of features: score them apart."
                )
        self.X = check_matrices(X, kernels) if self.takes_matrix else X
        check_lengths(self.X, targets.n)
        self.targets, self.fit_intercept, self.machine = targets, fit_intercept, machine
        self.engine, self.engine_reason = resolve_engine(
            engine, targets.n, given_matrix=self.takes_matrix, memory=budget.memory
        )
        self.swept_by = self.engine, self.engine_reason
        self.seconds, self.is_large = budget.seconds, False
        self.begun = time.monotonic()
        self._may_estimate = (
            engine == "auto"
            and not self.takes_matrix
            and all(kernel.is_psd is True for kernel in kernels)
        )

    def part(self, rows: Array) -> "Problem":
        """Return the problem on some of the rows."""
        part = copy.copy(self)
        part.X = part_of(self.X, rows) if self.takes_matrix else self.X[rows]
        part.targets = self.targets.part(rows)
        return part

    def within_reach(self) -> "Problem":
        """Return the problem, or a sample of its rows where exact matrices are out of reach."""
        if not self._may_estimate:
            return self
        some = self.exact_part(stratified_order(self.targets)[: self._most_exact])
        return some if some.targets.n < self.targets.n else self

    @property
    def _most_exact(self) -> int:
        """How many rows are few enough for an exact choice, by the seconds that it may take."""
        return EXACT_ROWS if self.seconds is None else max(FEWEST_ROWS, rows_within(self.seconds))

    def exact_part(self, rows: Array) -> "Problem":
        """Return the problem with exact matrices on the first of some rows, as many as fit."""
        most = min(self.fitting(needed(1)), rows.size)
        return self.part(np.sort(rows[:most])).exact()

    def fitting(self, bytes_a_square: float) -> int:
        """Return how many rows a square matrix may have that takes so many bytes an entry."""
        memory = as_bytes(getattr(self.engine, "memory", None))
        return int(math.sqrt(memory / bytes_a_square))

    def exact(self) -> "Problem":
        """Return the problem with its matrices as they are."""
        exact = copy.copy(self)
        exact.engine, exact.engine_reason = resolve_engine(
            "auto", self.targets.n, given_matrix=False, memory=getattr(self.engine, "memory", None)
        )
        exact.is_large = exact._may_estimate = False
        return exact

    def _decide_on_estimates(self, needs: frozenset[Need]) -> None:
        """Replace matrices by others of low rank where exact ones take too long or do not fit."""
        n = self.targets.n
        if not self._may_estimate or needs.isdisjoint(CUBIC) or needs & _ENTRIES_ALONE:
            return
        memory = getattr(self.engine, "memory", None)
        reason = f"beyond {EXACT_ROWS} rows exact leave-one-out takes minutes"
        if self.seconds is not None:
            reason = f"exact leave-one-out on {n} rows takes about {seconds_for(n):.0f} seconds"
        self.is_large = n > self._most_exact
        if n > FEWEST_ROWS and needed(n) > as_bytes(memory):
            self.is_large, reason = True, f"the matrices would take {in_words(needed(n))}"
        if self.is_large:
            self.engine, self.engine_reason = LowRank(memory=memory), reason

    def columns(self, criteria: Sequence[Criterion]) -> dict[str, Criterion]:
        """Return criteria by the names of their columns.

        A column has the name of its criterion, with parameters where two would share it. Criteria
        that are not for the target or not for the engine are refused, before any work.
        """
        columns: dict[str, Criterion] = {}
        shared = Counter(map(attrgetter("name"), criteria))
        self._decide_on_estimates(frozenset().union(*map(self.needs_of, criteria)))
        for criterion in criteria:
            check_task(criterion, self.targets)
            needs = self.needs_of(criterion)
            if criterion.uses_ridge and self.targets.weights is not None:
                needs |= self.engine.needs_to_scale  # for the weighted matrix
            self.require(needs, criterion)
            name = criterion.name if shared[criterion.name] == 1 else criterion.label
            while name in columns:  # two stages may ask the same
                name += " again"
            columns[name] = criterion
        return columns

    def needs_of(self, criterion: Criterion) -> frozenset[Need]:
        """Return what a criterion takes of a matrix, its trade-offs included."""
        needs = criterion.needs
        if criterion.has_open_tradeoffs:  # picks are tested on rows left out
            needs |= {*LEAVE_ONE_OUT, Need.ENTRIES}
        return needs_with(self.machine, needs)

    def require(self, needs: frozenset[Need], who: str | Criterion) -> None:
        """Refuse, before any work, what the engine does not provide to somebody."""
        reason = lacking(self.engine, needs, self.targets.n)
        if reason is not None:
            name = who if isinstance(who, str) else who.label
            raise NotProvided(f"{name} {reason}")

    def evidence(self, kernels: Sequence[Kernel], progress: Task = SILENT) -> Iterator[Evidence]:
        """Yield the evidence of every kernel: everything known of a matrix comes from here."""
        grams = self.engine.grams(kernels, self.X, self.targets, progress)
        for kernel, gram in zip(kernels, grams, strict=True):
            yield Evidence(gram, self.targets, kernel, self.fit_intercept, self.machine)

    def solution(self, evidence: Evidence, ridge: float) -> Solution:
        """Return the machine at a ridge, without the inverse, which is as large as the matrix."""
        fit, gram = evidence.fit(ridge).detached(), evidence.gram
        if fit.feature_weights is None:
            return Solution(fit, *gram.expansion(self.X, fit.coefficients))
        return Solution(fit, *gram.feature_expansion(fit.feature_weights))


def score_candidates(
    problem: Problem,
    kernels: Sequence[Kernel],
    columns: dict[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    progress: Task = SILENT,
    known: dict[Kernel, Evidence] | None = None,
    survivors: int = 0,
) -> tuple[SelectionResult, dict[Kernel, Evidence]]:
    """Score validated candidates; ridges may depend on the kernel matrix.

    Evidence that is known already is used, and forgotten. That of the best `survivors` by the last
    column is returned beside the table, as far as memory allows.
    """
    start, known, unresolved = time.perf_counter(), known or {}, dict[str, str]()
    if any(map(attrgetter("has_open_tradeoffs"), columns.values())):
        columns, unresolved = resolve_all(problem, kernels, columns, ridges_for, progress)
    missing = [kernel for kernel in kernels if kernel not in known]
    sweeps = Sweeps(problem, missing, columns.values()) if problem.engine.shares_sweeps else None
    takes_time = sweeps is None or sweeps.leave_work
    parts = (len(kernels) if takes_time else 0) + (0 if sweeps is None else sweeps.count)
    scores = Scores(problem, columns, unresolved, survivors)
    with progress.part(", ".join(columns), parts) as stage:
        fresh = problem.evidence(missing, stage) if sweeps is None else sweeps.evidence(stage)
        for i, kernel in enumerate(kernels):
            evidence = known.get(kernel) or next(fresh)
            if kernel not in kernels[i + 1 :]:
                known.pop(kernel, None)
            with stage.part("kernel", evidence.gram.sweeps) if takes_time else SILENT as part:
                evidence.gram.progress = FirstParts(part, evidence.gram.sweeps)
                scores.add(evidence, ridges_for(evidence.gram).tolist())
                evidence.gram.progress = SILENT
    return scores.result(time.perf_counter() - start), scores.kept
