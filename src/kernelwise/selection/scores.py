"""What criteria say of kernels, gathered into a table."""

from collections import defaultdict
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from kernelwise.criteria import Criterion, Evidence, Value, judge
from kernelwise.gram.psd import warn_indefinite
from kernelwise.kernels import Kernel
from kernelwise.selection.diagnostics import Code, Diagnostic, by_landmarks, warn_undefined
from kernelwise.selection.result import SelectionResult

if TYPE_CHECKING:
    from kernelwise.selection.problem import Problem


class Scores:
    """What criteria say of kernels as it comes in, and the evidence of the best of them.

    Parameters
    ----------
    problem : Problem
    columns : dict of str to Criterion
    unresolved : dict of str to str
        Why a trade-off parameter of some of them could not be chosen.
    survivors : int
        Of how many kernels to keep the evidence.

    Attributes
    ----------
    kept : dict of Kernel to Evidence
        Of the best kernels by the last column, as far as memory allows.
    """

    def __init__(
        self,
        problem: "Problem",
        columns: dict[str, Criterion],
        unresolved: dict[str, str],
        survivors: int,
    ) -> None:
        self._problem, self._columns, self._unresolved = problem, columns, unresolved
        self._asked = {name: c for name, c in columns.items() if name not in unresolved}
        self._candidates: list[tuple[Kernel, float]] = []
        self._values: defaultdict[str, list[Value]] = defaultdict(list)
        self._survivors = survivors
        self._room = min(survivors, problem.engine.grams_at_once(problem.targets))
        self._losses: dict[Kernel, float] = {}
        self._landmarks: set[int] = set()  # by how many the matrices are estimated, if they are
        self.kept: dict[Kernel, Evidence] = {}

    def add(self, evidence: Evidence, ridges: list[float]) -> None:
        """Ask every criterion about a kernel at every ridge."""
        kernel = evidence.kernel
        assert kernel is not None
        judged = judge(evidence, self._asked, ridges)
        for name, reason in self._unresolved.items():
            judged[name] = [Value(np.nan, np.nan, reason)] * len(ridges)
        for name, values in judged.items():
            self._values[name] += values
        self._candidates += zip(repeat(kernel), ridges)
        if evidence.gram.unsound is not None:
            self._landmarks.add(int(evidence.gram.unsound.size))
        if evidence.is_psd is False:
            warn_indefinite(str(kernel))
        if self._survivors:
            last, criterion = list(self._columns.items())[-1]
            means = np.array(judged[last], dtype=object)[:, 0].astype(float)
            loss = float(np.fmin.reduce(-means if criterion.greater_is_better else means))
            if not np.isnan(loss):
                self._keep(kernel, evidence, loss)

    def _keep(self, kernel: Kernel, evidence: Evidence, loss: float) -> None:
        """Keep evidence if its kernel is among the best so far.

        Whatever else is as large as a matrix is released. The last stage, which keeps one, keeps
        its machines too.
        """
        evidence.release(keep_fits=self._survivors == 1)
        self.kept[kernel], self._losses[kernel] = evidence, loss
        if len(self.kept) > self._room:
            worst = max(self._losses, key=self._losses.__getitem__)
            del self.kept[worst], self._losses[worst]

    def result(self, seconds: float) -> SelectionResult:
        """Return the table; warn of what is undefined."""
        table, errors, undefined = {}, {}, {}
        notes = by_landmarks(self._columns, self._landmarks)
        kernels, ridges = zip(*self._candidates, strict=True)
        for name in self._columns:
            means, spreads, reasons = zip(*self._values[name], strict=True)
            table[name], errors[name] = np.array(means), np.array(spreads)
            for kernel, reason in zip(kernels, reasons, strict=True):
                if reason is not None:
                    undefined[str(kernel), name] = reason
                    notes[f"{kernel}: {name}"] = Diagnostic(reason, Code.UNDEFINED)
        if undefined:
            warn_undefined(undefined)
        return SelectionResult(
            kernels,
            np.array(ridges),
            self._columns,
            table,
            notes,
            self._problem.engine.name,
            self._problem.engine_reason,
            seconds,
            standard_errors=errors,
        )
