"""The spectral measure bounds the error rate: Theorems 1 and 2 of Li et al. 2017."""

import math
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise.bounds.base import Assumption, Bound, Terms, check_delta, is_corrected
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.theorem import Paper, Quantity, Theorem, states
from kernelwise.criteria import SM

_MARGIN_THEOREM = Assumption(
    "Theorem 8 of Gao and Zhou 2013, on votes of finitely many classifiers, applies to H_K with n "
    "classifiers",
    None,
)


def _small_scores(sample: Sample, learner: Learner) -> tuple[Assumption, ...]:
    largest = float(np.abs(sample.fitted(learner).scores).max())
    return (
        Assumption(f"n = {sample.n} >= 5", sample.n >= 5),
        sample.psd(),
        sample.unit_ball(learner),
        Assumption(f"|f_S(x_i)| <= {largest:.4g} <= 1 on the sample", largest <= 1.0 + 1e-9),
        _MARGIN_THEOREM,
    )


_PAPER = Paper(
    "Li et al. 2017",
    "the spectral measure's bound",
    trivial=1.0,
    ridge=r"\lambda",
    assumes=_small_scores,
    parameters="""
    r : float, default=1.0
        The power of N, at least 1. The theorem holds for all; 1 is the tightest.
    normalizer : {"trace", "sum"} or None, default=None
        C = tr K, or the sum of all entries as printed, which must then be no less than tr K; None
        takes the trace for the corrected, the sum for the printed variant.
    """,
    given=("ridge",),
)
# What is wrong with the printed forms.
_WRONG_C0 = "c_0 = C / (C + lambda), not C lambda / (C + lambda)"
_LOST_C = "2/n + Cb/n lost its C and its 2/n"
_THEOREM_1 = Theorem(_PAPER, "Theorem 1", Quantity.ERROR_RATE, Learner.LSSVM, _WRONG_C0)
_THEOREM_2 = Theorem(_PAPER, "Theorem 2", Quantity.ERROR_RATE, Learner.SVM, _LOST_C)


@states(_THEOREM_1)
def sm_lssvm(
    sample: Sample,
    *,
    delta: float = 0.05,
    r: float = 1.0,
    normalizer: str | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the error rate of the LSSVM by the spectral measure (Theorem 1).

    .. math::

        R(S) \le 1 - \frac{C}{C + \lambda} \mathrm{SM} + \inf_{0 < \theta \le 1} \Big[ \theta +
        \frac{7\mu + 3\sqrt{3\mu} + 6}{3n} + \sqrt{\frac{3\mu}{n}} \Big], \quad
        \mu = \frac{8}{\theta^2} \ln n \ln 2n + \ln \frac{2n}{\delta}

    with probability :math:`1 - \delta`, where :math:`\mathrm{SM} = \frac1n y^\top N^r y`, N = K/C.
    Terms: constant, fit, margin, complexity, deviation.

    {parameters}

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import sm_lssvm
    >>> y = np.repeat([-1, 1], 50)
    >>> sm_lssvm(np.outer(y, y) / 4.0, y).vacuous
    True
    """
    if normalizer is None:
        normalizer = "trace" if is_corrected(variant) else "sum"
    C, sm = _measure(sample, r, normalizer)
    c0 = C / (C + sample.ridge) * (1.0 if is_corrected(variant) else sample.ridge)
    terms = {"constant": 1.0, "fit": -c0 * sm, **_deviation(sample.n, check_delta(delta), 6.0)}
    top = float(sample.spectrum.values[-1])
    reaches = Assumption("no eigenvalue of K exceeds C", top <= C * (1.0 + 1e-12))
    theorem = replace(_THEOREM_1, misprint=None) if sample.ridge == 1.0 else _THEOREM_1
    return theorem.bound(sample, terms, reaches, variant=variant)


@states(_THEOREM_2)
def sm_svm(
    sample: Sample, *, delta: float = 0.05, r: float = 1.0, variant: str = "corrected"
) -> Bound:
    r"""Bound the error rate of the SVM by the spectral measure (Theorem 2).

    As :func:`sm_lssvm`, with the sum normaliser (Lemma 2 needs it), C in place of
    :math:`C / (C + \lambda)` and :math:`6 + 3 C b`, :math:`b = \max\{1, 1 / (2\lambda) - 1\}`, in
    place of 6. Always vacuous: no entry of K may be negative, so
    :math:`C\,\mathrm{SM} \le y^\top K y / n \le C / n \le C b / n`.

    {parameters}
    """
    C, sm = _measure(sample, r, "sum")
    b = max(1.0, 0.5 / sample.ridge - 1.0)
    extra = 6.0 + 3.0 * C * b if is_corrected(variant) else 1.5 / sample.ridge + 3.0 * b
    terms = {"constant": 1.0, "fit": -C * sm, **_deviation(sample.n, check_delta(delta), extra)}
    positive = Assumption("no entry of K is negative", bool(sample.K.min() >= 0.0))
    return _THEOREM_2.bound(sample, terms, positive, variant=variant)


def _measure(sample: Sample, r: float, normalizer: str) -> tuple[float, float]:
    """Return C and the spectral measure with the labels ±1."""
    criterion = SM(r=r, normalizer=normalizer, weighted=False)
    sm = criterion.value(sample.evidence, sample.ridge)
    stats = sample.evidence.statistics
    return (stats.trace if normalizer == "trace" else stats.total), sm


def _deviation(n: int, delta: float, extra: float) -> Terms:
    """Return the three terms of the infimum at its best margin.

    Convex in theta: mu = a / theta^2 + b, whose root is convex in theta too.
    """

    def terms(theta: float) -> Terms:
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
