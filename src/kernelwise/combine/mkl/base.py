r"""Base kernel matrices as all methods of combining them see them.

With the sample weights W and :math:`u = W^{1/2} 1`, every matrix becomes

.. math:: \tilde K_k = \Pi\, W^{1/2} K_k W^{1/2}\, \Pi / t_k, \qquad \Pi = I - u u' / u'u,

centred, and of mean diagonal one: :math:`t_k` is the mean diagonal of the numerator. A machine with
a bias is the same on a matrix and on the centred one, so that a machine on the sum of
:math:`(\mu_k / t_k) K_k` is the machine on :math:`\sum_k \mu_k \tilde K_k`.

A matrix of small rank is kept as a factor, :math:`\tilde K_k = F_k F_k'`, which takes less memory
and time; a weighted sum of factors alone is never formed if their columns are fewer than the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram import Spectrum
from kernelwise.gram.eigensystems import eigensystem, eigensystem_of_features
from kernelwise.gram.inverse import eliminate_intercept
from kernelwise.targets import Targets

_EPS = float(np.finfo(float).eps)
_ROUNDING = 10.0  # times n and the rounding errors of entries, that of an eigenvalue
_THINNER = 1.25  # times as many rows as columns: then the Gram matrix of these is decomposed
_FEW_COLUMNS = 2  # times as many as rows: then their Gram matrix is computed once, and kept
_INDEFINITE = (
    "a kernel is not positive semidefinite on these rows: leave out kernels such as Sigmoid, or "
    "repair their matrices with kernelwise.gram.repair."
)

Solver = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class BaseMatrices:
    """Base kernel matrices of one training set, with its target."""

    dense: Array  # (d, n, n), those of large rank, centred and scaled if that is asked for
    factors: Array  # (n, r), the others, side by side
    columns: Array  # (k,), how many columns of the factors a kernel has; none if it is dense
    scales: Array  # (k,), what the matrices were divided by; infinite for one that is constant
    noise: Array  # (k,), the rounding errors of entries
    targets: Targets
    Y: Array  # (n, c), the columns that machines fit; a real target in units of its spread
    root: Array  # (n,), u: the roots of the weights of the rows
    landmarks: Array  # rows that features were made by, which leave-one-out is too kind to

    @property
    def kernels(self) -> int:
        """How many there are."""
        return int(self.scales.size)

    @property
    def rows(self) -> int:
        """How many rows each matrix has."""
        return int(self.root.size)

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
        return without(self.weighted_targets, self.root)

    @cached_property
    def diagonals(self) -> Array:
        """The diagonals of all matrices, (k, n)."""
        found = np.zeros((self.kernels, self.rows))
        found[self._dense] = self.dense.diagonal(axis1=1, axis2=2)
        for k, F in self._thin:
            found[k] = np.einsum("ij,ij->i", F, F)
        return found

    def combined(self, weights: Array) -> Array:
        """Return the sum of the matrices times their weights; the last one is remembered."""
        known, key = self._last, weights.tobytes()
        if key not in known:
            known.clear()
            known[key] = self._sum(weights)
        return known[key].copy()

    @cached_property
    def _last(self) -> dict[bytes, Array]:
        """The last weighted sum: a search ends where it is judged, and where the next begins."""
        return {}

    def _sum(self, weights: Array) -> Array:
        K = np.zeros((self.rows, self.rows))
        for weight, matrix in zip(weights[self._dense].tolist(), self.dense, strict=True):
            if weight != 0.0:
                K += weight * matrix
        used, shares = self._used(weights)
        if used.any():
            F = self._columns(used) * np.sqrt(shares)
            K += F @ F.T  # numpy computes half of a product with its own transpose
        return K

    def product(self, weights: Array, V: Array) -> Array:
        """Return the weighted sum times V, without forming it."""
        found = self.factors @ (weights[self._owners, None] * (self.factors.T @ V))
        for weight, matrix in zip(weights[self._dense].tolist(), self.dense, strict=True):
            found += weight * (matrix @ V)
        return np.asarray(found)

    def products(self, A: Array) -> Array:
        """Return K_k A for every matrix, (k, n, c)."""
        found = np.zeros((self.kernels, *A.shape))
        found[self._dense] = (self.dense.reshape(-1, self.rows) @ A).reshape(-1, *A.shape)
        for k, F in self._thin:
            found[k] = F @ (F.T @ A)
        return found

    def forms(self, A: Array, B: Array) -> Array:
        """Return tr(A' K_k B) for every matrix."""
        return self._by_owner(
            np.sum((self.factors.T @ A) * (self.factors.T @ B), axis=1),
            (self.dense.reshape(-1, self.rows) @ B).reshape(-1, B.size) @ A.reshape(-1),
        )

    def inner_products(self, T: Array) -> Array:
        """Return the sum over entries of T times K_k, for every matrix; T is symmetric."""
        return self._by_owner(
            np.einsum("ij,ij->j", self.factors, T @ self.factors),
            self.dense.reshape(-1, self.rows**2) @ T.reshape(-1),
        )

    def row(self, i: int) -> Array:
        """Return row i of every matrix, (k, n)."""
        found = np.zeros((self.kernels, self.rows))
        found[self._dense] = self.dense[:, i]
        for k, F in self._thin:
            found[k] = F @ F[i]
        return found

    def cross_products(self) -> Array:
        """Return the inner products of all pairs of matrices, (k, k)."""
        flat, F, k = self.dense.reshape(-1, self.rows**2), self.factors, self.kernels
        M = np.zeros((k, k))
        M[np.ix_(self._dense, self._dense)] = flat @ flat.T
        # <FF', EE'> = |F'E|^2, summed over the columns of each of the two factors
        for place, part in self._thin:
            M[place] = self._sums(np.sum((part.T @ F) ** 2, axis=0))
        for place, matrix in zip(self._dense.tolist(), self.dense, strict=True):
            mixed = self._sums(np.einsum("ij,ij->j", F, matrix @ F))
            M[place] += mixed
            M[:, place] += mixed
        return M

    def solver(self, weights: Array, ridge: float) -> Solver:
        """Return what multiplies columns with the inverse of the weighted sum plus ridge."""
        used, shares = self._used(weights)
        if np.any(weights[self._dense] != 0.0) or shares.size >= self.rows:
            M = self.combined(weights)
            M.flat[:: self.rows + 1] += ridge
            factor = _factor(M)
            return lambda V: np.asarray(cho_solve(factor, V, check_finite=False))
        root = np.sqrt(shares)
        S = root[:, None] * self._gram_of(used) * root
        S.flat[:: root.size + 1] += ridge
        factor, F = _factor(S), self._columns(used) * root
        return lambda V: np.asarray((V - F @ cho_solve(factor, F.T @ V)) / ridge)

    def coefficients(self, weights: Array, ridge: float) -> tuple[Array, Solver]:
        r"""Return :math:`\alpha` of the machine with a bias on the sum, (n, c), and P.

        P takes columns to :math:`M^{-1} v - h (h' v) / u'h`, with :math:`h = M^{-1} u`.
        """
        solve, u = self.solver(weights, ridge), self.root
        solved = solve(np.column_stack([self.weighted_targets, u]))
        h = solved[:, -1]
        alpha, _ = eliminate_intercept(solved[:, :-1], h, u)
        return alpha, lambda V: solve(V) - np.outer(h, (h @ V) / float(u @ h))

    def bordered_inverse(self, K: Array, ridge: float) -> Array:
        """Return P of the machine with a bias on one of the sums, as a matrix."""
        try:
            P = cho_solve(cho_factor(K + ridge * np.eye(self.rows)), np.eye(self.rows))
        except (LinAlgError, ValueError):  # not positive definite, or not finite
            raise ValueError(
                "the kernel matrix plus ridge is not positive definite: use a larger ridge."
            ) from None
        h = P @ self.root
        P -= np.outer(h, h / float(self.root @ h))
        return np.asarray(P)

    def spectrum(self, weights: Array) -> Spectrum:
        """Return the eigenpairs of the weighted sum; only those that are not zero, if that pays."""
        used, shares = self._used(weights)
        if not np.any(weights[self._dense] != 0.0) and _THINNER * shares.size <= self.rows:
            found = eigensystem_of_features(self._columns(used) * np.sqrt(shares))
            if found is not None:
                return Spectrum(*found)
        s, Q = eigensystem(lambda: self.combined(weights))
        rounding = _ROUNDING * self.rows * float(weights @ self.noise)
        if s[0] < -max(rounding, _ROUNDING * self.rows * _EPS * s[-1]):
            raise ValueError(_INDEFINITE)
        return Spectrum(np.maximum(s, 0.0), Q)

    @cached_property
    def _owners(self) -> Array:
        """The kernel of every column of the factors."""
        return np.repeat(np.arange(self.kernels), self.columns)

    @cached_property
    def _dense(self) -> Array:
        """The kernels that are not factors."""
        return np.flatnonzero(self.usable & (self.columns == 0))

    @cached_property
    def _thin(self) -> list[tuple[int, Array]]:
        """The others, each with its factor."""
        ends = np.cumsum(self.columns).tolist()
        kept = np.flatnonzero(self.columns).tolist()
        return [(k, self.factors[:, ends[k] - int(self.columns[k]) : ends[k]]) for k in kept]

    def _used(self, weights: Array) -> tuple[Array, Array]:
        """Return which columns of the factors have a weight, and these weights."""
        of_columns = weights[self._owners]
        used = of_columns != 0.0
        return used, of_columns[used]

    @cached_property
    def _gram(self) -> Array:
        """The dot products of the columns of the factors, (r, r)."""
        return np.asarray(self.factors.T @ self.factors)

    def _gram_of(self, used: Array) -> Array:
        """Return those of some columns; of all at once, and once, where they are few."""
        if used.size <= _FEW_COLUMNS * self.rows:
            return np.asarray(self._gram[np.ix_(used, used)])
        F = self._columns(used)
        return np.asarray(F.T @ F)

    def _columns(self, used: Array) -> Array:
        return self.factors if used.all() else self.factors[:, used]

    def _sums(self, of_columns: Array) -> Array:
        """Return the sums over the columns of every factor."""
        # Of no columns at all they would be integers.
        return np.bincount(self._owners, of_columns, minlength=self.kernels).astype(np.float64)

    def _by_owner(self, of_columns: Array, of_dense: Array) -> Array:
        found = self._sums(of_columns)
        found[self._dense] = of_dense
        return found


def without(V: Array, u: Array) -> Array:
    """Return columns without their part along u."""
    part = np.outer(u, (u @ V) / float(u @ u))
    return np.asarray(np.subtract(V, part, out=part))


def _factor(M: Array) -> tuple[Array, bool]:
    try:
        upper, is_lower = cho_factor(M, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise ValueError(_INDEFINITE) from None
    return upper, is_lower
