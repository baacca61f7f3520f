"""A weight for every feature, learnt by the gradient of leave-one-out."""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize

from kernelwise._arguments import as_integer, as_real, shown
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.gram.pairs import EnginePairs
from kernelwise.kernels import Kernel, Scaled
from kernelwise.machines.least_squares import KRR, LSSVC
from kernelwise.machines.relevance import as_differentiable, dense_rows, gradients

_LARGEST = 12.0  # logarithm of a weight: beyond exp(±12) a feature is off, or all there is
_NOTHING = 1e-300  # replaces a sum of squares of zero, which has no logarithm


class TrainingSet(NamedTuple):
    """A least-squares machine to be fitted under changing metrics."""

    X: Array  # (n, d)
    Y: Array  # (n, c)
    weights: Array  # (n,), positive
    ridge: float
    has_bias: bool


def learn_metric(machine: Any, *, prior: float = 0.3, max_steps: int = 50) -> Scaled:
    r"""Return the kernel of a machine with a weight per feature, learnt by leave-one-out.

    Maximum a posteriori: the weights :math:`e^{\theta_j}` minimise

    .. math:: \frac n2 \log \sum_{i,c} w_i r_{ic}^2(\theta) + \frac{|\theta|^2}{2 s^2},

    where :math:`r_{ic}` are the leave-one-out residuals of the least-squares machine at its ridge,
    in closed form as is their gradient, and s is the standard deviation of the prior. The search
    (L-BFGS) begins at weights of one; every step factorises a matrix of all rows. Choose the ridge
    again with the metric: ``KernelSelector(kernels=[learn_metric(machine)])``.

    There is a parameter for every feature, chosen by the same rows that leave-one-out judges by: it
    overfits unless there are many more rows than features, and the leave-one-out error of a machine
    with this metric is optimistic. Hold rows out to see whether it helps.

    Parameters
    ----------
    machine : LSSVC, KRR or KernelSelector
        Fitted, with leave-one-out values of all its rows (no landmarks); its kernel is one that
        :func:`relevance` takes.
    prior : float, default=0.3
        The standard deviation s of the logarithms of the weights; small values keep them near one.
    max_steps : int, default=50
        Of the search, which stops earlier where it is done.

    Returns
    -------
    kernel : Scaled
        The kernel of the machine with these weights; those it had already are multiplied in.

    References
    ----------
    G. C. Cawley and N. L. C. Talbot, Preventing over-fitting during model selection via Bayesian
    regularisation of the hyper-parameters, JMLR 8 (2007).

    Examples
    --------
    >>> import numpy as np
    >>> import kernelwise as kw
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> machine = kw.KRR(kw.Gaussian(8.0), ridge=0.1).fit(X, np.sin(X[:, 1]))
    >>> metric = kw.learn_metric(machine)
    >>> int(np.argmax(metric.weights))
    1
    """
    fitted, spread, steps = as_differentiable(machine), as_real(prior), as_integer(max_steps)
    if spread is None or not 1e-6 <= spread <= 1e6:
        raise ValueError(f"prior must be a number from 1e-6 to 1e6, got {shown(prior)}.")
    if steps is None or steps < 1:
        raise ValueError(f"max_steps must be a positive integer, got {shown(max_steps)}.")
    data = _training_set(fitted)
    names = getattr(machine, "feature_names_in_", ())
    kernel = fitted.kernel.with_positions(list(names))
    with limited(rows=data.X.shape[0]):
        theta = _minimise(kernel, data, spread, steps)
    weights = np.exp(theta)
    if isinstance(kernel, Scaled):  # of one kernel, not of one another
        weights, kernel = weights * np.asarray(kernel.weights), kernel.kernel
    return Scaled(tuple(weights.tolist()), kernel)


def _training_set(machine: LSSVC | KRR) -> TrainingSet:
    """Return what a machine was fitted to."""
    n, weights = machine.X_fit_.shape[0], machine.sample_weight_
    Y = (machine.loo_values_ + machine.loo_residuals_).reshape(weights.shape[0], -1)
    used = weights > 0.0
    if weights.shape[0] != n or np.isnan(Y[used]).any():
        raise ValueError(
            "machine must have leave-one-out values of all its rows, not of landmarks or of some "
            "rows: fit it to fewer rows."
        )
    X = dense_rows(machine.X_fit_[used])
    return TrainingSet(X, Y[used], weights[used], float(machine.ridge), bool(machine.fit_intercept))


