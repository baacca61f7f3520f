r"""Kernel stability bounds stability and risk: Theorems 1 to 4 and 8 of Liu et al. 2019.

The paper's machine minimises :math:`\frac1n \sum \ell + \lambda |f|^2`, so
:math:`\lambda = \mathrm{ridge} / n` in all formulas here, also where a point is removed.
"""

import math
from typing import Any

import numpy as np

from kernelwise._arguments import is_one_of, shown
from kernelwise._types import Array
from kernelwise.bounds.base import (
    Assumption,
    Bound,
    Limits,
    as_printed,
    check_delta,
    finite,
    theorem,
)
from kernelwise.bounds.problem import Problem
from kernelwise.bounds.uniform import (
    Beta,
    common,
    empirical_beta,
    known,
    moves,
    number_of,
    polynomial_deviation,
    risk_bound,
    square_loss_limit,
    svm_loss_limit,
    svm_problem,
    svm_stability,
    uniform_stability,
)
from kernelwise.gram.inverse import SpectralInverses

_PAPER = "Liu et al. 2019"


@theorem
def ks_krr_prediction(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    beta: Beta = "empirical",
    limits: Limits | None = None,
) -> Bound:
    r"""Bound how far a prediction of KRR or the LSSVM moves without one point (Theorem 8).

    .. math:: |f_S(x) - f_{S^i}(x)| \le \frac{C_1 \beta + C_2}{n - 1}, \quad
        C_1 = \frac{\kappa M}{\lambda^2}, \; C_2 = \frac{2 \kappa M}{\lambda}

    for every x, with certainty; :math:`f_{S^i}` has the ridge :math:`(n - 1) \lambda`.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        A real target, or two classes, which are then ±1.
    ridge : float, default=1.0
        :math:`n \lambda`: the machine solves (K + ridge I) alpha = y, without bias.
    beta : {"empirical", "worst"} or float, default="empirical"
        The kernel stability: that of this sample, the largest there is for kernels up to
        :math:`\kappa`, :math:`\kappa (1 + \sqrt{4n - 3}) / 2`, or a number.
    limits : Limits or None, default=None
        :math:`\kappa` and M; read off the sample where None.

    Returns
    -------
    bound : Bound
        Terms: kernel, ridge; they add up.
    """
    problem = Problem(K, y, ridge, limits)
    trivial = 2.0 * problem.kappa * problem.target_limit / problem.lam
    number = number_of(problem, beta)
    terms = moves(problem, number, problem.n)
    enough = number >= empirical_beta(problem) * (1.0 - 1e-12)
    return Bound.of(
        "the change of a prediction",
        terms,
        trivial,
        f"{_PAPER}, Theorem 8",
        assumptions=(*known(problem), Assumption("|K - K^i| <= beta for this sample", enough)),
    )


@theorem
def ks_krr_stability(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    beta: Beta = "empirical",
    limits: Limits | None = None,
) -> Bound:
    r"""Bound the uniform stability of KRR and the LSSVM (Theorem 1, eq. 15).

    .. math:: |\ell(f_S(x), y) - \ell(f_{S^i}(x), y)| \le
        \frac{C_1 \beta + C_2}{n - 1} \Big(2M + \frac{2\kappa M}{\lambda}\Big)

    with the constants of :func:`ks_krr_prediction`. Theorem 1 calls this O(β/n); for a fixed ridge
    :math:`\lambda` falls with n and it is not.

    Parameters
    ----------
    K, y, ridge, beta, limits
        As for :func:`ks_krr_prediction`.

    Returns
    -------
    bound : Bound
        Terms: kernel, ridge; they add up.
    """
    problem = Problem(K, y, ridge, limits)
    terms = uniform_stability(problem, number_of(problem, beta), problem.n)
    return Bound.of(
        "the uniform stability",
        terms,
        square_loss_limit(problem),
        f"{_PAPER}, Theorem 1",
        assumptions=common(problem, beta),
    )


