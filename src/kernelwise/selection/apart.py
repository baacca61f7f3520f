"""The columns of a table by two engines: exact where sweeps suffice, estimates where not."""

import copy
from collections.abc import Callable, Sequence

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise.gram import Gram
from kernelwise.kernels import Kernel
from kernelwise.selection.problem import CUBIC, Problem, score_candidates
from kernelwise.selection.result import SelectionResult

_BEYOND_SWEEPS = 12  # times the time of sweeps that estimates take, for the bar


def score_apart(
    problem: Problem,
    kernels: Sequence[Kernel],
    columns: dict[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    progress: Task,
) -> SelectionResult:
    """Score candidates; where columns are estimated, those that take no inverse are exact."""
    swept = {} if not problem.is_large else _without_inverses(problem, columns)
    if not swept:
        return score_candidates(problem, kernels, columns, ridges_for, progress)[0]
    exact = copy.copy(problem)
    (exact.engine, exact.engine_reason), exact.is_large = problem.swept_by, False
    others = {name: criterion for name, criterion in columns.items() if name not in swept}
    with progress.part("scoring", 1 + _BEYOND_SWEEPS) as task:
        first, _ = score_candidates(exact, kernels, swept, ridges_for, task)
        rest = task.sized(_BEYOND_SWEEPS)
        second, _ = score_candidates(problem, kernels, others, ridges_for, rest)
    return _merged(first, second, list(columns))


def _without_inverses(problem: Problem, columns: dict[str, Criterion]) -> dict[str, Criterion]:
    """Return the columns that would be exact on their own."""
    return {
        name: criterion
        for name, criterion in columns.items()
        if problem.needs_of(criterion).isdisjoint(CUBIC)
    }


def _merged(first: SelectionResult, second: SelectionResult, order: list[str]) -> SelectionResult:
    """Return two tables of the same candidates as one."""
    both = (first, second)
    of = {name: result for result in both for name in result.table}
    said = [f"{', '.join(r.table)} by {r.engine} ({r.engine_reason})" for r in both]
    return SelectionResult(
        first.kernels,
        first.ridges,
        {name: of[name].criteria[name] for name in order},
        {name: of[name].table[name] for name in order},
        first.notes | second.notes,
        " and ".join(dict.fromkeys(result.engine for result in both)),
        "; ".join(said),
        first.seconds + second.seconds,
        standard_errors={name: of[name].standard_errors[name] for name in order},
    )
