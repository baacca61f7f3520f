"""What a choice may take: memory and time."""

from typing import NamedTuple

from kernelwise._threads import algebra_threads

_SECONDS = 3.2e-11  # of one thread, times the cube of the rows
_LONGEST = 1e12  # seconds: an integer may be beyond all floats


def seconds_for(rows: int) -> float:
    """Return about how long an exact choice among so many rows takes."""
    return _SECONDS * float(rows) ** 3 / algebra_threads()


def rows_within(seconds: float) -> int:
    """Return among how many rows an exact choice takes about so long."""
    rows = (min(seconds, _LONGEST) * algebra_threads() / _SECONDS) ** (1.0 / 3.0)
    return int(rows)


class Budget(NamedTuple):
    """What a choice may take.

    Attributes
    ----------
    memory : str, float or None
    seconds : float or None
        Exact where these are enough, by estimates where they are not.
    """

    memory: str | float | None = None
    seconds: float | None = None
