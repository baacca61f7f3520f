"""Work in parts, and who is told of it.

Whatever takes time is handed a :class:`Task` and divides it into parts; it does not know whether a
bar on the screen, scikit-learn's callbacks or nobody follows.
"""

import sys
import time
from contextlib import AbstractContextManager
from typing import Any

SHARE = "kernelwise_share"  # attribute of the contexts of callbacks
_PATIENCE = 1.0  # seconds after which a person wants to see something move


class Task(AbstractContextManager["Task", None]):
    """A piece of work; this one tells nobody."""

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> "Task":
        """Begin one of the parts, itself divided into parts; leaving its context ends it.

        One that takes longer than others may stand for several of them, its share.
        """
        return self

    def sized(self, share: int) -> "Task":
        """Return the task as work sees it whose parts stand for several."""
        return _Sized(self, share)

    def advance(self) -> None:
        """Note that a part without parts is done."""
        with self.part():
            pass

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """End the work."""


SILENT = Task()


class _Sized(Task):
    """A task whose parts stand for several."""

    def __init__(self, task: Task, share: int) -> None:
        self._task, self._share = task, share

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin a part with that share."""
        return self._task.part(name, parts, self._share)


class FirstParts(Task):
    """The parts that a task expects, for work that may turn out to have more of them."""

    def __init__(self, task: Task, parts: int) -> None:
        self._task, self._left = task, parts

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin one of the parts, in silence if it is one too many."""
        self._left -= share
        return self._task.part(name, parts, share) if self._left >= 0 else SILENT


class Bar(Task):
    """A bar with the time left, after a second, where a person looks (or `always`)."""

    def __init__(self, name: str, *, always: bool = False) -> None:
        from rich.console import Console

        self._name, self._start = name, time.monotonic()
        self._console = Console(stderr=True)
        self._visible = always or self._console.is_terminal or self._console.is_jupyter
        self._bar: Any = None
        self._row: Any = None

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin the work."""
        return _Share(self, 0.0, 1.0, parts)

    def show(self, done: float) -> None:
        """Draw how much of the whole is done."""
        if not self._visible or time.monotonic() - self._start < _PATIENCE:
            return
        if self._bar is None:
            self._begin()
        self._bar.update(self._row, completed=done)

    def _begin(self) -> None:
        from rich import progress as rich

        self._bar = rich.Progress(
            rich.TextColumn("{task.description}"),
            rich.BarColumn(),
            rich.TaskProgressColumn(),
            rich.TimeRemainingColumn(),
            rich.TextColumn("left"),
            console=self._console,
            transient=self._console.is_terminal or self._console.is_jupyter,
            speed_estimate_period=3600.0,
        )
        self._row = self._bar.add_task(self._name, total=1.0)
        self._bar.tasks[0].start_time -= time.monotonic() - self._start
        self._bar.start()

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


class _Share(Task):
    """A stretch of a bar, of which every part gets its share."""

    def __init__(self, bar: Bar, start: float, length: float, parts: int) -> None:
        self._bar, self._start, self._length, self._parts = bar, start, length, parts
        self._begun = 0

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin the next stretch."""
        whole = max(self._parts, share)
        unit, before = self._length / whole, min(self._begun, whole - share)
        self._begun += share
        return _Share(self._bar, self._start + before * unit, share * unit, parts)

    def end(self) -> None:
        """Draw the stretch as done."""
        self._bar.show(self._start + self._length)


def bar(name: str, wanted: bool | None) -> Task:
    """Return a bar if it is wanted; None stands for where a person is looking."""
    if wanted is False:
        return Task()
    return Bar(name, always=wanted is True)


def tell_watcher(sentence: str) -> None:
    """Print a sentence to standard error if a person looks at it."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(sentence, file=sys.stderr, flush=True)
