"""The workers of a Dask cluster: what they are asked, and what comes back.

Dask is imported here alone.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kernelwise._threads import processors

if TYPE_CHECKING:
    from distributed import Client

_USABLE = 0.8  # of the memory of a worker: beyond, Dask gives it no more tasks, and waits


class Cluster:
    """The workers that a client knows.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: "Client") -> None:
        self._client = client

    @property
    def threads(self) -> int:
        """How many tasks it does at a time."""
        return sum(self._client.nthreads().values())

    @property
    def memory(self) -> float:
        """The bytes that the smallest worker may use; infinity where there is no limit."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [float(each["memory_limit"] or math.inf) for each in workers]
        return _USABLE * min(limits, default=math.inf)

    def of_parts(
        self, function: Callable[..., Any], parts: Sequence[Any], *given: Any
    ) -> list[Any]:
        """Return what a function says of every part, given its place among them as well."""
        from dask.delayed import delayed

        asked = delayed(function, pure=False)
        tasks = [asked(part, i, *given) for i, part in enumerate(parts)]
        return list(self._client.gather(self._client.compute(tasks)))

    def total(
        self,
        function: Callable[[Any, Any], Any],
        add: Callable[[Any, Any], Any],
        parts: Sequence[Any],
        shared: Any,
    ) -> Any:
        """Return the sum of what a function makes of every part and of what all of them share.

        Neighbours are added first, then their sums, and so on: a worker holds few of them.
        """
        from dask.delayed import delayed

        [everywhere] = self._client.scatter([shared], broadcast=True, hash=False)
        level = [delayed(function, pure=False)(part, everywhere) for part in parts]
        while len(level) > 1:
            pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
            level = [delayed(add, pure=False)(*pair) if pair[1:] else pair[0] for pair in pairs]
        return self._client.compute(level[0]).result()


@contextmanager
def connected() -> Iterator[Cluster]:
    """Yield the cluster of this process's client; without one, a cluster on this machine.

    That has a process for every processor, and is stopped afterwards.
    """
    try:
        import distributed
    except ImportError:
        raise ImportError(
            "Dask collections take a cluster: pip install 'kernelwise[dask]'."
        ) from None
    try:
        client = distributed.get_client()
    except ValueError:
        with (
            distributed.LocalCluster(
                n_workers=processors(),
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
            ) as local,
            distributed.Client(local, set_as_default=False) as client,
        ):
            yield Cluster(client)
    else:
        yield Cluster(client)
