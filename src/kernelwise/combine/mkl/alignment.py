r"""Weights by alignment with the target, without training.

With the (centred) base matrices :math:`K_k` and the centred targets Y,

.. math:: a_k = \langle K_k, Y Y' \rangle, \qquad M_{kl} = \langle K_k, K_l \rangle .

References
----------
C. Cortes, M. Mohri and A. Rostamizadeh, Algorithms for learning kernels based on centered
alignment, JMLR 13 (2012).
"""

import numpy as np
from scipy.optimize import nnls

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices

_EPS = float(np.finfo(float).eps)
_PULL = 1e-5  # towards zero, relative to the largest singular value: its square is far above eps


def uniform(base: BaseMatrices) -> Array:
    """Return equal weights of all matrices that are not constant."""
    return np.asarray(base.usable / base.usable.sum())


def align(base: BaseMatrices) -> Array:
    r"""Return weights in proportion to the alignment of each, :math:`a_k / |K_k|_F`."""
    a, M = alignments(base)
    norms = np.sqrt(np.where(base.usable, M.diagonal(), 1.0))
    return _shares(np.maximum(a, 0.0) / norms, base)


def alignf(base: BaseMatrices) -> Array:
    r"""Return the weights whose sum of matrices has the largest alignment.

    .. math:: \min_{v \ge 0} v' M v - 2 v' a
    """
    a, M = alignments(base)
    return _shares(nonnegative_minimum(M, a), base)


def alignments(base: BaseMatrices) -> tuple[Array, Array]:
    """Return a and M."""
    Y = base.centred_targets
    return base.forms(Y, Y), base.cross_products()


def nonnegative_minimum(M: Array, a: Array) -> Array:
    r"""Return :math:`\arg\min_{v \ge 0} v' M v - 2 v' a`, of minimum norm if M is singular.

    With :math:`M = Q S Q'` it is the non-negative least squares problem
    :math:`\min_v |S^{1/2} Q' v - S^{-1/2} Q' a|`, over the eigenvalues that are more than rounding.
    A tiny multiple of the identity below those rows picks the smallest of several solutions.
    """
    s, Q = np.linalg.eigh(M)
    kept = s > s.size * _EPS * s[-1]
    if s[-1] <= 0.0 or not kept.any():
        return np.zeros_like(a)
    root, Q = np.sqrt(s[kept]), Q[:, kept]
    rows = np.vstack([root[:, None] * Q.T, _PULL * root[-1] * np.eye(a.size)])
    v, _ = nnls(rows, np.append(Q.T @ a / root, np.zeros(a.size)))
    return np.asarray(v)


def _shares(v: Array, base: BaseMatrices) -> Array:
    total = float(v.sum())
    return np.asarray(v / total) if total > 0.0 else uniform(base)
