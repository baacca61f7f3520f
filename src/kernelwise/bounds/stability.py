r"""Kernel stability bounds stability, risk and the variance of folds: Liu et al. 2019.

The paper's machine minimises :math:`\frac1n \sum \ell + \lambda |f|^2`, so
:math:`\lambda = \mathrm{ridge} / n` in all formulas here, also where a point is removed. What the
theorems are made of, below them, serves those on spectral perturbation too.
"""

import math
from typing import Any

import numpy as np

from kernelwise._sklearn import StrOptions, check_parameters
from kernelwise.bounds.base import (
    Assumption,
    Bound,
    Terms,
    check_delta,
    check_integer,
    check_positive,
    finite,
    guarded,
    is_corrected,
)
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.theorem import Paper, Quantity, Theorem, limited_kernel, states
from kernelwise.criteria import Undefined
from kernelwise.criteria.stability import kernel_stability

Beta = float | str  # "empirical", "worst" or a number


def loss_limit(sample: Sample, learner: Learner) -> float:
    """Return the supremum of a machine's loss: |f_S| <= kappa M / lambda, M = 1 for the SVM."""
    reach = 1.0 + sample.kappa / sample.lam
    return reach if learner is Learner.SVM else (sample.target_limit * reach) ** 2


def _largest_variance(sample: Sample, learner: Learner) -> float:
    """Return the largest variance of numbers between 0 and Q."""
    return loss_limit(sample, learner) ** 2 / 4.0


SVM_THEOREM = "a theorem on the support vector machine"
LIU_2019 = Paper(
    "Liu et al. 2019",
    SVM_THEOREM,
    trivial=loss_limit,
    ridge=r"n \lambda",
    assumes=limited_kernel,
    parameters=r"""
    beta : {"empirical", "worst"} or float, default="empirical"
        The kernel stability, for an SVM that of n + 1 points: "empirical" takes that of this
        sample, "worst" the largest there is for kernels up to :math:`\kappa`,
        :math:`\kappa (1 + \sqrt{4n - 3}) / 2`.
    k : int, default=5
        The number of folds.
    """,
)
# What is wrong with the printed forms.
_MORE_POINTS = "the matrices compared contain x, so beta is that of n + 1 points"
_LARGER_LOSS = "|f_S| <= kappa / lambda, so the loss reaches 1 + kappa / lambda"
_FOLD_VARIES = "the error on one fold varies with its points however stable the machine"
_THEOREM_1 = Theorem(LIU_2019, "Theorem 1", Quantity.STABILITY, Learner.KRR)
_THEOREM_2 = Theorem(LIU_2019, "Theorem 2", Quantity.STABILITY, Learner.SVM, _MORE_POINTS)
_THEOREM_3 = Theorem(LIU_2019, "Theorem 3", Quantity.LOSS, Learner.KRR)
_THEOREM_4 = Theorem(LIU_2019, "Theorem 4", Quantity.LOSS, Learner.SVM, _LARGER_LOSS)
_THEOREM_5 = Theorem(
    LIU_2019, "Theorem 5", Quantity.CV_VARIANCE, Learner.KRR, _FOLD_VARIES, _largest_variance
)
_THEOREM_6 = Theorem(
    LIU_2019, "Theorem 6", Quantity.CV_VARIANCE, Learner.SVM, _FOLD_VARIES, _largest_variance
)
_THEOREM_8 = Theorem(
    LIU_2019,
    "Theorem 8",
    Quantity.CHANGE,
    Learner.KRR,
    trivial=lambda sample, _: 2.0 * sample.kappa * sample.target_limit / sample.lam,
)


