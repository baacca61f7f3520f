"""A connection to a Dask cluster: how it is made, what it has got, and what becomes of it."""

import asyncio
import logging
import math
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from kernelwise._arguments import in_words
from kernelwise._progress import Task
from kernelwise._threads import cached_property, processors
from kernelwise._types import Array
from kernelwise.gram.mapped import FileRows
from kernelwise.gram.sent import SentRows

if TYPE_CHECKING:
    from distributed import Client, Future

_PACKAGE = "kernelwise"
_RETRIES = 2  # of a task that fails for a reason of its own, such as a full disk
_SECONDS_TO_CONNECT = 5
_MISSING = "a cluster takes Dask: pip install 'kernelwise[dask]'."
LOADED = 3e8  # bytes: Python with the libraries
_USABLE = 0.8  # of the memory of a worker: beyond, Dask gives it no more tasks, and waits
_BYTES_A_CHUNK = 2**25  # of a file that workers read
_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")


class ClusterError(ConnectionError):
    """The cluster cannot be reached, is lost, or cannot do the work."""


class WorkersTooSmall(ClusterError, MemoryError):
    """The workers have too little memory."""


def given(value: Any) -> Any:
    """Return what a task was given: data that the scheduler can have again."""
    return value


def quieten() -> None:
    """Keep Dask from telling at length what is said here in one sentence."""
    try:
        import distributed  # noqa: F401 (which sets the levels below when it is imported)
    except ImportError:
        return
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _version() -> str:
    return version(_PACKAGE)


class Cluster:
    """A connection to a cluster, made when it is first used, and the rows that it has got.

    Parameters
    ----------
    given : Client, str or None
        As of :class:`Distributed`.
    """

    def __init__(self, given: Any) -> None:
        self._given, self._connected_to = given, ""
        self._rows = SentRows(self)

    @cached_property
    def client(self) -> "Client":
        """The client; where none is given, that of the process, or of a cluster started here."""
        try:
            import distributed
        except ImportError:
            raise ImportError(_MISSING) from None
        if isinstance(self._given, distributed.Client):
            client = self._given
        elif self._given is not None:
            client = _connected(str(self._given))
        else:
            try:
                client = distributed.get_client()
            except ValueError:
                client = _started()
                weakref.finalize(self, _stop, client)
        _check_workers(client)
        self._connected_to = _address(client)
        return client

    def connect(self) -> None:
        """Connect at once, to say early what is wrong."""
        _ = self.client
        self.check_memory(LOADED, "the program")

    def check_memory(self, wanted: float, what: str, remedy: str = "") -> None:
        """Refuse workers that may not take so many bytes."""
        if wanted > self.memory:
            raise WorkersTooSmall(
                f"{what} takes about {in_words(wanted)} of a worker and the smallest may use "
                f"{in_words(self.memory)}: use {remedy}larger workers."
            )

    @property
    def address(self) -> str | None:
        """Where the scheduler is; None where it is not known yet."""
        if isinstance(self._given, str | None) and "client" not in vars(self):
            return self._given
        return _address(self.client) or self._connected_to

    @property
    def threads(self) -> int:
        """How many tasks it does at a time."""
        with explained(self):
            return sum(self.client.nthreads().values())

    @property
    def memory(self) -> float:
        """The bytes that the smallest worker may use; infinity where there is no limit."""
        with explained(self):
            known = self.client.scheduler_info(n_workers=-1)
        if "workers" not in known:  # Dask does not raise here
            raise _lost(self.address)
        limits = [float(each["memory_limit"] or math.inf) for each in known["workers"].values()]
        return _USABLE * min(limits, default=math.inf)

    def rows(self, X: Any, spans: Sequence[slice]) -> list[Any]:
        """Return some rows of X as tasks take them: sent once, or where a file has them."""
        return self._rows.take(X, spans)

    def send(self, rows: Any) -> "Future[Any]":
        """Return rows as they are on the cluster."""
        return self.submit("rows", given, rows)

    def ask(self, function: Any, *given: Any) -> list[Any]:
        """Return what a function says on every worker, at once; what it raises as it is."""
        return list(self._running.run(function, *given, on_error="return").values())

    def map(self, function: Any, parts: Sequence[Any], *given: Any) -> "list[Future[Any]]":
        """Return a task for every part, each made from what Dask has to do for it first."""
        from dask.delayed import delayed

        tasks = [delayed(function, pure=False)(part, *given) for part in parts]
        return list(self._running.compute(tasks, retries=_RETRIES))

    def gather(self, futures: "Sequence[Future[Any]]") -> list[Any]:
        """Return the results of tasks."""
        return list(self.client.gather(list(futures)))

    def submit(self, name: str, function: Any, *given: Any, turn: int = 0) -> "Future[Any]":
        """Return a task of the cluster; those with a smaller turn are begun first."""
        import dask

        # Data in tasks is meant here, and is sent once.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            key = f"kernelwise-{name}-{uuid4().hex}"
            return self._running.submit(function, *given, key=key, retries=_RETRIES, priority=-turn)

    @property
    def _running(self) -> "Client":
        """The client; one that has lost its scheduler would wait for its tasks for ever."""
        if self.client.status != "running":
            raise _lost(self.address)
        return self.client


def _connected(address: str) -> "Client":
    import distributed

    try:
        return distributed.Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(
            f"no scheduler answers at {address}: check the address, as in tcp://host:8786, and "
            "that the scheduler is running."
        ) from error


def _started() -> "Client":
    """Return the client of a new cluster on this machine: a process for every processor."""
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=processors(), threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    return distributed.Client(cluster, set_as_default=False)


