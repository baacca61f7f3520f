"""Machines among many rows, each judged by rows held out."""

from typing import NamedTuple

from kernelwise._types import Array
from kernelwise.gram.landmarks import Landmarks, LandmarkSolution, Preconditioner
from kernelwise.selection.climb import GridIndex
from kernelwise.selection.problem import Solution


class Look(NamedTuple):
    """A machine on landmarks at one kernel and ridge, judged by rows held out."""

    place: GridIndex
    losses: Array  # of the rows held out
    values: Array  # f(x) of them, (rows, c)
    seen: Landmarks
    solution: LandmarkSolution
    system: Preconditioner
    at: int  # its place among the ridges of the solution

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())

    @property
    def landmarks(self) -> int:
        """How many there are."""
        return int(self.seen.Z.shape[0])


class WholeLook(NamedTuple):
    """A machine on all rows at one kernel and ridge, judged by rows held out."""

    place: GridIndex
    losses: Array  # of the rows held out
    solution: Solution

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())


def best_of(looks: dict[GridIndex, Look]) -> Look:
    """Return the machine with the least loss."""
    return min(looks.values(), key=lambda look: look.loss)
