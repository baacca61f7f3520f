"""What was fitted to a table: a machine with one kernel, or a stack."""

from dataclasses import dataclass
from typing import Any

from kernelwise.cli.prepare import Prepared
from kernelwise.combine import KernelStack
from kernelwise.selection import KernelSelector
from kernelwise.selection.record import ErrorEstimate, Member, Stack


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted selector, or a stack whose first member is one."""

    whole: KernelSelector | KernelStack

    @property
    def single(self) -> KernelSelector:
        """What chose the kernel."""
        if isinstance(self.whole, KernelStack):
            return next(iter(self.whole.members_.values()))
        return self.whole

    @property
    def model(self) -> Any:
        """What predicts: where the gate is closed, the machine with the chosen kernel alone."""
        stack = self.whole
        if isinstance(stack, KernelStack) and stack.gate_ > 0.0:
            return stack
        return self.single.best_estimator_

    def error(self, data: Prepared) -> ErrorEstimate:
        """Return the error of what predicts."""
        if not isinstance(self.whole, KernelSelector) and self.whole.error_ is not None:
            return self.whole.error_
        return self.single.error_estimate(data.X, data.y)

    @property
    def stack(self) -> Stack | None:
        """The members of the stack; None where one kernel was asked for."""
        if not isinstance(self.whole, KernelStack):
            return None
        stack = self.whole
        pairs = zip(stack.members_.items(), stack.weights_.tolist(), strict=True)
        members = tuple(_member(name, selector, weight) for (name, selector), weight in pairs)
        return Stack(stack.gate_, stack.single_error_, members, stack.notes_)


def _member(name: str, selector: KernelSelector, weight: float) -> Member:
    result = selector.result_
    return Member(
        name=name,
        kernel=selector.best_kernel_,
        ridge=selector.best_ridge_,
        weight=weight,
        error=selector.error_,
        candidates=len(set(result.kernels)),
        seconds=result.seconds,
    )
