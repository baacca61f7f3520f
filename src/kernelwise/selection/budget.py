"""What a choice may take: memory and time, and what was finished before."""

from typing import NamedTuple

from kernelwise._threads import workers
from kernelwise.selection.journal import Journal


def seconds_for(rows: int) -> float:
    """Return about how long an exact choice among so many rows takes."""
    return 3.2e-11 * float(rows) ** 3 / workers()


class Budget(NamedTuple):
    """What a choice may take.

    Attributes
    ----------
    memory : str, float or None
    seconds : float or None
        Exact where these are enough, by estimates where they are not.
    journal : Journal or None
        What was finished before.
    """

    memory: str | float | None = None
    seconds: float | None = None
    journal: Journal | None = None
