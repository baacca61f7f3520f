"""What is refused before any work, apart from the advice that goes with it."""

import math
from collections.abc import Sequence
from typing import Any

from kernelwise._arguments import in_words
from kernelwise.gram.base import Engine, Need


def lacking(engine: Engine, needs: frozenset[Need], rows: int) -> str | None:
    """Say which needs an engine does not provide.

    Parameters
    ----------
    engine : Engine
    needs : frozenset of Need
    rows : int
        Of the matrix.

    Returns
    -------
    fact : str or None
        As in "needs its entries, which ..."; None if it provides all of them.

    Raises
    ------
    MemoryError
        Where it provides what does not fit into memory.
    """
    missing = needs - engine.provides
    if not missing:
        engine.check_memory(needs, rows)
        return None
    names = " and ".join(need.value for need in Need if need in missing)
    return f"needs {names}, which engine {engine.name!r} does not provide"


class DoesNotFit(MemoryError):
    """Matrices that take more than the memory budget.

    Parameters
    ----------
    what : str
        What takes it, in the plural, such as "7000 rows".
    wanted, budget : float
        Bytes.
    how : str, default=""
        How they are held.
    ways : sequence of str, default=()
        What to do other than to raise the memory.
    """

    def __init__(
        self, what: str, wanted: float, budget: float, how: str = "", ways: Sequence[str] = ()
    ) -> None:
        self.wanted = wanted
        self.fact = (
            f"{what} need about {in_words(wanted)}{how} and the budget is {in_words(budget)}"
        )
        super().__init__(f"{self.fact}: {in_one_sentence([*ways, raised(wanted)])}")

    def __reduce__(self) -> Any:
        """Return what another process is told: the sentence."""
        return MemoryError, self.args

    def advising(self, ways: Sequence[str]) -> MemoryError:
        """Return it with other advice."""
        return MemoryError(f"{self.fact}: {in_one_sentence(ways)}")


class NotProvided(ValueError):
    """Needs of somebody that an engine does not provide."""

    def __init__(self, fact: str) -> None:
        self.fact = fact
        super().__init__(f"{fact}: choose another criterion or engine.")

    def __reduce__(self) -> Any:
        """Return what another process is told: the sentence."""
        return ValueError, self.args

    def advising(self, ways: Sequence[str]) -> ValueError:
        """Return it with other advice."""
        return ValueError(f"{self.fact}: {in_one_sentence(ways or ['choose another engine'])}")


def raised(wanted: float) -> str:
    """Return the advice to allow so many bytes, in a unit in which the number is readable."""
    return f"set memory={enough(wanted)!r}"


def enough(wanted: float) -> str:
    """Return an amount of memory of at least so many bytes, as users write it."""
    unit, size = ("GB", 10**9) if wanted >= 10**9 else ("MB", 10**6)
    amount = f"{math.ceil(100.0 * wanted / size) / 100.0:.2f}"
    return amount.rstrip("0").rstrip(".") + unit


def in_one_sentence(ways: Sequence[str]) -> str:
    """Return what there is to do, with a full stop."""
    return ", or ".join(ways) + "."
