"""The decay of the spectrum bounds the eigenvalues ratio: Theorem 1 of Liu and Liao 2015."""

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise.bounds.base import Assumption, Bound, as_printed, check_positive, is_corrected
from kernelwise.gram.psd import check_matrix, without_rounding
from kernelwise.kernels.geometry import Array

_STEEPEST = 100.0  # the fastest decay looked for


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

    Print: eigenvalues of order :math:`i^{-\gamma} / n`, and so a ratio of order n. With A fixed
    that cannot be: the trace of K/n would vanish as n grows, and it is 1 for a Gaussian kernel.

    Parameters
    ----------
    K : array of shape (n, n)
    t : int, default=4
    gamma : float or None, default=None
        The decay; None takes the one that gives the best bound.
    constant : float or None, default=None
        A (of the printed form n times that); None takes the smallest that fits the spectrum, for
        which the two forms agree.
    variant : {"corrected", "printed"}, default="corrected"

    Returns
    -------
    bound : Bound
        A lower bound, vacuous where it is not positive. Terms: ratio (the true :math:`\beta_t`),
        trace, tail (the bound T), gamma, constant; the value is trace / tail - 1.
    """
    K = check_matrix(K)
    spectrum = without_rounding(np.linalg.eigvalsh(K))[::-1] / K.shape[0]
    check_t(t, spectrum.size)
    scale = 1.0 if is_corrected(variant) else float(spectrum.size)
    decay = _best_decay(spectrum, t) if gamma is None else check_positive("gamma", gamma)
    fits = float(np.max(spectrum * np.arange(1.0, spectrum.size + 1.0) ** decay)) * scale
    A = fits if constant is None else check_positive("constant", constant)
    tail = A * t ** (1.0 - decay) / (decay - 1.0) / scale if decay > 1.0 else math.inf
    trace, rest = float(spectrum.sum()), float(spectrum[t:].sum())
    ratio = float(spectrum[:t].sum()) / rest if rest > 0.0 else math.inf
    value = trace / tail - 1.0
    return Bound(
        value=value,
        terms={"ratio": ratio, "trace": trace, "tail": tail, "gamma": decay, "constant": A},
        assumptions=(
            Assumption("K is positive semidefinite", bool(spectrum[-1] >= 0.0)),
            Assumption(f"gamma = {decay:.4g} > 1", decay > 1.0),
            *_fitting(fits <= A * (1.0 + 1e-12), variant),
        ),
        vacuous=not value > 0.0,
        reference="Liu and Liao 2015, Theorem 1",
        variant=variant,
        quantity=f"the eigenvalues ratio for t = {t} (from below)",
        trivial=0.0,
    )


def _fitting(fits: bool, variant: str) -> tuple[Assumption, ...]:
    """Return that the spectrum stays below its law, and whether the law is possible."""
    law = "A i^-gamma" if is_corrected(variant) else "(A / n) i^-gamma"
    wrong = "with 1/n and A fixed the trace of K/n would vanish as n grows"
    return (
        Assumption(f"the eigenvalues of K/n stay below {law}", fits),
        *as_printed(variant, wrong),
    )


def _best_decay(spectrum: Array, t: int) -> float:
    """Return the gamma of the smallest tail; its logarithm is convex in gamma."""
    positive = spectrum[spectrum > 0.0]
    logs, positions = np.log(positive), np.log(np.arange(1.0, positive.size + 1.0) / t)
    found = minimize_scalar(
        lambda gamma: float(np.max(logs + gamma * positions)) - math.log(gamma - 1.0),
        bounds=(1.0 + 1e-6, _STEEPEST),
        method="bounded",
        options={"xatol": 1e-8},
    )
    return float(found.x)


def check_t(t: Any, n: int) -> None:
    """Say so where t eigenvalues of n leave none to lead or none for the tail."""
    if not isinstance(t, int | np.integer) or not 1 <= t < n:
        raise ValueError(f"t must be an integer between 1 and n - 1 = {n - 1}, got {t!r}.")
