"""A rank that suffices: doubled while that pays, and named where it still holds the choice back.

Small ranks prefer wide kernels, so that a larger one is tried with narrower kernels as well. Two
ranks are compared by the losses of the same rows left out: their difference is known much better
than either.
"""

import copy
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria import ELOO, Criterion, Evidence
from kernelwise.gram import Gram
from kernelwise.kernels import Kernel
from kernelwise.machines.base import standard_error
from kernelwise.selection.cascade import loo_criterion
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.problem import Problem, score_candidates
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.widths import narrower

_GAIN = 0.01  # share of the loss that a doubled rank must save
_ERRORS = 2.0  # standard errors that it must save
_SEVERAL = 3  # ridges, of which one may be on the edge
_NEARLY_ALL = 0.75  # of the rank: degrees of freedom that want more
_LITTLE = 0.5  # of the matrix's trace: landmarks that explain less hardly see it


class Pick(NamedTuple):
    """A kernel and a ridge at some rank, with the losses that speak for them."""

    evidence: Evidence
    ridge: float
    losses: Array | None  # by row judged; None where the machine is undefined

    @property
    def rows(self) -> Array:
        """The rows judged."""
        judged = self.evidence.fit(self.ridge).judged
        return np.arange(self.evidence.n) if judged is None else judged


def pick_of(evidence: Evidence, ridge: float, criterion: Criterion) -> Pick:
    """Return a pick with the losses of its machine on rows left out.

    They are those of the criterion if it is leave-one-out. Another is not asked: its value may be
    no mean over rows, and may take the inverse, which evidence that was kept has released.
    """
    is_by_row = isinstance(criterion, ELOO) and criterion.greater_is_better is False
    judge = criterion if is_by_row else loo_criterion(evidence.targets)
    try:
        return Pick(evidence, ridge, np.asarray(judge.value(evidence, ridge)))
    except Undefined:
        return Pick(evidence, ridge, None)


def pays(coarse: Pick, fine: Pick) -> bool:
    """Say whether the loss falls by more than chance explains, and enough to care."""
    if coarse.losses is None or fine.losses is None:
        return False
    _, left, right = np.intersect1d(coarse.rows, fine.rows, return_indices=True)
    return falls(coarse.losses[left], fine.losses[right])


def falls(before: Array, after: Array) -> bool:
    """Say whether the mean of losses of the same rows falls by two standard errors and by 1 %."""
    gains = before - after
    needed = max(_ERRORS * standard_error(gains), _GAIN * float(before.mean()))
    return bool(gains.mean() > needed)


def refine(
    problem: Problem,
    kernels: Sequence[Kernel],
    column: tuple[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    pick: Pick,
    progress: Task,
) -> tuple[Pick, list[SelectionResult], bool | None]:
    """Double the rank while that pays.

    Return the pick, the tables that led to it, and whether the last doubling paid; None if there
    was none, or none that tells.
    """
    tables: list[SelectionResult] = []
    for engine in problem.engine.refinements(problem.targets.n):
        assert pick.evidence.kernel is not None
        finer = copy.copy(problem)
        finer.engine = engine
        offered = [pick.evidence.kernel, *narrower(kernels, pick.evidence.kernel)]
        table, kept = score_candidates(
            finer, offered, dict([column]), ridges_for, progress, survivors=1
        )
        fine = _best(finer, table, kept, *column)
        if fine is None or fine.losses is None or pick.losses is None:
            break
        if not pays(pick, fine):
            return pick, tables, False
        pick = fine
        tables.append(table)
    return pick, tables, True if tables else None


def _best(
    problem: Problem,
    table: SelectionResult,
    kept: dict[Kernel, Evidence],
    name: str,
    criterion: Criterion,
) -> Pick | None:
    """Return the best of a table; None if nothing in it is defined."""
    if name not in table.choosing():
        return None
    best = table.best_index(name)
    kernel = table.kernels[best]
    evidence = kept.get(kernel) or next(problem.evidence([kernel]))
    return pick_of(evidence, float(table.ridges[best]), criterion)


def limit_of(pick: Pick, ridges: Array, paid: bool | None) -> Diagnostic | None:
    """Say so where a larger rank may do better; `paid` says whether the last doubling did.

    That it did not is no proof of a narrow kernel, which takes many times more landmarks to do
    better: few of them explain little of the matrix.
    """
    gram = pick.evidence.gram
    rank, explained = gram.rank, gram.explained
    if rank is None or pick.losses is None:
        return None
    freedom = pick.evidence.fit(pick.ridge).degrees_of_freedom
    if paid:
        why = "doubling it has paid up to here"
    elif explained < _LITTLE:
        why = f"its landmarks explain {100.0 * explained:.0f} % of the kernel matrix"
    elif paid is None and freedom > _NEARLY_ALL * rank:
        why = f"its machine has {freedom:.0f} degrees of freedom"
    elif paid is None and ridges.size >= _SEVERAL and pick.ridge <= ridges.min():
        why = "its ridge is the smallest offered"
    else:
        return None
    return Diagnostic(
        f"the chosen {pick.evidence.kernel} is still limited by the rank {rank} ({why}): raise it, "
        f"as in engine=LowRank({2 * rank})",
        Code.RANK_LIMITED,
    )
