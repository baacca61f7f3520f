r"""Kernel stability and the variance of cross-validation: Theorems 5 and 6 of Liu et al. 2019.

As printed, both are false. The proof (eq. 19) takes the variance of the error on one fold for the
loss stability; but of a machine that always answers zero the stability is zero, while the error on
a fold still varies with the targets drawn. What stability does give is, by the inequality of Efron
and Stein: one point replaced changes its own loss by at most Q, with weight 1/n, and the losses of
the other folds by at most 2γ, so

.. math:: \mathrm{var} \le \frac n2 \Big(\frac Qn + 2 \gamma \frac{k - 1}{k}\Big)^2.
"""

import math
from typing import Any

from kernelwise._arguments import as_integer, shown
from kernelwise.bounds.base import Bound, Limits, as_printed, is_corrected, theorem
from kernelwise.bounds.problem import Problem
from kernelwise.bounds.uniform import (
    Beta,
    common,
    number_of,
    square_loss_limit,
    svm_loss_limit,
    svm_problem,
    svm_stability,
    uniform_stability,
)
from kernelwise.criteria import Undefined

_QUANTITY = "the variance of the k-fold error"
_WRONG = "the error on one fold varies with its points however stable the machine"


@theorem
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

    Print: :math:`\gamma^2`, the square of the stability of :func:`ks_krr_stability` for
    m = (k - 1) n / k points. Corrected: see the top of this module.

    Parameters
    ----------
    K, y, beta, limits
        As for :func:`ks_krr_prediction`.
    ridge : float, default=1.0
        :math:`n \lambda`; machines without a fold have the ridge :math:`m \lambda`.
    k : int, default=5
        The number of folds.
    variant : {"corrected", "printed"}, default="corrected"

    Returns
    -------
    bound : Bound
        Printed term: stability. Corrected terms: sampling, stability, both; they add up. Vacuous
        from Q² / 4 on, the largest variance of numbers between 0 and Q.
    """
    problem = Problem(K, y, ridge, limits)
    number = number_of(problem, beta)
    gamma = math.fsum(uniform_stability(problem, number, _trained(problem.n, k)).values())
    terms = _terms(problem.n, k, gamma, square_loss_limit(problem), variant)
    return _bound(problem, beta, terms, square_loss_limit(problem), ("5", variant))


@theorem
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

    Print: O(β), without a proof; Appendix E with the stability γ of :func:`ks_svm_stability` gives
    :math:`\gamma^2`, the printed form here. Corrected: see the top of this module.

    Parameters
    ----------
    K, y, ridge, beta, limits
        As for :func:`ks_svm_stability`.
    k, variant
        As for :func:`ks_krr_cv_variance`.

    Returns
    -------
    bound : Bound
        Terms as for :func:`ks_krr_cv_variance`.
    """
    problem = svm_problem(K, y, ridge, limits)
    _trained(problem.n, k)
    gamma = math.fsum(svm_stability(problem, beta, variant).values())
    Q = svm_loss_limit(problem, "corrected")
    terms = _terms(problem.n, k, gamma, Q, variant)
    return _bound(problem, beta, terms, Q, ("6", variant))


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


def _terms(n: int, k: int, gamma: float, Q: float, variant: str) -> dict[str, float]:
    if not is_corrected(variant):
        return {"stability": gamma**2}
    own, others = Q / n, 2.0 * gamma * (1.0 - 1.0 / k)
    return {
        "sampling": 0.5 * n * own**2,
        "stability": 0.5 * n * others**2,
        "both": n * own * others,
    }


def _bound(
    problem: Problem, beta: Beta, terms: dict[str, float], Q: float, source: tuple[str, str]
) -> Bound:
    theorem, variant = source
    return Bound.of(
        _QUANTITY,
        terms,
        Q**2 / 4.0,
        f"Liu et al. 2019, Theorem {theorem}",
        assumptions=(*common(problem, beta), *as_printed(variant, _WRONG)),
        variant=variant,
    )
