"""Planning a scoring run, and gathering its evidence in as few sweeps as possible."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kernelwise._progress import Task
from kernelwise.criteria import Criterion, Evidence, Powers
from kernelwise.gram import Engine
from kernelwise.kernels import Kernel
from kernelwise.selection.problem import Problem


@dataclass(frozen=True)
class Plan:
    """What scoring some kernels takes."""

    batches: list[Sequence[Kernel]]  # that are swept together
    powers: list[Powers]  # of weighted and of plain contrasts
    sweeps: int  # a batch
    kernels_count: bool  # whether scoring a kernel takes time worth telling

    @classmethod
    def of(
        cls,
        problem: Problem,
        kernels: Sequence[Kernel],
        criteria: Collection[Criterion],
        known: Collection[Kernel] = (),
    ) -> "Plan":
        """Plan for kernels, some of which are known already, and criteria on an engine."""
        if not problem.engine.shares_sweeps:
            return cls([kernels], [], 0, True)
        powers = _powers_needed(criteria)
        size = min(problem.engine.grams_at_once(problem.targets), len(kernels))
        batches = [kernels[i : i + size] for i in range(0, len(kernels), size)]
        first = 1 if problem.targets.classes is not None else 2
        sweeps = first + sum(highest - 1 for highest, _ in powers)
        all_known = all(kernel in known for kernel in kernels)
        costly = any(criterion.cost != "n^2" for criterion in criteria)
        return cls(batches, powers, 0 if all_known else sweeps, costly)

    @property
    def parts(self) -> int:
        """The number of parts that a progress bar counts."""
        kernels = sum(map(len, self.batches)) if self.kernels_count else 0
        return kernels + self.sweeps * len(self.batches)


def gather(
    problem: Problem, plan: Plan, known: dict[Kernel, Evidence], progress: Task
) -> Iterator[Evidence]:
    """Yield the evidence of every kernel; further sweeps are shared where the engine can.

    Known evidence is released once it has been used.
    """
    for kernels in plan.batches:
        missing = [kernel for kernel in kernels if kernel not in known]
        fresh = problem.evidence(missing, progress)
        if problem.engine.shares_sweeps and missing:
            fresh = _swept(problem.engine, list(fresh), plan.powers, progress)
        for i, kernel in enumerate(kernels):
            evidence = known.get(kernel) or next(fresh)
            if kernel not in kernels[i + 1 :]:
                known.pop(kernel, None)
            yield evidence
            del evidence


class Kept:
    """The evidence of the best kernels of a stage, which later stages and the fit go on with.

    Parameters
    ----------
    room : int
        How many the memory allows.
    """

    def __init__(self, room: int) -> None:
        self._room, self._survivors = room, room
        self._held: dict[Kernel, Evidence] = {}
        self._losses: dict[Kernel, float] = {}

    def begin(self, survivors: int) -> dict[Kernel, Evidence]:
        """Begin a stage that keeps this many; return what the previous stage kept."""
        known = self._held
        self._held, self._losses, self._survivors = {}, {}, survivors
        return known

    def offer(self, evidence: Evidence, loss: float) -> None:
        """Keep evidence if its kernel is among the best so far.

        Whatever else is as large as a matrix is released. The last stage, which keeps one, keeps
        its machines too.
        """
        assert evidence.kernel is not None
        if np.isnan(loss):
            return
        evidence.release(keep_fits=self._survivors == 1)
        self._held[evidence.kernel], self._losses[evidence.kernel] = evidence, loss
        if len(self._held) > min(self._survivors, self._room):
            worst = max(self._losses, key=self._losses.__getitem__)
            del self._held[worst], self._losses[worst]

    def of(self, kernel: Kernel) -> Evidence | None:
        """Return the evidence of a kernel, None where it is not kept."""
        return self._held.get(kernel)


def _swept(
    engine: Engine, together: list[Evidence], powers: Iterable[Powers], progress: Task
) -> Iterator[Evidence]:
    """Compute the powers of all kernels, one sweep each, then yield the evidence."""
    sound = [
        e for e in together if e.statistics.invalid_reason is None and e.statistics.frobenius > 0.0
    ]
    for highest, weighted in powers if sound else []:
        for k in range(2, highest + 1):
            vectors = [evidence.powers(weighted, k - 1).columns for evidence in sound]
            products = engine.matmul([evidence.gram for evidence in sound], vectors, progress)
            for evidence, product in zip(sound, products, strict=True):
                evidence.put_powers(weighted, k, product)
    del sound
    while together:  # release each: its spectrum is as large as the matrix
        yield together.pop(0)


def _powers_needed(criteria: Iterable[Criterion]) -> list[Powers]:
    """Return the highest power needed of weighted and of plain contrasts."""
    asked = [need for c in criteria for need in c.needs if isinstance(need, Powers)]
    highest = {
        weighted: max(p.highest for p in asked if p.weighted == weighted)
        for weighted in dict.fromkeys(p.weighted for p in asked)
    }
    return [Powers(k, weighted) for weighted, k in highest.items() if k > 1]
