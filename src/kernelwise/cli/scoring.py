"""Criteria side by side, and what there is to do where memory is short."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isqrt
from typing import Any

from kernelwise._arguments import as_bytes, in_words
from kernelwise.cli.prepare import Prepared
from kernelwise.cli.screen import BadInput, Screen
from kernelwise.gram.dense import needed
from kernelwise.kernels import Kernel
from kernelwise.selection import SelectionResult, score_kernels

Score = Callable[[list[Any]], SelectionResult]


def scorer(
    data: Prepared, kernels: list[Kernel], ridge: float, memory: Any, screen: Screen
) -> Score:
    """Return a function that scores kernels by some criteria."""
    drawn = None if screen.watched else False
    options = {"ridge": ridge, "task": data.task, "memory": memory, "progress": drawn}
    return partial(score_kernels, data.X, data.y, kernels, **options)


def score_those_defined(score: Score, criteria: list[str], screen: Screen) -> SelectionResult:
    """Score by all criteria; those that the rows do not allow are left out, with a notice."""
    try:
        return score(list(criteria))
    except ValueError as error:
        if len(criteria) < 2:
            raise
        reason = error
    found = []
    for name in criteria:
        try:
            found.append(score([name]))
        except ValueError as error:
            screen.note(f"{name} is left out: {error}")
    if not found:
        raise reason
    return _side_by_side(found)


def _side_by_side(found: list[SelectionResult]) -> SelectionResult:
    """Return the columns of results on the same candidates as one."""
    names = ("criteria", "table", "notes", "standard_errors")
    merged: dict[str, Any] = {name: {} for name in names}
    for result in found:
        for name in names:
            merged[name] |= getattr(result, name)
    return replace(found[0], **merged, seconds=sum(result.seconds for result in found))


@contextmanager
def explain_memory_error(memory: str | None, rows: int, remedy: str = "") -> Iterator[None]:
    """Turn a lack of memory into a sentence that says how many rows would do, or what else."""
    try:
        yield
    except MemoryError as error:
        raise BadInput(_too_much(memory, rows, remedy)) from error


def _too_much(memory: str | None, rows: int, remedy: str) -> str:
    budget = as_bytes(memory)
    if needed(rows) <= budget:
        return f"there is too little memory for {rows:,} rows: use --rows {max(3, rows // 2)}."
    fits = isqrt(int(budget / needed(1)))
    unit = 10 ** max(len(str(fits)) - 2, 0)  # what is free changes from one run to the next
    fits = fits // unit * unit
    ways = [f"--rows {fits}"] if fits >= 3 else []
    ways = [*ways, *([remedy] if remedy else []), "a larger --memory"]
    return (
        f"{rows:,} rows need about {in_words(needed(rows))} for their kernel matrix and the budget "
        f"is {in_words(budget)}: use {', or '.join(ways)}."
    )
