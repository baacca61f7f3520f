"""A screen of kernels on samples of the rows: as many samples as settle who survives."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import t

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise.gram import Gram
from kernelwise.kernels import Kernel
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.problem import Problem, score_candidates
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.widths import surviving
from kernelwise.targets import stratified_order

_ROWS = 2000
_FEWEST, _MOST = 3, 8  # samples
_CONFIDENCE = 0.95  # that survivors are ahead of the others


def screen(
    problem: Problem,
    kernels: Sequence[Kernel],
    column: tuple[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    keep: int,
    progress: Task,
) -> SelectionResult:
    """Return the means of a criterion over samples of rows, which no two share.

    Samples are drawn until those who survive are ahead of the others with 95 % confidence. Few rows
    are scored as they are.
    """
    (name, criterion), order = column, stratified_order(problem.targets, seed=1)
    most = min(_MOST, order.size // _ROWS)
    if most < _FEWEST:
        table, _ = score_candidates(
            problem.exact(), kernels, {name: criterion}, ridges_for, progress
        )
        return table
    sign = 1.0 if criterion.greater_is_better else -1.0
    draws: list[Array] = []
    start = time.perf_counter()
    with progress.part("samples", most) as task:
        while len(draws) < most and not _is_settled(sign, draws, kernels, keep):
            rows = order[len(draws) * _ROWS : (len(draws) + 1) * _ROWS]
            part = problem.part(np.sort(rows)).exact()
            table, _ = score_candidates(part, kernels, {name: criterion}, ridges_for, task)
            draws.append(table.table[name])
    settled = "with" if _is_settled(sign, draws, kernels, keep) else "without reaching"
    said = f"screened on {len(draws)} samples of {_ROWS} rows, {settled} 95 % confidence"
    return replace(
        table,
        table={name: np.mean(draws, axis=0)},
        standard_errors={name: _errors(np.array(draws))},
        notes={**table.notes, f"{name}: screen": Diagnostic(said, Code.ESTIMATED)},
        engine=problem.engine.name,
        engine_reason=problem.engine_reason,
        seconds=time.perf_counter() - start,
    )


def _is_settled(sign: float, draws: Sequence[Array], kernels: Sequence[Kernel], keep: int) -> bool:
    """Say whether the last of a family to survive is ahead of all that do not, by differences."""
    if len(draws) < _FEWEST:
        return False
    values = sign * np.array(draws)
    order = np.argsort(-np.nan_to_num(values.mean(axis=0), nan=-np.inf))
    kept = surviving(kernels, order.tolist(), keep)
    last = {kernels[i].family: i for i in kept}
    others = [i for i in order.tolist() if i not in kept]
    ahead = values[:, [last[kernels[i].family] for i in others]] - values[:, others]
    errors = float(t.ppf(_CONFIDENCE, len(draws) - 1)) * _errors(ahead)
    return bool(np.all((ahead.mean(axis=0) > errors) | np.isnan(ahead).any(axis=0)))


def _errors(draws: Array) -> Array:
    return np.asarray(draws.std(axis=0, ddof=1) / np.sqrt(draws.shape[0]))
