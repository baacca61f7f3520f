"""What is known once weights are chosen: the choice, beside one kernel alone and equal weights."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from types import SimpleNamespace

import numpy as np

from kernelwise._types import Array
from kernelwise.combine.combined import as_flat
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.mkl.judging import Proposal, Verdict, best_of, judge, until_clearly_worse
from kernelwise.combine.mkl.methods import Method
from kernelwise.combine.weights import gate
from kernelwise.kernels import Kernel
from kernelwise.machines.base import standard_error
from kernelwise.selection.cascade import loo_criterion
from kernelwise.selection.diagnostics import Code, Diagnostic, change_of_loss
from kernelwise.selection.estimators import leave_one_out
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.result import SelectionResult
from kernelwise.targets import Targets


@dataclass(frozen=True, eq=False)
class Outcome:
    """A choice of weights and ridge, and all that it was chosen from."""

    base: BaseMatrices
    best: Verdict  # the choice
    gate: float  # how far it is trusted, from equal weights (0) to what the method proposed (1)
    tried: list[Verdict]  # on what the method proposed
    singles: list[Verdict]  # on every base kernel alone, except for constant ones
    uniform: Verdict  # on equal weights
    seconds: float  # that the base kernels took

    @property
    def single(self) -> Verdict:
        """The best kernel alone."""
        return best_of(self.singles)

    @property
    def gain(self) -> tuple[float, float]:
        """By how much its loss is lower than that of one kernel, with the paired error of that."""
        gains = self.single.losses - self.best.losses
        return float(gains.mean()), standard_error(gains)

    @property
    def ridge(self) -> float:
        """The ridge in units of the weights as they were given."""
        return self.best.ridge * _mean_weight(self.base.targets)

    def kernel(self, kernels: Sequence[Kernel]) -> Kernel:
        """Return the weighted sum of the kernels as they are."""
        factors = (self.best.proposal.weights / self.base.scales).tolist()
        parts = [f * kernel for f, kernel in zip(factors, kernels, strict=True) if f > 0.0]
        combined: Kernel = reduce(add, parts)
        return combined

    def error(self, verdict: Verdict) -> ErrorEstimate | None:
        """Return the leave-one-out error of a verdict."""
        residuals = self.base.Y - verdict.values
        if self.base.is_real:
            residuals *= self.base.targets.y.std(axis=0)
        left_out = SimpleNamespace(loo_values_=verdict.values, loo_residuals_=as_flat(residuals))
        return leave_one_out(left_out, self.base.targets)

    def path(self) -> dict[str, Array]:
        """Return what the method proposed, and what leave-one-out said of it."""
        return {
            "penalty": np.array([verdict.proposal.penalty for verdict in self.tried]),
            "weights": np.array([verdict.proposal.weights for verdict in self.tried]),
            "ridge": np.array([verdict.ridge for verdict in self.tried]),
            "loss": np.array([verdict.loss for verdict in self.tried]),
        }

    def table(self, kernels: Sequence[Kernel]) -> SelectionResult:
        """Return the base kernels by leave-one-out; constant ones are undefined."""
        base, targets = self.base, self.base.targets
        ridges, values, errors = np.full((3, base.kernels), np.nan)
        for i, verdict in zip(np.flatnonzero(base.usable), self.singles, strict=True):
            ridges[i] = verdict.ridge * base.scales[i] * _mean_weight(targets)
            values[i], errors[i] = verdict.loss, standard_error(verdict.losses)
        constant = Diagnostic("the matrix is constant on these rows", Code.UNDEFINED)
        left = [k for k, usable in zip(kernels, base.usable.tolist(), strict=True) if not usable]
        criterion, square = loo_criterion(targets), _unit(targets) ** 2
        return SelectionResult(
            kernels=tuple(kernels),
            ridges=ridges,
            criteria={criterion.name: criterion},
            table={criterion.name: square * values},
            notes={f"{kernel}: {criterion.name}": constant for kernel in left},
            engine="low_rank" if base.landmarks.size else "dense",
            engine_reason=_reason(base),
            seconds=self.seconds,
            standard_errors={criterion.name: square * errors},
        )


def choose(base: BaseMatrices, method: Method, ridges: Array | None) -> Outcome:
    """Judge every base kernel, equal weights, and what the method proposes."""
    began = time.perf_counter()
    singles = [judge(base, Proposal(unit), ridges) for unit in np.eye(base.kernels)[base.usable]]
    seconds = time.perf_counter() - began
    uniform = judge(base, Proposal(base.usable / base.usable.sum()), ridges)
    verdicts = (judge(base, each, ridges) for each in method.proposals(base, uniform.ridge))
    tried = until_clearly_worse(verdicts) if method.is_path else list(verdicts)
    best, trust = best_of(tried), 1.0
    if method.is_gated:
        trust = gate(uniform.losses - best.losses)
        best = _mixed(trust, best, uniform, lambda mixed: judge(base, mixed, ridges))
    return Outcome(base, best, trust, tried, singles, uniform, seconds)


def no_gain(gain: float, spread: float, alone: Kernel) -> list[Diagnostic]:
    """Say so where a sum is not better than its best kernel by more than the paired error."""
    if not gain <= spread:
        return []
    change = change_of_loss(gain, spread)
    said = f"no gain over one kernel: by leave-one-out the loss is {change} than with {alone} alone"
    return [Diagnostic(f"{said}: use KernelSelector with this kernel", Code.NO_GAIN)]


def _mixed(
    trust: float, best: Verdict, uniform: Verdict, judged: Callable[[Proposal], Verdict]
) -> Verdict:
    """Return the verdict on a share of the best weights, and of equal ones for the rest."""
    if trust in (0.0, 1.0):
        return best if trust else uniform
    weights = trust * best.proposal.weights + (1.0 - trust) * uniform.proposal.weights
    return judged(Proposal(weights, best.proposal.penalty))


def _reason(base: BaseMatrices) -> str:
    if base.landmarks.size:
        return f"{base.rows} rows: base matrices are kept as features by {base.landmarks.size} rows"
    return "all base matrices are kept"


def _mean_weight(targets: Targets) -> float:
    """Return the mean weight of the rows; the matrices have weights of mean one."""
    return 1.0 if targets.weights is None else float(targets.weights.mean())


def _unit(targets: Targets) -> float:
    """Return the spread of one real target, in units of which it is fitted."""
    return float(targets.y.std()) if targets.kind == "regression" and targets.y.ndim == 1 else 1.0
