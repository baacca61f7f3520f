"""The table of a cascade: the best value and ridge of every kernel, entered stage by stage."""

from collections.abc import Sequence

import numpy as np

from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel
from kernelwise.selection.problem import Problem
from kernelwise.selection.result import SelectionResult


def empty_summary(
    problem: Problem, kernels: Sequence[Kernel], columns: dict[str, Criterion]
) -> SelectionResult:
    """Return a table for the best value and ridge of every kernel, to be filled by stages."""
    table, errors = {}, {}
    for name in columns:
        table[name], errors[name] = np.full((2, len(kernels)), np.nan)
    return SelectionResult(
        tuple(kernels),
        np.full(len(kernels), np.nan),
        columns,
        table,
        {},
        problem.engine.name,
        problem.engine_reason,
        0.0,
        standard_errors=errors,
    )


def enter_stage(
    summary: SelectionResult, stage: SelectionResult, rows: list[int], rule: str
) -> list[int]:
    """Enter a stage; return its rows from the best to the worst, the undefined left out.

    Every kernel enters with its preferred ridge.
    """
    [(name, criterion)] = stage.criteria.items()
    ridges = len(stage.kernels) // len(rows)
    order: list[int] = []
    for place in stage.ranking(name, rule):
        row = rows[place // ridges]
        if row not in order:
            order.append(row)
            summary.table[name][row] = stage.table[name][place]
            if name in stage.standard_errors:
                summary.standard_errors[name][row] = stage.standard_errors[name][place]
            if criterion.uses_ridge:
                summary.ridges[row] = stage.ridges[place]
    summary.notes.update(stage.notes)
    summary.timings[name] = stage.seconds
    return order
