"""Validated data, with the engine and the machine to judge it by."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelwise._arguments import is_one_of, shown
from kernelwise._progress import SILENT, Task
from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence
from kernelwise.criteria.base import LEAVE_ONE_OUT, check_task
from kernelwise.gram import Engine, Need, lacking, resolve_engine
from kernelwise.kernels import Kernel
from kernelwise.machines import Machine, needs_with
from kernelwise.targets import Targets


@dataclass(frozen=True, eq=False)
class Problem:
    """Validated data, with the engine and the machine: what every stage shares."""

    X: Any
    targets: Targets
    engine: Engine
    engine_reason: str
    fit_intercept: bool
    machine: type[Machine]
    takes_matrix: bool

    @classmethod
    def of(
        cls,
        X: Any,
        targets: Targets,
        kernels: Sequence[Kernel],
        engine: str | Engine,
        *,
        fit_intercept: bool,
        machine: type[Machine],
        memory: str | float | None = None,
    ) -> "Problem":
        """Choose the engine for validated data."""
        if not is_one_of(fit_intercept, (True, False)):
            raise ValueError(f"fit_intercept must be True or False, got {shown(fit_intercept)}.")
        given = kernels[0].takes_matrix
        chosen, reason = resolve_engine(engine, targets.n, given_matrix=given, memory=memory)
        return cls(X, targets, chosen, reason, fit_intercept, machine, given)

    def part(self, rows: Array) -> "Problem":
        """Return the problem on some of the rows."""
        X = self.X[np.ix_(rows, rows)] if self.takes_matrix else self.X[rows]
        return replace(self, X=X, targets=self.targets.part(rows))

    def evidence(self, kernels: Sequence[Kernel], progress: Task = SILENT) -> Iterator[Evidence]:
        """Yield the evidence of every kernel: everything known of a matrix comes from here."""
        grams = self.engine.grams(kernels, self.X, self.targets, progress)
        for kernel, gram in zip(kernels, grams, strict=True):
            yield Evidence(gram, self.targets, kernel, self.fit_intercept, self.machine)

    def check(self, criteria: Iterable[Criterion]) -> None:
        """Refuse, before any work, criteria that are not for the target or not for the engine."""
        for criterion in criteria:
            check_task(criterion, self.targets)
            needs = criterion.needs
            if criterion.has_open_tradeoffs:  # picks are tested on rows left out
                needs |= {*LEAVE_ONE_OUT, Need.ENTRIES}
            self.require(needs_with(self.machine, needs), criterion)

    def require(self, needs: frozenset[Need], who: str | Criterion) -> None:
        """Refuse, before any work, what the engine does not provide to somebody."""
        reason = lacking(self.engine, needs, self.targets.n)
        if reason is not None:
            name = who if isinstance(who, str) else who.label
            raise ValueError(f"{name} {reason}")
