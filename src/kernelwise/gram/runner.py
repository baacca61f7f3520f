"""Who does the work of a sweep: runners, which hand the strips of tiles to workers."""

from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import reduce

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.base import Engine
from kernelwise.gram.sweep import Plan, Reduction, Runner

_POLL = 0.1  # seconds between two looks at the keyboard
_PARTS = 100  # in which a sweep reports its progress


@dataclass
class Watch:
    """What a worker and its runner tell each other while the worker is busy."""

    done: int = 0  # tiles
    stopped: bool = False


def run_strips(
    tiles: Plan, reduction: Reduction, strips: Sequence[int], watch: Watch
) -> list[Array]:
    """Return the arrays of a reduction over some strips: what a worker does."""
    into, room = reduction.zero(), tiles.room()
    with np.errstate(over="ignore", invalid="ignore"):  # GramStatistics.invalid_reason reports it
        for strip in strips:
            for left, right in tiles.strip(strip):
                if watch.stopped:
                    return into
                reduction.step(into, tiles.pairs(left, right, room), left, right)
                watch.done += 1
    return into


@dataclass(frozen=True)
class ThreadRunner:
    """Threads of this process, one for every processor unless fewer are asked for."""

    threads: int | None = None

    def run(self, tiles: Plan, reduction: Reduction, progress: Task = SILENT) -> list[Array]:
        """Let every thread add its strips to arrays of its own; return their sums."""
        shares = tiles.shares(workers(self.threads))
        watches = [Watch() for _ in shares]
        with pool(len(shares)) as threads:
            futures = [
                threads.submit(run_strips, tiles, reduction, share, watch)
                for share, watch in zip(shares, watches, strict=True)
            ]
            try:
                _report(futures, watches, tiles.count, progress)
            except BaseException:
                for watch in watches:
                    watch.stopped = True  # every thread ends with its tile
                raise
            return reduce(reduction.merge, (future.result() for future in futures))


def runner_of(engine: Engine) -> Runner:
    """Return who does the work of an engine: threads, unless it says otherwise."""
    runner: Runner = getattr(engine, "runner", ThreadRunner())
    return runner


def _report(
    futures: Sequence[Future[list[Array]]], watches: Sequence[Watch], tiles: int, progress: Task
) -> None:
    """Wait for the threads, and tell how far they are."""
    with progress.part("sweep", _PARTS) as sweep:
        told = 0
        while wait(futures, timeout=_POLL).not_done:
            reached = _PARTS * sum(watch.done for watch in watches) // tiles
            for _ in range(told, reached):
                sweep.advance()
            told = max(told, reached)
