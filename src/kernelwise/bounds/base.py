"""What a bound is: a number, where it comes from, what it assumes, and whether it says anything."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from kernelwise._sklearn import POSITIVE, Interval, StrOptions, check_parameters
from kernelwise.criteria import Undefined

P = ParamSpec("P")
R = TypeVar("R")

Terms = dict[str, float]  # the parts of a value, by name
VARIANTS = ("corrected", "printed")
_BEYOND = "its numbers are beyond float64, so use a larger ridge or rescale K and y"
_ANSWERS = {True: "yes", False: "NO", None: "?"}


@dataclass(frozen=True)
class Assumption:
    """Something a theorem takes for granted.

    Attributes
    ----------
    text : str
    holds : bool or None
        Whether it holds for this sample; None where a sample cannot tell.
    """

    text: str
    holds: bool | None

    def __str__(self) -> str:
        return f"[{_ANSWERS[self.holds]}] {self.text}"


@dataclass(frozen=True)
class Bound:
    """The right-hand side of a theorem.

    Attributes
    ----------
    value : float
    terms : dict of str to float
        The parts of the value; they add up to it unless the function that made it says otherwise.
    assumptions : tuple of Assumption
    vacuous : bool
        Whether the value is no better than what is known without the theorem.
    reference : str
        The theorem.
    variant : str
        "printed" or "corrected"; "printed" too where no misprint was found.
    quantity : str
        What is bounded.
    trivial : float
        What is known of the quantity without the theorem.

    Examples
    --------
    >>> from kernelwise.bounds import Bound
    >>> bound = Bound.of("the error rate", {"training": 0.25, "complexity": 1.5}, 1.0, "Theorem 1")
    >>> bound.value, bound.vacuous
    (1.75, True)
    """

    value: float
    terms: Terms
    assumptions: tuple[Assumption, ...]
    vacuous: bool
    reference: str
    variant: str
    quantity: str
    trivial: float

    @classmethod
    def of(
        cls,
        quantity: str,
        terms: Terms,
        trivial: float,
        reference: str,
        *,
        assumptions: tuple[Assumption, ...] = (),
        variant: str = "printed",
    ) -> "Bound":
        """Return an upper bound that is the sum of its terms; all are finite or it is undefined."""
        terms = {name: float(term) for name, term in terms.items()}
        if not np.isfinite([trivial, *terms.values()]).all():
            raise Undefined(_BEYOND)
        value = math.fsum(terms.values())
        vacuous = not value < trivial
        return cls(value, terms, assumptions, vacuous, reference, variant, quantity, float(trivial))

    @property
    def valid(self) -> bool | None:
        """Whether all assumptions hold: False if one does not, None if one cannot be told."""
        answers = [assumption.holds for assumption in self.assumptions]
        if False in answers:
            return False
        return None if None in answers else True

    def __str__(self) -> str:
        says = "vacuous, " if self.vacuous else ""
        lines = [
            f"{self.reference} ({self.variant})",
            f"{self.quantity}: {self.value:.4g} ({says}{self.trivial:.4g} without the theorem)",
            *(f"  {name}: {term:.4g}" for name, term in self.terms.items()),
            *(f"  {assumption}" for assumption in self.assumptions),
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Limits:
    r"""What is known of the distribution beforehand; read off the sample where None.

    Parameters
    ----------
    kernel : float or None, default=None
        :math:`\kappa = \sup k(x, x)`; the largest diagonal entry of K where None.
    target : float or None, default=None
        :math:`M = \sup |y|`; 1 for classes and the largest ``|y|`` of the sample where None.
    score : float or None, default=None
        :math:`D = \sup |f|`; :math:`\sqrt\kappa \max(1, |f_S|_K)` where None.
    """

    kernel: float | None = None
    target: float | None = None
    score: float | None = None

    def __post_init__(self) -> None:
        for name in ("kernel", "target", "score"):
            value = getattr(self, name)
            if value is not None:
                check_positive(name, value)


def guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Leave a function undefined where its numbers are beyond float64.

    Ratios such as kappa / lambda reach 1e240, and theorems square them.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with np.errstate(all="ignore"):  # what overflows is not finite
                return function(*args, **kwargs)
        except (OverflowError, ZeroDivisionError):
            raise Undefined(_BEYOND) from None

    return call


def finite(value: float) -> float:
    """Return a number, or say that it is beyond float64."""
    if not math.isfinite(value):
        raise Undefined(_BEYOND)
    return value


def check_positive(name: str, value: Any) -> float:
    """Return a number; refuse one that is not positive."""
    check_parameters("a bound", {name: [POSITIVE]}, **{name: value})
    return float(value)


def check_delta(delta: Any) -> float:
    """Return a probability of failure; refuse one that does not lie between 0 and 1."""
    allowed = [Interval(Real, 0.0, 1.0, closed="neither")]
    check_parameters("a bound", {"delta": allowed}, delta=delta)
    return float(delta)


def check_integer(name: str, value: Any, low: int, most: str, high: int) -> int:
    """Return an integer within limits; one too large for the sample leaves a bound undefined."""
    allowed = [Interval(Integral, low, None, closed="left")]
    check_parameters("a bound", {name: allowed}, **{name: value})
    if value > high:
        raise Undefined(f"{name} must be an integer between {low} and {most} = {high}, got {value}")
    return int(value)


def is_corrected(variant: str) -> bool:
    """Say whether a variant is the corrected one; refuse one that there is not."""
    check_parameters("a bound", {"variant": [StrOptions(set(VARIANTS))]}, variant=variant)
    return variant == "corrected"
