"""Which engine looks at the matrices, and why."""

from dataclasses import fields, replace
from typing import Any

from kernelwise._arguments import as_bytes, in_words
from kernelwise.gram.base import Engine, get
from kernelwise.gram.dense import Dense, needed
from kernelwise.gram.tiled import Tiled

# Below it loading the compiled loops takes longer than the matrices do.
DENSE_ROWS = 700


def resolve_engine(
    engine: str | Engine, rows: int, *, given_matrix: bool, memory: Any = None
) -> tuple[Engine, str]:
    """Return the engine for a number of rows and a memory budget, and why it is that one."""
    budget = as_bytes(memory)
    if not (isinstance(engine, str) and engine == "auto"):
        return _within(get(engine), memory), "as asked"
    if given_matrix:
        return Dense(memory), "the matrix is given"
    if rows > DENSE_ROWS:
        return Tiled(memory=memory), f"beyond {DENSE_ROWS} rows one sweep for all is faster"
    if needed(rows) > budget:
        amounts = f"{in_words(needed(rows))} and the budget is {in_words(budget)}"
        return Tiled(memory=memory), f"the matrices would take {amounts}"
    return Dense(memory), f"up to {DENSE_ROWS} rows the matrices are quick to hold"


def _within(engine: Engine, memory: Any) -> Engine:
    """Return the engine with a budget, where one is given and the engine knows budgets."""
    if memory is None or "memory" not in {field.name for field in fields(engine)}:
        return engine
    settings: dict[str, Any] = {"memory": memory}
    return replace(engine, **settings)
