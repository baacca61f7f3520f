r"""Sparse weights: kernel ridge regression with the sum of the norms of its parts as penalty.

.. math:: \min_{f_1, \dots, f_k, b} \sum_i w_i \Big(y_i - \sum_k f_k(x_i) - b\Big)^2
    + \lambda \Big(\sum_k |f_k|\Big)^2

Since :math:`(\sum_k |f_k|)^2` is the minimum of :math:`\sum_k |f_k|^2 / \mu_k` over weights that
are not negative and one in sum, it is kernel ridge regression on :math:`\sum_k \mu_k K_k`, with
:math:`f_k = \mu_k K_k \alpha` and weights in proportion to the norms,

.. math:: \mu_k = \frac{|f_k|}{\sum_l |f_l|}, \qquad |f_k| = \mu_k \sqrt{\alpha' K_k \alpha} .

There, :math:`\alpha' K_k \alpha` is the same for all kernels that have a weight, and not larger for
the others. The iteration :math:`\mu_k \leftarrow \mu_k\, \alpha' K_k \alpha`, divided by the sum,
has the same fixed points and needs half as many steps as the one with the root; where it does not
lower the objective the root is taken.

References
----------
F. R. Bach, Consistency of the group lasso and multiple kernel learning, JMLR 9 (2008).
Z. Xu, R. Jin, H. Yang, I. King and M. R. Lyu, Simple and efficient multiple kernel learning by
group lasso, ICML 2010.
"""

from collections.abc import Iterator

import numpy as np

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.mkl.judging import Proposal

PENALTIES = 10.0 ** np.arange(2.0, -3.0, -1.0)  # in units of the mean diagonal
_MOST_STEPS = 50
_GAP = 5e-3  # relative distance from the optimality conditions, at which the search ends
_GONE = 1e-3  # weight that is on its way to zero


def sparse_weights(
    base: BaseMatrices,
    penalty: float,
    *,
    steps: int = _MOST_STEPS,
    gap: float = _GAP,
    gone: float = _GONE,
) -> Array:
    """Return the weights at a penalty, one in sum; those below `gone` are zero."""
    mu, power, least = base.usable / base.usable.sum(), 1.0, np.inf
    for _ in range(steps):
        A = base.coefficients(mu, penalty)
        forms = np.maximum(base.forms(A, A), 0.0)
        mean, value = float(mu @ forms), float(np.vdot(A, base.weighted_targets))
        if forms.max() <= (1.0 + gap) * mean:
            break
        power, least = (power, value) if value <= least else (0.5, least)
        mu = mu * (forms / forms.max()) ** power
        mu /= mu.sum()
    mu = np.where(mu < gone * mu.max(), 0.0, mu)
    return np.asarray(mu / mu.sum())


def sparse_path(base: BaseMatrices) -> Iterator[Proposal]:
    """Yield the weights at every penalty."""
    unit = mean_diagonal(base)
    for penalty in PENALTIES.tolist():
        yield Proposal(sparse_weights(base, penalty * unit), penalty * unit)


def mean_diagonal(base: BaseMatrices) -> float:
    """Return the mean diagonal of the plain mean of the matrices: one if they are normalised."""
    return float(base.K[base.usable].diagonal(axis1=1, axis2=2).mean())