@theorem
def ks_svm_stability(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    beta: Beta = "empirical",
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the uniform stability of the SVM (Theorem 2, eq. 16).

    .. math:: |\ell(f_S(x), y) - \ell(f_{S^i}(x), y)| \le
        \frac{\kappa^{3/4}}{\sqrt2 \lambda} \beta^{1/4} \Big(1 + \Big(\frac{\beta}{4\kappa}
        \Big)^{1/4}\Big)

    Print: β of the n training points. The proposition behind it compares the square roots of
    matrices that contain the point x too, so that β must be that of n + 1 points: the corrected
    form adds :math:`\kappa^2` to every row sum of squares. It also removes a point from the sum of
    losses and nothing else, so :math:`f_{S^i}` keeps C = 1 / (2 ridge).

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        Two classes.
    ridge : float, default=1.0
        :math:`n \lambda`: the machine has C = 1 / (2 ridge) and no bias.
    beta, limits
        As for :func:`ks_krr_prediction`; a number must be that of n + 1 points.
    variant : {"corrected", "printed"}, default="corrected"

    Returns
    -------
    bound : Bound
        Terms: quarter, half (the powers of β); they add up.
    """
    problem = svm_problem(K, y, ridge, limits)
    terms = svm_stability(problem, beta, variant)
    wrong = "the matrices compared contain x, so beta is that of n + 1 points"
    assumptions = (*common(problem, beta), *as_printed(variant, wrong))
    trivial = svm_loss_limit(problem, "corrected")
    return Bound.of(
        "the uniform stability",
        terms,
        trivial,
        f"{_PAPER}, Theorem 2",
        assumptions=assumptions,
        variant=variant,
    )


@theorem
def ks_krr(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    beta: Beta = "empirical",
    limits: Limits | None = None,
) -> Bound:
    r"""Bound the expected squared loss of KRR and the LSSVM (Theorem 3 and Appendix C).

    .. math:: R \le R_{\mathrm{emp}} + 2\gamma + (4 n \gamma + Q) \sqrt{\frac{\ln(1/\delta)}{2n}},
        \quad Q = \frac{2 \kappa^2 M^2}{\lambda^2} + 2 M^2

    with the stability γ of :func:`ks_krr_stability`: the appendix, term by term. It is Theorem 12
    of Bousquet and Elisseeff 2002, which the appendix calls 11.

    Parameters
    ----------
    K, y, ridge, beta, limits
        As for :func:`ks_krr_prediction`.
    delta : float, default=0.05
        The probability that the bound fails.

    Returns
    -------
    bound : Bound
        Terms: training, bias, deviation; they add up.
    """
    problem = Problem(K, y, ridge, limits)
    return risk_bound(
        problem,
        number_of(problem, beta),
        check_delta(delta),
        source=(f"{_PAPER}, Theorem 3", "printed"),
        assumptions=common(problem, beta),
    )


@theorem
def ks_svm(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    beta: Beta = "empirical",
    limits: Limits | None = None,
    variant: str = "corrected",
) -> Bound:
    r"""Bound the expected hinge loss of the SVM (Theorem 4 and Appendix D).

    .. math:: R \le R_{\mathrm{emp}} + \sqrt{\frac{Q^2 + 12 Q n \gamma}{2 n \delta}},
        \quad Q = 1 + \kappa / \lambda

    with the stability γ of :func:`ks_svm_stability`. Print: :math:`Q = 1 + \lambda \kappa`, though
    its own multipliers, at most :math:`1 / (\lambda n)`, give :math:`|f_S| \le \kappa / \lambda`;
    and the theorem's :math:`\sqrt{\beta^2 / \delta}`, which is not what Appendix D proves. The
    number 12 is that of Bousquet and Elisseeff 2002, Theorem 11; the paper prints none.

    Parameters
    ----------
    K, y, ridge, beta, limits, variant
        As for :func:`ks_svm_stability`.
    delta : float, default=0.05
        The probability that the bound fails.

    Returns
    -------
    bound : Bound
        Terms: training, deviation; they add up.
    """
    problem = svm_problem(K, y, ridge, limits)
    gamma = math.fsum(svm_stability(problem, beta, variant).values())
    Q = svm_loss_limit(problem, variant)
    terms = {
        "training": problem.svm.training_loss,
        "deviation": polynomial_deviation(Q, 12.0 * gamma, problem.n, check_delta(delta)),
    }
    wrong = "|f_S| <= kappa / lambda, so the loss reaches 1 + kappa / lambda"
    return Bound.of(
        "the expected loss",
        terms,
        svm_loss_limit(problem, "corrected"),
        f"{_PAPER}, Theorem 4",
        assumptions=(*common(problem, beta), *as_printed(variant, wrong)),
        variant=variant,
    )


@theorem
def ks_empirical_stability(
    K: Any, y: Any, *, ridge: float = 1.0, removed_ridge: str = "scaled"
) -> float:
    r"""Return the empirical uniform stability of the least-squares machine (Remark 1).

    .. math:: \max_{i, j} |\ell(f_S(x_j), y_j) - \ell(f_{S^i}(x_j), y_j)|

    The paper calls it impractical; with :math:`G = (K + \rho I)^{-1}` and :math:`\alpha = G y` the
    residuals without point i are :math:`\rho (\alpha_j - G_{ji} \alpha_i / G_{ii})`, and
    :math:`\alpha_i / G_{ii}` at i itself: one inverse serves all. At most
    :func:`ks_krr_stability`, which this tests.

    Parameters
    ----------
    K, y, ridge
        As for :func:`ks_krr_prediction`.
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
    problem = Problem(K, y, ridge)
    if not is_one_of(removed_ridge, ("scaled", "fixed")):
        raise ValueError(f"removed_ridge must be 'scaled' or 'fixed', got {shown(removed_ridge)}.")
    share = (problem.n - 1) / problem.n if removed_ridge == "scaled" else 1.0
    trained = (problem.y - problem.least_squares.scores)[:, None]
    return finite(float(np.abs(trained**2 - residuals_without(problem, share) ** 2).max()))


def residuals_without(problem: Problem, share: float) -> Array:
    """Return the residuals of the machines without each point, a column each.

    Their ridge is a share of the problem's; for the formula see :func:`ks_empirical_stability`.
    """
    y, rho = problem.y, share * problem.ridge
    [inverse] = SpectralInverses(problem.evidence.spectrum, [rho])
    G = inverse.block(np.arange(problem.n))
    alone = (G @ y) / G.diagonal()
    residuals = rho * ((G @ y)[:, None] - G * alone)
    np.fill_diagonal(residuals, alone)
    return np.asarray(residuals)
