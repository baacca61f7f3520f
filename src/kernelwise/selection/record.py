"""What is kept of a selection: the choice, how sure it is, and the tables behind it."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.kernels import Gaussian, Kernel, Scaled
from kernelwise.selection import archive
from kernelwise.selection.diagnostics import code_of
from kernelwise.selection.left_out import Confusion, Residuals, confusion, residuals
from kernelwise.selection.result import SelectionResult
from kernelwise.targets import Targets

FORMAT = "kernelwise-record/1"


@dataclass(frozen=True)
class ErrorEstimate:
    """An error that is to be expected on new rows.

    Attributes
    ----------
    measure : str
        "error rate", "balanced error rate" or "root mean squared error"; "standardised root mean
        squared error" of several targets.
    value : float
    standard_error : float
        NaN where it is not known.
    method : str
        How it was found, as "leave-one-out" or "nested 5-fold".
    baseline : float
        The same measure for the best constant prediction.
    """

    measure: str
    value: float
    standard_error: float
    method: str
    baseline: float

    @property
    def is_rate(self) -> bool:
        """Whether it is a share of rows, or a mean of such shares over the classes."""
        return self.measure.endswith("error rate")

    @property
    def constant(self) -> str:
        """What the baseline is the error of."""
        always = {"error rate": "largest class", "balanced error rate": "same class"}
        return f"always the {always.get(self.measure, 'mean')}"

    def text(self, value: float, digits: int = 4) -> str:
        """Return a value of the measure as a person reads it."""
        return f"{100 * value:.1f} %" if self.is_rate else f"{value:.{digits}g}"

    @property
    def short(self) -> str:
        """The value and, where it is known, its standard error."""
        spread = f" ± {self.text(self.standard_error, 2).removesuffix(' %')}"
        known = "" if math.isnan(self.standard_error) else spread
        return f"{self.text(self.value)}{known}"

    def __str__(self) -> str:
        how = self.method if self.measure == "error rate" else f"{self.measure}, {self.method}"
        return f"{self.short} ({how}; {self.constant}: {self.text(self.baseline)})"


@dataclass(frozen=True)
class Member:
    """One of the machines of a stack."""

    name: str  # as members_ of a KernelStack has it
    kernel: Kernel
    ridge: float
    weight: float  # in the predictions
    error: ErrorEstimate | None  # of it alone
    candidates: int  # kernels that this one was chosen among
    seconds: float  # for that

    @property
    def title(self) -> str:
        """What a person calls its kernel, without the numbers."""
        if isinstance(self.kernel, Scaled):
            return f"{type(self.kernel.kernel).__name__} on weighted features"
        return type(self.kernel).__name__


@dataclass(frozen=True)
class Stack:
    """Several machines, and how far they are trusted beyond the first."""

    gate: float  # 0: the first alone, 1: the stack
    single_error: ErrorEstimate | None  # of the first alone
    members: tuple[Member, ...]  # that of the chosen kernel first
    notes: tuple[str, ...] = ()  # members that were left out, and why


@dataclass(frozen=True)
class Views:
    """What weights of kernels say of groups of features, and what they gain over one kernel."""

    weights: dict[str, float]  # of every group, one in sum
    kernels: int  # that have a weight
    gain: float  # by which the leave-one-out loss is lower than that of the best kernel alone
    gain_standard_error: float
    single_error: ErrorEstimate | None  # of the best kernel alone
    uniform_error: ErrorEstimate | None  # of equal weights

    @property
    def title(self) -> str:
        """What a person calls the sum."""
        used = sum(weight > 0.0 for weight in self.weights.values())
        kernels = "One kernel" if self.kernels == 1 else f"A sum of {self.kernels} kernels"
        return f"{kernels} on {used} of {len(self.weights)} views"


@dataclass(frozen=True, eq=False)
class Record:
    """Everything a report needs, and nothing of the data itself."""

    kernel: Kernel  # the chosen one
    ridge: float
    machine: str  # the class name of the machine with this kernel
    task: str  # "classification" or "regression"
    result: SelectionResult  # of the selection: one column per stage
    comparison: SelectionResult | None = None  # all criteria side by side, at the chosen ridge
    error: ErrorEstimate | None = None  # of the model: the machine, or the stack
    balanced_error: ErrorEstimate | None = None  # of it, where classes are weighted
    nested: ErrorEstimate | None = None  # of the whole selection
    confusion: Confusion | None = None  # of classes, by leave-one-out
    residuals: Residuals | None = None  # of real targets, by leave-one-out
    stack: Stack | None = None  # the machines that are combined; None where one was asked for
    views: Views | None = None  # where kernels on groups of features are weighed
    relevance: dict[str, float] | None = None  # the shares of the columns that matter most
    warnings: tuple[str, ...] = ()  # diagnostics: what the guards, and others, had to say
    # As far as known: source, rows, features, target, classes (the count of every label),
    # class_weight (the weight of every label) and prepared (sentences).
    data: dict[str, Any] = field(default_factory=dict)
    seconds: float = math.nan
    model: str | None = None  # the name of the model's file beside the record
    version: str = ""  # of kernelwise

    @classmethod
    def of(cls, selector: Any, y: Any, source: str | None = None) -> "Record":
        """Return what is known of a fitted selector, for a report.

        Parameters
        ----------
        selector : KernelSelector or MultiKernelSelector
            Fitted, with ``refit=True``, to one target.
        y : array of shape (n,)
            The target that it was fitted to.
        source : str or None, default=None
            What the data are called.
        """
        task = "classification" if hasattr(selector, "classes_") else "regression"
        targets, machine = Targets.of(y, task), selector.best_estimator_
        facts: dict[str, Any] = {"source": source, "rows": targets.n}
        if targets.classes is not None:
            labels = map(str, targets.classes.tolist())
            facts["classes"] = dict(zip(labels, targets.counts.tolist(), strict=True))
        return cls(
            kernel=selector.best_kernel_,
            ridge=selector.best_ridge_,
            machine=type(machine).__name__,
            task=task,
            result=selector.result_,
            error=selector.error_,
            confusion=confusion(machine, targets),
            residuals=residuals(machine, targets),
            views=views_of(selector),
            warnings=tuple(selector.guards_),
            data=facts,
            seconds=selector.result_.seconds,
        )

    @property
    def title(self) -> str:
        """What the chosen kernel is called; sums of many kernels have long names."""
        return str(self.kernel) if self.views is None else self.views.title

    def as_good(self) -> list[Kernel]:
        """Return the kernels that the last stage cannot tell from the choice, narrowest first.

        They are of its family, and their values, with those of all widths in between, lie within
        one standard error of that of the choice. The choice is among them.
        """
        result, name = self.result, next(reversed(self.result.choosing()), None)
        if name is None or self.kernel not in result.kernels:
            return []
        values, chosen = result.table[name], result.kernels.index(self.kernel)
        error = result.standard_errors.get(name, np.full(len(result), np.nan))[chosen]
        family = [
            i
            for i, kernel in enumerate(result.kernels)
            if kernel.family == self.kernel.family and not np.isnan(values[i])
        ]
        family.sort(key=lambda i: -result.kernels[i].roughness)
        if np.isnan(error) or chosen not in family:
            return []
        with np.errstate(invalid="ignore", over="ignore"):  # infinite values
            near = (np.abs(values[family] - values[chosen]) <= error).tolist()
        return [result.kernels[family[place]] for place in _run(near, family.index(chosen))]

    def as_well(self) -> str:
        """Return in words what would do as well as the choice; nothing where it is not known."""
        kernels = self.as_good()
        if len(kernels) < 2:
            return "no other kernel offered does as well" if kernels else ""
        if isinstance(self.kernel, Gaussian):
            taus = [kernel.tau for kernel in kernels if isinstance(kernel, Gaussian)]
            return f"any tau from {taus[0]:g} to {taus[-1]:g} does as well"
        others = ", ".join(str(kernel) for kernel in kernels if kernel != self.kernel)
        return f"{others} would do as well"

    def to_json(self) -> str:
        """Return it as JSON."""
        codes = [code_of(warning) for warning in self.warnings]
        plain = {"format": FORMAT, **archive.fields_to_plain(self), "warning_codes": codes}
        tables = {name: plain.pop(name) for name in ("result", "comparison")}  # the longest: last
        return json.dumps(plain | tables, indent=1, allow_nan=False)


def views_of(selector: Any) -> Views | None:
    """Return what a fitted estimator says of groups of features; None where it has none."""
    if not hasattr(selector, "view_weights_"):
        return None
    return Views(
        weights=dict(selector.view_weights_),
        kernels=int(np.count_nonzero(selector.weights_)),
        gain=selector.gain_,
        gain_standard_error=selector.gain_standard_error_,
        single_error=selector.single_error_,
        uniform_error=selector.uniform_error_,
    )


def _run(near: list[bool], place: int) -> range:
    """Return the places around one that are near without a gap."""
    start, stop = place, place + 1
    while start > 0 and near[start - 1]:
        start -= 1
    while stop < len(near) and near[stop]:
        stop += 1
    return range(start, stop)
