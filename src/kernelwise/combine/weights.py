r"""How much each machine counts, and how far a stack of them is trusted.

With targets Y, one column per class or a single one, and the leave-one-out values
:math:`F_1, \dots, F_m` of m machines, the *weights* of the stack are

.. math:: \min_w \; \mathrm{mean} \Big(Y - \sum_k w_k F_k\Big)^2 + \rho\, |w - \tfrac 1 m|^2,
    \qquad w \ge 0, \; \textstyle\sum_k w_k = 1,

over rows and columns, :math:`\rho = 0.02` in units of the variance of a real target. Since the
weights add up to one, the residual of the stack is :math:`\sum_k w_k R_k` with the residuals
:math:`R_k = Y - F_k`, and the problem is

.. math:: \min_w \; w^\top H w, \qquad H_{kl} = \mathrm{mean}(R_k R_l) + \rho\, \delta_{kl},

on the simplex. Its solution is that of :math:`\min_{v \ge 0} v^\top H v - 2 \sum_k v_k`, divided by
its sum: non-negative least squares with the triangular factor of H.

The *gate* compares the stack with the first machine alone. With
:math:`e_i = \ell_i(F_1) - \ell_i(F w)`, the gain of row i in its leave-one-out loss (squared hinge,
or squared error of a real target, averaged over columns),

.. math:: z = \sqrt n\, \frac{\mathrm{mean}(e)}{\mathrm{sd}(e)}, \qquad
    \gamma = \mathrm{clip}(z / 3,\, 0,\, 1) .

References
----------
L. Breiman, Stacked regressions, Machine Learning 24 (1996).
"""

import math

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from kernelwise._types import Array

PULL = 0.02  # rho: towards equal weights
CERTAIN = 3.0  # standard errors of gain, from which the stack is trusted entirely
_EPS = float(np.finfo(float).eps)


def convex_weights(Y: Array, F: Array, sample_weight: Array, pull: float = PULL) -> Array:
    """Return the weights of the stack, of shape (m,): not negative, and one in sum.

    Parameters
    ----------
    Y : array of shape (n, c)
        The targets, of about unit size.
    F : array of shape (n, c, m)
        The leave-one-out values of m machines.
    sample_weight : array of shape (n,)
        The weights of the rows, positive.
    pull : float, default=0.02
    """
    n, c, m = F.shape
    roots = np.sqrt(sample_weight / (sample_weight.sum() * c))
    R = ((Y[:, :, None] - F) * roots[:, None, None]).reshape(n * c, m)
    # In units of sqrt(H_kk), in which machines of any quality have entries of at most one.
    sizes = np.sqrt(np.einsum("ik,ik->k", R, R) + pull)
    pulls = np.maximum(math.sqrt(pull) / sizes, _EPS)
    U = np.linalg.qr(np.vstack([R / sizes, np.diag(pulls)]), mode="r")  # U'U = H
    v, _ = nnls(U, solve_triangular(U, 1.0 / sizes, trans="T"))
    v /= sizes
    return np.asarray(v / v.sum())


def gate(gains: Array, penalty: float = 0.0) -> float:
    """Return how far to trust the stack, from 0 (not at all) to 1.

    Parameters
    ----------
    gains : array of shape (n,)
        By how much the loss of every row is lower with the stack.
    penalty : float, default=0.0
        Subtracted from z.
    """
    mean, error = float(gains.mean()), float(gains.std()) / math.sqrt(gains.size)
    lead = mean - penalty * error
    if lead <= 0.0:
        return 0.0
    return 1.0 if lead >= CERTAIN * error else lead / (CERTAIN * error)


def stacked(Y: Array, F: Array, sample_weight: Array, *, is_real: bool) -> tuple[Array, Array]:
    """Return the weights of the stack, and the gain of every row over the first machine.

    Parameters are those of :func:`convex_weights`; a real target has any unit.
    """
    unit, share = Y.std() if is_real else 1.0, sample_weight / sample_weight.mean()
    Y, F = Y / unit, F / unit
    weights = convex_weights(Y, F, share)
    single, stack = (losses(Y, f, is_real=is_real) for f in (F[..., 0], F @ weights))
    return weights, np.asarray(share * (single - stack))


def losses(Y: Array, values: Array, *, is_real: bool) -> Array:
    """Return the loss of every row: squared error, or squared hinge, averaged over columns."""
    off = Y - values if is_real else np.maximum(1.0 - Y * values, 0.0)
    return np.asarray((off**2).mean(axis=1))
