"""How many threads work: those of the linear algebra (BLAS, OpenMP) and those of our own loops.

Whatever multiplies or factorises matrices enters :func:`limited` once its input is checked; leaving
it leaves the process as it was. A loop over blocks of rows runs in a :func:`pool`.

BLAS has one setting for all threads of a process. Calls that overlap in time therefore share it:
the lowest of their limits holds, and the last one to leave restores what the first one found.
"""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import joblib
import threadpoolctl

from kernelwise._arguments import shown

# With fewer rows to each, threads of BLAS wait longer than they work: benchmarks/threads.py.
ROWS_A_THREAD = 1000


def processors() -> int:
    """Return how many processors this process may use: by its affinity, and in a container."""
    return int(joblib.cpu_count())


def workers(asked: int | None = None) -> int:
    """Return how many threads, or processes, a loop of our own gets: those asked for, or all."""
    return min(asked or processors(), _here.jobs or sys.maxsize)


def as_jobs(n_jobs: Any) -> int | None:
    """Return a number of threads, at most that of the processors; None where none is asked for.

    Negative numbers count from the processors down, as everywhere in scikit-learn: -1 is all of
    them, -2 all but one.
    """
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(
            "n_jobs must be a positive integer, -1 for all processors (-2 for all but one) or "
            f"None, got {shown(n_jobs)}."
        )
    jobs, most = int(n_jobs), processors()
    return min(jobs, most) if jobs > 0 else max(1, most + 1 + jobs)


def helpful(rows: int) -> int:
    """Return how many threads of linear algebra make matrices of so many rows faster."""
    share = rows // ROWS_A_THREAD
    return 1 if share <= 1 else min(share, processors())


@contextmanager
def limited(n_jobs: Any = None, *, rows: int | None = None) -> Iterator[None]:
    """Limit the threads of all that is done inside, and leave the limits as they were.

    A library is never given more threads than it is set to: ``OPENBLAS_NUM_THREADS=1`` stays 1.

    Parameters
    ----------
    n_jobs : int or None, default=None
        As of scikit-learn. None leaves it to whoever called; where nobody asked, the linear algebra
        gets as many threads as help, our own loops one for every processor.
    rows : int or None, default=None
        The size of the matrices; None where there are none yet.
    """
    jobs, outer = as_jobs(n_jobs), _here.jobs
    if jobs is None and (outer is not None or rows is None):
        yield
        return
    with _at_most(jobs or helpful(rows or 0)):
        _here.jobs = outer if jobs is None else min(jobs, outer or jobs)
        try:
            yield
        finally:
            _here.jobs = outer


@contextmanager
def pool(size: int) -> Iterator[ThreadPoolExecutor]:
    """Let so many threads work, each with one thread of linear algebra."""
    with (
        _at_most(1),
        ThreadPoolExecutor(size, initializer=_PROCESS.limit_thread, initargs=(1,)) as threads,
    ):
        yield threads


@contextmanager
def _at_most(threads: int) -> Iterator[None]:
    """Hold back the libraries, unless this thread has done so already."""
    outer = _here.limit
    if outer is not None and outer <= threads:
        yield
        return
    key, before = object(), _PROCESS.settings_of_thread()
    try:
        _PROCESS.enter(key, threads)
        _here.limit = threads
        yield
    finally:
        _here.limit = outer
        try:
            _PROCESS.leave(key, before)
        except BaseException:  # Ctrl-C just then
            _PROCESS.leave(key, before)
            raise


class _Here(threading.local):
    """What holds in this thread; None where nothing was asked for, or limited."""

    jobs: int | None = None
    limit: int | None = None


class _Process:
    """The libraries of this process, and the limits that its threads put on them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a garbage collection inside may close an abandoned limit
        self._limits: dict[object, int] = {}
        self._before: dict[str, tuple[Any, int]] = {}  # library and its setting, by path
        self._known: list[Any] = []
        self._modules = 0

    def enter(self, key: object, threads: int) -> None:
        """Add a limit, for this thread and for all."""
        self.limit_thread(threads)
        with self._lock:
            self._limits[key] = threads
            self._apply()

    def leave(self, key: object, before: list[tuple[Any, int]]) -> None:
        """Take a limit away, if it was added; what is undone twice stays undone."""
        with self._lock:
            self._limits.pop(key, None)
            self._apply()
        for library, setting in before:
            _set(library, setting)

    def settings_of_thread(self) -> list[tuple[Any, int]]:
        """Return the libraries that have a setting for every thread, with that of this one."""
        with self._lock:
            return [(lib, lib.num_threads) for lib in self._loaded() if _is_per_thread(lib)]

    def limit_thread(self, threads: int) -> None:
        """Hold back the libraries that have a setting for every thread."""
        for library, setting in self.settings_of_thread():
            _set(library, min(setting, threads))

    def forget(self) -> None:
        """Begin anew in a forked process, which has none of the other threads."""
        self._lock = threading.RLock()
        self._limits, self._before = {}, {}

    def _apply(self) -> None:
        """Set the libraries that have one setting; what is interrupted is done by the next call."""
        if self._limits:
            for library in self._loaded():
                if not _is_per_thread(library):
                    self._before.setdefault(library.filepath, (library, library.num_threads))
        least = min(self._limits.values(), default=sys.maxsize)
        for path, (library, setting) in list(self._before.items()):
            _set(library, min(setting, least))
            if not self._limits:
                self._before.pop(path, None)

    def _loaded(self) -> list[Any]:
        """Return the libraries; looking for them takes milliseconds, and they come with modules."""
        if len(sys.modules) != self._modules:
            self._modules = len(sys.modules)
            found = threadpoolctl.ThreadpoolController().lib_controllers
            self._known = [library for library in found if library.num_threads]
        return self._known


def _is_per_thread(library: Any) -> bool:
    """Say whether a library, as threadpoolctl drives it, has a setting for every thread."""
    by_openmp = getattr(library, "threading_layer", None) == "openmp"
    return (
        library.user_api == "openmp"
        or library.internal_api == "mkl"
        or (library.internal_api == "openblas" and by_openmp)
    )


def _set(library: Any, threads: int) -> None:
    if library.num_threads == threads:
        return
    library.set_num_threads(threads)
    # From threadpoolctl 3.8 on the first thread that sets OpenBLAS is the only one that may, until
    # it gives that up; another of ours may be the one to restore it.
    give_up = getattr(type(library), "clear_controlling_thread", None)
    if give_up is not None:
        give_up()


_here = _Here()
_PROCESS = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PROCESS.forget)
