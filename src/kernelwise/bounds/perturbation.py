r"""Spectral perturbation bounds the risk: Theorem 2 and the conclusion of Liu and Liao 2014.

As for KS, :math:`\lambda = \mathrm{ridge} / n`.
"""

import math
from typing import Any

import numpy as np

from kernelwise.bounds import stability as ks
from kernelwise.bounds.base import Assumption, Bound, Terms, check_positive, guarded, is_corrected
from kernelwise.bounds.sample import Learner, Sample, as_kernel_matrix
from kernelwise.bounds.theorem import Paper, Quantity, Theorem, limited_kernel, states

_PAPER = Paper(
    "Liu and Liao 2014",
    ks.SVM_THEOREM,
    trivial=ks.loss_limit,
    ridge=r"n \lambda",
    assumes=limited_kernel,
    parameters="""
    beta : float or None, default=None
        Printed: the spectral perturbation; None takes the largest diagonal entry of K, which is
        enough for every sample. Corrected: the kernel stability, that of this sample where None.
    """,
)
# What is wrong with the printed forms.
_LOST_TERMS = "it lost 2 and 4n, and |K - Lambda| > 0"
_NO_CONSTANT = "the constant C is missing"
_THEOREM_2 = Theorem(_PAPER, "Theorem 2", Quantity.LOSS, Learner.KRR, _LOST_TERMS)
_SECTION_6 = Theorem(_PAPER, "section 6", Quantity.LOSS, Learner.SVM, _NO_CONSTANT)


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
    sample: Sample, *, delta: float = 0.05, beta: float | None = None, variant: str = "corrected"
) -> Bound:
    """Bound the expected squared loss of KRR and the LSSVM (Theorem 2).

    Repaired, it is :func:`ks_krr`, terms included.

    {parameters}
    """
    if is_corrected(variant):
        own = "empirical" if beta is None else check_positive("beta", beta)
        terms, assumed = ks.krr_risk(sample, ks.beta_of(sample, own), delta), ks.stable(sample, own)
    else:
        terms = _printed_terms(sample, _spectral_beta(sample, beta), delta)
        assumed = _every_sample(sample, beta)
    return _THEOREM_2.bound(sample, terms, assumed, variant=variant)


@states(_SECTION_6)
def sps_svm(
    sample: Sample, *, delta: float = 0.05, beta: float | None = None, variant: str = "corrected"
) -> Bound:
    r"""Bound the expected hinge loss of the SVM (the conclusion's bound).

    Repaired, it is :func:`ks_svm`, terms included. The paper leaves Q open;
    :math:`1 + \kappa / \lambda` here.

    {parameters}
    """
    if is_corrected(variant):
        own = "empirical" if beta is None else beta
        stability = 12.0 * math.fsum(ks.svm_stability(sample, own, variant).values())
        assumed = ks.stable(sample, own)
    else:
        number = _spectral_beta(sample, beta)
        stability = 6.0 * number**0.25 * (1.0 + (number / (2.0 * sample.kappa)) ** 0.25)
        assumed = _every_sample(sample, beta)
    terms = ks.svm_risk(sample, ks.loss_limit(sample, Learner.SVM), stability, delta)
    return _SECTION_6.bound(sample, terms, assumed, variant=variant)


def _spectral_beta(sample: Sample, beta: float | None) -> float:
    return sample.kappa if beta is None else check_positive("beta", beta)


def _printed_terms(sample: Sample, beta: float, delta: float) -> Terms:
    """Return the printed Theorem 2, term by term."""
    training = sample.fitted(Learner.KRR).training_loss
    n, M, lam = sample.n, sample.target_limit, sample.lam
    C = sample.kappa * M / (lam**2 * (n - 1))
    first, second = 2.0 * M * C * (beta + 2.0 * lam), C**2 * (beta + 2.0 * lam) ** 2
    return {
        "training": training,
        "bias": 2.0 * first + second,
        "deviation": (first + second + ks.square_limit(sample)) * ks.exponential_root(n, delta),
    }


def _every_sample(sample: Sample, beta: float | None) -> Assumption:
    """Return what the printed forms assume of beta; the default is enough by interlacing."""
    holds = True if beta is None or beta >= sample.kappa else None
    return Assumption("|s_j(K) - s_j(K^i)| <= beta for every sample", holds)
