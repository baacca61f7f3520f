"""A machine on all rows, where that takes no longer than one on more landmarks.

The more landmarks there are, the closer a machine comes to the one on all rows. Once they are two
fifths of the rows, their factors take longer than a single-precision factor of all rows, so that
machine is fitted instead.
"""

from collections.abc import Callable, Iterator

import numpy as np

from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.gram.pairs import kernel_between
from kernelwise.gram.panels import PARTS
from kernelwise.gram.trials import FILLING, Machine, Trials
from kernelwise.kernels import Kernel
from kernelwise.machines.held_out import HeldOutFit
from kernelwise.selection.climb import Grid, GridIndex
from kernelwise.selection.effort import Effort
from kernelwise.selection.looks import WholeLook
from kernelwise.selection.problem import Problem, Solution

# Times the square of the rows: the factor in single precision, blocks of distances in double, and
# what is kept of machines on a fifth of the rows as landmarks.
_BYTES = 12.5
_ROWS_A_LANDMARK = 2.5  # with fewer, the machine on all rows is the cheaper one
_MOST_ROWS = 16_384  # of more, a factor takes too long
_FACTOR = 350.0  # a factor of n rows takes as long as n³ over this many kernel values
_MOST_RIDGES = 3  # that are tried
_EXACT = 0.05  # rounding may change the equations of a machine by this share of its residuals
_BLOCK = 256  # rows at once

Losses = Callable[[Array], Array]  # f(x) of the rows held out to the loss of each


class WholeMachine:
    """A machine on all rows, judged by the one that lacks the rows held out.

    Parameters
    ----------
    problem : Problem
    grid : Grid
    training, held : arrays of int
        The rows to learn from, and those that judge a machine without them.
    effort : Effort
    """

    def __init__(
        self, problem: Problem, grid: Grid, training: Array, held: Array, effort: Effort
    ) -> None:
        self._problem, self._grid, self._effort = problem, grid, effort
        self._order, self._held = np.concatenate([training, held]), held
        self._is_tried = False

    def is_cheaper(self, landmarks: int) -> bool:
        """Say whether it takes no longer than so many landmarks, and fits into memory."""
        most = min(_ROWS_A_LANDMARK * landmarks, _MOST_ROWS, self._problem.fitting(_BYTES))
        return self._problem.targets.n <= most

    @property
    def work(self) -> float:
        """The work on it, in kernel values."""
        return float(self._problem.targets.n) ** 3 / _FACTOR

    def look(
        self, place: GridIndex, landmarks: int, losses_of: Losses, to_beat: float
    ) -> WholeLook | None:
        """Return the machine at a place, once, if it is cheaper than one on so many landmarks.

        Landmarks smooth by themselves: as long as the machine is not better than they are, larger
        ridges are tried. None if there is no time, or where single precision is not enough.
        """
        if self._is_tried or not self.is_cheaper(landmarks):
            return None
        self._is_tried, best = True, None
        with limited(rows=self._order.size):
            for look in self._looks(place, losses_of):
                if best is not None and look.loss >= best.loss:
                    break
                best = look
                if look.loss < to_beat:
                    break
        return best

    def _looks(self, place: GridIndex, losses_of: Losses) -> Iterator[WholeLook]:
        """Yield machines at larger and larger ridges, as long as there is time."""
        problem, order = self._problem, self._order
        kernel, targets = self._grid.kernels[place.kernel], problem.targets.part(order)
        given = [kernel], problem.X[order], targets, order.size, problem.fit_intercept
        trials = Trials(*given, keeps_distances=False)
        last = min(place.ridge + _MOST_RIDGES, self._grid.ridges.shape[1])
        for j in range(place.ridge, last):
            if not self._effort.allows(0.0, self.work):
                return
            ridge = float(self._grid.ridges[place.kernel, j])
            with self._effort.passes(self.work).part("factor", FILLING + PARTS) as task:
                machine = trials.machine(kernel, ridge, self._held.size, task)
            if machine is not None and self._is_exact(kernel, ridge, machine):
                losses, solution = losses_of(machine.values), self._solution(machine, ridge)
                yield WholeLook(GridIndex(place.kernel, j), losses, solution)

    def _is_exact(self, kernel: Kernel, ridge: float, machine: Machine) -> bool:
        r"""Say whether :math:`K c + \lambda c / w + b = y` holds on the rows held out, nearly."""
        problem, last = self._problem, self._held.size
        Y, weights = problem.targets.fit_columns[self._held], problem.targets.weights
        w = np.ones(last) if weights is None else weights[self._held]
        rest = Y - machine.bias - ridge * machine.coefficients[-last:] / w[:, None]
        for start in range(0, last, _BLOCK):
            rows = self._held[start : start + _BLOCK]
            K = kernel_between(kernel, problem.X[rows], problem.X[self._order])
            rest[start : start + _BLOCK] -= K @ machine.coefficients
        return bool(np.linalg.norm(rest) <= _EXACT * np.linalg.norm(Y - machine.values))

    def _solution(self, machine: Machine, ridge: float) -> Solution:
        """Return the machine with its rows in their places."""
        problem, coefficients = self._problem, np.empty_like(machine.coefficients)
        coefficients[self._order] = machine.coefficients
        known = self._held, machine.values, machine.bias
        fit = HeldOutFit.of_rows(problem.targets, *known, ridge)
        return Solution(fit, problem.X, coefficients)
