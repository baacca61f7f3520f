"""Running an experiment: many jobs, on all processors, resumable at any time.

What is finished stands in a file: one or more lines per job. A run that was stopped goes on where
it was, and what an experiment has gained since is added to the lines that are there.
"""

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from kernelwise._files import replacing
from kernelwise._progress import SILENT, Task
from kernelwise._threads import limited, workers
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort, Experiment, Job, Line

_AHEAD = 2  # jobs a worker that are handed out before they are needed


def results_path(experiment: Experiment, folder: Path, effort: Effort) -> Path:
    """Return the file of the results; capped data sets have a file of their own."""
    return folder / "results" / f"{experiment.source}{capped(effort)}.csv"


def capped(effort: Effort) -> str:
    """Return what is added to the names of files of capped data sets."""
    return "" if effort.rows is None else f"-{effort.rows}-rows"


def read(path: Path) -> list[Line]:
    """Return the lines of a file of results; none where there is no file."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def finished(path: Path) -> dict[tuple[str, int], list[Line]]:
    """Return the lines of the jobs that stand in a file, by data set and repetition."""
    found: dict[tuple[str, int], list[Line]] = {}
    for line in read(path):
        found.setdefault((line["dataset"], int(line["repetition"])), []).append(line)
    return found


def do(job: Job, known: Sequence[Line] = ()) -> list[dict[str, Any]]:
    """Do one job, or what its lines lack, with one thread: every processor has a worker."""
    experiment = EXPERIMENTS[job.key]
    with limited(1):
        if known:
            return experiment.complete(job, known)
        lines = experiment.work(job)
    place = {"dataset": job.dataset, "repetition": job.repetition}
    return [place | line for line in lines]


def run(
    experiment: Experiment,
    folder: Path,
    effort: Effort | None = None,
    task: Task = SILENT,
) -> Path:
    """Do what is still to be done, and return the file of the results."""
    effort = effort or Effort()
    path = results_path(experiment, folder, effort)
    path.parent.mkdir(parents=True, exist_ok=True)
    _mend(path)
    jobs = experiment.jobs(effort)
    known = finished(path)
    lines_of = {job: known.get((job.dataset, job.repetition), []) for job in jobs}
    lacking = [item for item in lines_of.items() if item[1] and experiment.lacks(item[1])]
    new = [item for item in lines_of.items() if not item[1]]
    with task.part("", len(jobs)) as work:
        for _ in range(len(jobs) - len(lacking) - len(new)):
            work.advance()
        # Completed lines first: they give the file the columns that new ones have.
        for todo, write in ((lacking, _replace), (new, _append)):
            for lines in _results(todo, 1 if experiment.takes_time else workers()):
                write(path, lines)
                work.advance()
    return path


def _results(
    jobs: Sequence[tuple[Job, list[Line]]], workers: int
) -> Iterator[list[dict[str, Any]]]:
    """Yield the lines of jobs as they are done, by processes of this machine or as joblib is set.

    With ``joblib.parallel_config(backend="dask")`` the workers of a cluster do them.
    """
    if not jobs:
        return
    asked = int(effective_n_jobs(None))  # one where nobody set it
    if asked > 1 and workers > 1:
        pool = Parallel(asked, return_as="generator_unordered", batch_size=1)
        yield from pool(delayed(do)(*job) for job in jobs)
        return
    left, workers = iter(jobs), min(workers, len(jobs))
    # Fresh processes: threads of this one, of numba or BLAS, do not survive a fork.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running: list[Future[list[dict[str, Any]]]] = [
            pool.submit(do, *job) for job in itertools.islice(left, workers * _AHEAD)
        ]
        try:
            while running:
                wait(running, return_when=FIRST_COMPLETED)
                # In the order of the jobs: one worker writes the same file in every run.
                for future in [future for future in running if future.done()]:
                    yield future.result()
                    running.remove(future)
                    more = itertools.islice(left, 1)
                    running += [pool.submit(do, *job) for job in more]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # what has not begun never will
            raise


def _mend(path: Path) -> None:
    """Drop the last job of a file if its lines were not written to the end."""
    text = path.read_bytes() if path.exists() else b""
    whole = text[: text.rfind(b"\n") + 1]
    if whole == text:
        return
    if not whole:  # not even the names of the columns
        path.unlink()
        return
    with replacing(path) as part:
        part.write_bytes(whole)
    jobs = finished(path)
    if jobs:
        _, lines = jobs.popitem()
        _write(path, list(lines[0]), jobs)


def _append(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Add the lines of a job in one piece: they are kept or dropped together."""
    text, names = io.StringIO(), list(lines[0])
    known = read(path)
    if known and set(known[0]) != set(names):
        raise ValueError(
            f"{path} has other columns than this run, which cannot go on with it: move it away."
        )
    # Completed lines have what was added last: a file keeps the order that it has.
    table = csv.DictWriter(text, list(known[0]) if known else names, lineterminator="\n")
    if not path.is_file():
        table.writeheader()
    table.writerows(lines)
    with path.open("a") as file:
        file.write(text.getvalue())


def _replace(path: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Put the completed lines of a job in the place of those that stand there."""
    jobs = finished(path)
    jobs[lines[0]["dataset"], int(lines[0]["repetition"])] = list(lines)
    _write(path, list(lines[0]), jobs)


def _write(path: Path, names: list[str], jobs: dict[tuple[str, int], list[Line]]) -> None:
    """Write the lines of all jobs."""
    text = io.StringIO()
    table = csv.DictWriter(text, names, restval="", lineterminator="\n")
    table.writeheader()
    for done in jobs.values():
        table.writerows(done)
    with replacing(path) as part:
        part.write_text(text.getvalue())
