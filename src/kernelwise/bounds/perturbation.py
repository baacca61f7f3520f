r"""Spectral perturbation bounds the risk: Theorem 2 and the conclusion of Liu and Liao 2014.

As for KS, :math:`\lambda = \mathrm{ridge} / n`.
"""

import math
from typing import Any

import numpy as np

from kernelwise.bounds.base import (
    Assumption,
    Bound,
    Limits,
    check_positive,
    guarded,
    is_corrected,
)
from kernelwise.bounds.sample import Machine, Sample, as_kernel_matrix
from kernelwise.bounds.stability import (
    SVM_THEOREM,
    beta_of,
    exponential_root,
    krr_risk,
    loss_limit,
    square_limit,
    stable,
    svm_risk,
    svm_stability,
)
from kernelwise.bounds.theorem import Paper, Quantity, Theorem, limited_kernel, states

_PAPER = Paper(
    "Liu and Liao 2014",
    SVM_THEOREM,
    trivial=loss_limit,
    ridge=r"n \lambda",
    assumes=limited_kernel,
    parameters="""
    beta : float or None, default=None
        Printed: the spectral perturbation; None takes the largest diagonal entry of K, which is
        enough for every sample. Corrected: the kernel stability, that of this sample where None.
    """,
)
_THEOREM_2 = Theorem(
    _PAPER,
    "Theorem 2",
    Quantity.LOSS,
    Machine.KRR,
    misprint="it lost 2 and 4n, and |K - Lambda| > 0",
)
_SECTION_6 = Theorem(
    _PAPER, "section 6", Quantity.LOSS, Machine.SVM, misprint="the constant C is missing"
)


@guarded
def spectral_perturbation(K: Any) -> float:
    r"""Return the spectral perturbation of a sample (Definition 1), from n + 1 spectra in O(n⁴).

    .. math:: \max_{i, j} |s_j(K) - s_j(K^i)|

    By Cauchy interlacing it is at most the largest diagonal entry of K, for every sample: the
    differences of one i are not negative and sum to :math:`K_{ii}`.

    Parameters
    ----------
    K : array of shape (n, n)

    Returns
    -------
    perturbation : float

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import spectral_perturbation
    >>> spectral_perturbation(np.diag([1.0, 2.0, 5.0]))
    3.0
    """
    K = as_kernel_matrix(K)
    s = np.linalg.eigvalsh(K)
    largest = 0.0
    for i in range(s.size):
        removed = K.copy()
        removed[i, :] = removed[:, i] = 0.0
        largest = max(largest, float(np.abs(s - np.linalg.eigvalsh(removed)).max()))
    return largest


@states(_THEOREM_2)
def sps_krr(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    beta: float | None = None,
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the expected squared loss of KRR and the LSSVM (Theorem 2).

    The print has, with :math:`b = \beta + 2\lambda`, :math:`C = \kappa M / (\lambda^2 (n - 1))`,
    :math:`F = 2MC` and Q of :func:`ks_krr`,

    .. math:: R_{\mathrm{emp}} + 2 F b + C^2 b^2 + (F b + C^2 b^2 + Q)
        \sqrt{\frac{\ln(1/\delta)}{2n}}.

    Four things are wrong with it. Theorem 1 takes :math:`|K - \Lambda| = 0` for the diagonal matrix
    of eigenvalues, so that β, which must be that of the matrix, became that of its spectrum. The
    squares differ by :math:`(f_S - f_{S^i}) (2y - f_S - f_{S^i})`, not :math:`+ f_{S^i}`, which
    makes the stability :math:`C b (2M + 2\kappa M / \lambda)`. And Theorem B1 has
    :math:`2\gamma + (4 n \gamma + Q) \sqrt\cdot`: the print lost a factor 2 and 4n. With all four
    repaired, it is :func:`ks_krr`. Terms: training, bias, deviation.

    {parameters}
    """
    sample = _THEOREM_2.sample(K, y, ridge, limits)
    if is_corrected(variant):
        own = "empirical" if beta is None else check_positive("beta", beta)
        terms, assumed = krr_risk(sample, beta_of(sample, own), delta), stable(sample, own)
    else:
        terms = _printed_terms(sample, _spectral_beta(sample, beta), delta)
        assumed = _every_sample(sample, beta)
    return _THEOREM_2.bound(sample, terms, assumed, variant=variant)


@states(_SECTION_6)
def sps_svm(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    beta: float | None = None,
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the expected hinge loss of the SVM (the conclusion's bound).

    The print has

    .. math:: R_{\mathrm{emp}} + \sqrt{\frac{Q^2 + 6 Q n \beta^{1/4}
        (1 + (\beta / (2\kappa))^{1/4})}{2 n \delta}},

    "where C and Q are some constants". There is no C in it and no proof. The stability that it must
    rest on, that of :func:`ks_svm_stability`, has :math:`C = \kappa^{3/4} / (\sqrt2 \lambda)` by
    :math:`\beta^{1/4}`, 4 for 2 under the second root and the kernel's β, not the spectrum's; the
    training error takes 12 for 6 (6 belongs to the leave-one-out error). So repaired it is
    :func:`ks_svm`. Q is taken as :math:`1 + \kappa / \lambda` in both. Terms: training, deviation.

    {parameters}
    """
    sample = _SECTION_6.sample(K, y, ridge, limits)
    if is_corrected(variant):
        own = "empirical" if beta is None else beta
        stability = 12.0 * math.fsum(svm_stability(sample, own, variant).values())
        assumed = stable(sample, own)
    else:
        number = _spectral_beta(sample, beta)
        stability = 6.0 * number**0.25 * (1.0 + (number / (2.0 * sample.kappa)) ** 0.25)
        assumed = _every_sample(sample, beta)
    terms = svm_risk(sample, loss_limit(sample, Machine.SVM), stability, delta)
    return _SECTION_6.bound(sample, terms, assumed, variant=variant)


def _spectral_beta(sample: Sample, beta: float | None) -> float:
    return sample.kappa if beta is None else check_positive("beta", beta)


def _printed_terms(sample: Sample, beta: float, delta: float) -> dict[str, float]:
    """Return the printed Theorem 2, term by term."""
    training = sample.fitted(Machine.KRR).training_loss
    n, M, lam = sample.n, sample.target_limit, sample.lam
    C = sample.kappa * M / (lam**2 * (n - 1))
    first, second = 2.0 * M * C * (beta + 2.0 * lam), C**2 * (beta + 2.0 * lam) ** 2
    return {
        "training": training,
        "bias": 2.0 * first + second,
        "deviation": (first + second + square_limit(sample)) * exponential_root(n, delta),
    }


def _every_sample(sample: Sample, beta: float | None) -> Assumption:
    """Return what the printed forms assume of beta; the default is enough by interlacing."""
    holds = True if beta is None or beta >= sample.kappa else None
    return Assumption("|s_j(K) - s_j(K^i)| <= beta for every sample", holds)
