"""A problem whose finished pieces of work are kept in a journal, if it has one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kernelwise._progress import SILENT, Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence, Value, judge
from kernelwise.gram import Distributed, Engine, Gram
from kernelwise.gram.runner import runner_of
from kernelwise.gram.sweep import Plan, Reduction, Runner
from kernelwise.kernels import Kernel
from kernelwise.machines import Machine
from kernelwise.selection.fingerprint import NotHashable, fingerprint
from kernelwise.selection.journal import Journal, as_journal
from kernelwise.targets import Targets

# Settings of engines on which numbers do not depend, but for rounding errors.
_WHERE = ("memory", "threads", "client", "cluster")


class Recorded:
    """What a problem asks its journal, and does itself where it has none."""

    X: Any
    targets: Targets
    engine: Engine
    fit_intercept: bool
    machine: type[Machine]
    journal: Journal | None = None

    def piece(self, given: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        """Return what depends on the problem and on what is given; computed if it is not known."""
        if self.journal is None:
            return compute()
        return piece_of(self.journal, self._depends_on(given), compute)

    def _depends_on(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        settings = self.X, *facts(self.targets), self.fit_intercept, self.machine
        return (*settings, *_settings(self.engine), *given)

    def judged(
        self,
        evidence: Evidence,
        columns: Mapping[str, Criterion],
        ridges: list[float],
        task: Callable[[], Any] | None = None,
    ) -> tuple[dict[str, list[Value]], bool | None]:
        """Return what criteria say of a kernel, and whether its matrix is positive semidefinite.

        A task is what waits for a worker that finds it out.
        Where passes over the rows are all that takes time, these are kept, not what follows.
        """

        def compute() -> list[Any]:
            return plain_values(evidence, columns, ridges) if task is None else task()

        given = _values_of(evidence.kernel, columns, ridges)
        is_kept = not self.engine.serves_all_ridges
        found, is_psd = self.piece(given, compute) if is_kept else compute()
        values = ([Value(*value) for value in column] for column in found)
        return dict(zip(columns, values, strict=True)), is_psd

    @property
    def is_sent(self) -> bool:
        """Whether workers compute what takes the matrix of a kernel, a task for each."""
        return isinstance(self.engine, Distributed) and not self.engine.serves_all_ridges

    def send(
        self,
        known: Sequence[Evidence],
        columns: Mapping[str, Criterion],
        ridges_for: Callable[[Gram], Array],
    ) -> dict[Kernel | None, Callable[[], Any]]:
        """Let workers find out what criteria say of kernels, if the journal does not know it."""
        assert isinstance(self.engine, Distributed)
        values = self.X, facts(self.targets), self.fit_intercept, self.machine, self.engine.inner
        asked = [(each.kernel, dict(columns), ridges_for(each.gram).tolist()) for each in known]
        calls = [
            call
            for call in asked
            if not is_known(self.journal, self._depends_on(_values_of(*call)))
        ]
        tasks = self.engine.submit(judge_kernel, values, calls) if calls else []
        return {call[0]: task for call, task in zip(calls, tasks, strict=True)}

    @property
    def runner(self) -> Runner:
        """Who makes passes over the rows; those that are known are not made again."""
        runner = runner_of(self.engine)
        return runner if self.journal is None else RecordingRunner(self.journal, runner)

    def grams(
        self, kernels: Sequence[Kernel], X: Any, targets: Targets, progress: Task
    ) -> Iterator[Gram]:
        """Yield the grams of the engine."""
        by = getattr(self.engine, "grams_by", None)
        if self.journal is None or by is None:
            return self.engine.grams(kernels, X, targets, progress)
        grams: Iterator[Gram] = by(self.runner, kernels, X, targets, progress)
        return grams


def _values_of(
    kernel: Kernel | None, columns: Mapping[str, Criterion], ridges: list[float]
) -> tuple[Any, ...]:
    """Return by what a journal knows the values of criteria for a kernel."""
    return "values", kernel, list(columns.values()), ridges


def plain_values(
    evidence: Evidence, columns: Mapping[str, Criterion], ridges: list[float]
) -> list[Any]:
    """Return what criteria say of a kernel, and whether it is positive semidefinite, as lists."""
    found = judge(evidence, columns, ridges)
    return [[list(map(list, values)) for values in found.values()], evidence.is_psd]


def judge_kernel(
    given: tuple[Any, ...], kernel: Kernel, columns: Mapping[str, Criterion], ridges: list[float]
) -> list[Any]:
    """Return the same from the data alone: what a task does."""
    X, target, fit_intercept, machine, engine = given
    targets = Targets(*target)
    with limited(1):
        [gram] = engine.grams([kernel], X, targets)
        return plain_values(
            Evidence(gram, targets, kernel, fit_intercept, machine), columns, ridges
        )


@dataclass(frozen=True, eq=False)
class RecordingRunner:
    """A runner whose passes are kept."""

    journal: Journal
    runner: Runner

    def run(self, tiles: Plan, reduction: Reduction, progress: Task = SILENT) -> list[Array]:
        """Return the arrays of a pass, which is made if it is not known."""
        found: list[Array] = piece_of(
            self.journal,
            ("pass", tiles, reduction),
            lambda: self.runner.run(tiles, reduction, progress),
        )
        return found


def journal_for(journal: Any, X: Any, targets: Targets) -> Journal | None:
    """Return the journal that a user gives, if any; refuse one that was begun with other data."""
    found = as_journal(journal)
    if found is not None:
        found.check_data(X, *facts(targets))
    return found


def facts(targets: Targets) -> tuple[Any, ...]:
    """Return what a target is."""
    return targets.y, targets.classes, targets.weights


def piece_of(journal: Journal | None, given: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
    """Return a piece by all that it depends on; computed where there is no journal, or no hash."""
    if journal is None:
        return compute()
    try:
        key = fingerprint(*given)
    except NotHashable:
        return compute()
    return journal.piece(key, compute)


def is_known(journal: Journal | None, given: tuple[Any, ...]) -> bool:
    """Say whether a journal has the piece of all that it depends on."""
    try:
        return journal is not None and journal.get(fingerprint(*given)) is not None
    except NotHashable:
        return False


def _settings(engine: Engine) -> list[Any]:
    """Return the settings of an engine that numbers depend on."""
    engine = getattr(engine, "inner", engine)
    names = [f.name for f in fields(engine) if f.name not in _WHERE]
    return [type(engine), *((name, getattr(engine, name)) for name in names)]
