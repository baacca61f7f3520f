r"""Base kernel matrices as all methods of combining them see them.

With the sample weights W and :math:`u = W^{1/2} 1`, every matrix becomes

.. math:: \tilde K_k = \Pi\, W^{1/2} K_k W^{1/2}\, \Pi / t_k, \qquad \Pi = I - u u' / u'u,

centred, and of mean diagonal one: :math:`t_k` is the mean diagonal of the numerator. A machine with
a bias is the same on a matrix and on the centred one, so that a machine on the sum of
:math:`(\mu_k / t_k) K_k` is the machine on :math:`\sum_k \mu_k \tilde K_k`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelwise._types import Array
from kernelwise.gram.inverse import eliminate_intercept
from kernelwise.gram.pairs import EnginePairs
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

# A matrix whose centred diagonal is so small a share of its own is constant but for rounding.
_CONSTANT = 1e-8
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class BaseMatrices:
    """Base kernel matrices of one training set, with its target."""

    K: Array  # (k, n, n), centred and scaled if that is asked for
    scales: Array  # (k,), what the matrices were divided by; infinite for one that is constant
    noise: Array  # (k,), the rounding errors of entries
    targets: Targets
    Y: Array  # (n, c), the columns that machines fit; a real target in units of its spread
    root: Array  # (n,), u: the roots of the weights of the rows

    @property
    def kernels(self) -> int:
        """How many there are."""
        return int(self.K.shape[0])

    @property
    def rows(self) -> int:
        """How many rows each matrix has."""
        return int(self.K.shape[1])

    @property
    def usable(self) -> Array:
        """Which of them are not constant."""
        return np.isfinite(self.scales)

    @property
    def is_real(self) -> bool:
        """Whether the target is real, not classes."""
        return self.targets.classes is None

    @property
    def weighted_targets(self) -> Array:
        """The targets times the roots of the weights, which go with the matrices."""
        return np.asarray(self.root[:, None] * self.Y)

    @property
    def centred_targets(self) -> Array:
        """The same without their part along u."""
        return np.asarray(_without(self.weighted_targets, self.root))

    def combined(self, weights: Array) -> Array:
        """Return the sum of the matrices times their weights."""
        return np.asarray(np.tensordot(weights, self.K, axes=1))

    def forms(self, A: Array, B: Array) -> Array:
        """Return tr(A' K_k B) for every matrix."""
        products = self.K.reshape(-1, self.rows) @ B
        return np.asarray(products.reshape(self.kernels, -1) @ A.reshape(-1))

    def inner_products(self, T: Array) -> Array:
        """Return the sum over entries of T times K_k, for every matrix."""
        return np.asarray(self.K.reshape(self.kernels, -1) @ T.reshape(-1))

    def coefficients(self, weights: Array, ridge: float) -> Array:
        r"""Return :math:`\alpha` of the machine with a bias on the combined matrix, (n, c)."""
        M = self.combined(weights)
        M.flat[:: self.rows + 1] += ridge
        try:
            factor = cho_factor(M, overwrite_a=True, check_finite=False)
        except LinAlgError:
            raise ValueError(
                "the combined kernel matrix is not positive semidefinite: leave out kernels such "
                "as Sigmoid, or repair their matrices with kernelwise.gram.repair."
            ) from None
        solved = cho_solve(factor, np.column_stack([self.weighted_targets, self.root]))
        alpha, _ = eliminate_intercept(solved[:, :-1], solved[:, -1], self.root)
        return alpha


def base_matrices(
    kernels: Sequence[Kernel], X: Any, targets: Targets, *, center: bool, normalize: bool
) -> BaseMatrices:
    """Compute the base matrices on checked rows X, or take them from X where they are given."""
    root = np.sqrt(targets.relative_weights)
    pairs, n = EnginePairs(X), targets.n
    stack, scales, noise = np.zeros((len(kernels), n, n)), *np.ones((2, len(kernels)))
    for k, kernel in enumerate(kernels):
        # Centring takes the constant away, that wide kernels cancel with.
        K = _finite(kernel, kernel.deviations(pairs) if center else kernel.values(pairs))
        raw = float(np.mean(root**2 * np.abs(kernel.diagonal(X))))
        K = root[:, None] * K * root
        centred = _without(_without(K, root).T, root)
        own = float(centred.diagonal().mean())
        if own <= _CONSTANT * raw:
            scales[k] = np.inf
            continue
        if normalize:
            scales[k] = own if center else raw
        stack[k], noise[k] = (centred if center else K) / scales[k], raw / scales[k]
    Y = targets.fit_columns
    if targets.classes is None:
        Y = (Y - Y.mean()) / Y.std()
    return BaseMatrices(stack, scales, _EPS * noise, targets, Y, root)


def _finite(kernel: Kernel, K: Array) -> Array:
    if not np.isfinite(K).all():
        raise ValueError(f"the matrix of {kernel} has entries beyond float64: standardise X.")
    return K


def _without(V: Array, u: Array) -> Array:
    """Return columns without their part along u."""
    return np.asarray(V - np.outer(u, u @ V) / float(u @ u))
