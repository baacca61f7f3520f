"""Kernel stability and the variance of cross-validation: Theorems 5 and 6 of Liu et al. 2019."""

import math
from typing import Any

from kernelwise._arguments import as_integer, shown
from kernelwise.bounds import stability as ks
from kernelwise.bounds.base import Bound, is_corrected
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.theorem import Quantity, Theorem, states
from kernelwise.criteria import Undefined

_MISPRINT = "the error on one fold varies with its points however stable the machine"


def _largest_variance(sample: Sample, learner: Learner) -> float:
    """Return the largest variance of numbers between 0 and Q."""
    return ks.loss_limit(sample, learner) ** 2 / 4.0


_THEOREM_5 = Theorem(
    ks.LIU_2019, "Theorem 5", Quantity.CV_VARIANCE, Learner.KRR, _MISPRINT, _largest_variance
)
_THEOREM_6 = Theorem(
    ks.LIU_2019, "Theorem 6", Quantity.CV_VARIANCE, Learner.SVM, _MISPRINT, _largest_variance
)


@states(_THEOREM_5)
def ks_krr_cv_variance(
    sample: Sample, *, k: int = 5, beta: ks.Beta = "empirical", variant: str = "corrected"
) -> Bound:
    r"""Bound the variance of the k-fold squared error of KRR and the LSSVM (Theorem 5, Appendix E).

    .. math:: \mathrm{var} \le \frac n2 \Big(\frac Qn + 2 \gamma \frac{k - 1}{k}\Big)^2

    with the stability γ of :func:`ks_krr_stability` for m = (k - 1) n / k points and a ridge of
    :math:`m \lambda`. The print, :math:`\gamma^2`, is false. This is the inequality of Efron and
    Stein: replacing one point changes its own loss by at most Q, with weight 1/n, and the losses of
    the other folds by at most 2γ. Terms: sampling, stability, both; printed only stability. Vacuous
    from Q² / 4 on, the largest variance of numbers between 0 and Q.

    {parameters}
    """
    stability = ks.uniform_stability(sample, ks.beta_of(sample, beta), _trained(sample.n, k))
    terms = _terms(sample, Learner.KRR, k, math.fsum(stability.values()), variant)
    return _THEOREM_5.bound(sample, terms, ks.stable(sample, beta), variant=variant)


@states(_THEOREM_6)
def ks_svm_cv_variance(
    sample: Sample, *, k: int = 5, beta: ks.Beta = "empirical", variant: str = "corrected"
) -> Bound:
    """Bound the variance of the k-fold hinge error of the SVM (Theorem 6).

    As :func:`ks_krr_cv_variance`, with the stability γ of :func:`ks_svm_stability`. The print has
    only O(β); its form here follows the proof of Theorem 5.

    {parameters}
    """
    _trained(sample.n, k)
    stability = ks.svm_stability(sample, beta, variant)
    terms = _terms(sample, Learner.SVM, k, math.fsum(stability.values()), variant)
    return _THEOREM_6.bound(sample, terms, ks.stable(sample, beta), variant=variant)


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
    sample: Sample, learner: Learner, k: int, gamma: float, variant: str
) -> dict[str, float]:
    if not is_corrected(variant):
        return {"stability": gamma**2}
    n = sample.n
    own, others = ks.loss_limit(sample, learner) / n, 2.0 * gamma * (1.0 - 1.0 / k)
    return {
        "sampling": 0.5 * n * own**2,
        "stability": 0.5 * n * others**2,
        "both": n * own * others,
    }
