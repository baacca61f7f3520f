r"""Weights by the gradient of leave-one-out, or of the marginal likelihood.

Both search over the logarithms :math:`\theta` of the weights, with P the inverse of the combined
matrix plus ridge less what the bias takes up, and :math:`A = P Y`.

References
----------
G. C. Cawley and N. L. C. Talbot, Preventing over-fitting during model selection via Bayesian
regularisation of the hyper-parameters, JMLR 8 (2007).
C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press 2006,
section 5.4.1; D. A. Harville, Maximum likelihood approaches to variance component estimation and to
related problems, JASA 72 (1977), for the likelihood with a bias.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices

PRIOR = 1.0  # standard deviation of the logarithms of the weights
_REACH = 12.0  # of a logarithm: beyond exp(±12) a kernel is off, or all there is
_NOTHING = 1e-300  # replaces a sum of squares of zero, which has no logarithm
_MOST_STEPS = 50

Objective = Callable[[Array], tuple[float, Array]]


def by_leave_one_out(base: BaseMatrices, ridge: float) -> Array:
    """Return the weights of :func:`loo_posterior`, one in sum."""
    return _minimum(base, lambda theta: loo_posterior(base, theta, ridge))


def by_likelihood(base: BaseMatrices, ridge: float) -> Array:
    """Return the weights of :func:`negative_likelihood`, one in sum; it begins at this ridge."""
    return _minimum(base, lambda theta: negative_likelihood(base, theta, ridge))


def loo_posterior(
    base: BaseMatrices, theta: Array, ridge: float, *, prior: float = PRIOR
) -> tuple[float, Array]:
    r"""Return minus the log posterior by leave-one-out, up to a constant, and its gradient.

    .. math:: \frac n2 \log \sum_{i,c} w_i r_{ic}^2(\theta) + \frac{|\theta|^2}{2 s^2}

    with leave-one-out residuals r of the machine on the mean of :math:`e^{\theta_k} K_k`, and the
    standard deviation s of the prior. Without it, the search overfits.

    The sum Q changes by :math:`-\langle T, dK \rangle`: with :math:`\rho_{ic} = A_{ic} / P_{ii}`,
    which are residuals times roots of weights, and :math:`dP = -P\, dK\, P`, it is
    :math:`T = 2 A (P U)' - 2 P D P`, :math:`U_{ic} = \rho_{ic} / P_{ii}` and
    :math:`D_{ii} = \sum_c U_{ic} \rho_{ic}`.
    """
    weights = _weights(base, theta)
    P = base.bordered_inverse(base.combined(weights), ridge)
    A, p = P @ base.weighted_targets, np.diag(P)[:, None]
    residuals = A / p
    U = residuals / p
    D = np.sum(U * residuals, axis=1)
    T = 2.0 * (A @ (P @ U).T - (P * D) @ P)
    half, press = 0.5 * base.rows, max(float(np.sum(residuals**2)), _NOTHING)
    value = half * np.log(press) + 0.5 * np.sum((theta / prior) ** 2)
    gradient = -half / press * weights * base.inner_products(T) + theta / prior**2
    return float(value), gradient


def negative_likelihood(base: BaseMatrices, theta: Array, ridge: float) -> tuple[float, Array]:
    r"""Return minus the log marginal likelihood, up to a constant, and its gradient.

    .. math:: \frac{c (n - 1)}{2} \log \mathrm{tr}(Y' P Y) + \frac c2 \left( \log|M| +
        \log(u' M^{-1} u) \right)

    of c targets with a flat prior on the bias and the noise variance at its best value. Since
    :math:`d(\log|M| + \log u' M^{-1} u) = \mathrm{tr}(P\, dK)`, nothing but P is needed.
    """
    weights, Y, u = _weights(base, theta), base.weighted_targets, base.root
    P = base.bordered_inverse(base.combined(weights), ridge)
    c, A = Y.shape[1], P @ Y
    fit, half = max(float(np.vdot(Y, A)), _NOTHING), 0.5 * Y.shape[1] * (base.rows - 1)
    M = base.combined(weights) + ridge * np.eye(base.rows)
    border = np.linalg.slogdet(np.block([[M, u[:, None]], [u[None, :], np.zeros((1, 1))]]))[1]
    slope = -half / fit * base.forms(A, A) + 0.5 * c * base.inner_products(P)
    return float(half * np.log(fit) + 0.5 * c * border), weights * slope


def _weights(base: BaseMatrices, theta: Array) -> Array:
    return np.asarray(np.where(base.usable, np.exp(theta), 0.0) / base.usable.sum())


def _minimum(base: BaseMatrices, objective: Objective) -> Array:
    """Return the weights, one in sum, at which the search from equal weights ends."""
    start = np.zeros(base.kernels)
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-_REACH, _REACH)] * base.kernels,
        options={"maxiter": _MOST_STEPS},
    )
    weights = _weights(base, found.x)
    return np.asarray(weights / weights.sum())
