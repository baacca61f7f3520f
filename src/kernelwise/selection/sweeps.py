"""Sweeps that many kernels share, for engines that multiply several matrices at once."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kernelwise._progress import Task
from kernelwise.criteria import Criterion, Evidence, Powers
from kernelwise.kernels import Kernel

if TYPE_CHECKING:
    from kernelwise.selection.problem import Problem


class Sweeps:
    """The sweeps that criteria take over some kernels, in batches that memory allows.

    Attributes
    ----------
    count : int
        How many sweeps there are in all.
    leave_work : bool
        Whether some criterion takes more than the sweeps.
    """

    def __init__(
        self, problem: "Problem", kernels: Sequence[Kernel], criteria: Collection[Criterion]
    ) -> None:
        self._problem, self._powers = problem, _powers_needed(criteria)
        size = max(1, min(problem.engine.grams_at_once(problem.targets), len(kernels)))
        self._batches = [kernels[i : i + size] for i in range(0, len(kernels), size)]
        first = 1 if problem.targets.classes is not None else 2
        # The first power of rows that count equally is known from the first sweep.
        self._first = 2 if problem.targets.weights_within is None else 1
        sweeps = first + sum(highest + 1 - self._first for highest, _ in self._powers)
        self.count = sweeps * len(self._batches)
        self.leave_work = any(criterion.cost != "n^2" for criterion in criteria)

    def evidence(self, progress: Task) -> Iterator[Evidence]:
        """Yield the evidence of every kernel, with the powers that the criteria take."""
        for batch in self._batches:
            together = list(self._problem.evidence(batch, progress))
            self._multiply(together, progress)
            while together:  # release each: its spectrum is as large as the matrix
                yield together.pop(0)

    def _multiply(self, together: list[Evidence], progress: Task) -> None:
        """Compute the powers of all kernels, one sweep each."""
        sound = [
            evidence
            for evidence in together
            if evidence.statistics.invalid_reason is None and evidence.statistics.frobenius > 0.0
        ]
        for highest, weighted in self._powers if sound else []:
            for k in range(self._first, highest + 1):
                vectors = [evidence.factors(weighted, k) for evidence in sound]
                grams = [evidence.gram for evidence in sound]
                products = self._problem.engine.matmul(grams, vectors, progress)
                for evidence, product in zip(sound, products, strict=True):
                    evidence.put_powers(weighted, k, product)


def _powers_needed(criteria: Iterable[Criterion]) -> list[Powers]:
    """Return the highest power needed of weighted and of plain contrasts."""
    asked = [need for c in criteria for need in c.needs if isinstance(need, Powers)]
    highest = {
        weighted: max(p.highest for p in asked if p.weighted == weighted)
        for weighted in dict.fromkeys(p.weighted for p in asked)
    }
    return [Powers(k, weighted) for weighted, k in highest.items()]
