"""What a cascade found."""

from dataclasses import dataclass

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria import Evidence
from kernelwise.kernels import Kernel
from kernelwise.machines import RidgeFit
from kernelwise.selection.result import SelectionResult


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
    known_fit : RidgeFit or None
        The least-squares machine of the winner, if the choice left it behind.
    """

    result: SelectionResult
    winner: int
    ridge: float
    finalists: int
    evidence: Evidence
    offered_ridges: Array | None = None
    known_fit: RidgeFit | None = None

    @property
    def kernel(self) -> Kernel:
        """The chosen kernel."""
        return self.result.kernels[self.winner]

    def fit(self) -> RidgeFit | None:
        """Return the least-squares machine of the winner; None where it is not to be trusted."""
        if self.known_fit is not None:
            return self.known_fit
        try:
            return self.evidence.fit(self.ridge).detached()
        except Undefined:
            return None
