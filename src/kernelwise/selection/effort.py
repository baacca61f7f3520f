"""How much work a choice among many rows may take."""

import math
import time
from collections.abc import Callable

from kernelwise._progress import SILENT, Task

# Limits on work, counted in kernel values (a core computes about 5e8 a second): a fixed number, or
# one for every row where that is more. The first line limits all work, the second the passes over
# all rows.
_EFFORT, _EFFORT_A_ROW = 2.5e10, 3.5e4
_PASSES, _PASSES_A_ROW = 6.5e9, 3e4
_VALUES_A_SECOND = 4e8
_LITTLE = 0.25  # of all work
_AS_PLANNED = 0.8  # share of the planned work up to which a bar goes by it


class Effort:
    """How much work there may be, in kernel values or in seconds, and how much of it is done.

    Parameters
    ----------
    rows : int
    seconds : float or None
    begun : float
        When they began, by the monotonic clock.
    """

    PARTS = 400  # in which progress is told

    def __init__(self, rows: int, seconds: float | None, begun: float) -> None:
        self._total = max(_EFFORT, _EFFORT_A_ROW * rows)
        self._passes = max(_PASSES, _PASSES_A_ROW * rows)
        self._seconds, self._made = seconds, begun
        self._spent, self._told, self._task, self._begun = 0.0, 0, SILENT, 0.0
        self._planned, self._done = self._total, 0.0

    def begin(self, task: Task, planned: float) -> None:
        """Tell a task from now on, of which so much work is planned."""
        self._task, self._planned, self._begun = task, planned, time.monotonic()

    def allows(self, machine: float, looks: float) -> bool:
        """Say whether there may be so much work on a machine of all rows, and on looks before."""
        work = machine + looks
        if self._seconds is None:
            return self._spent + work <= self._total and machine <= self._passes
        now = time.monotonic()
        return now - self._made + work * self._pace(now) <= self._seconds

    def is_little(self, work: float) -> bool:
        """Say whether some work is a small part of all there may be."""
        if self._seconds is None:
            return work <= _LITTLE * self._total
        return work * self._pace(time.monotonic()) <= _LITTLE * self._seconds

    def _pace(self, now: float) -> float:
        """Return the seconds that a kernel value takes."""
        return (now - self._begun) / self._spent if self._spent else 1.0 / _VALUES_A_SECOND

    def passes(self, values: float) -> Task:
        """Return a task that is told of passes over so many kernel values."""
        return _Passes(self._spend, values)

    def factors(self, values: float) -> Task:
        """Return a task that is told of factors, planned for where passes are allowed."""
        return _Passes(self._tell, values)

    def _spend(self, values: float) -> None:
        """Count work of passes."""
        self._spent += values
        self._tell(values)

    def _tell(self, values: float) -> None:
        """Tell of work."""
        self._done += values
        while self._told < int(self.PARTS * _shown(self._done / self._planned)):
            self._task.advance()
            self._told += 1


def _shown(done: float) -> float:
    """Return the share of a bar for a share of what was planned, of which there may be more.

    The last fifth of the bar slows down, so that it moves as long as there is work.
    """
    if done <= _AS_PLANNED:
        return done
    rest = 1.0 - _AS_PLANNED
    return 1.0 - rest * math.exp((_AS_PLANNED - done) / rest)


class _Passes(Task):
    """A task whose parts are passes, each with so much work."""

    def __init__(self, count: Callable[[float], None], values: float) -> None:
        self._count, self._values = count, values

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin a pass."""
        return _Work(self._count, self._values, parts)


class _Work(Task):
    """Work that is counted part by part, and what is left of it in the end."""

    def __init__(self, count: Callable[[float], None], values: float, parts: int) -> None:
        self._count, self._left, self._each = count, values, values / max(parts, 1)

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin a part."""
        self._left -= self._each
        return _Work(self._count, self._each, parts)

    def end(self) -> None:
        """Count what is left."""
        self._count(self._left)
        self._left = 0.0
