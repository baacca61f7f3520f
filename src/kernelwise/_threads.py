"""How many threads work: those of the linear algebra (BLAS, OpenMP) and those of our own loops.

Whatever multiplies or factorises matrices enters :func:`limited` once its input is checked; leaving
it leaves the process as it was. A loop over blocks of rows runs in a :func:`pool`.

BLAS has one setting for all threads of a process. Calls that overlap in time therefore share it:
the lowest of their limits holds, and the last one to leave restores what the first one found.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import joblib
import threadpoolctl

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:
        """As functools', without its lock, for which fits in several threads would wait."""

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute, self.__doc__ = compute, compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._compute(instance)
            return value


# With fewer rows to each, threads of BLAS wait longer than they work: benchmarks/threads.py.
ROWS_A_THREAD = 1000


def processors() -> int:
    """Return how many processors this process may use: by its affinity, and in a container."""
    return int(joblib.cpu_count())


def workers(asked: int | None = None) -> int:
    """Return how many threads, or processes, a loop of our own gets: those asked for, or all."""
    return min(asked or processors(), _here.jobs or sys.maxsize)


def algebra_threads() -> int:
    """Return how many threads the linear algebra may have: as it is set, whatever we limit."""
    return min(workers(), _PROCESS.algebra_setting() or sys.maxsize)


def as_jobs(n_jobs: Any) -> int | None:
    """Return a number of threads, at most that of the processors; None where none is asked for.

    Negative numbers count from the processors down, as everywhere in scikit-learn: -1 is all of
    them, -2 all but one.
    """
    if n_jobs is None:
        return None
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, -1 for all processors.")
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
    jobs, outer, limit = as_jobs(n_jobs), _here.jobs, _here.limit
    if jobs is None and (outer is not None or rows is None):
        yield
        return
    threads = min(jobs or helpful(rows or 0), limit or sys.maxsize)  # a lower limit holds on
    is_held = threads == limit  # by this thread, further out
    key, before = object(), [] if is_held else _PROCESS.settings_of_thread()
    try:
        if not is_held:
            _PROCESS.enter(key, threads)
        _here.limit = threads
        _here.jobs = outer if jobs is None else min(jobs, outer or jobs)
        yield
    finally:
        _here.jobs, _here.limit = outer, limit
        try:
            if not is_held:
                _PROCESS.leave(key, before)
        except BaseException:  # Ctrl-C just then
            _PROCESS.leave(key, before)
            raise


@contextmanager
def pool(size: int) -> Iterator[ThreadPoolExecutor]:
    """Let so many threads work, each with one thread of linear algebra."""
    with (
        limited(1),
        ThreadPoolExecutor(size, initializer=_PROCESS.limit_thread, initargs=(1,)) as threads,
    ):
        yield threads


def awaited(call: Callable[[], Any]) -> Any:
    """Make a long call in a thread of its own, so that Ctrl-C need not wait for its end.

    The main thread notices Ctrl-C between two steps of the interpreter, and a call to LAPACK is one
    step. It must be one that releases the interpreter. After an interrupt it runs to its end, and
    its result is dropped.
    """
    done: Future[Any] = Future()

    def work() -> None:
        try:
            _PROCESS.limit_thread(limit or sys.maxsize)
            done.set_result(call())
        except BaseException as error:
            done.set_exception(error)

    limit = _here.limit
    threading.Thread(target=work, daemon=True).start()
    return done.result()


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
        self._shared: list[Any] = []  # libraries with one setting for all threads
        self._by_thread: list[Any] = []  # those with a setting for every thread
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
            if len(sys.modules) != self._modules:  # libraries come with modules
                self._find()
            return list(zip(self._by_thread, map(_setting, self._by_thread), strict=True))

    def algebra_setting(self) -> int | None:
        """Return the most threads that a BLAS was set to before any limit; None without one."""
        with self._lock:
            self.settings_of_thread()  # finds libraries that are new
            return max(
                (
                    self._before.get(library.filepath, (library, library.num_threads))[1]
                    for library in [*self._shared, *self._by_thread]
                    if library.user_api == "blas"
                ),
                default=None,
            )

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
            for library in self._shared:
                self._before.setdefault(library.filepath, (library, library.num_threads))
        least = min(self._limits.values(), default=sys.maxsize)
        for path, (library, setting) in list(self._before.items()):
            _set(library, min(setting, least))
            if not self._limits:
                self._before.pop(path, None)

    def _find(self) -> None:
        """Find the libraries, which takes milliseconds."""
        self._modules = len(sys.modules)
        self._shared, self._by_thread = [], []
        for library in threadpoolctl.ThreadpoolController().lib_controllers:
            api, layer = library.internal_api, getattr(library, "threading_layer", None)
            by_thread = (
                library.user_api == "openmp"
                or api == "mkl"
                or (api == "openblas" and layer == "openmp")
            )
            if library.num_threads:
                (self._by_thread if by_thread else self._shared).append(library)


def _set(library: Any, threads: int) -> None:
    if library.num_threads == threads:
        return
    library.set_num_threads(threads)
    # From threadpoolctl 3.8 on the first thread that sets OpenBLAS is the only one that may, until
    # it gives that up; another of ours may be the one to restore it.
    give_up = getattr(type(library), "clear_controlling_thread", None)
    if give_up is not None:
        give_up()


_setting = attrgetter("num_threads")
_here = _Here()
_PROCESS = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PROCESS.forget)
