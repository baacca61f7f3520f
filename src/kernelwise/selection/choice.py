"""What a cascade found."""

from typing import NamedTuple

from kernelwise.machines import RidgeFit
from kernelwise.selection.result import SelectionResult


class Choice(NamedTuple):
    """What a cascade found.

    Attributes
    ----------
    result : SelectionResult
    winner : int
        The row that won.
    finalists : int
        How many kernels reached the last stage.
    fit : RidgeFit or None
        The machine of the winner, where it is known.
    """

    result: SelectionResult
    winner: int
    finalists: int
    fit: RidgeFit | None
