"""The eigenvalues ratio bounds the risk, the decay of the spectrum the ratio: Liu and Liao 2015."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise._arguments import shown
from kernelwise._types import Array
from kernelwise.bounds.base import (
    Assumption,
    Bound,
    check_delta,
    check_integer,
    check_positive,
    is_corrected,
)
from kernelwise.bounds.sample import Learner, Sample, eigenvalues
from kernelwise.bounds.theorem import Paper, Quantity, Theorem, limited_kernel, states
from kernelwise.criteria import Undefined

OrBest = float | None  # None takes the number that gives the best bound
_STEEPEST = 100.0  # the fastest decay looked for
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


def _loss(sample: Sample, learner: Learner) -> _Loss:
    D = sample.score_limit(learner)
    if learner is Learner.SVM:
        return _Loss(1.0, 1.0 + D, 1.0)
    M = 1.0 if learner is Learner.LSSVM else sample.target_limit
    return _Loss(2.0 * (M + D), (M + D) ** 2, M)


def _loss_limit(sample: Sample, learner: Learner) -> float:
    return _loss(sample, learner).limit


_PAPER = Paper(
    "Liu and Liao 2015",
    "this theorem",
    trivial=_loss_limit,
    ridge=r"\lambda",
    assumes=lambda sample, learner: (*limited_kernel(sample, learner), sample.unit_ball(learner)),
    parameters="""
    t : int, default=4
        How many eigenvalues lead.
    k : float or None, default=None
        Any number above 1, fixed before the data are seen; None takes the one that makes the bound
        smallest, the best that the theorem could say.
    gamma : float or None, default=None
        The decay; None takes the one that gives the best bound.
    constant : float or None, default=None
        A (n times that in the printed form); None takes the smallest that fits the spectrum, for
        which the two forms agree.
    """,
)
# What is wrong with the printed forms.
_VANISHES = "with 1/n and A fixed the trace of K/n would vanish as n grows"
_FACTOR_F = "C_1 lacks the factor F that Theorem 3 has"
_FACTOR_B = "C_7 lacks the factor B of Theorem 3"
_THEOREM_1 = Theorem(
    _PAPER, "Theorem 1", Quantity.RATIO, Learner.NONE, _VANISHES, trivial=0.0, from_below=True
)
_THEOREM_2 = Theorem(_PAPER, "Theorem 2", Quantity.LOSS, Learner.SVM, _FACTOR_F)
_THEOREM_3 = Theorem(_PAPER, "Theorem 3", Quantity.LOSS, Learner.KRR)
_COROLLARY_1 = Theorem(_PAPER, "Corollary 1", Quantity.LOSS, Learner.LSSVM, _FACTOR_B)


@states(_THEOREM_1)
def er_decay(
    K: Any, *, t: int = 4, gamma: OrBest = None, constant: OrBest = None, variant: str = "corrected"
) -> Bound:
    r"""Bound the eigenvalues ratio from below by the decay of the spectrum (Theorem 1).

    If :math:`\lambda_i(K/n) \le A i^{-\gamma}` with :math:`\gamma > 1`, then

    .. math:: \sum_{i > t} \lambda_i \le \frac{A t^{1 - \gamma}}{\gamma - 1} =: T, \qquad
        \beta_t \ge \frac{\mathrm{tr}(K/n)}{T} - 1.

    {parameters}

    Returns
    -------
    bound : Bound
        A lower bound, vacuous where it is not positive. Terms: ratio (the true :math:`\beta_t`),
        trace, tail (the bound T), gamma, constant; the value is trace / tail - 1. Undefined where
        no eigenvalue is positive.
    """
    spectrum = _spectrum(K)
    check_integer("t", t, 1, "n - 1", spectrum.size - 1)
    scale = 0.0 if is_corrected(variant) else math.log(spectrum.size)
    decay = _best_decay(spectrum, t) if gamma is None else check_positive("gamma", gamma)
    fits = float(np.max(_log_ratios(spectrum, decay, 1))) + scale  # in logarithms: of large powers
    log_A = fits if constant is None else math.log(check_positive("constant", constant))
    tail = _tail(log_A - scale, decay, t)
    trace, rest = float(spectrum.sum()), float(spectrum[t:].sum())
    ratio = float(spectrum[:t].sum()) / rest if rest > 0.0 else math.inf
    value = trace / tail - 1.0
    A = float(np.exp(log_A)) if constant is None else float(constant)
    law = "A i^-gamma" if is_corrected(variant) else "(A / n) i^-gamma"
    below = fits <= log_A + 1e-12 * (1.0 + abs(log_A))
    return Bound(
        value=value,
        terms={"ratio": ratio, "trace": trace, "tail": tail, "gamma": decay, "constant": A},
        assumptions=(
            Assumption("K is positive semidefinite", bool(spectrum[-1] >= 0.0)),
            Assumption(f"gamma = {decay:.4g} > 1", decay > 1.0),
            Assumption(f"the eigenvalues of K/n stay below {law}", below),
            *_THEOREM_1.misprinted(variant),
        ),
        vacuous=not value > 0.0,
        reference=_THEOREM_1.reference,
        variant=variant,
        quantity=_THEOREM_1.quantity.value.format(t=t),
        trivial=0.0,
    )


@states(_THEOREM_2)
def er_svm(
    sample: Sample, *, delta: float = 0.05, t: int = 4, k: OrBest = None, variant: str = "corrected"
) -> Bound:
    """Bound the expected hinge loss of the SVM by the eigenvalues ratio (Theorem 2).

    As :func:`er_krr`, with h = 1, B = 1 + D and M = 1.

    {parameters}
    """
    rates = _rates(sample, Learner.SVM, t, delta, variant)
    return _bound(_THEOREM_2, sample, rates, k, variant)


@states(_THEOREM_3)
def er_krr(
    sample: Sample, *, delta: float = 0.05, t: int = 4, k: OrBest = None, variant: str = "corrected"
) -> Bound:
    r"""Bound the expected squared loss of kernel ridge regression (Theorem 3).

    .. math::

        R_{\mathrm{emp}} + \frac{B}{k - 1} + 6 k B \hat r + \frac{(22 M + 5 B k)
        \log(3/\delta)}{n}, \quad \hat r = 2h \sqrt{\frac2n \Big(t \hat r + \frac\kappa{\beta_t}
        \Big)} + \frac{13 \log(3/\delta)}{n}, \quad h = 2 (M + D), \; B = (M + D)^2.

    This is the chain that the sketch of the proof names, with the fixed point solved exactly. The
    print replaces the fixed point by a sum that is not always above it; the assumptions say whether
    it is here. Terms: training, complexity, confidence, slack.

    {parameters}
    """
    rates = _rates(sample, Learner.KRR, t, delta, variant)
    if is_corrected(variant):
        return _bound(_THEOREM_3, sample, rates, k, variant)
    least = _rates(sample, Learner.KRR, t, delta, "corrected")
    enough = rates.complexity + rates.confidence >= least.complexity + least.confidence
    above = Assumption("the sum that replaces the fixed point is above it", enough)
    return _bound(_THEOREM_3, sample, rates, k, variant, above)


@states(_COROLLARY_1)
def er_lssvm(
    sample: Sample, *, delta: float = 0.05, t: int = 4, k: OrBest = None, variant: str = "corrected"
) -> Bound:
    """Bound the expected squared loss of the LSSVM (Corollary 1).

    As :func:`er_krr`, with M = 1.

    {parameters}
    """
    rates = _rates(sample, Learner.LSSVM, t, delta, variant)
    return _bound(_COROLLARY_1, sample, rates, k, variant)


def _rates(sample: Sample, learner: Learner, t: int, delta: float, variant: str) -> _Rates:
    log = math.log(3.0) - math.log(check_delta(delta))
    rates = _corrected if is_corrected(variant) else _printed
    return rates(sample, learner, t, log)


def _inverse_ratio(sample: Sample, t: int) -> float:
    """Return 1 / beta_t."""
    check_integer("t", t, 1, "n - 1", sample.n - 1)
    s = sample.spectrum.values[::-1]
    lead, tail = float(s[:t].sum()), float(s[t:].sum())
    if lead <= 0.0:
        raise Undefined("the leading eigenvalues do not sum to a positive number")
    if tail < 0.0:
        raise Undefined("the other eigenvalues sum to a negative number")
    return tail / lead


def _printed(sample: Sample, learner: Learner, t: int, log: float) -> _Rates:
    """Return the rates as printed: Theorem 3, of which two machines lost a factor B."""
    n, (h, B, M) = sample.n, _loss(sample, learner)
    root = math.sqrt(2.0 * sample.kappa * _inverse_ratio(sample, t) / n)
    complexity = {
        Learner.KRR: 12.0 * h * B * root + 96.0 * h**2 * B * t / n,
        Learner.LSSVM: 12.0 * h * root + 96.0 * h**2 * B * t / n,
        Learner.SVM: 12.0 * root + 96.0 * B * t * log / n,
    }
    return _Rates(complexity[learner], (96.0 + 5.0 * B) * log / n, 22.0 * M * log / n)


def _corrected(sample: Sample, learner: Learner, t: int, log: float) -> _Rates:
    """Return the rates with the fixed point that the prints replace by a sum."""
    n, (h, B, M) = sample.n, _loss(sample, learner)
    tail = sample.kappa * _inverse_ratio(sample, t)
    # r = 2 h sqrt((2 / n)(t r + tail)) + c, so r^2 - 2 half r + c^2 - a tail = 0
    a, c = 8.0 * h**2 / n, 13.0 * log / n
    half = c + 0.5 * a * t
    radius = half + math.sqrt(half**2 - c**2 + a * tail)
    return _Rates(6.0 * B * radius, 5.0 * B * log / n, 22.0 * M * log / n)


def _bound(
    theorem: Theorem, sample: Sample, rates: _Rates, k: OrBest, variant: str, *extra: Assumption
) -> Bound:
    slope, limit = rates.complexity + rates.confidence, _loss_limit(sample, theorem.learner)
    # a + slope k + B / (k - 1) is smallest at k = 1 + sqrt(B / slope)
    excess = math.sqrt(limit / slope) if k is None else check_positive("k", k) - 1.0
    if excess <= 0.0 and k is not None:
        raise ValueError(f"k must be above 1, got {shown(k)}.")
    factor = 1.0 + excess
    terms = {
        "training": sample.fitted(theorem.learner).training_loss,
        "complexity": factor * rates.complexity,
        "confidence": factor * rates.confidence + rates.constant,
        "slack": limit / excess,
    }
    chosen = Assumption(f"k = {factor:.4g} was fixed beforehand", None if k is not None else False)
    return theorem.bound(sample, terms, chosen, _SKETCH, *extra, variant=variant)


def _spectrum(K: Any) -> Array:
    """Return the eigenvalues of K/n in descending order, at least one of them positive."""
    s = eigenvalues(K)
    if s[-1] <= 0.0:
        raise Undefined("no eigenvalue of the kernel matrix is positive")
    return np.asarray(s[::-1] / s.size)


def _best_decay(spectrum: Array, t: int) -> float:
    """Return the gamma of the smallest tail; its logarithm is convex in gamma."""
    found = minimize_scalar(
        lambda gamma: float(np.max(_log_ratios(spectrum, gamma, t))) - math.log(gamma - 1.0),
        bounds=(1.0 + 1e-6, _STEEPEST),
        method="bounded",
        options={"xatol": 1e-8},
    )
    return float(found.x)


def _log_ratios(spectrum: Array, gamma: float, t: int) -> Array:
    """Return the logarithms of l_i / (i / t)^-gamma for the positive eigenvalues."""
    positive = spectrum[spectrum > 0.0]
    return np.asarray(np.log(positive) + gamma * np.log(np.arange(1.0, positive.size + 1.0) / t))


def _tail(log_A: float, gamma: float, t: int) -> float:
    """Return A t^(1 - gamma) / (gamma - 1), infinity where the sum does not converge."""
    if gamma <= 1.0:
        return math.inf
    return float(np.exp(log_A + (1.0 - gamma) * math.log(t) - math.log(gamma - 1.0)))
