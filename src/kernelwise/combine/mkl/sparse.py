r"""Sparse weights: kernel ridge regression with the sum of the norms of its parts as penalty.

.. math:: \min_{f_1, \dots, f_k, b} \sum_i w_i \Big(y_i - \sum_k f_k(x_i) - b\Big)^2
    + \lambda \Big(\sum_k |f_k|\Big)^2

Since :math:`(\sum_k |f_k|)^2` is the minimum of :math:`\sum_k |f_k|^2 / \mu_k` over weights that
are not negative and one in sum, it is kernel ridge regression on :math:`K = \sum_k \mu_k K_k`, with
:math:`f_k = \mu_k K_k \alpha` and weights in proportion to the norms,

.. math:: \mu_k = \frac{|f_k|}{\sum_l |f_l|}, \qquad |f_k| = \mu_k \sqrt{\alpha' K_k \alpha} .

There, :math:`\alpha' K_k \alpha` is the same for all kernels that have a weight, and not larger for
the others. The weights minimise :math:`J(\mu) = y' P y` over the simplex, with P the inverse of
:math:`K + \lambda I` less what the bias takes up. It is convex, with

.. math:: \frac{\partial J}{\partial \mu_k} = -\alpha' K_k \alpha, \qquad
    \frac{\partial^2 J}{\partial \mu_k \partial \mu_l} = 2\, \alpha' K_k P K_l \alpha,

so that Newton's method needs few steps, each of which is a quadratic problem on the simplex.

References
----------
F. R. Bach, Consistency of the group lasso and multiple kernel learning, JMLR 9 (2008).
Z. Xu, R. Jin, H. Yang, I. King and M. R. Lyu, Simple and efficient multiple kernel learning by
group lasso, ICML 2010, for the weights as a fixed point.
"""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices, Solver
from kernelwise.combine.mkl.judging import Proposal

PENALTIES = 10.0 ** np.arange(2.0, -3.0, -1.0)  # in units of the mean diagonal
_MOST_STEPS = 30
_GAP = 1e-3  # relative distance from the optimality conditions, at which the search ends
_HALVINGS = 12  # of a step that does not lower the objective
_PULL = 1e-9  # towards the origin, relative to the trace: duplicates have equal weights


def sparse_weights(
    base: BaseMatrices,
    penalty: float,
    start: Array | None = None,
    *,
    steps: int = _MOST_STEPS,
    gap: float = _GAP,
) -> Array:
    """Return the weights at a penalty, one in sum; the search begins at equal weights."""
    mu = base.usable / base.usable.sum() if start is None else start
    alpha, solve = base.coefficients(mu, penalty)
    value = float(np.vdot(alpha, base.weighted_targets))
    for _ in range(steps):
        products = base.products(alpha)
        forms = np.einsum("knc,nc->k", products, alpha)
        if forms.max() <= (1.0 + gap) * float(mu @ forms):
            break
        aim = _newton_aim(mu, -forms, _curvature(products, solve), value)
        for _ in range(_HALVINGS):
            alpha, solve = base.coefficients(aim, penalty)
            new = float(np.vdot(alpha, base.weighted_targets))
            if new <= value:
                break
            aim = 0.5 * (aim + mu)
        mu, value = aim, new
    return mu


def sparse_path(base: BaseMatrices) -> Iterator[Proposal]:
    """Yield the weights at every penalty, from the largest; each search begins at the last."""
    unit, mu = mean_diagonal(base), None
    for penalty in PENALTIES.tolist():
        mu = sparse_weights(base, penalty * unit, mu)
        yield Proposal(mu, penalty * unit)


def mean_diagonal(base: BaseMatrices) -> float:
    """Return the mean diagonal of the plain mean of the matrices: one if they are normalised."""
    return float(base.diagonals[base.usable].mean())


def _curvature(products: Array, solve: Solver) -> Array:
    """Return the second derivatives, from K_k alpha of every kernel."""
    k, n, c = products.shape
    columns = products.transpose(1, 0, 2).reshape(n, k * c)
    solved = solve(columns).reshape(n, k, c)
    return np.asarray(2.0 * np.einsum("knc,nlc->kl", products, solved, optimize=True))


def _newton_aim(mu: Array, slopes: Array, H: Array, value: float) -> Array:
    r"""Return the minimum over the simplex of the quadratic model of J at mu.

    On the simplex the linear part :math:`q'v` is :math:`\tfrac12 v' (q 1' + 1 q') v`, and a
    multiple of :math:`1 1'` is a constant. With enough of it,
    :math:`A = H + q 1' + 1 q' + c\, 1 1'` is positive semidefinite: directions d of sum zero have
    :math:`(q'd)^2 \le (J + 2 \mu'H\mu)\, d'Hd`. Then the minimum is in proportion to that of
    :math:`v' A v - 2\, 1'v` over :math:`v \ge 0`, non-negative least squares.
    """
    places = np.flatnonzero(H.diagonal() > 0.0)
    q, H, here = (slopes - H @ mu)[places], H[np.ix_(places, places)], mu[places]
    bound = float(H.mean()) + value + 2.0 * float(here @ H @ here) + float(np.abs(q).max())
    A = H + q[:, None] + q[None, :] + 2.0 * bound
    A.flat[:: places.size + 1] += _PULL * (float(np.trace(H)) + bound)
    upper = cholesky(A, check_finite=False)
    v, _ = nnls(upper, solve_triangular(upper, np.ones(places.size), trans="T"))
    aim = np.zeros(mu.size)
    aim[places] = v / v.sum()
    return aim
