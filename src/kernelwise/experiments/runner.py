"""Running a table: many splits, on all processors, resumable at any time.

Every split of every data set is one job with its own seed. What is finished stands in a file: one
line per split and lambda, with the position of the kernel that each column picked and its test
error. A run that was stopped goes on where it was.
"""

import csv
import io
import itertools
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from kernelwise.experiments import datasets
from kernelwise.experiments.split import Outcome, draw, outcomes
from kernelwise.experiments.tables import TABLES
from kernelwise.gram import Targets
from kernelwise.gram.memory import processors

FIELDS = ("dataset", "repetition", "lambda")
KERNEL = "{} kernel"  # the heading beside a column's own
_AHEAD = 2  # jobs a worker that are handed out before they are needed


class Job(NamedTuple):
    """One split."""

    table: str
    dataset: str
    repetition: int
    rows: int | None

    @property
    def seed(self) -> int:
        """The seed: the same split for every criterion, another one for every job."""
        return zlib.crc32(f"{self.dataset} {self.repetition}".encode())


@dataclass(frozen=True)
class Run:
    """What to run.

    Attributes
    ----------
    table : str
        One of the tables' keys.
    folder : Path
        Where the results stand.
    repetitions : int or None
        None for as many as the paper has.
    rows : int or None
        At most so many rows of a data set; None for all.
    datasets : list of str or None
        None for all of the table.
    """

    table: str
    folder: Path
    repetitions: int | None = None
    rows: int | None = None
    datasets: tuple[str, ...] | None = None

    @property
    def path(self) -> Path:
        """The file of the results."""
        return self.folder / f"{self.table}.csv"

    def jobs(self) -> list[Job]:
        """Return what there is to do, finished or not: the first repetition of all sets first."""
        table = TABLES[self.table]
        names = table.datasets if self.datasets is None else list(self.datasets)
        count = table.repetitions if self.repetitions is None else self.repetitions
        return [
            Job(self.table, name, i, self.rows)
            for i, name in itertools.product(range(count), names)
        ]


def finished(path: Path) -> set[tuple[str, int]]:
    """Return the splits whose results stand in a file."""
    if not path.is_file():
        return set()
    with path.open(newline="") as file:
        return {(row["dataset"], int(row["repetition"])) for row in csv.DictReader(file)}


def work(job: Job) -> list[Outcome]:
    """Do one job, with one thread: there are as many workers as processors."""
    table = TABLES[job.table]
    data = datasets.load(job.dataset, task=table.task).head(job.rows)
    targets = Targets.of(data.y, table.task)
    with threadpool_limits(1):
        return outcomes(draw(data.X, targets, table.train_share, job.seed), table)


def run(what: Run, tell: Callable[[int, int], None] = lambda done, of: None) -> Path:
    """Do what is still to be done, and return the file of the results."""
    what.folder.mkdir(parents=True, exist_ok=True)
    jobs = what.jobs()
    known = finished(what.path)
    todo = [job for job in jobs if (job.dataset, job.repetition) not in known]
    done = len(jobs) - len(todo)
    tell(done, len(jobs))
    for job, found in _in_parallel(todo):
        _append(what.path, job, found)
        done += 1
        tell(done, len(jobs))
    return what.path


def _in_parallel(jobs: Sequence[Job]) -> Iterator[tuple[Job, list[Outcome]]]:
    """Yield jobs as they are done."""
    workers = processors()
    left = iter(jobs)
    # Fresh processes: threads of this one, of numba or BLAS, do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running: dict[Future[list[Outcome]], Job] = {}
        for job in itertools.islice(left, workers * _AHEAD):
            running[pool.submit(work, job)] = job
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
                for job in itertools.islice(left, 1):
                    running[pool.submit(work, job)] = job


def _append(path: Path, job: Job, found: Sequence[Outcome]) -> None:
    """Add the lines of a job in one piece: a line is there only with all of its fellows."""
    lines: dict[float, dict[str, object]] = {}
    for outcome in found:
        place = {"dataset": job.dataset, "repetition": job.repetition, "lambda": outcome.lam}
        line = lines.setdefault(outcome.lam, dict(place))
        line[outcome.column] = f"{outcome.error:.5g}"
        line[KERNEL.format(outcome.column)] = outcome.kernel
    text = io.StringIO()
    table = csv.DictWriter(text, list(next(iter(lines.values()))), lineterminator="\n")
    if not path.is_file():
        table.writeheader()
    table.writerows(lines.values())
    with path.open("a") as file:
        file.write(text.getvalue())
