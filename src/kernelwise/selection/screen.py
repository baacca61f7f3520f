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
from kernelwise.targets import Targets, stratified_order

_ROWS = 2000
_FEWEST, _MOST = 3, 8  # samples
_OF_A_CLASS = 2  # rows in every sample, at least: the similarity of one to itself says nothing
_CONFIDENCE = 0.95  # that survivors are ahead of the others, if that is said at any look


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
    are scored as they are. Every sample has rows of every class; if they are too few for that,
    samples share them, and the confidence is one given those rows.
    """
    name, criterion = column
    most = min(_MOST, problem.targets.n // _ROWS)
    if most < _FEWEST:
        table, _ = score_candidates(
            problem.exact(), kernels, {name: criterion}, ridges_for, progress
        )
        return table
    sign = 1.0 if criterion.greater_is_better else -1.0
    draws: list[Array] = []
    samples = _samples(problem.targets, most)
    start = time.perf_counter()
    with progress.part("samples", most) as task:
        while len(draws) < most and not _is_settled(sign, draws, kernels, keep):
            part = problem.part(np.sort(samples[len(draws)])).exact()
            table, _ = score_candidates(part, kernels, {name: criterion}, ridges_for, task)
            draws.append(table.table[name])
    settled = "with" if _is_settled(sign, draws, kernels, keep) else "without reaching"
    rows = np.concatenate(samples[: len(draws)])
    shared = ", which share rows of rare classes" if np.unique(rows).size < rows.size else ""
    said = f"screened on {len(draws)} samples of {_ROWS} rows{shared}, {settled} 95 % confidence"
    return replace(
        table,
        table={name: np.mean(draws, axis=0)},
        standard_errors={name: _errors(np.array(draws))},
        notes={**table.notes, f"{name}: screen": Diagnostic(said, Code.ESTIMATED)},
        engine=problem.engine.name,
        engine_reason=problem.engine_reason,
        seconds=time.perf_counter() - start,
    )


def _samples(targets: Targets, most: int) -> list[Array]:
    """Return samples of the rows, in which every class has its share and at least two rows.

    Classes that are too rare for that take turns with their rows, two in every sample.
    """
    order = stratified_order(targets, seed=1)
    samples = list(order[: most * _ROWS].reshape(most, _ROWS))
    if targets.classes is None:
        return samples
    c = targets.classes.size
    held = np.array([np.bincount(targets.y[rows], minlength=c) for rows in samples])
    rare = np.flatnonzero(held.min(axis=0) < _OF_A_CLASS)
    members = [order[targets.y[order] == k] for k in rare]
    for i, rows in enumerate(samples):
        turn = range(i * _OF_A_CLASS, (i + 1) * _OF_A_CLASS)
        taken = [np.unique(np.take(of_class, turn, mode="wrap")) for of_class in members]
        samples[i] = np.concatenate([rows[~np.isin(targets.y[rows], rare)], *taken])
    return samples


def _is_settled(sign: float, draws: Sequence[Array], kernels: Sequence[Kernel], keep: int) -> bool:
    """Say whether all of a family who survive are ahead of all that do not, by paired t-tests.

    In a family of m kernels, m - 1 tests can let the wrong ones survive. If they do, either the
    last that should survive does and is said to be ahead of a better one, or it does not and a
    worse one is said to be ahead of it. Bonferroni's correction is over these and all looks.
    """
    if len(draws) < _FEWEST:
        return False
    values = sign * np.array(draws)
    order = np.argsort(-np.nan_to_num(values.mean(axis=0), nan=-np.inf))
    kept = surviving(kernels, order.tolist(), keep)
    others = [i for i in order.tolist() if i not in kept]
    pairs = [(i, j) for i in kept for j in others if kernels[i].family == kernels[j].family]
    if not pairs:
        return True
    first, second = np.array(pairs).T
    tests = len(kernels) - len({kernel.family for kernel in kernels})
    level = (1.0 - _CONFIDENCE) / (tests * (_MOST - _FEWEST + 1))
    ahead = values[:, first] - values[:, second]
    errors = float(t.isf(level, len(draws) - 1)) * _errors(ahead)
    return bool(np.all((ahead.mean(axis=0) > errors) | np.isnan(ahead).any(axis=0)))


def _errors(draws: Array) -> Array:
    return np.asarray(draws.std(axis=0, ddof=1) / np.sqrt(draws.shape[0]))
