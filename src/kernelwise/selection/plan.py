"""What scoring kernels takes, and the evidence gathered for it in as few sweeps as possible."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelwise._progress import Task
from kernelwise.criteria import Criterion, Evidence
from kernelwise.gram import Engine
from kernelwise.kernels import Kernel
from kernelwise.selection.problem import Problem


@dataclass(frozen=True)
class Plan:
    """What scoring some kernels will take."""

    batches: list[Sequence[Kernel]]  # that are swept together
    powers: list[tuple[bool, int]]  # the highest power needed of weighted and of plain contrasts
    sweeps: int  # a batch
    kernels_count: bool  # whether scoring a kernel takes time worth telling

    @classmethod
    def of(
        cls, problem: Problem, kernels: Sequence[Kernel], columns: dict[str, Criterion]
    ) -> "Plan":
        """Plan for kernels and criteria on an engine."""
        powers = _powers_needed(columns)
        if not problem.engine.shares_sweeps:
            return cls([kernels], powers, 0, True)
        size = min(problem.engine.kernels_at_once(problem.targets), len(kernels))
        batches = [kernels[i : i + size] for i in range(0, len(kernels), size)]
        first = 1 if problem.targets.classes is not None else 2
        sweeps = first + sum(highest - 1 for _, highest in powers)
        return cls(batches, powers, sweeps, any(c.cost != "n^2" for c in columns.values()))

    @property
    def parts(self) -> int:
        """The number of parts that a progress bar counts."""
        kernels = sum(map(len, self.batches)) if self.kernels_count else 0
        return kernels + self.sweeps * len(self.batches)


def gather(problem: Problem, plan: Plan, progress: Task) -> Iterator[Evidence]:
    """Yield the evidence of every kernel; further sweeps are shared where the engine can."""
    for kernels in plan.batches:
        grams = problem.engine.grams(kernels, problem.X, problem.targets, progress)
        everything = (
            Evidence(gram, problem.targets, kernel, problem.fit_intercept, problem.machine)
            for kernel, gram in zip(kernels, grams, strict=True)
        )
        if problem.engine.shares_sweeps:
            yield from _swept(problem.engine, list(everything), plan.powers, progress)
        else:
            yield from everything


def _swept(
    engine: Engine, together: list[Evidence], powers: list[tuple[bool, int]], progress: Task
) -> Iterator[Evidence]:
    """Compute the powers of all kernels, one sweep each, then yield the evidence."""
    sound = [
        e for e in together if e.statistics.invalid_reason is None and e.statistics.frobenius > 0.0
    ]
    for weighted, highest in powers if sound else []:
        for k in range(2, highest + 1):
            vectors = [evidence.powers(weighted, k - 1).columns for evidence in sound]
            products = engine.matmul([evidence.gram for evidence in sound], vectors, progress)
            for evidence, product in zip(sound, products, strict=True):
                evidence.put_powers(weighted, k, product)
    del sound
    while together:  # let go of each: a spectrum it computed is as large as the matrix
        yield together.pop(0)


def _powers_needed(columns: dict[str, Criterion]) -> list[tuple[bool, int]]:
    """Return the highest power needed of weighted and of plain contrasts."""
    highest: dict[bool, int] = {}
    for criterion in columns.values():
        if criterion.highest_power > 1:
            weighted = bool(getattr(criterion, "weighted", True))
            highest[weighted] = max(highest.get(weighted, 1), criterion.highest_power)
    return list(highest.items())
