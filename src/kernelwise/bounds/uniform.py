r"""The terms that the theorems on kernel stability are made of.

With :math:`\lambda = \mathrm{ridge} / n`, as the papers on KS and SPS have it.
"""

import math
from typing import Any

import numpy as np

from kernelwise.bounds.base import Assumption, Bound, Limits, check_positive, is_corrected
from kernelwise.bounds.problem import Problem
from kernelwise.criteria.stability import kernel_stability

Beta = float | str  # "empirical", "worst" or a number


def svm_problem(K: Any, y: Any, ridge: float, limits: Limits | None) -> Problem:
    """Return a problem of two classes."""
    problem = Problem(K, y, ridge, limits)
    problem.need_classes("a theorem on the support vector machine")
    return problem


def common(problem: Problem, beta: Beta) -> tuple[Assumption, ...]:
    """Return what all theorems on every sample assume."""
    enough = number_of(problem, beta) >= empirical_beta(problem) * (1.0 - 1e-12)
    holds = (True if _is(beta, "worst") else None) if enough else False
    return (*known(problem), Assumption("|K - K^i| <= beta for every sample", holds))


def known(problem: Problem) -> tuple[Assumption, ...]:
    """Return what is assumed of the kernel and the target."""
    return (problem.psd(), problem.kernel_limit(), problem.bounded_target())


def number_of(problem: Problem, beta: Beta, extra_points: int = 0) -> float:
    """Return the kernel stability of the sample, or the worst, of up to one point more."""
    kappa = problem.kappa
    if _is(beta, "worst"):
        return kappa * (1.0 + math.sqrt(1.0 + 4.0 * (problem.n + extra_points - 1))) / 2.0
    if not _is(beta, "empirical"):
        return check_positive("beta", beta)
    stats = problem.evidence.statistics
    if extra_points == 0:
        return kernel_stability(stats)
    d = np.abs(stats.diagonal)
    off = np.maximum(stats.kernel_row_squares - d * d, 0.0) + extra_points * kappa**2
    return float(np.max(d + np.sqrt(d * d + 4.0 * off)) / 2.0)


def _is(beta: Beta, name: str) -> bool:
    return isinstance(beta, str) and beta == name


def empirical_beta(problem: Problem) -> float:
    """Return the kernel stability of the sample."""
    return number_of(problem, "empirical")


def moves(problem: Problem, beta: float, rows: int) -> dict[str, float]:
    """Return the terms of Theorem 8 for a machine on some rows."""
    kappa, M, lam = problem.kappa, problem.target_limit, problem.lam
    C1, C2 = kappa * M / lam**2, 2.0 * kappa * M / lam
    return {"kernel": C1 * beta / (rows - 1), "ridge": C2 / (rows - 1)}


def uniform_stability(problem: Problem, beta: float, rows: int) -> dict[str, float]:
    """Return the terms of equation 15 for a machine on some rows."""
    factor = 2.0 * problem.target_limit * (1.0 + problem.kappa / problem.lam)
    return {name: factor * term for name, term in moves(problem, beta, rows).items()}


def svm_stability(problem: Problem, beta: Beta, variant: str) -> dict[str, float]:
    """Return the two terms of equation 16."""
    number = number_of(problem, beta, 1 if is_corrected(variant) else 0)
    kappa = problem.kappa
    quarter = kappa**0.75 / (math.sqrt(2.0) * problem.lam) * number**0.25
    # quarter times (beta / (4 kappa))^(1/4), which has no division by kappa: that may be zero
    return {"quarter": quarter, "half": math.sqrt(kappa * number) / (2.0 * problem.lam)}


def square_loss_limit(problem: Problem) -> float:
    """Return the supremum of the squared loss: |f_S| <= kappa M / lambda."""
    return (problem.target_limit * (1.0 + problem.kappa / problem.lam)) ** 2


def svm_loss_limit(problem: Problem, variant: str) -> float:
    """Return the supremum of the hinge loss, 1 + kappa / lambda, or what is printed for it."""
    if is_corrected(variant):
        return 1.0 + problem.kappa / problem.lam
    return 1.0 + problem.kappa * problem.lam


def risk_bound(
    problem: Problem,
    beta: float,
    delta: float,
    *,
    source: tuple[str, str],
    assumptions: tuple[Assumption, ...],
) -> Bound:
    """Return the bound that uniform stability gives on the risk of the least-squares machine."""
    n, kappa, M, lam = problem.n, problem.kappa, problem.target_limit, problem.lam
    gamma = math.fsum(uniform_stability(problem, beta, n).values())
    Q = 2.0 * kappa**2 * M**2 / lam**2 + 2.0 * M**2
    terms = {
        "training": problem.least_squares.training_loss,
        "bias": 2.0 * gamma,
        "deviation": (4.0 * n * gamma + Q) * math.sqrt(-math.log(delta) / (2.0 * n)),
    }
    reference, variant = source
    return Bound.of(
        "the expected loss",
        terms,
        square_loss_limit(problem),
        reference,
        assumptions=assumptions,
        variant=variant,
    )


def polynomial_deviation(Q: float, stability: float, n: int, delta: float) -> float:
    """Return sqrt((Q^2 + Q n stability) / (2 n delta)), by Chebyshev's inequality."""
    return math.sqrt((Q**2 + Q * n * stability) / (2.0 * n * delta))
