"""The spectral measure bounds the error rate: Theorems 1 and 2 of Li et al. 2017."""

import math
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise.bounds.base import (
    Assumption,
    Bound,
    as_printed,
    check_delta,
    is_corrected,
    theorem,
)
from kernelwise.bounds.problem import Fitted, Problem
from kernelwise.criteria import SM

_PAPER = "Li et al. 2017"
_ERROR = "the error rate Pr[y f_S(x) < 0]"
_MARGIN_THEOREM = Assumption(
    "Theorem 8 of Gao and Zhou 2013, on votes of finitely many classifiers, applies to H_K with n "
    "classifiers",
    None,
)


@theorem
def sm_lssvm(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    r: float = 1.0,
    normalizer: str | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the error rate of the LSSVM by the spectral measure (Theorem 1).

    .. math::

        R(S) \le 1 - c_0\, \mathrm{SM} + \inf_{0 < \theta \le 1} \Big[ \theta +
        \frac{7\mu + 3\sqrt{3\mu} + 6}{3n} + \sqrt{\frac{3\mu}{n}} \Big], \quad
        \mu = \frac{8}{\theta^2} \ln n \ln 2n + \ln \frac{2n}{\delta}

    with probability :math:`1 - \delta`, where :math:`\mathrm{SM} = \frac1n y^\top N^r y`,
    N = K/C. Print: :math:`c_0 = C\lambda / (C + \lambda)`. Its Lemma 1 gives
    :math:`\beta / (\beta + \lambda) \ge (\beta / C) / (1 + \lambda / C)`, so
    :math:`c_0 = C / (C + \lambda)`, the corrected form; the two agree at the paper's ridge of 1,
    and the print claims too much above it.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        Two classes.
    ridge : float, default=1.0
        :math:`\lambda`: the machine solves (K + ridge I) alpha = y, without bias.
    delta : float, default=0.05
        The probability that the bound fails.
    r : float, default=1.0
        The power of N, at least 1. The theorem holds for all; 1 is the tightest.
    normalizer : {"trace", "sum"} or None, default=None
        C = tr K, or the sum of all entries as printed, which must then be no less than tr K; None
        takes the trace for the corrected, the sum for the printed variant.
    variant : {"corrected", "printed"}, default="corrected"

    Returns
    -------
    bound : Bound
        Terms: constant, fit, margin, complexity, deviation; they add up.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import sm_lssvm
    >>> y = np.repeat([-1, 1], 50)
    >>> sm_lssvm(np.outer(y, y) / 4.0, y).vacuous
    True
    """
    problem = _problem(K, y, ridge)
    if normalizer is None:
        normalizer = "trace" if is_corrected(variant) else "sum"
    C, sm = _measure(problem, r, normalizer)
    c0 = C / (C + ridge) * (1.0 if is_corrected(variant) else ridge)
    terms = {"constant": 1.0, "fit": -c0 * sm, **_deviation(problem.n, check_delta(delta), 6.0)}
    top = float(problem.evidence.spectrum.values[-1])
    reaches = Assumption("no eigenvalue of K exceeds C", top <= C * (1.0 + 1e-12))
    wrong = "c_0 = C / (C + lambda), not C lambda / (C + lambda)"
    assumptions = (
        *_common(problem, problem.least_squares),
        reaches,
        *(as_printed(variant, wrong) if ridge != 1.0 else ()),
    )
    return Bound.of(
        _ERROR, terms, 1.0, f"{_PAPER}, Theorem 1", assumptions=assumptions, variant=variant
    )


@theorem
def sm_svm(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    r: float = 1.0,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the error rate of the SVM by the spectral measure (Theorem 2).

    As :func:`sm_lssvm` with C = the sum of K for :math:`c_0`, always the sum normaliser (Lemma 2
    needs it), and in the place of 6

    .. math:: 6 + 3 C b, \quad b = \max\{1, 1 / (2\lambda) - 1\}.

    Print: :math:`3 / (2\lambda) + 3b`. Equation 11 has :math:`-Cd/n = Cb/n`, whose C the theorem
    drops, and the 2/n of the margin theorem became :math:`1 / (2\lambda n)`. The corrected bound is
    always vacuous: the entries of K are not negative, so
    :math:`C\,\mathrm{SM} \le y^\top K y / n \le C / n \le C b / n`.

    Parameters
    ----------
    K : array of shape (n, n)
        Without negative entries.
    y : array of shape (n,)
        Two classes.
    ridge : float, default=1.0
        :math:`\lambda`: the machine has C = 1 / (2 ridge) and no bias.
    delta, r, variant
        As for :func:`sm_lssvm`.

    Returns
    -------
    bound : Bound
        Terms as for :func:`sm_lssvm`.
    """
    problem = _problem(K, y, ridge)
    C, sm = _measure(problem, r, "sum")
    b = max(1.0, 0.5 / ridge - 1.0)
    extra = 6.0 + 3.0 * C * b if is_corrected(variant) else 1.5 / ridge + 3.0 * b
    terms = {"constant": 1.0, "fit": -C * sm, **_deviation(problem.n, check_delta(delta), extra)}
    positive = Assumption("no entry of K is negative", bool(problem.K.min() >= 0.0))
    wrong = "2/n + Cb/n lost its C and its 2/n"
    assumptions = (*_common(problem, problem.svm), positive, *as_printed(variant, wrong))
    return Bound.of(
        _ERROR, terms, 1.0, f"{_PAPER}, Theorem 2", assumptions=assumptions, variant=variant
    )


def _problem(K: Any, y: Any, ridge: float) -> Problem:
    problem = Problem(K, y, ridge)
    problem.need_classes("the spectral measure's bound")
    return problem


def _measure(problem: Problem, r: float, normalizer: str) -> tuple[float, float]:
    """Return C and the spectral measure with the labels ±1."""
    criterion = SM(r=r, normalizer=normalizer, weighted=False)
    sm = criterion.value(problem.evidence, problem.ridge)
    stats = problem.evidence.statistics
    return (stats.trace if normalizer == "trace" else stats.total), sm


def _deviation(n: int, delta: float, extra: float) -> dict[str, float]:
    """Return the three terms of the infimum at its best margin.

    Convex in theta: mu = a / theta^2 + b, whose root is convex in theta too.
    """

    def terms(theta: float) -> dict[str, float]:
        mu = 8.0 / theta**2 * math.log(n) * math.log(2 * n) + math.log(2 * n) - math.log(delta)
        complexity = (7.0 * mu + 3.0 * math.sqrt(3.0 * mu) + extra) / (3.0 * n)
        return {"margin": theta, "complexity": complexity, "deviation": math.sqrt(3.0 * mu / n)}

    found = minimize_scalar(
        lambda theta: sum(terms(theta).values()),
        bounds=(1e-6, 1.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    candidates = [terms(float(found.x)), terms(1.0)]
    return min(candidates, key=lambda parts: sum(parts.values()))


def _common(problem: Problem, fitted: Fitted) -> tuple[Assumption, ...]:
    largest = float(np.abs(fitted.scores).max())
    return (
        Assumption(f"n = {problem.n} >= 5", problem.n >= 5),
        problem.psd(),
        Problem.unit_ball(fitted),
        Assumption(f"|f_S(x_i)| <= {largest:.4g} <= 1 on the sample", largest <= 1.0 + 1e-9),
        _MARGIN_THEOREM,
    )
