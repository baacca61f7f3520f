"""What a theorem is: where it stands, what it bounds, what it assumes, what is wrong in print.

A theorem is declared once, above the function that evaluates it, and :func:`states` ties the two
together. Whatever lists theorems asks :func:`statements`::

    _THEOREM_1 = Theorem(_PAPER, "Theorem 1", Quantity.LOSS, Learner.KRR)

    @states(_THEOREM_1)
    def paper_krr(sample, *, delta=0.05):
        return _THEOREM_1.bound(sample, {"training": ..., "complexity": ...})

The function is written for a sample; what :func:`states` makes of it takes K, y, ridge and limits.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from textwrap import dedent
from typing import Any, NamedTuple

from kernelwise.bounds.base import Assumption, Bound, Limits, Terms, guarded, is_corrected
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.targets import Targets

Trivial = float | Callable[[Sample, Learner], float]
Assumptions = tuple[Assumption, ...]

# What every docstring says where it has {parameters}; a paper adds those of its own.
_PARAMETERS = r"""
K : array of shape (n, n)
y : array of shape (n,)
    %(target)s
ridge : float, default=1.0
    :math:`%(ridge)s`: the machine %(machine)s, without bias.
delta : float, default=0.05
    The probability that the bound fails.
limits : Limits or None, default=None
    What is known of the distribution beforehand; read off the sample where None.
variant : {"corrected", "printed"}, default="corrected"
    With misprints repaired, or as the paper has it; docs/bounds.md sets the two side by side.
"""
_RETURNS = "\nReturns\n-------\nbound : Bound\n    The sum of its terms."
_SOLVES = "solves (K + ridge I) alpha = y"
_REAL = "A real target, or two classes, which are then ±1."


class Quantity(Enum):
    """What theorems bound."""

    LOSS = "the expected loss"
    ERROR_RATE = "the error rate Pr[y f_S(x) < 0]"
    STABILITY = "the uniform stability"
    CHANGE = "the change of a prediction"
    CV_VARIANCE = "the variance of the k-fold error"
    TRAINING_ERROR = "the training error of the hyperplane of eq. 17"
    RATIO = "the eigenvalues ratio for t = {t} (from below)"


def limited_kernel(sample: Sample, learner: Learner) -> Assumptions:
    """Assume a positive semidefinite K and limits of kernel and target."""
    return (sample.psd(), *sample.limits_hold())


@dataclass(frozen=True)
class Paper:
    """What the theorems of a paper have in common."""

    name: str
    subject: str  # what a theorem that needs two classes is called where the target is real
    trivial: Trivial  # what is known of the quantity without the theorem
    ridge: str = ""  # what the ridge is in the paper's symbols
    assumes: Callable[[Sample, Learner], Assumptions] = lambda sample, learner: ()
    parameters: str = ""  # what only this paper has, in numpydoc
    given: tuple[str, ...] = ("ridge", "limits")  # what its bounds take beside K and y


@dataclass(frozen=True)
class Theorem:
    """A theorem: what it bounds, of which machine, and what is wrong with the printed form."""

    paper: Paper
    number: str
    quantity: Quantity
    learner: Learner
    misprint: str | None = None  # None where the print follows from its proof
    trivial: Trivial | None = None  # None for the paper's
    from_below: bool = False

    @property
    def reference(self) -> str:
        """Where it stands."""
        return f"{self.paper.name}, {self.number}"

    def takes(self, targets: Targets) -> bool:
        """Say whether it is about such a target."""
        return targets.classes is not None or not self.learner.classifies

    def sample(self, K: Any, y: Any, *, ridge: float = 1.0, limits: Limits | None = None) -> Sample:
        """Return the sample, or say that the theorem is not about it."""
        sample = Sample.of(K, y, ridge, limits)
        if not self.takes(sample.targets):
            raise ValueError(f"{self.paper.subject} is for two classes, but y is a real target.")
        return sample

    def bound(
        self, sample: Sample, terms: Terms, *assumptions: Assumption, variant: str = "printed"
    ) -> Bound:
        """Return the sum of the terms; the paper's assumptions come first, a misprint last."""
        trivial = self.paper.trivial if self.trivial is None else self.trivial
        common = self.paper.assumes(sample, self.learner)
        return Bound.of(
            self.quantity.value,
            terms,
            trivial(sample, self.learner) if callable(trivial) else trivial,
            self.reference,
            assumptions=(*common, *assumptions, *self.misprinted(variant)),
            variant=variant,
        )

    def misprinted(self, variant: str) -> Assumptions:
        """Return, of a printed variant, the assumption that the print is right; it is not."""
        if is_corrected(variant) or self.misprint is None:
            return ()
        return (Assumption(f"the print follows from its proof; in fact {self.misprint}", False),)


class Statement(NamedTuple):
    """A theorem, and the function that evaluates it."""

    theorem: Theorem
    function: Callable[..., Bound]


_STATEMENTS: dict[str, Statement] = {}  # filled while the modules of theorems are imported


def statements() -> dict[str, Statement]:
    """Return all theorems by the names of their functions, in alphabetical order."""
    return dict(sorted(_STATEMENTS.items()))


def states(theorem: Theorem) -> Callable[[Callable[..., Bound]], Callable[..., Bound]]:
    """Register the function that evaluates a theorem, and describe its parameters."""

    def register(function: Callable[..., Bound]) -> Callable[..., Bound]:
        name = function.__name__
        known = _STATEMENTS.get(name)
        if known is not None and known.function.__module__ != function.__module__:
            taken = f"the name {name!r} is taken by {known.theorem.reference}"
            raise ValueError(f"{taken}: choose another.")
        stated = guarded(_of_data(function, theorem))
        stated.__doc__ = _described(stated, theorem)
        _STATEMENTS[name] = Statement(theorem, stated)
        return stated

    return register


def _of_data(function: Callable[..., Bound], theorem: Theorem) -> Callable[..., Bound]:
    """Return a function of what a sample is made of; one that knows no sample stays as it is."""
    first, *options = inspect.signature(function).parameters.values()
    if first.name != "sample":
        return function
    makes = inspect.signature(theorem.sample).parameters
    data = [makes[name] for name in ("K", "y", *theorem.paper.given)]
    signature = inspect.Signature([*data, *options], return_annotation=Bound)

    @wraps(function)
    def stated(*args: Any, **kwargs: Any) -> Bound:
        given = signature.bind(*args, **kwargs).arguments
        sample = theorem.sample(**{p.name: given.pop(p.name) for p in data if p.name in given})
        return function(sample, **given)

    stated.__signature__ = signature  # type: ignore[attr-defined]
    return stated


def _described(function: Callable[..., Bound], theorem: Theorem) -> str:
    """Return the docstring with what the parameters are, and what is returned, in place."""
    shared = _PARAMETERS % {
        "target": "Two classes." if theorem.learner.classifies else _REAL,
        "ridge": theorem.paper.ridge,
        "machine": "has C = 1 / (2 ridge)" if theorem.learner is Learner.SVM else _SOLVES,
    }
    entries = re.split(r"\n(?=\w)", shared.rstrip() + dedent(theorem.paper.parameters).rstrip())
    known = {entry.split()[0]: entry for entry in entries if entry}
    lines = [known.get(name, name) for name in inspect.signature(function).parameters]
    text = inspect.getdoc(function) or ""
    lines += [] if "Returns\n" in text else [_RETURNS]
    return text.replace("{parameters}", "\n".join(["Parameters", "----------", *lines]))
