"""Kernels and ridges for more rows than a matrix can have: on few rows first, then by landmarks.

Exact leave-one-out on 2,000 rows says where to begin. Machines on landmarks, trained on many rows
and judged by rows held out, go on from there: from 1,000 landmarks on their number is doubled while
that pays. Few landmarks prefer wide kernels, and so do few rows: at every doubling narrower kernels
are tried. The last machine is fitted to all rows, or to all but those held out; what it is said to
achieve was measured on rows that it had not seen. If the rows are few enough, the last machine has
all of them as landmarks.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from kernelwise._progress import SILENT, Task
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.criteria import ELOO
from kernelwise.gram.landmarks import (
    MOST_ITERATIONS,
    Landmarks,
    LandmarkSolution,
    NotConverged,
    Preconditioner,
)
from kernelwise.gram.lowrank import distinct_rows
from kernelwise.gram.pairs import kernel_between
from kernelwise.gram.single import in_single
from kernelwise.kernels import Kernel
from kernelwise.machines.base import standard_error
from kernelwise.machines.held_out import HeldOutFit, LeftOut
from kernelwise.selection.climb import Grid, GridIndex, SearchFailed
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.effort import Effort
from kernelwise.selection.local_search import LocalSearch, SearchResult
from kernelwise.selection.looks import Look, WholeLook, best_of
from kernelwise.selection.problem import Problem, Solution
from kernelwise.selection.ranks import falls
from kernelwise.selection.whole import WholeMachine
from kernelwise.targets import last_rows, stratified_order

START_ROWS = 2000
FEWEST_LANDMARKS = 1000
MOST_LANDMARKS = 8000
_HELD_OUT = 5000  # rows
_HELD_SHARES = 5, 10  # at most one row in so many is held out, among few rows and among many
_ROWS_A_LANDMARK = 16  # on which kernels and ridges are compared
_SAMPLE = 4  # rows a landmark of which a preconditioner is made
_FEW_ROWS = 300.0  # fewer rows than m² over this do without such a sample
_MORE = 2  # iterations for the machine on all rows
_WORSE = 1.25  # times the loss that tells that it has not converged
_SLOWER = 1.4  # times the iterations that twice the landmarks may take
_MORE_TARGETS = 0.1  # of a kernel value's time goes into every target beyond the first
_LOOKS = 3  # that a climb usually takes
_ITERATIONS = 8.0  # that the fewest landmarks usually take
_START_PARTS = 40  # of a bar with 400 for all machines, as the time goes
_BYTES = 60.0  # of memory that the factors of all looks take, times the square of the landmarks
_MANY_SECONDS = 600
_FACTORS = 40.0  # the factors of m landmarks take as long as m³ over this many kernel values


class _Climbed(NamedTuple):
    """Where doubling landmarks has led to."""

    looks: dict[GridIndex, Look]  # the last ones
    limit: str | None  # what keeps landmarks from being more, where more might do better
    whole: WholeLook | None = None  # a machine on all rows, if it is better


class LandmarkSearch:
    """Looks for the kernel and ridge with the least loss on rows held out.

    Parameters
    ----------
    problem : Problem
    kernels : list of Kernel
        Neighbours in the list should be alike: sorted by width, the widest first.
    criterion : ELOO
        Says which loss.
    ridges : array of shape (kernels, ridges)
        In ascending order.
    """

    def __init__(
        self,
        problem: Problem,
        kernels: Sequence[Kernel],
        criterion: ELOO,
        ridges: Array,
    ) -> None:
        self._problem, self._kernels = problem, kernels
        self._criterion, self._ridges = criterion, ridges
        targets, X = problem.targets, problem.X
        order = stratified_order(targets)
        self._held = np.sort(last_rows(targets, order, _held_out_of(targets.n)))
        self._training = order[~np.isin(order, self._held)]
        most = min(MOST_LANDMARKS, order.size // 2, problem.fitting(_BYTES))
        self._landmarks = distinct_rows(X, self._training, most)
        is_movable = all(kernel.is_stationary for kernel in kernels) and not sp.issparse(X)
        self._single = in_single(X, X[order[:START_ROWS]].mean(axis=0) if is_movable else None)
        self._held_targets = targets.part(self._held)
        self._weights = np.ones(targets.n) if targets.weights is None else targets.weights
        self._effort = Effort(targets.n, problem.seconds, problem.begun)
        grid = Grid(kernels, criterion, ridges)
        self._whole = WholeMachine(problem, grid, self._training, self._held, self._effort)

    def run(self, progress: Task) -> SearchResult:
        """Begin on few rows, then climb with more and more landmarks, at last with all rows."""
        with progress.part("landmarks", _START_PARTS + Effort.PARTS) as task:
            place = self._start()
            for _ in range(_START_PARTS):
                task.advance()
            self._effort.begin(task, self._planned())
            looks, limit, whole = self._ladder(place)
            if whole is not None:
                return self._result(looks, whole, whole.solution, "all other rows", None)
            best, solution = self._sound(looks)
        return self._result(looks, best, solution, f"{best.landmarks} landmarks", limit)

    def _start(self) -> GridIndex:
        """Return the pick of exact leave-one-out on few rows, in a second or two."""
        few = self._problem.exact_part(self._training[:START_ROWS])
        with limited(rows=1):  # a second thread would wait for most of the time
            search = LocalSearch(few, self._kernels, self._criterion, self._ridges)
            return search.run(SILENT).pick

    def _planned(self) -> float:
        """Return the work if landmarks are doubled as long as there is time, as a rule."""
        m, iterations = min(FEWEST_LANDMARKS, self._landmarks.size), _ITERATIONS / _SLOWER
        machine, look = self._work(m, iterations)
        looks = _LOOKS * look
        while 2 * m <= self._landmarks.size and not self._whole.is_cheaper(2 * m):
            m, iterations = 2 * m, iterations * _SLOWER
            more, look = self._work(m, iterations)
            if not self._effort.allows(more, looks + look):
                break
            count = _LOOKS if self._effort.allows(more, looks + _LOOKS * look) else 1
            machine, looks = more, looks + count * look
        return machine + looks + (self._whole.work if self._whole.is_cheaper(2 * m) else 0.0)

    def _ladder(self, place: GridIndex) -> "_Climbed":
        """Double the landmarks while that pays."""
        m, paid = min(FEWEST_LANDMARKS, self._landmarks.size), False
        looks = self._climb(m, place, (1, -1))
        if not looks:
            raise SearchFailed
        while True:
            best = best_of(looks)
            whole = self._whole.look(best.place, 2 * m, self._losses, best.loss)
            if whole is not None:
                return _Climbed(looks, None, whole if whole.loss < best.loss else None)
            if 2 * m > self._landmarks.size:
                return _Climbed(looks, self._ceiling(m, paid))
            work = self._work(2 * m, best.solution.iterations)
            sides = self._affordable_sides(*work)
            if sides is None:
                why = "doubling them has paid up to here" if paid else "there was no time for more"
                limit = f"{why}): give it more seconds, as in time={self._more_seconds}"
                return _Climbed(looks, limit)
            m *= 2
            more = self._climb(m, best.place, sides)
            if not more or not self._gains(best, best_of(more), sum(work)):
                return _Climbed(looks, None)
            looks, paid = more, True

    @property
    def _more_seconds(self) -> int:
        """Seconds to advise."""
        return max(_MANY_SECONDS, 2 * math.ceil(self._problem.seconds or 0.0))

    def _ceiling(self, m: int, paid: bool) -> str | None:
        """Say what keeps the landmarks from being more, where more might do better."""
        if self._problem.fitting(_BYTES) < min(2 * m, self._problem.targets.n // 2):
            return "more do not fit into memory): raise memory"
        if paid and 2 * m > MOST_LANDMARKS:
            return "doubling them has paid up to here): there may be no more of them"
        return None

    def _gains(self, before: Look, after: Look, work: float) -> bool:
        """Say whether more landmarks pay; where they take little work no proof is asked for.

        They come closer to the machine on all rows, and few rows held out prove little.
        """
        is_less = after.loss < before.loss
        return is_less and (self._effort.is_little(work) or falls(before.losses, after.losses))

    def _work(self, m: int, iterations: float) -> tuple[float, float]:
        """Return the work on a machine of all rows and on a look at so many landmarks."""
        rows = min(self._training.size, _ROWS_A_LANDMARK * m)
        expected = _SLOWER * iterations
        # The machine on all rows takes over the factors of the look that it is made from.
        machine = self._values(self._problem.targets.n, m) * (expected + _MORE)
        return machine, self._values(rows, m) * expected + _factors(m)

    def _affordable_sides(self, machine: float, look: float) -> tuple[int, ...] | None:
        """Say whether there is time for a narrower kernel, for one kernel only, or for none."""
        if self._effort.allows(machine, _LOOKS * look):
            return (1,)
        return () if self._effort.allows(machine, look) else None

    def _values(self, rows: int, m: int) -> float:
        """Return the kernel values of a pass; products with many targets count as more of them."""
        targets = int(self._problem.targets.fit_columns.shape[1])
        return float(rows) * m * (1.0 + _MORE_TARGETS * (targets - 1))

    def _climb(self, m: int, place: GridIndex, sides: tuple[int, ...]) -> dict[GridIndex, Look]:
        """Return looks at a kernel and its neighbours on some sides, as long as they are better."""
        looks: dict[GridIndex, Look] = {}
        tried = {place.kernel}
        self._look(looks, m, place)
        while looks:
            best = best_of(looks).place
            near = [best.kernel + side for side in sides]
            new = [k for k in near if 0 <= k < len(self._kernels) and k not in tried]
            if not new:
                break
            tried.add(new[0])
            self._look(looks, m, GridIndex(new[0], best.ridge))
        return looks

    def _look(self, looks: dict[GridIndex, Look], m: int, place: GridIndex) -> None:
        """Add the machines of a kernel at a ridge and its neighbours; none if they fail."""
        k, j = place
        ridges = range(max(j - 1, 0), min(j + 2, self._ridges.shape[1]))
        rows = self._training[: _ROWS_A_LANDMARK * m]
        seen = self._seen(self._kernels[k], rows, m)
        tile = seen.values(self._single[self._held])
        # With few rows, more passes cost less than a better preconditioner.
        few = rows.size < m * m / _FEW_ROWS
        sample = None if few else np.arange(rows.size)[-_SAMPLE * m :]
        passes = self._effort.passes(self._values(rows.size, m))
        try:
            with limited(rows=m // 2):  # the passes have threads of their own
                system = Preconditioner.of(
                    seen, self._ridges[k, list(ridges)], sample, self._effort.factors(_factors(m))
                )
                solution = seen.solve(
                    system, lambda a, b: self._judged(tile, a, b), MOST_ITERATIONS, passes
                )
        except NotConverged:
            return
        for at, ridge in enumerate(ridges):
            values = tile @ solution.coefficients[at].astype(tile.dtype) + solution.bias[at]
            at_place = GridIndex(k, ridge)
            looks[at_place] = Look(
                at_place, self._losses(values), values, seen, solution, system, at
            )

    def _seen(self, kernel: Kernel, rows: Array, m: int) -> Landmarks:
        return Landmarks(
            kernel,
            self._single[rows],
            self._single[self._landmarks[:m]],
            self._problem.targets.fit_columns[rows],
            self._weights[rows],
            self._problem.fit_intercept,
        )

    def _judged(self, tile: Array, coefficients: Array, bias: Array) -> Array:
        """Return the mean losses of several machines on the rows held out."""
        machines = zip(coefficients, bias, strict=True)
        return np.array([self._losses(tile @ a.astype(tile.dtype) + b).mean() for a, b in machines])

    def _losses(self, values: Array) -> Array:
        targets = self._held_targets
        fit = HeldOutFit(
            0.0, np.zeros(1), values, targets.fit_columns - values, None, np.ones(targets.n)
        )
        with np.errstate(over="ignore", invalid="ignore"):  # what diverges is found out
            return np.asarray(self._criterion.losses(targets, LeftOut(fit)))

    def _sound(self, looks: dict[GridIndex, Look]) -> tuple[Look, Solution]:
        """Return the best look and its machine; those that are good by rounding alone are lost."""
        while looks:
            best = best_of(looks)
            if (machine := self._machine(best)) is not None:
                return best, machine
            del looks[best.place]
        raise SearchFailed

    def _machine(self, best: Look) -> Solution | None:
        """Return a look's machine on more rows, by a few more iterations.

        All of them, if it was judged with all that were not held out. If with fewer, it is judged
        once more, and those held out stay so: they are few then. None if it is worse in double
        precision.
        """
        m, (k, j) = best.landmarks, best.place
        saw_all = best.seen.X.shape[0] == self._training.size
        rows = np.arange(self._problem.targets.n) if saw_all else self._training
        landmarks, ridge = self._problem.X[self._landmarks[:m]], float(self._ridges[k, j])
        K = kernel_between(self._kernels[k], self._problem.X[self._held], landmarks)
        for solution, at in (*self._solved_again(best, rows), (best.solution, best.at)):
            coefficients, bias = solution.coefficients[at], solution.bias[at]
            held_out = K @ coefficients + bias  # as it will be evaluated, in double precision
            if self._losses(held_out).mean() <= _WORSE * best.loss:
                values = best.values if saw_all else held_out
                fit = HeldOutFit.of_rows(self._problem.targets, self._held, values, bias, ridge)
                return Solution(fit, landmarks, coefficients)
        return None

    def _solved_again(self, best: Look, rows: Array) -> Iterator[tuple[LandmarkSolution, int]]:
        """Yield the machine of the best look on other rows, if it converges."""
        m = best.landmarks
        seen = self._seen(self._kernels[best.place.kernel], rows, m)
        passes = self._effort.passes(self._values(rows.size, m))
        iterations = best.solution.iterations + _MORE
        with suppress(NotConverged):
            yield seen.solve(best.system.at(best.at), None, iterations, passes), 0

    def _result(
        self,
        looks: dict[GridIndex, Look],
        best: Look | WholeLook,
        solution: Solution,
        learnt_from: str,
        limit: str | None,
    ) -> SearchResult:
        values, errors = np.full((2, *self._ridges.shape), np.nan)
        for place, look in (looks | {best.place: best}).items():
            values[place], errors[place] = look.loss, standard_error(look.losses)
        said = f"estimated on {self._held.size} rows held out, with {learnt_from}"
        notes = [Diagnostic(said, Code.ESTIMATED)]
        if limit is not None:
            kernel = self._kernels[best.place.kernel]
            said = f"the chosen {kernel} is still limited by its {learnt_from} ({limit}"
            notes.append(Diagnostic(said, Code.RANK_LIMITED))
        looked_at = [min(START_ROWS, self._training.size), self._training.size]
        return SearchResult(values, best.place, solution, looked_at, [], errors, tuple(notes))


def _held_out_of(n: int) -> int:
    """Return how many rows judge machines.

    The more of them there are, the surer is the choice. Where every machine sees all others, they
    come back in the end; otherwise they are lost, and should be few.
    """
    most, few = (min(_HELD_OUT, n // share) for share in _HELD_SHARES)
    return most if n - most <= _ROWS_A_LANDMARK * FEWEST_LANDMARKS else few


def _factors(m: int) -> float:
    """Return the work on the factors of a preconditioner, in kernel values."""
    return m**3 / _FACTORS
