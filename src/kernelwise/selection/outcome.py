"""What a cascade found."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria import Evidence
from kernelwise.kernels import Kernel
from kernelwise.machines import RidgeFit
from kernelwise.selection.result import SelectionResult


class Solution(NamedTuple):
    """A least-squares machine and what its function is a sum over, both from one gram.

    Attributes
    ----------
    fit : RidgeFit
    rows : array or sparse matrix of shape (m, d)
    coefficients : array of shape (m, c)
    """

    fit: RidgeFit
    rows: Any
    coefficients: Array

    @classmethod
    def of(cls, evidence: Evidence, X: Any, ridge: float) -> "Solution":
        """Return the machine at a ridge, without the inverse, which is as large as the matrix."""
        fit = evidence.fit(ridge).detached()
        return cls(fit, *evidence.gram.expansion(X, fit.coefficients))


@dataclass(frozen=True, eq=False)
class CascadeOutcome:
    """What a cascade found.

    Attributes
    ----------
    result : SelectionResult
        A row per candidate, a column per stage.
    winner : int
        The row that won.
    ridge : float
        The ridge that goes with it.
    finalists : int
        How many kernels reached the last stage.
    evidence : Evidence
        Of the winner, on all rows.
    offered_ridges : array or None
        The ridges that the user offered; None if they were made from the data.
    known : Solution or None
        The least-squares machine of the winner, if a local search left it behind.
    """

    result: SelectionResult
    winner: int
    ridge: float
    finalists: int
    evidence: Evidence
    offered_ridges: Array | None = None
    known: Solution | None = None

    @property
    def kernel(self) -> Kernel:
        """The chosen kernel."""
        return self.result.kernels[self.winner]

    def solution(self, X: Any) -> Solution | None:
        """Return the least-squares machine of the winner; None if it is not to be trusted."""
        if self.known is not None:
            return self.known
        try:
            return Solution.of(self.evidence, X, self.ridge)
        except Undefined:
            return None
