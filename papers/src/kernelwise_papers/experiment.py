"""What every experiment has: jobs that can run anywhere, lines of results, a page and a figure.

An experiment is cut into jobs, one per data set and repetition, each with its own seed. A job
returns lines; all lines of all jobs make one CSV file, and page, summary and figure are made from
that file alone.
"""

import itertools
import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Line = dict[str, str]

_QUICK_REPETITIONS = 3
_QUICK_ROWS = 200


@dataclass(frozen=True)
class Effort:
    """How much of an experiment to do.

    Attributes
    ----------
    repetitions : int or None
        None for as many as the paper has.
    rows : int or None
        At most so many rows of a data set; None for all.
    datasets : tuple of str or None
        None for all of the experiment.
    """

    repetitions: int | None = None
    rows: int | None = None
    datasets: tuple[str, ...] | None = None

    @classmethod
    def quick(cls) -> "Effort":
        """Return little effort: few repetitions, few rows."""
        return cls(_QUICK_REPETITIONS, _QUICK_ROWS)


class Job(NamedTuple):
    """One repetition on one data set."""

    key: str
    dataset: str
    repetition: int
    rows: int | None = None

    @property
    def seed(self) -> int:
        """The seed: the same split for every criterion, another one for every job."""
        return zlib.crc32(f"{self.dataset} {self.repetition}".encode())


class Experiment(ABC):
    """A table or figure of a paper, or a comparison of our own."""

    key: str
    title: str
    takes_time: bool = False  # run times are results, so that jobs run one after the other

    @property
    @abstractmethod
    def datasets(self) -> Sequence[str]:
        """The names of the data sets, in the order of the paper."""

    @property
    @abstractmethod
    def repetitions(self) -> int:
        """How often the paper repeats."""

    @property
    def first_repetition(self) -> int:
        """The number of the first repetition; those before it belong to other experiments."""
        return 0

    @property
    def source(self) -> str:
        """The experiment whose results these are: its own key, where it does not share them."""
        return self.key

    def jobs(self, effort: Effort) -> list[Job]:
        """Return what there is to do, finished or not: the first repetition of all sets first."""
        names = self.datasets if effort.datasets is None else effort.datasets
        count = self.repetitions if effort.repetitions is None else effort.repetitions
        numbers = range(self.first_repetition, self.first_repetition + count)
        return [
            Job(self.source, name, i, effort.rows) for i, name in itertools.product(numbers, names)
        ]

    @abstractmethod
    def work(self, job: Job) -> list[dict[str, Any]]:
        """Do one job; the lines all have the same fields. The runner adds data set and number."""

    def lacks(self, lines: Sequence[Line]) -> bool:
        """Say whether the lines of a finished job lack what the experiment has gained since."""
        return False

    def complete(self, job: Job, lines: Sequence[Line]) -> list[dict[str, Any]]:
        """Return the lines of a finished job with what they lack; nothing in them is changed."""
        raise NotImplementedError

    @abstractmethod
    def summary(self, lines: Sequence[Line]) -> str:
        """Return what came out, in a few lines of plain text."""

    def headline(self, lines: Sequence[Line]) -> str:
        """Return what came out, in one line."""
        return "; ".join(" ".join(text.split()) for text in self.summary(lines).split("\n"))

    @abstractmethod
    def page(self, lines: Sequence[Line]) -> str:
        """Return a page of the documentation, in Markdown, that shows ``KEY.svg``."""

    @abstractmethod
    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw what a person would rather look at."""
