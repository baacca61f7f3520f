"""Reductions over the tiles of a matrix, and the threads that share the work."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np

from kernelwise._progress import SILENT, Task
from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.tiles import Block, Room
from kernelwise.kernels import Pairs

_POLL = 0.1  # seconds between two looks at the keyboard
_PARTS = 100  # in which a sweep reports its progress


class Plan(Protocol):
    """Work in strips of tiles, which threads share: the tiles of a matrix, or blocks of rows."""

    @property
    def count(self) -> int:
        """The number of tiles."""

    def shares(self, threads: int) -> list[list[int]]:
        """Deal out the strips."""

    def strip(self, i: int) -> list[tuple[Block, Block]]:
        """Return the tiles of a strip, each by its two blocks."""

    def room(self) -> Room:
        """Return room for the distances of any tile."""

    def pairs(self, left: Block, right: Block, room: Room) -> Pairs:
        """Return the pairs of a tile."""


@dataclass(frozen=True, eq=False)
class Reduction(ABC):
    """Arrays that are sums over all tiles."""

    @abstractmethod
    def zero(self) -> list[Array]:
        """Return the arrays before the first tile."""

    @abstractmethod
    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add a tile, and its mirror image below the diagonal."""

    def merge(self, into: list[Array], others: list[Array]) -> list[Array]:
        """Add the arrays of another thread, in place."""
        with np.errstate(over="ignore", invalid="ignore"):
            for total, array in zip(into, others, strict=True):
                np.add(total, array, out=total)
        return into


@dataclass
class Watch:
    """What a thread and whoever waits for it tell each other while it is busy."""

    done: int = 0  # tiles
    stopped: bool = False


def run_strips(
    tiles: Plan, reduction: Reduction, strips: Sequence[int], watch: Watch
) -> list[Array]:
    """Return the arrays of a reduction over some strips: what a thread does."""
    into, room = reduction.zero(), tiles.room()
    with np.errstate(over="ignore", invalid="ignore"):  # GramStatistics.invalid_reason reports it
        for strip in strips:
            for left, right in tiles.strip(strip):
                if watch.stopped:
                    return into
                reduction.step(into, tiles.pairs(left, right, room), left, right)
                watch.done += 1
    return into


def run(
    tiles: Plan, reduction: Reduction, progress: Task = SILENT, threads: int | None = None
) -> list[Array]:
    """Return the arrays of a reduction over all tiles.

    Every thread adds its strips to arrays of its own. There is one for every processor unless fewer
    are asked for.
    """
    shares = tiles.shares(workers(threads))
    watches = [Watch() for _ in shares]
    with pool(len(shares)) as busy:
        futures = [
            busy.submit(run_strips, tiles, reduction, share, watch)
            for share, watch in zip(shares, watches, strict=True)
        ]
        try:
            _report(futures, watches, tiles.count, progress)
        except BaseException:
            for watch in watches:
                watch.stopped = True  # every thread ends with its tile
            raise
        return reduce(reduction.merge, (future.result() for future in futures))


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
