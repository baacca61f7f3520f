r"""The support vector machine on a kernel matrix, by libsvm through scikit-learn.

The ridge :math:`\lambda` of the least-squares machine is :math:`C = 1 / (2 \lambda)` here. The
matrix is computed once; folds are slices of it.

References
----------
O. Chapelle and V. Vapnik, Model selection for support vector machines, NIPS 1999.
"""

from typing import Any

import numpy as np
from sklearn.svm import SVC

from kernelwise.gram import Targets
from kernelwise.kernels.geometry import Array
from kernelwise.machines.folds import Split

_AT_BOUND = 1e-8  # how near to C, relative to it, a multiplier is at its bound


class SupportVectors:
    """Support vector machines for classes on one kernel matrix.

    Parameters
    ----------
    K : array of shape (n, n)
    targets : Targets
        Two or more classes. Error rates are those of scikit-learn's SVC (one against one); hinge
        losses and spans are means over one-vs-rest machines.
    """

    def __init__(self, K: Array, targets: Targets) -> None:
        self._K, self._targets = K, targets
        self._machines: dict[float, list[SVC]] = {}

    def training_loss(self, ridge: float) -> float:
        """Return the mean hinge loss on the training rows."""
        signs = self._targets.signs
        scores = [machine.decision_function(self._K) for machine in self._one_vs_rest(ridge)]
        return hinge(signs, np.column_stack(scores))

    def fold_loss(self, ridge: float, split: Split, loss: str) -> float:
        """Return the mean loss on the tested rows of a machine trained on the others."""
        train, test = split.train, split.test
        inner, cross = self._K[np.ix_(train, train)], self._K[np.ix_(test, train)]
        if loss == "error":
            y = self._targets.y
            return svc_error(inner, y[train], cross, y[test], ridge)
        signs = self._targets.signs
        scores = [
            _svc(ridge).fit(inner, column).decision_function(cross) for column in signs[train].T
        ]
        return hinge(signs[test], np.column_stack(scores))

    def span_errors(self, ridge: float) -> Array:
        """Return which rows the span estimate holds for leave-one-out errors, by machine."""
        columns = [
            _span_errors(self._K, y, machine)
            for y, machine in zip(self._targets.signs.T, self._one_vs_rest(ridge), strict=True)
        ]
        return np.column_stack(columns)

    def _one_vs_rest(self, ridge: float) -> list[SVC]:
        if ridge not in self._machines:
            self._machines[ridge] = [
                _svc(ridge).fit(self._K, column) for column in self._targets.signs.T
            ]
        return self._machines[ridge]


def svc_error(K: Array, y: Array, cross: Array, y_test: Array, ridge: float) -> float:
    """Return the test error of scikit-learn's SVC on given kernel matrices."""
    return float(1.0 - _svc(ridge).fit(K, y).score(cross, y_test))


def hinge(signs: Array, scores: Array) -> float:
    """Return the mean of max(0, 1 - y f)."""
    return float(np.mean(np.maximum(1.0 - signs * scores, 0.0)))


def _svc(ridge: float) -> Any:
    return SVC(kernel="precomputed", C=0.5 / ridge)


def _span_errors(K: Array, y: Array, machine: SVC) -> Array:
    r"""Return where :math:`y_i f(x_i) < \alpha_i S_i^2`, the span of point i squared.

    With the free support vectors 1 and G = [[K_11, 1], [1', 0]]: S_i^2 = 1 / (G^-1)_ii on them,
    K_ii - v_i' G^-1 v_i with v_i = [K_1i; 1] on those at the bound. Points that are no support
    vectors stay where they are.
    """
    alpha = np.zeros(y.size)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    bound = machine.C * (1.0 - _AT_BOUND)
    free, bounded = np.flatnonzero((alpha > 0.0) & (alpha < bound)), np.flatnonzero(alpha >= bound)
    if free.size == 0:
        raise np.linalg.LinAlgError("every support vector is at its bound, so it has no span")
    G = np.ones((free.size + 1, free.size + 1))
    G[:-1, :-1], G[-1, -1] = K[np.ix_(free, free)], 0.0
    inverse = np.linalg.pinv(G, hermitian=True)
    margins = y * machine.decision_function(K)
    squares = np.zeros(y.size)
    with np.errstate(divide="ignore"):
        squares[free] = 1.0 / np.maximum(inverse.diagonal()[:-1], 0.0)
    V = np.vstack([K[np.ix_(free, bounded)], np.ones(bounded.size)])
    squares[bounded] = K[bounded, bounded] - np.einsum("ij,ij->j", V, inverse @ V)
    shift = np.zeros(y.size)
    support = alpha > 0.0
    shift[support] = alpha[support] * np.maximum(squares[support], 0.0)
    return np.asarray(margins - shift < 0.0)
