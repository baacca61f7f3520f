"""The engines, and which of them sees the matrices where none is asked for."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from kernelwise._arguments import as_bytes, in_words, is_one_of
from kernelwise._registry import unknown
from kernelwise.gram.base import Engine
from kernelwise.gram.dense import Dense, needed
from kernelwise.gram.lowrank import LowRank
from kernelwise.gram.tiled import Tiled

ENGINES: Mapping[str, type[Engine]] = MappingProxyType(
    {engine.name: engine for engine in (Dense, Tiled, LowRank)}
)
DENSE_ROWS = 700  # below it loading the compiled loops takes longer than the matrices do
_LEAST = 2.0  # bytes: a number up to 1 would be a share of what is free


def resolve_engine(
    engine: str | Engine, rows: int, *, given_matrix: bool, memory: Any = None
) -> tuple[Engine, str]:
    """Return the engine for a number of rows, or a given matrix, and why it is that one.

    Parameters
    ----------
    engine : "auto", str or Engine
    rows : int
    given_matrix : bool
    memory : str, float or None, default=None
        As of :class:`Dense`; fixed here, for what is free falls while matrices are held.

    Returns
    -------
    engine : Engine
    reason : str
    """
    if not isinstance(engine, Engine) and not is_one_of(engine, ["auto", *ENGINES]):
        raise ValueError(unknown("engine", engine, ["auto", *ENGINES]))
    budget = max(as_bytes(memory), _LEAST)
    if engine != "auto":
        asked: Any = engine if isinstance(engine, Engine) else ENGINES[engine]()
        if memory is None:  # it has a budget of its own
            budget = max(as_bytes(asked.memory), _LEAST)
        return replace(asked, memory=budget), "as asked"
    if given_matrix:
        return Dense(budget), "the matrix is given"
    if rows > DENSE_ROWS:
        return Tiled(memory=budget), f"beyond {DENSE_ROWS} rows one sweep for all is faster"
    if needed(rows) > budget:
        amounts = f"{in_words(needed(rows))} and the budget is {in_words(budget)}"
        return Tiled(memory=budget), f"the matrices would take {amounts}"
    return Dense(budget), f"up to {DENSE_ROWS} rows the matrices are quick to hold"