def _stop(client: Any) -> None:
    """Stop a cluster that was started here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = client.cluster
        client.close()
        cluster.close()


def _address(client: "Client") -> str:
    """Return where the scheduler of a client is, or was; empty if it does not tell."""
    if client.scheduler is not None:
        return str(client.scheduler.address)
    known = str(
        getattr(client.cluster, "scheduler_address", "")
    )  # of a client that noticed the loss
    return known if "://" in known else ""


def _check_workers(client: "Client") -> None:
    """Refuse a cluster without workers, or with workers of another version."""
    if client.scheduler is None:
        raise _lost(_address(client))
    try:
        client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        answers = client.run(version, _PACKAGE, on_error="return").values()
    except TimeoutError:
        raise ClusterError(
            "the cluster has no workers: start some, as in `dask worker ADDRESS`."
        ) from None
    except _when_lost(OSError, RuntimeError) as error:
        raise _lost(_address(client)) from error
    for answer in answers:  # others are of workers that have gone since
        if isinstance(answer, ModuleNotFoundError):
            raise ClusterError(
                f"the workers lack the module {answer.name}: install kernelwise there, the same "
                "version."
            )
    other = {found for found in answers if isinstance(found, str) and found != _version()}
    if other:
        raise ClusterError(
            f"workers have kernelwise {', '.join(sorted(other))} and the client has {_version()}: "
            "install one version everywhere."
        )


def _when_lost(*others: type[BaseException]) -> tuple[type[BaseException], ...]:
    """Return what Dask raises where the scheduler is gone, or the client that knew it."""
    from distributed import client
    from distributed.comm.core import CommClosedError

    names = "FutureCancelledError", "FuturesCancelledError", "ClosedClientError"
    gone = [getattr(client, name) for name in names if hasattr(client, name)]  # 2024 lacks the last
    return (*gone, CommClosedError, ConnectionError, TimeoutError, asyncio.CancelledError, *others)


def _lost(address: str | None) -> ClusterError:
    return ClusterError(
        f"the scheduler {address or 'of the client'} is lost: start one and run this again, with "
        "the same journal if it had one, which keeps what was finished."
    )


@contextmanager
def explained(cluster: Cluster) -> Iterator[None]:
    """Say in one sentence what has become of a cluster that does not answer as it should."""
    from distributed import KilledWorker

    try:
        yield
    except ClusterError:
        raise
    except KilledWorker as error:
        raise ClusterError(
            "a piece of the work has lost every worker that tried it, as running out of memory "
            "does: give workers more memory, or fewer threads each, or use a smaller rank."
        ) from error
    except MemoryError as error:
        raise ClusterError(
            "a worker ran out of memory: give workers more memory, or fewer threads each, or use "
            "a smaller rank."
        ) from error
    except _when_lost() as error:
        raise _lost(cluster.address) from error
    except RuntimeError as error:
        if cluster.client.status == "running":
            raise
        raise _lost(cluster.address) from error
    except OSError as error:
        what = " ".join(str(error).split())
        if what.startswith("Timed out"):  # so Dask says of a scheduler that does not answer
            raise _lost(cluster.address) from error
        raise ClusterError(
            f"a worker could not read or write ({what}): give paths that all workers see, and room "
            "on their disks."
        ) from error


def add(left: list[Array], right: list[Array]) -> list[Array]:
    """Return the sums of the arrays of two parts, which others may still need."""
    with np.errstate(over="ignore", invalid="ignore"):
        return [a + b for a, b in zip(left, right, strict=True)]


def sum_of(cluster: Cluster, futures: "list[Future[Any]]", progress: Task) -> list[Array]:
    """Return the sums of all parts: of neighbours first, then of their sums, and so on."""
    from distributed import as_completed

    level = list(futures)
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [cluster.submit("sum", add, *pair) if pair[1:] else pair[0] for pair in pairs]
    finished = as_completed(futures, loop=cluster.client.loop)
    futures.clear()  # a worker keeps what somebody may still ask for
    for future in finished:
        del future
        progress.advance()
    return list(level[0].result())


def parquet_parts(paths: Sequence[str]) -> tuple[list[str], list[Any]]:
    """Return the columns of Parquet files, and their partitions, none of which is read yet."""
    import dask.dataframe as dd

    frame = dd.read_parquet(list(paths))
    return list(map(str, frame.columns)), list(frame.to_delayed())


def arrays_of(
    function: Any, parts: Sequence[Any], rows: Sequence[int], columns: int, dtype: Any
) -> tuple[Any, Any]:
    """Return two Dask arrays, a matrix and a vector, from a function that makes both of a part."""
    import dask.array as da
    from dask.delayed import delayed

    pairs = [delayed(function, nout=2)(part) for part in parts]
    known = [(pair, count) for pair, count in zip(pairs, rows, strict=True) if count]
    X = [da.from_delayed(pair[0], (count, columns), dtype=float) for pair, count in known]
    y = [da.from_delayed(pair[1], (count,), dtype=dtype) for pair, count in known]
    return da.concatenate(X), da.concatenate(y)


def arrays_from(source: FileRows, y: Array) -> tuple[Any, Any]:
    """Return the rows of a file as a Dask array whose chunks workers read, and their targets."""
    import dask.array as da
    from dask.delayed import delayed

    n, columns = source.shape
    size = max(1, _BYTES_A_CHUNK // (8 * columns))
    spans = [slice(i, min(i + size, n)) for i in range(0, n, size)]
    chunks = [delayed(FileRows.read)(source.part(span)) for span in spans]
    X = [
        da.from_delayed(chunk, (span.stop - span.start, columns), dtype=source.dtype)
        for chunk, span in zip(chunks, spans, strict=True)
    ]
    return da.concatenate(X), da.from_array(y, chunks=size)
