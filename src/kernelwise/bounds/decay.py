"""The decay of the spectrum bounds the eigenvalues ratio: Theorem 1 of Liu and Liao 2015."""

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise._types import Array
from kernelwise.bounds.base import Assumption, Bound, check_positive, is_corrected
from kernelwise.bounds.eigenratio import LIU_LIAO_2015, check_t
from kernelwise.bounds.sample import Learner, eigenvalues
from kernelwise.bounds.theorem import Quantity, Theorem, states
from kernelwise.criteria import Undefined

_STEEPEST = 100.0  # the fastest decay looked for


_THEOREM_1 = Theorem(
    LIU_LIAO_2015,
    "Theorem 1",
    Quantity.RATIO,
    Learner.NONE,
    misprint="with 1/n and A fixed the trace of K/n would vanish as n grows",
    trivial=0.0,
    from_below=True,
)


@states(_THEOREM_1)
def er_decay(
    K: Any,
    *,
    t: int = 4,
    gamma: float | None = None,
    constant: float | None = None,
    variant: str = "corrected",
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
    check_t(t, spectrum.size)
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