@states(_THEOREM_8)
def ks_krr_prediction(sample: Sample, *, beta: Beta = "empirical") -> Bound:
    r"""Bound how far a prediction of KRR or the LSSVM moves without one point (Theorem 8).

    .. math:: |f_S(x) - f_{S^i}(x)| \le \frac{C_1 \beta + C_2}{n - 1}, \quad
        C_1 = \frac{\kappa M}{\lambda^2}, \; C_2 = \frac{2 \kappa M}{\lambda}

    for every x, with certainty; :math:`f_{S^i}` has the ridge :math:`(n - 1) \lambda`. Terms:
    kernel, ridge.

    {parameters}
    """
    terms = moves(sample, beta_of(sample, beta), sample.n)
    here = Assumption("|K - K^i| <= beta for this sample", _reaches(sample, beta))
    return _THEOREM_8.bound(sample, terms, here)


@states(_THEOREM_1)
def ks_krr_stability(sample: Sample, *, beta: Beta = "empirical") -> Bound:
    r"""Bound the uniform stability of KRR and the LSSVM (Theorem 1, eq. 15).

    .. math:: |\ell(f_S(x), y) - \ell(f_{S^i}(x), y)| \le
        \frac{C_1 \beta + C_2}{n - 1} \Big(2M + \frac{2\kappa M}{\lambda}\Big)

    with the constants of :func:`ks_krr_prediction`. Theorem 1 calls this O(β/n), which it is not
    for a fixed ridge: :math:`\lambda` falls with n. Terms: kernel, ridge.

    {parameters}
    """
    terms = uniform_stability(sample, beta_of(sample, beta), sample.n)
    return _THEOREM_1.bound(sample, terms, stable(sample, beta))


@states(_THEOREM_2)
def ks_svm_stability(
    sample: Sample, *, beta: Beta = "empirical", variant: str = "corrected"
) -> Bound:
    r"""Bound the uniform stability of the SVM (Theorem 2, eq. 16).

    .. math:: |\ell(f_S(x), y) - \ell(f_{S^i}(x), y)| \le
        \frac{\kappa^{3/4}}{\sqrt2 \lambda} \beta^{1/4} \Big(1 + \Big(\frac{\beta}{4\kappa}
        \Big)^{1/4}\Big)

    with β of n + 1 points, for the proof compares matrices that contain x too, and the same
    C = 1 / (2 ridge) for :math:`f_{S^i}`. Terms: quarter, half, the powers of β.

    {parameters}
    """
    terms = svm_stability(sample, beta, variant)
    return _THEOREM_2.bound(sample, terms, stable(sample, beta), variant=variant)


@states(_THEOREM_3)
def ks_krr(sample: Sample, *, delta: float = 0.05, beta: Beta = "empirical") -> Bound:
    r"""Bound the expected squared loss of KRR and the LSSVM (Theorem 3 and Appendix C).

    .. math:: R \le R_{\mathrm{emp}} + 2\gamma + (4 n \gamma + Q) \sqrt{\frac{\ln(1/\delta)}{2n}},
        \quad Q = \frac{2 \kappa^2 M^2}{\lambda^2} + 2 M^2

    with the stability γ of :func:`ks_krr_stability`: the appendix, term by term. It is Theorem 12
    of Bousquet and Elisseeff 2002, which the appendix calls 11. Terms: training, bias, deviation.

    {parameters}
    """
    terms = krr_risk(sample, beta_of(sample, beta), delta)
    return _THEOREM_3.bound(sample, terms, stable(sample, beta))


@states(_THEOREM_4)
def ks_svm(
    sample: Sample, *, delta: float = 0.05, beta: Beta = "empirical", variant: str = "corrected"
) -> Bound:
    r"""Bound the expected hinge loss of the SVM (Theorem 4 and Appendix D).

    .. math:: R \le R_{\mathrm{emp}} + \sqrt{\frac{Q^2 + 12 Q n \gamma}{2 n \delta}},
        \quad Q = 1 + \kappa / \lambda

    with the stability γ of :func:`ks_svm_stability`. The number 12 is that of Bousquet and
    Elisseeff 2002, Theorem 11; the paper prints none. Terms: training, deviation.

    {parameters}
    """
    gamma = math.fsum(svm_stability(sample, beta, variant).values())
    printed = 1.0 + sample.kappa * sample.lam
    Q = loss_limit(sample, Learner.SVM) if is_corrected(variant) else printed
    terms = svm_risk(sample, Q, 12.0 * gamma, delta)
    return _THEOREM_4.bound(sample, terms, stable(sample, beta), variant=variant)


