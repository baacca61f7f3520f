"""What a person sees: notices and progress on standard error, answers on standard output."""

import contextlib
import os
import sys
import threading
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from kernelwise._arguments import some
from kernelwise._progress import SHARE, Bar, Task

_PATIENCE = 1.0  # seconds after which a person wants to see something
_LONGEST = 1000  # characters of a sentence: names in a file may be of any length
_TECHNICAL = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning)


class BadInput(Exception):
    """A file or an option that cannot be used: one sentence that names it and the remedy."""


class Screen:
    """Where notices and progress go; nowhere if it is to be quiet."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.watched = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._said: set[str] = set()

    def note(self, sentence: str, kind: str = "note") -> None:
        """Print a notice, once."""
        sentence = one_line(sentence)
        if not self.quiet and sentence not in self._said:
            say(f"{kind}: {sentence}")
        self._said.add(sentence)

    @contextlib.contextmanager
    def heard(self) -> Iterator[list[str]]:
        """Collect the warnings that are meant for a person, and print each once as a notice."""
        sentences: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield sentences
            finally:
                meant = [w for w in caught if not issubclass(w.category, _TECHNICAL)]
                sentences += dict.fromkeys(one_line(str(w.message)) for w in meant)
        for sentence in sentences:
            self.note(sentence)

    @contextlib.contextmanager
    def status(self, what: str) -> Iterator[None]:
        """Show what is going on and for how long, if it takes over a second."""
        if not self.watched:
            yield
            return
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        line = Progress(*columns, console=Console(stderr=True), transient=True)
        line.add_task(what, total=None)
        timer = threading.Timer(_PATIENCE, line.start)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            line.stop()

    @contextlib.contextmanager
    def fitting(self, selector: Any, what: str) -> Iterator[None]:
        """Show how far a selector is: a bar, or a status where scikit-learn has no callbacks."""
        if not self.watched or not hasattr(selector, "set_callbacks"):
            with self.status(what):
                yield
            return
        bar = _BarCallback(what)
        selector.set_callbacks(bar)
        try:
            yield
        finally:
            selector.set_callbacks()  # clones for folds and resamples are to draw no bars
            bar.teardown(selector, None)  # an interruption would leave the cursor hidden


class _BarCallback:
    """Draws the tasks of scikit-learn's callbacks as one bar."""

    def __init__(self, what: str) -> None:
        self._bar = Bar(what)
        self._tasks: dict[int, Task] = {}

    def setup(self, estimator: Any, context: Any) -> None:
        """Do nothing: the bar draws itself once it takes a second."""

    def on_fit_task_begin(self, estimator: Any, context: Any, **known: Any) -> None:
        """Begin a stretch of the bar."""
        above, share = self._tasks.get(id(context.parent), self._bar), getattr(context, SHARE, 1)
        self._tasks[id(context)] = above.part("", context.max_subtasks or 0, share)

    def on_fit_task_end(self, estimator: Any, context: Any, **known: Any) -> None:
        """End a stretch of the bar."""
        self._tasks.pop(id(context)).end()

    def teardown(self, estimator: Any, context: Any) -> None:
        """Take the bar away."""
        self._bar.end()


def tell(answer: str, end: str = "\n") -> None:
    """Print an answer to standard output, and hand over whatever waits to be printed."""
    if sys.stdout is None:  # whoever started us closed it
        return
    try:
        sys.stdout.write(answer + end)
        sys.stdout.flush()
    except OSError as error:
        discard(sys.stdout)
        if isinstance(error, BrokenPipeError):  # as with "| head": whoever read has had enough
            raise
        raise BadInput(f"standard output could not be written: {error.strerror}.") from None


def say(sentence: str) -> None:
    """Print a sentence to standard error; that nobody can read it is no reason to stop."""
    if sys.stderr is None:
        return
    try:
        print(sentence, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Keep Python from complaining at exit about what nobody can read."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def one_line(text: str) -> str:
    """Return a text on one line of some length, with nothing in it that would move a terminal."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]} ... {line[-half:]}"


def listed(names: list[str]) -> str:
    """Return names, in quotes, as a person lists them."""
    return some([repr(name) for name in names])


def counted(number: int, what: str) -> str:
    """Return a number with its noun, as "1 row" and "2 rows"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def labelled(texts: Mapping[str, str]) -> str:
    """Return a line for every text that is not empty, after its name."""
    return "\n".join(f"{name + ' ':<11}{text}" for name, text in texts.items() if text)


def aligned(rows: Sequence[Sequence[Any]], right: Collection[str] = ()) -> str:
    """Return rows as columns under their titles, the first row; those named stand to the right."""
    columns = []
    for column in zip(*rows, strict=True):
        side = ">" if column[0] in right else "<"
        columns.append([f"{cell:{side}{max(map(len, column))}}" for cell in column])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))
