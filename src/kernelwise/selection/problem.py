"""Validated data and how it is looked at."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelwise._arguments import is_one_of, shown
from kernelwise._registry import unknown
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise.gram import Engine, Targets, resolve_engine
from kernelwise.kernels import Kernel
from kernelwise.selection.inputs import as_data

MACHINES = ["least-squares", "svm"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Validated data and how it is looked at: what every stage of a selection shares."""

    X: Any
    targets: Targets
    engine: Engine
    engine_reason: str
    fit_intercept: bool
    machine: str
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
        machine: str = "least-squares",
        memory: str | float | None = None,
    ) -> "Problem":
        """Validate the data for the kernels and resolve_engine the engine."""
        if not is_one_of(machine, MACHINES):
            raise ValueError(unknown("machine", machine, MACHINES))
        if not is_one_of(fit_intercept, (True, False)):
            raise ValueError(f"fit_intercept must be True or False, got {shown(fit_intercept)}.")
        X = as_data(X, kernels, targets)
        given = kernels[0].takes_matrix
        chosen, reason = resolve_engine(engine, targets.n, given_matrix=given, memory=memory)
        return cls(X, targets, chosen, reason, fit_intercept, machine, given)

    def part(self, rows: Array) -> "Problem":
        """Return the problem on some of the rows."""
        X = self.X[np.ix_(rows, rows)] if self.takes_matrix else self.X[rows]
        return replace(self, X=X, targets=self.targets.part(rows))

    def check(self, criteria: Iterable[Criterion]) -> None:
        """Refuse, before any work, criteria whose matrices do not fit into memory."""
        whole = any(self._needs_matrix(criterion) for criterion in criteria)
        self.engine.check(self.targets, whole_matrix=whole)

    def _needs_matrix(self, criterion: Criterion) -> bool:
        if (
            criterion.by_products
            and self.machine == "least-squares"
            and not criterion.has_open_tradeoffs
        ):
            return False
        return criterion.cost != "n^2"