@states(_THEOREM_5)
def ks_krr_cv_variance(
    sample: Sample, *, k: int = 5, beta: Beta = "empirical", variant: str = "corrected"
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
    stability = uniform_stability(sample, beta_of(sample, beta), _trained(sample.n, k))
    terms = _variance(sample, Learner.KRR, k, math.fsum(stability.values()), variant)
    return _THEOREM_5.bound(sample, terms, stable(sample, beta), variant=variant)


@states(_THEOREM_6)
def ks_svm_cv_variance(
    sample: Sample, *, k: int = 5, beta: Beta = "empirical", variant: str = "corrected"
) -> Bound:
    """Bound the variance of the k-fold hinge error of the SVM (Theorem 6).

    As :func:`ks_krr_cv_variance`, with the stability γ of :func:`ks_svm_stability`. The print has
    only O(β); its form here follows the proof of Theorem 5.

    {parameters}
    """
    _trained(sample.n, k)
    stability = svm_stability(sample, beta, variant)
    terms = _variance(sample, Learner.SVM, k, math.fsum(stability.values()), variant)
    return _THEOREM_6.bound(sample, terms, stable(sample, beta), variant=variant)


@guarded
def ks_empirical_stability(
    K: Any, y: Any, *, ridge: float = 1.0, removed_ridge: str = "scaled"
) -> float:
    r"""Return the empirical uniform stability of the least-squares machine (Remark 1).

    .. math:: \max_{i, j} |\ell(f_S(x_j), y_j) - \ell(f_{S^i}(x_j), y_j)|

    The paper calls it impractical, but the residuals without every point come from one inverse. At
    most :func:`ks_krr_stability`, which this tests.

    Parameters
    ----------
    K, y, ridge
        As for :func:`ks_krr_stability`.
    removed_ridge : {"scaled", "fixed"}, default="scaled"
        The ridge of the machines without a point: (n - 1) / n of it, the paper's, or the same.

    Returns
    -------
    stability : float

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import ks_empirical_stability
    >>> round(ks_empirical_stability(np.eye(4), [1, 1, -1, -1], removed_ridge="fixed"), 12)
    0.75
    """
    sample = Sample.of(K, y, ridge)
    allowed = {"removed_ridge": [StrOptions({"scaled", "fixed"})]}
    check_parameters("ks_empirical_stability", allowed, removed_ridge=removed_ridge)
    scaled = removed_ridge == "scaled"
    trained = sample.residuals[:, None]
    without = sample.residuals_without_each if scaled else sample.residuals_without(1.0)
    return finite(float(np.abs(trained**2 - without**2).max()))


def stable(sample: Sample, beta: Beta) -> Assumption:
    """Return that the kernel stability of no sample exceeds beta."""
    known = True if isinstance(beta, str) and beta == "worst" else None
    holds = known if _reaches(sample, beta) else False
    return Assumption("|K - K^i| <= beta for every sample", holds)


def _reaches(sample: Sample, beta: Beta) -> bool:
    """Say whether beta is at least the kernel stability of this sample."""
    return beta_of(sample, beta) >= beta_of(sample, "empirical") * (1.0 - 1e-12)


def beta_of(sample: Sample, beta: Beta, extra_points: int = 0) -> float:
    """Return the kernel stability of the sample, or the worst, of up to one point more."""
    kappa = sample.kappa
    if not isinstance(beta, str):
        return check_positive("beta", beta)
    check_parameters("a bound", {"beta": [StrOptions({"worst", "empirical"})]}, beta=beta)
    if beta == "worst":
        return kappa * (1.0 + math.sqrt(1.0 + 4.0 * (sample.n + extra_points - 1))) / 2.0
    stats = sample.evidence.statistics
    if extra_points == 0:
        return kernel_stability(stats)
    d = np.abs(stats.diagonal)
    off = np.maximum(stats.kernel_row_squares - d * d, 0.0) + extra_points * kappa**2
    return float(np.max(d + np.sqrt(d * d + 4.0 * off)) / 2.0)


def moves(sample: Sample, beta: float, rows: int) -> Terms:
    """Return the terms of Theorem 8 for a machine on some rows."""
    kappa, M, lam = sample.kappa, sample.target_limit, sample.lam
    C1, C2 = kappa * M / lam**2, 2.0 * kappa * M / lam
    return {"kernel": C1 * beta / (rows - 1), "ridge": C2 / (rows - 1)}


def uniform_stability(sample: Sample, beta: float, rows: int) -> Terms:
    """Return the terms of equation 15 for a machine on some rows."""
    factor = 2.0 * sample.target_limit * (1.0 + sample.kappa / sample.lam)
    return {name: factor * term for name, term in moves(sample, beta, rows).items()}


def svm_stability(sample: Sample, beta: Beta, variant: str) -> Terms:
    """Return the two terms of equation 16."""
    number = beta_of(sample, beta, 1 if is_corrected(variant) else 0)
    quarter = sample.kappa**0.75 / (math.sqrt(2.0) * sample.lam) * number**0.25
    # quarter times (beta / (4 kappa))^(1/4), which has no division by kappa: that may be zero
    return {"quarter": quarter, "half": math.sqrt(sample.kappa * number) / (2.0 * sample.lam)}


def krr_risk(sample: Sample, beta: float, delta: float) -> Terms:
    """Return the terms that uniform stability gives for the risk of the least-squares machine."""
    n = sample.n
    gamma = math.fsum(uniform_stability(sample, beta, n).values())
    deviation = (4.0 * n * gamma + square_limit(sample)) * exponential_root(n, delta)
    training = sample.fitted(Learner.KRR).training_loss
    return {"training": training, "bias": 2.0 * gamma, "deviation": deviation}


def square_limit(sample: Sample) -> float:
    """Return Q, which both papers put above the squared loss."""
    kappa, M, lam = sample.kappa, sample.target_limit, sample.lam
    return 2.0 * kappa**2 * M**2 / lam**2 + 2.0 * M**2


def exponential_root(n: int, delta: float) -> float:
    """Return sqrt(ln(1 / delta) / (2 n)), by McDiarmid's inequality."""
    return math.sqrt(-math.log(check_delta(delta)) / (2.0 * n))


def svm_risk(sample: Sample, Q: float, stability: float, delta: float) -> Terms:
    """Return the terms for the risk of the SVM, by Chebyshev's inequality."""
    n = sample.n
    deviation = math.sqrt((Q**2 + Q * n * stability) / (2.0 * n * check_delta(delta)))
    return {"training": sample.fitted(Learner.SVM).training_loss, "deviation": deviation}


def _trained(n: int, k: Any) -> int:
    """Return the rows outside the largest fold."""
    rows = n - math.ceil(n / check_integer("k", k, 2, "n", n))
    if rows < 2:
        raise Undefined(f"k = {k} folds of {n} rows leave fewer than two to train on")
    return rows


def _variance(sample: Sample, learner: Learner, k: int, gamma: float, variant: str) -> Terms:
    if not is_corrected(variant):
        return {"stability": gamma**2}
    n, others = sample.n, 2.0 * gamma * (1.0 - 1.0 / k)
    half, own = 0.5 * n, loss_limit(sample, learner) / n
    return {"sampling": half * own**2, "stability": half * others**2, "both": n * own * others}
