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
    as_printed,
    check_delta,
    check_positive,
    is_corrected,
    theorem,
)
from kernelwise.bounds.problem import Problem, as_kernel_matrix
from kernelwise.bounds.uniform import (
    common,
    known,
    number_of,
    polynomial_deviation,
    risk_bound,
    square_loss_limit,
    svm_loss_limit,
    svm_problem,
    svm_stability,
)

_PAPER = "Liu and Liao 2014"


@theorem
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


@theorem
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

    Print, with :math:`b = \beta + 2\lambda`, :math:`C = \kappa M / (\lambda^2 (n - 1))`,
    :math:`F = 2MC` and Q of :func:`ks_krr`:

    .. math:: R_{\mathrm{emp}} + 2 F b + C^2 b^2 + (F b + C^2 b^2 + Q)
        \sqrt{\frac{\ln(1/\delta)}{2n}}.

    Four things are wrong with it. Theorem 1 takes :math:`|K - \Lambda| = 0` for the diagonal matrix
    of eigenvalues, so that β, which must be that of the matrix, became that of its spectrum. The
    squares differ by :math:`(f_S - f_{S^i}) (2y - f_S - f_{S^i})`, not :math:`+ f_{S^i}`, which
    makes the stability :math:`C b (2M + 2\kappa M / \lambda)`. And Theorem B1 has
    :math:`2\gamma + (4 n \gamma + Q) \sqrt\cdot`: the print lost a factor 2 and 4n. All four
    repaired, it is :func:`ks_krr`.

    Parameters
    ----------
    K, y, ridge, limits
        As for :func:`ks_krr_prediction`.
    delta : float, default=0.05
        The probability that the bound fails.
    beta : float or None, default=None
        Printed: the spectral perturbation; None takes the largest diagonal entry of K, which is
        enough for every sample. Corrected: the kernel stability, that of this sample where None.
    variant : {"corrected", "printed"}, default="corrected"

    Returns
    -------
    bound : Bound
        Terms: training, bias, deviation; they add up.
    """
    problem, confidence = Problem(K, y, ridge, limits), check_delta(delta)
    reference = f"{_PAPER}, Theorem 2"
    if is_corrected(variant):
        own = "empirical" if beta is None else check_positive("beta", beta)
        return risk_bound(
            problem,
            number_of(problem, own),
            confidence,
            source=(reference, variant),
            assumptions=common(problem, own),
        )
    terms = _printed_terms(problem, _spectral_beta(problem, beta), confidence)
    return Bound.of(
        "the expected loss",
        terms,
        square_loss_limit(problem),
        reference,
        assumptions=_spectral_assumptions(problem, beta, "it lost 2 and 4n, and |K - Lambda| > 0"),
        variant=variant,
    )


@theorem
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

    Print:

    .. math:: R_{\mathrm{emp}} + \sqrt{\frac{Q^2 + 6 Q n \beta^{1/4}
        (1 + (\beta / (2\kappa))^{1/4})}{2 n \delta}},

    "where C and Q are some constants". There is no C in it and no proof. The stability that it must
    rest on, that of :func:`ks_svm_stability`, has :math:`C = \kappa^{3/4} / (\sqrt2 \lambda)` by
    :math:`\beta^{1/4}`, 4 for 2 under the second root and the kernel's β, not the spectrum's; the
    training error takes 12 for 6 (6 belongs to the leave-one-out error). So repaired it is
    :func:`ks_svm`. Q is taken as :math:`1 + \kappa / \lambda` in both.

    Parameters
    ----------
    K, y, ridge, limits
        As for :func:`ks_svm_stability`.
    delta, beta, variant
        As for :func:`sps_krr`.

    Returns
    -------
    bound : Bound
        Terms: training, deviation; they add up.
    """
    problem = svm_problem(K, y, ridge, limits)
    n, Q = problem.n, svm_loss_limit(problem, "corrected")
    if is_corrected(variant):
        own = "empirical" if beta is None else beta
        stability = 12.0 * math.fsum(svm_stability(problem, own, variant).values())
        assumptions = common(problem, own)
    else:
        number = _spectral_beta(problem, beta)
        stability = 6.0 * number**0.25 * (1.0 + (number / (2.0 * problem.kappa)) ** 0.25)
        assumptions = _spectral_assumptions(problem, beta, "the constant C is missing")
    terms = {
        "training": problem.svm.training_loss,
        "deviation": polynomial_deviation(Q, stability, n, check_delta(delta)),
    }
    reference = f"{_PAPER}, section 6"
    return Bound.of(
        "the expected loss", terms, Q, reference, assumptions=assumptions, variant=variant
    )


def _spectral_beta(problem: Problem, beta: float | None) -> float:
    return problem.kappa if beta is None else check_positive("beta", beta)


def _printed_terms(problem: Problem, beta: float, delta: float) -> dict[str, float]:
    """Return the printed Theorem 2, term by term."""
    n, kappa, M, lam = problem.n, problem.kappa, problem.target_limit, problem.lam
    shifted = beta + 2.0 * lam
    C = kappa * M / (lam**2 * (n - 1))
    F = 2.0 * kappa * M**2 / (lam**2 * (n - 1))
    Q = 2.0 * kappa**2 * M**2 / lam**2 + 2.0 * M**2
    root = math.sqrt(-math.log(delta) / (2.0 * n))
    return {
        "training": problem.least_squares.training_loss,
        "bias": 2.0 * F * shifted + C**2 * shifted**2,
        "deviation": (F * shifted + C**2 * shifted**2 + Q) * root,
    }


def _spectral_assumptions(
    problem: Problem, beta: float | None, wrong: str
) -> tuple[Assumption, ...]:
    """Return what the printed forms assume; the default beta is enough by interlacing."""
    holds = True if beta is None or beta >= problem.kappa else None
    every = Assumption("|s_j(K) - s_j(K^i)| <= beta for every sample", holds)
    return (*known(problem), every, *as_printed("printed", wrong))
