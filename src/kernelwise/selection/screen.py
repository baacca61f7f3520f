"""A screen of kernels on samples of the rows: as many samples as settle who survives."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise.gram import Gram
from kernelwise.kernels import Kernel
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.problem import Problem, score_candidates
from kernelwise.selection.result import SelectionResult
from kernelwise.targets import stratified_order

_ROWS = 2000
_FEWEST, _MOST = 3, 8  # samples
_ERRORS = 2.0  # standard errors that survivors must be ahead by: 95 %


def screen(
    problem: Problem,
    kernels: Sequence[Kernel],
    column: tuple[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    keep: int,
    progress: Task,
) -> SelectionResult:
    """Return the means of a criterion over samples of rows, which no two share.

    Samples are drawn until those who survive are ahead of the others with 95 % confidence.
    """
    (name, criterion), order = column, stratified_order(problem.targets, seed=1)
    sign = 1.0 if criterion.greater_is_better else -1.0
    draws: list[Array] = []
    most = min(_MOST, order.size // _ROWS)
    with progress.part("samples", most) as task:
        while len(draws) < most and not _is_settled(sign, draws, keep):
            rows = order[len(draws) * _ROWS : (len(draws) + 1) * _ROWS]
            part = problem.part(np.sort(rows)).exact()
            table, _ = score_candidates(part, kernels, {name: criterion}, ridges_for, task)
            draws.append(table.table[name])
    settled = "with" if _is_settled(sign, draws, keep) else "without reaching"
    said = f"screened on {len(draws)} samples of {_ROWS} rows, {settled} 95 % confidence"
    return replace(
        table,
        table={name: np.mean(draws, axis=0)},
        standard_errors={name: _errors(np.array(draws))},
        notes={**table.notes, f"{name}: screen": Diagnostic(said, Code.ESTIMATED)},
        engine=problem.engine.name,
        engine_reason=problem.engine_reason,
    )


def _is_settled(sign: float, draws: Sequence[Array], keep: int) -> bool:
    """Say whether the last to survive is ahead of all that do not, by paired differences."""
    if len(draws) < _FEWEST:
        return False
    values = sign * np.array(draws)
    order = np.argsort(-np.nan_to_num(values.mean(axis=0), nan=-np.inf))
    kept, others = order[:keep], order[keep:]
    # The closest call among those dropped, against the last one kept.
    ahead = values[:, kept[-1:]] - values[:, others]
    with np.errstate(invalid="ignore"):
        return bool(np.all((ahead.mean(axis=0) > _ERRORS * _errors(ahead)) | np.isnan(ahead[0])))


def _errors(draws: Array) -> Array:
    return np.asarray(draws.std(axis=0, ddof=1) / np.sqrt(draws.shape[0]))
