"""The engine that lets a cluster do the work, and the runner that hands it out.

Dask is imported here and in :mod:`kernelwise.gram.cluster` alone.

A cluster runs the reductions that threads run. Work is cut into the same parts however many workers
there are, and sums are added in one order, so that numbers do not depend on the cluster::

    plan ──> parts ──> a task each: plan without rows, what the reduction has of its rows, rows
                            └──> rows of the result are placed, sums are added two by two

Rows, and what all parts share (landmarks, factors), are sent once and passed from worker to worker.
Everything that is sent is part of a task, not scattered: a worker that is lost takes nothing along
that the scheduler cannot have made again. Rows of a file that all workers see are not sent.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from kernelwise._arguments import as_bytes, is_one_of, shown
from kernelwise._progress import SILENT, Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.gram.base import Engine, Gram, Need, get
from kernelwise.gram.cluster import LOADED, Cluster, explained, given, sum_of
from kernelwise.gram.lowrank import LowRank
from kernelwise.gram.mapped import read
from kernelwise.gram.runner import Watch, run_strips
from kernelwise.gram.sweep import Plan, Reduction, Runner
from kernelwise.gram.tiled import Tiled
from kernelwise.gram.tiles import Part, stacked
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

if TYPE_CHECKING:
    from distributed import Future

_MATRICES = 6  # as large as the sums: the factor, those of two tasks, what they are added to


def run_part(
    shared: tuple[Reduction, Plan | None], plan: Plan | None, cut: dict[str, Any], *rows: Any
) -> list[Any]:
    """Return the arrays of a reduction over a part of the work: what a task does.

    Arrays with an entry for every row along the last axis come as their lines, for every slice of
    rows.
    """
    reduction, shared_plan = shared
    whole: Any = plan if shared_plan is None else shared_plan
    own = [read(part) for part in rows]
    mine = replace(whole, X=own[0] if len(own) == 1 else stacked(own))
    with limited(1):  # a worker has a thread for every task that it runs at a time
        arrays = run_strips(mine, replace(reduction, **cut), range(mine.strips), Watch())
    if reduction.row_axis != -1:
        return arrays
    edges = np.cumsum([part.shape[0] for part in own])[:-1]
    return [[_lines_of(part) for part in np.split(array, edges, axis=-1)] for array in arrays]


def _lines_of(array: Array) -> tuple[Array, Array]:
    """Return the numbers and values of the lines along the last axis that are not zero.

    Of rows of one class, those of the other classes are. A plain tuple, not a named one: what Dask
    knows only how to pickle is copied on its way through the scheduler.
    """
    lines = array.reshape(-1, array.shape[-1])
    numbers = np.flatnonzero(lines.any(axis=-1))
    return numbers, lines[numbers]


@dataclass(frozen=True, eq=False)
class DaskRunner:
    """The workers of a cluster."""

    cluster: Cluster

    def run(self, tiles: Plan, reduction: Reduction, progress: Task = SILENT) -> list[Array]:
        """Let workers reduce the parts; place rows of the result, and add sums two by two."""
        parts, axis = tiles.parts(), reduction.row_axis
        with explained(self.cluster), progress.part("sweep", len(parts)) as sweep:
            futures = self._submit(tiles.X, parts, reduction)
            if axis is None:
                return sum_of(self.cluster, futures, sweep)
            total = reduction.zero()
            for part in parts:
                _place(total, futures.pop(0).result(), part.rows, axis)
                sweep.advance()
            return total

    def _submit(self, X: Any, parts: Sequence[Part], reduction: Reduction) -> "list[Future[Any]]":
        """Return the tasks of all parts; what they share is sent once."""
        cuts = [reduction.of_rows(part.rows) for part in parts]
        common = replace(reduction, **dict.fromkeys(cuts[0]))
        first = parts[0].plan
        is_shared = all(part.plan is first for part in parts)
        shared = self.cluster.submit("shared", given, (common, first if is_shared else None))
        rows = iter(self.cluster.rows(X, [span for part in parts for span in part.rows]))
        return [
            self.cluster.submit(
                "part",
                run_part,
                shared,
                None if is_shared else part.plan,
                cut,
                *islice(rows, len(part.rows)),
                turn=turn,  # so that results are ready in the order in which they are placed
            )
            for turn, (part, cut) in enumerate(zip(parts, cuts, strict=True))
        ]


def _place(total: Sequence[Array], arrays: Sequence[Any], rows: Sequence[slice], axis: int) -> None:
    """Add arrays over some rows to those over all of them."""
    with np.errstate(over="ignore", invalid="ignore"):
        for into, found in zip(total, arrays, strict=True):
            if axis == 0:
                [span] = rows
                into[span] += found
                continue
            whole = into.reshape(-1, into.shape[-1])
            for span, lines in zip(rows, found, strict=True):
                for number, values in zip(*lines, strict=True):
                    whole[number, span] += values


@dataclass(frozen=True)
class Distributed(Engine):
    """Sweeps and passes of another engine, by the workers of a Dask cluster.

    Numbers are those of that engine, for any number of workers, up to rounding errors.

    Parameters
    ----------
    client : Client, str or None, default=None
        A ``dask.distributed.Client``, or the address of a scheduler such as "tcp://host:8786".
        None takes the client that the process has, or starts a cluster on this machine: a process
        with one thread for every processor, stopped when the engine is no longer used.
    engine : {"auto", "tiled", "low_rank"}, Tiled or LowRank, default="auto"
        How to compute. "auto" sweeps over tiles; a selection beyond 8,000 rows, or beyond the
        memory, estimates what costs n^3, as it does without a cluster.
    memory : str, float or None, default=None
        What this process and every worker may take: an amount such as "4GB", or a share of what is
        free here (None: 0.8).

    Examples
    --------
    >>> from kernelwise import gram
    >>> gram.Distributed("tcp://scheduler:8786", engine="low_rank").engine
    'low_rank'
    """

    client: Any = None
    engine: str | Engine = "auto"
    memory: str | float | None = None
    cluster: Cluster = field(default=None, repr=False, compare=False)  # type: ignore[assignment]

    name: ClassVar[str] = "distributed"

    def __post_init__(self) -> None:
        if self.cluster is None:  # copies with other settings share it
            object.__setattr__(self, "cluster", Cluster(self.client))
        if not is_one_of(self.engine, ["auto", "tiled", "low_rank"]) and not isinstance(
            self.engine, Tiled | LowRank
        ):
            raise ValueError(
                "engine of Distributed must be 'auto', 'tiled', 'low_rank', a Tiled or a LowRank, "
                f"got {shown(self.engine)}."
            )
        as_bytes(self.memory)

    @property
    def inner(self) -> Tiled | LowRank:
        """The engine whose work the cluster does."""
        inner = get("tiled" if is_one_of(self.engine, ["auto"]) else self.engine)
        assert isinstance(inner, Tiled | LowRank)
        return inner if self.memory is None else replace(inner, memory=self.memory)

    @property
    def runner(self) -> DaskRunner:
        """The workers, for passes over rows that no gram makes."""
        return DaskRunner(self.cluster)

    @property
    def provides(self) -> frozenset[Need]:  # type: ignore[override]
        """What the inner engine provides."""
        return self.inner.provides

    @property
    def shares_sweeps(self) -> bool:  # type: ignore[override]
        """Whether one sweep serves all kernels."""
        return self.inner.shares_sweeps

    @property
    def serves_all_ridges(self) -> bool:  # type: ignore[override]
        """Whether one more ridge costs next to nothing."""
        return self.inner.serves_all_ridges

    @property
    def needs_to_scale(self) -> frozenset[Need]:  # type: ignore[override]
        """What it takes to multiply rows and columns by weights."""
        return self.inner.needs_to_scale

    def submit(
        self, function: Any, values: tuple[Any, ...], calls: Sequence[tuple[Any, ...]]
    ) -> list[Callable[[], Any]]:
        """Let workers call a function with the same values, sent once, and others of each call.

        Returns what waits for the results.
        """

        def result(future: "Future[Any]") -> Any:
            with explained(self.cluster):
                return future.result()

        with explained(self.cluster):
            shared = self.cluster.submit("shared", given, values)
            futures = [self.cluster.submit("kernel", function, shared, *own) for own in calls]
        return [partial(result, future) for future in futures]

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task = SILENT
    ) -> Iterator[Gram]:
        """Yield the grams of the inner engine, with sweeps by the workers."""
        return self.grams_by(self.runner, kernels, X, targets, progress)

    def grams_by(
        self,
        runner: Runner,
        kernels: Sequence[Kernel],
        X: Any,
        targets: Targets,
        progress: Task = SILENT,
    ) -> Iterator[Gram]:
        """Yield the same, with sweeps by somebody else."""
        yield from self.inner.grams_by(runner, kernels, X, targets, progress)

    def matmul(
        self, grams: Sequence[Gram], vectors: Sequence[Array], progress: Task = SILENT
    ) -> list[Array]:
        """Return K @ V of every gram, as the inner engine does."""
        return self.inner.matmul(grams, vectors, progress)

    def trials(self, kernels: Sequence[Kernel], X: Any, targets: Targets, *how: Any) -> Any:
        """Return the trials of the inner engine, which this process makes."""
        return self.inner.trials(kernels, X, targets, *how)

    def refinements(self, rows: int) -> list[Engine]:
        """Return the refinements of the inner engine on the same cluster."""
        finer = self.inner.refinements(rows)
        return [replace(self, engine=engine) for engine in finer if isinstance(engine, LowRank)]

    def check_memory(self, needs: frozenset[Need], rows: int) -> None:
        """Refuse what does not fit into this process, or into a worker."""
        self.inner.check_memory(needs, rows)
        rank = self.inner.landmarks_wanted if isinstance(self.inner, LowRank) else 0
        if rank:
            self.cluster.check_memory(worker_bytes(rank), f"rank {rank}", "a smaller rank, or ")
        else:
            self.cluster.connect()

    def grams_at_once(self, targets: Targets) -> int:
        """Return how many grams fit into this process together."""
        return self.inner.grams_at_once(targets)

    def __deepcopy__(self, memo: Any) -> "Distributed":
        """Return itself: a connection is not copied."""
        return self

    def __reduce__(self) -> Any:
        """Return what makes it again elsewhere: the address in the place of the connection."""
        return Distributed, (self.cluster.address, self.engine, self.memory)


def worker_bytes(rank: int) -> float:
    """Return what a worker takes for sums of a rank, beside its rows."""
    return LOADED + 8.0 * _MATRICES * float(rank) ** 2


def may_estimate(engine: str | Engine) -> bool:
    """Say whether a selection may estimate where exact matrices are out of reach."""
    asked = engine.engine if isinstance(engine, Distributed) else engine
    return is_one_of(asked, ["auto"])


def estimating(engine: Engine) -> Engine:
    """Return an engine with matrices of low rank in its place, on the same cluster."""
    rough = LowRank(memory=getattr(engine, "memory", None))
    return replace(engine, engine=rough) if isinstance(engine, Distributed) else rough