def _minimise(kernel: Kernel, data: TrainingSet, spread: float, steps: int) -> Array:
    """Return the logarithms of the weights."""

    def objective(theta: Array) -> tuple[float, Array]:
        return log_posterior(kernel, data, theta, spread)

    d = data.X.shape[1]
    bounds, options = [(-_LARGEST, _LARGEST)] * d, {"maxiter": steps}
    found = minimize(
        objective, np.zeros(d), jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return np.asarray(found.x)


def log_posterior(
    kernel: Kernel, data: TrainingSet, theta: Array, spread: float
) -> tuple[float, Array]:
    """Return minus the logarithm of the posterior, up to a constant, and its gradient."""
    press, gradient = weighted_press(kernel, data, np.exp(theta))
    half, press = 0.5 * data.weights.sum(), max(press, _NOTHING)
    value = half * np.log(press) + 0.5 * np.sum((theta / spread) ** 2)
    return float(value), half / press * gradient + theta / spread**2


def weighted_press(kernel: Kernel, data: TrainingSet, scales: Array) -> tuple[float, Array]:
    r"""Return the sum of squared leave-one-out residuals, and its gradient by log scales.

    The sum changes by :math:`-\langle T, dK \rangle` with the matrix K. By the symmetry of the
    kernel, :math:`\langle T, K \rangle` on rows z = scale x changes with the logarithm of a scale
    by :math:`\sum_a z_{aj} \sum_b (T + T')_{ab}\, \partial k(z_a, z_b) / \partial z_{aj}`.
    """
    Z = data.X * scales
    pairs = EnginePairs(Z)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        press, T = press_of_matrix(kernel.values(pairs), data)
        [G] = gradients(kernel, pairs, T + T.T, np.ones((1, Z.shape[0])))
        gradient = -np.einsum("aj,aj->j", Z, G)
    if not (np.isfinite(press) and np.isfinite(gradient).all()):
        raise ValueError(
            "the gradient of leave-one-out is not finite: standardise X, or use a larger ridge."
        )
    return press, gradient


def press_of_matrix(K: Array, data: TrainingSet) -> tuple[float, Array]:
    r"""Return the weighted sum Q of squared leave-one-out residuals, and T with dQ = -<T, dK>.

    The matrix of the machine is :math:`C = K + \lambda W^{-1}`.
    """
    C = K + np.diag(data.ridge / data.weights)
    P = bordered_inverse(C, np.ones(K.shape[0]) if data.has_bias else None)
    return press_of_inverse(P, data.Y, data.weights)


def press_of_inverse(P: Array, Y: Array, weights: Array) -> tuple[float, Array]:
    r"""Return the weighted sum Q of squared leave-one-out residuals, and T with dQ = -<T, dK>.

    With P the inverse of K plus ridge, less what the bias takes up: coefficients are
    :math:`A = P Y`, residuals :math:`r_{ic} = A_{ic} / P_{ii}`, and :math:`dP = -P\, dK\, P`. So
    :math:`T = 2 A (P U)' - 2 P D P` with :math:`U_{ic} = w_i r_{ic} / P_{ii}` and
    :math:`D_{ii} = \sum_c U_{ic} r_{ic}`.
    """
    A, p, w = P @ Y, np.diag(P)[:, None], weights[:, None]
    residuals = A / p
    U = w * residuals / p
    D = np.sum(U * residuals, axis=1)
    T = 2.0 * (A @ (P @ U).T - (P * D) @ P)
    return float(np.sum(w * residuals**2)), T


def bordered_inverse(C: Array, u: Array | None) -> Array:
    r"""Return the inverse of C; with a bias, that block of the bordered inverse.

    .. math:: C^{-1} - h h' / u'h, \quad h = C^{-1} u

    u is what the bias multiplies, None for a machine without one.
    """
    try:
        P = cho_solve(cho_factor(C), np.eye(C.shape[0]), overwrite_b=True)
    except (LinAlgError, ValueError):  # not positive definite, or not finite
        raise ValueError(
            "the kernel matrix plus ridge is not positive definite: use a larger ridge."
        ) from None
    if u is not None:
        h = P @ u
        P -= np.outer(h, h / float(u @ h))
    return np.asarray(P)
