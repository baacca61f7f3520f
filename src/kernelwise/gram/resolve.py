"""Which engine computes with the matrices, and why."""

from dataclasses import fields, replace
from typing import Any

from kernelwise._arguments import as_bytes, in_words
from kernelwise.gram.base import Engine, get
from kernelwise.gram.dense import Dense, needed
from kernelwise.gram.tiled import Tiled

_LEAST = 2.0  # bytes: a number up to 1 would be a share of what is free
DENSE_ROWS = 700  # below it loading the compiled loops takes longer than the matrices do


def resolve_engine(
    engine: str | Engine, rows: int, *, given_matrix: bool, memory: Any = None
) -> tuple[Engine, str]:
    """Return the engine for a number of rows and a memory budget, and why it is that one.

    The budget is fixed here: what is free falls while matrices are held.
    """
    budget = max(as_bytes(memory), _LEAST)
    if not (isinstance(engine, str) and engine == "auto"):
        return _with_budget(get(engine), memory, budget), "as asked"
    if given_matrix:
        return Dense(budget), "the matrix is given"
    if rows > DENSE_ROWS:
        return Tiled(memory=budget), f"beyond {DENSE_ROWS} rows one sweep for all is faster"
    if needed(rows) > budget:
        amounts = f"{in_words(needed(rows))} and the budget is {in_words(budget)}"
        return Tiled(memory=budget), f"the matrices would take {amounts}"
    return Dense(budget), f"up to {DENSE_ROWS} rows the matrices are quick to hold"


def _with_budget(engine: Engine, memory: Any, budget: float) -> Engine:
    """Return an engine that knows budgets with this one, unless it has one of its own."""
    if "memory" not in {field.name for field in fields(engine)}:
        return engine
    own = getattr(engine, "memory", None)
    settings: dict[str, Any] = {
        "memory": budget if memory is not None else max(as_bytes(own), _LEAST)
    }
    return replace(engine, **settings)
