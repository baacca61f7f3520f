r"""Kernel stability and the variance of cross-validation: Theorems 5 and 6 of Liu et al. 2019.

As printed, both are false. The proof (eq. 19) takes the variance of the error on one fold for the
loss stability; but a machine that always answers zero has stability zero, while its error on a fold
still varies with the targets. What stability does give follows from the inequality of Efron and
Stein: replacing one point changes its own loss by at most Q, with weight 1/n, and the losses of the
other folds by at most 2γ, so

.. math:: \mathrm{var} \le \frac n2 \Big(\frac Qn + 2 \gamma \frac{k - 1}{k}\Big)^2.
"""

import math
from typing import Any

from kernelwise._arguments import as_integer, shown
from kernelwise.bounds.base import Bound, Limits, is_corrected
from kernelwise.bounds.sample import Machine, Sample
from kernelwise.bounds.stability import (
    LIU_2019,
    Beta,
    beta_of,
    loss_limit,
    stable,
    svm_stability,
    uniform_stability,
)
from kernelwise.bounds.theorem import Quantity, Theorem, states
from kernelwise.criteria import Undefined

_MISPRINT = "the error on one fold varies with its points however stable the machine"


def _largest_variance(sample: Sample, machine: Machine) -> float:
    """Return the largest variance of numbers between 0 and Q."""
    return loss_limit(sample, machine) ** 2 / 4.0


_THEOREM_5 = Theorem(
    LIU_2019, "Theorem 5", Quantity.CV_VARIANCE, Machine.KRR, _MISPRINT, _largest_variance
)
_THEOREM_6 = Theorem(
    LIU_2019, "Theorem 6", Quantity.CV_VARIANCE, Machine.SVM, _MISPRINT, _largest_variance
)


@states(_THEOREM_5)
def ks_krr_cv_variance(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    k: int = 5,
    beta: Beta = "empirical",
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the variance of the k-fold squared error of KRR and the LSSVM (Theorem 5, Appendix E).

    The print has :math:`\gamma^2`, the square of the stability of :func:`ks_krr_stability` for
    m = (k - 1) n / k points; for the corrected form see the top of this module. Machines without a
    fold have the ridge :math:`m \lambda`. Printed term: stability. Corrected terms: sampling,
    stability, both. Vacuous from Q² / 4 on, the largest variance of numbers between 0 and Q.

    {parameters}
    """
    sample = _THEOREM_5.sample(K, y, ridge, limits)
    stability = uniform_stability(sample, beta_of(sample, beta), _trained(sample.n, k))
    terms = _terms(sample, Machine.KRR, k, math.fsum(stability.values()), variant)
    return _THEOREM_5.bound(sample, terms, stable(sample, beta), variant=variant)


@states(_THEOREM_6)
def ks_svm_cv_variance(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    k: int = 5,
    beta: Beta = "empirical",
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the variance of the k-fold hinge error of the SVM (Theorem 6).

    The print has O(β), without a proof; Appendix E with the stability γ of
    :func:`ks_svm_stability` gives :math:`\gamma^2`, the printed form here. For the corrected form
    see the top of this module. Terms as for :func:`ks_krr_cv_variance`.

    {parameters}
    """
    sample = _THEOREM_6.sample(K, y, ridge, limits)
    _trained(sample.n, k)
    stability = svm_stability(sample, beta, variant)
    terms = _terms(sample, Machine.SVM, k, math.fsum(stability.values()), variant)
    return _THEOREM_6.bound(sample, terms, stable(sample, beta), variant=variant)


def _trained(n: int, k: Any) -> int:
    """Return the rows outside the largest fold."""
    folds = as_integer(k)
    message = f"k must be an integer between 2 and n = {n}, got {shown(k)}"
    if folds is None or folds < 2:
        raise ValueError(f"{message}.")
    if folds > n:
        raise Undefined(message)
    rows = n - math.ceil(n / folds)
    if rows < 2:
        raise Undefined(f"k = {k} folds of {n} rows leave fewer than two to train on")
    return rows


def _terms(
    sample: Sample, machine: Machine, k: int, gamma: float, variant: str
) -> dict[str, float]:
    if not is_corrected(variant):
        return {"stability": gamma**2}
    n = sample.n
    own, others = loss_limit(sample, machine) / n, 2.0 * gamma * (1.0 - 1.0 / k)
    return {
        "sampling": 0.5 * n * own**2,
        "stability": 0.5 * n * others**2,
        "both": n * own * others,
    }
