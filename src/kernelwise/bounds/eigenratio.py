"""The eigenvalues ratio bounds the risk: Theorems 2, 3 and Corollary 1 of Liu and Liao 2015."""

import math
from typing import Any, NamedTuple

from kernelwise._arguments import shown
from kernelwise.bounds.base import (
    Assumption,
    Bound,
    Limits,
    as_printed,
    check_delta,
    check_positive,
    is_corrected,
    theorem,
)
from kernelwise.bounds.decay import check_t
from kernelwise.bounds.problem import Fitted, Problem
from kernelwise.criteria import Undefined

_PAPER = "Liu and Liao 2015"
_SKETCH = Assumption(
    "Theorem 4.1 of Bartlett, Bousquet and Mendelson 2005 holds for the loss class with the local "
    "complexity of the unit ball of H_K (the paper only sketches this)",
    None,
)


class _Loss(NamedTuple):
    """A loss on scores up to D and targets up to M."""

    slope: float  # h, its Lipschitz constant
    limit: float  # B, its supremum
    target: float  # M


class _Rates(NamedTuple):
    """The bound is R_emp + k (complexity + confidence) + constant + B / (k - 1)."""

    complexity: float
    confidence: float
    constant: float


@theorem
def er_svm(  # noqa: PLR0913 (every argument has a default that most users keep)
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    t: int = 4,
    k: float | None = None,
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the expected hinge loss of the SVM by the eigenvalues ratio (Theorem 2).

    Print: :math:`R_{\mathrm{emp}} + C_1 \sqrt{1 / (n \beta_t)} + \frac{C_2}{n} \log\frac3\delta +
    \frac{1 + D}{k - 1}` with :math:`C_1 = 12 k \sqrt{2\kappa}`,
    :math:`C_2 = k (96 F t + 96 + 5F) + 22`, F = 1 + D. It should be Theorem 3 with h = 1, B = F and
    M = 1, but :math:`C_1` lacks F and the logarithm multiplies 96Ft too. The corrected form is that
    of :func:`er_krr`.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        Two classes.
    ridge : float, default=1.0
        :math:`\lambda`: the machine has C = 1 / (2 ridge) and no bias.
    delta, t, k, limits, variant
        As for :func:`er_krr`.

    Returns
    -------
    bound : Bound
        Terms: training, complexity, confidence, slack; they add up.
    """
    problem = _problem(K, y, ridge, limits)
    F = 1.0 + problem.score_limit(problem.svm)
    loss = _Loss(1.0, F, 1.0)
    log, ratio = _log(delta), _inverse_ratio(problem, t)
    n = problem.n
    printed = _Rates(
        12.0 * math.sqrt(2.0 * problem.kappa * ratio / n) + 96.0 * F * t * log / n,
        (96.0 + 5.0 * F) * log / n,
        22.0 * log / n,
    )
    rates = _corrected(problem, loss, t, log) if is_corrected(variant) else printed
    wrong = "C_1 lacks the factor F that Theorem 3 has"
    extra = as_printed(variant, wrong)
    return _bound(problem.svm, (problem, loss, rates), k, ("Theorem 2", variant), extra)


@theorem
def er_krr(  # noqa: PLR0913 (every argument has a default that most users keep)
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    t: int = 4,
    k: float | None = None,
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the expected squared loss of kernel ridge regression (Theorem 3).

    Print:

    .. math::

        R_{\mathrm{emp}} + 12 h B k \sqrt{\frac{2\kappa}{n \beta_t}} + \frac{96 h^2 B k t +
        (96 k + 22 M + 5 B k) \log(3/\delta)}{n} + \frac{B}{k - 1},
        \quad h = 2 (M + D), \; B = (M + D)^2.

    Corrected, the chain that the sketch of the proof names, with the fixed point solved exactly:

    .. math::

        R_{\mathrm{emp}} + \frac{B}{k - 1} + 6 k B \hat r + \frac{(22 M + 5 B k)
        \log(3/\delta)}{n}, \quad \hat r = 2h \sqrt{\frac2n \Big(t \hat r + \frac\kappa{\beta_t}
        \Big)} + \frac{13 \log(3/\delta)}{n}.

    The print replaces :math:`\hat r` by a sum that is not always above it (its 96k lacks B); the
    assumptions say whether it is here.
    The constants 6, 13 and 22 are those of the sketch; they could not be checked against the
    theorem it cites, and statement and sketch disagree about h and F.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        A real target, or two classes, which are then ±1.
    ridge : float, default=1.0
        :math:`\lambda`: the machine solves (K + ridge I) alpha = y, without bias.
    delta : float, default=0.05
        The probability that the bound fails.
    t : int, default=4
        How many eigenvalues lead.
    k : float or None, default=None
        Any number above 1, to be fixed before the data are seen; None takes the one for which the
        bound is smallest, the best that the theorem could say.
    limits : Limits or None, default=None
        :math:`\kappa`, M and D; read off the sample where None.
    variant : {"corrected", "printed"}, default="corrected"

    Returns
    -------
    bound : Bound
        Terms: training, complexity, confidence, slack; they add up.
    """
    problem = Problem(K, y, ridge, limits)
    loss = _square_loss(problem, problem.target_limit)
    rates = _least_squares_rates(problem, loss, loss.limit, (t, _log(delta), variant))
    least = _corrected(problem, loss, t, _log(delta))
    extra = () if is_corrected(variant) else (_above(rates, least),)
    return _bound(problem.least_squares, (problem, loss, rates), k, ("Theorem 3", variant), extra)


@theorem
def er_lssvm(  # noqa: PLR0913 (every argument has a default that most users keep)
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    t: int = 4,
    k: float | None = None,
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the expected squared loss of the LSSVM (Corollary 1).

    Theorem 3 with M = 1; the print dropped B from :math:`C_7 = 12 h B k \sqrt{2\kappa}`.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        Two classes.
    ridge, delta, t, k, limits, variant
        As for :func:`er_krr`.

    Returns
    -------
    bound : Bound
        Terms: training, complexity, confidence, slack; they add up.
    """
    problem = _problem(K, y, ridge, limits)
    loss = _square_loss(problem, 1.0)
    rates = _least_squares_rates(problem, loss, 1.0, (t, _log(delta), variant))
    extra = as_printed(variant, "C_7 lacks the factor B of Theorem 3")
    return _bound(problem.least_squares, (problem, loss, rates), k, ("Corollary 1", variant), extra)


def _problem(K: Any, y: Any, ridge: float, limits: Limits | None) -> Problem:
    problem = Problem(K, y, ridge, limits)
    problem.need_classes("this theorem")
    return problem


def _log(delta: float) -> float:
    return math.log(3.0) - math.log(check_delta(delta))


def _inverse_ratio(problem: Problem, t: int) -> float:
    """Return 1 / beta_t."""
    check_t(t, problem.n)
    s = problem.evidence.spectrum.values[::-1]
    lead, tail = float(s[:t].sum()), float(s[t:].sum())
    if lead <= 0.0:
        raise Undefined("the leading eigenvalues do not sum to a positive number")
    if tail < 0.0:
        raise Undefined("the other eigenvalues sum to a negative number")
    return tail / lead


def _above(printed: _Rates, least: _Rates) -> Assumption:
    enough = printed.complexity + printed.confidence >= least.complexity + least.confidence
    return Assumption("the sum that replaces the fixed point is above it", enough)


def _square_loss(problem: Problem, target: float) -> _Loss:
    reach = target + problem.score_limit(problem.least_squares)
    return _Loss(2.0 * reach, reach**2, target)


def _least_squares_rates(
    problem: Problem, loss: _Loss, factor: float, how: tuple[int, float, str]
) -> _Rates:
    """Return the rates of Theorem 3, or of Corollary 1, whose print has 1 for the factor B."""
    t, log, variant = how
    if is_corrected(variant):
        return _corrected(problem, loss, t, log)
    n, ratio = problem.n, _inverse_ratio(problem, t)
    root = math.sqrt(2.0 * problem.kappa * ratio / n)
    return _Rates(
        12.0 * loss.slope * factor * root + 96.0 * loss.slope**2 * loss.limit * t / n,
        (96.0 + 5.0 * loss.limit) * log / n,
        22.0 * loss.target * log / n,
    )


def _corrected(problem: Problem, loss: _Loss, t: int, log: float) -> _Rates:
    n = problem.n
    radius = fixed_point(loss.slope, t, problem.kappa * _inverse_ratio(problem, t), log, n)
    return _Rates(
        6.0 * loss.limit * radius, 5.0 * loss.limit * log / n, 22.0 * loss.target * log / n
    )


def fixed_point(slope: float, t: int, tail: float, log: float, n: int) -> float:
    """Return r = 2 h sqrt((2 / n)(t r + tail)) + 13 log / n, the root of a quadratic."""
    a, c = 8.0 * slope**2 / n, 13.0 * log / n
    half = c + 0.5 * a * t
    # (r - c)^2 = a (t r + tail): r^2 - 2 half r + c^2 - a tail = 0
    return half + math.sqrt(half**2 - c**2 + a * tail)


def _bound(
    fitted: Fitted,
    parts: tuple[Problem, _Loss, _Rates],
    k: float | None,
    source: tuple[str, str],
    extra: tuple[Assumption, ...],
) -> Bound:
    problem, loss, rates = parts
    slope = rates.complexity + rates.confidence
    # a + slope k + B / (k - 1) is smallest at k = 1 + sqrt(B / slope)
    excess = math.sqrt(loss.limit / slope) if k is None else check_positive("k", k) - 1.0
    if excess <= 0.0 and k is not None:
        raise ValueError(f"k must be above 1, got {shown(k)}.")
    factor = 1.0 + excess
    terms = {
        "training": fitted.training_loss,
        "complexity": factor * rates.complexity,
        "confidence": factor * rates.confidence + rates.constant,
        "slack": loss.limit / excess,
    }
    chosen = Assumption(f"k = {factor:.4g} was fixed beforehand", None if k is not None else False)
    known = (problem.psd(), problem.kernel_limit(), problem.bounded_target())
    assumptions = (*known, Problem.unit_ball(fitted), chosen, _SKETCH, *extra)
    reference, variant = source
    return Bound.of(
        "the expected loss",
        terms,
        loss.limit,
        f"{_PAPER}, {reference}",
        assumptions=assumptions,
        variant=variant,
    )
