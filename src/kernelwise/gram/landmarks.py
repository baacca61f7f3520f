r"""Least-squares machines on thousands of landmarks, by preconditioned conjugate gradients.

With the kernel K between all rows and m landmarks, :math:`K_m` between the landmarks, weights W and
H, which centres by them, the machine :math:`f(x) = \sum_j a_j k(z_j, x) + b` solves

.. math:: (K^\top W H K + \lambda K_m)\, a = K^\top W H y .

K is never stored: every iteration computes its tiles again, in single precision, for all ridges and
targets together. The preconditioner is the same system on a sample of the rows; from a few times as
many rows as landmarks it is so near that few iterations are left. Rows that are held out say when
to stop: iterations regularise, so that the last is not always the best.

References
----------
A. Rudi, L. Carratino and L. Rosasco, FALKON: an optimal large scale kernel method, NIPS 2017.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from kernelwise._progress import SILENT, Task
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram._lapack import factorize, square
from kernelwise.gram.features import KernelSums
from kernelwise.gram.partial_cholesky import ratio
from kernelwise.gram.runner import run
from kernelwise.gram.single import SINGLE, Normal, SingleBlocks, Whitened
from kernelwise.kernels import Kernel

_EPS = float(np.finfo(SINGLE).eps)
_TILE = 2**18  # entries: a megabyte stays in a core's cache
_FEWEST = 64  # rows of a tile
_MANY = 2048  # rows that a triangle is solved with at once
MOST_ITERATIONS = 40
_PATIENCE = 2  # iterations without a gain after which no more are made
_GAIN = 3e-3  # the share of the held-out loss that counts as one
_ATTEMPTS = 4  # at a factor, each with ten times the jitter of the one before

Judge = Callable[[Array, Array], Array]  # coefficients (ridges, m, c), biases (ridges, c): losses


class NotConverged(Exception):
    """Conjugate gradients in single precision do not reach a solution."""


class LandmarkSolution(NamedTuple):
    """Machines at several ridges.

    Attributes
    ----------
    coefficients : array of shape (ridges, m, c)
    bias : array of shape (ridges, c)
    losses : array of shape (ridges,)
        On the rows that were held out.
    iterations : int
    """

    coefficients: Array
    bias: Array
    losses: Array
    iterations: int


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Rows and their targets, seen by landmarks through a kernel.

    Parameters
    ----------
    kernel : Kernel
    X : array or sparse matrix of shape (n, d)
        In single precision, as `Z`: see :func:`in_single`.
    Z : array or sparse matrix of shape (m, d)
        The landmarks, no two of them alike.
    Y : array of shape (n, c)
    weights : array of shape (n,)
    fit_intercept : bool
    """

    kernel: Kernel
    X: Any
    Z: Any
    Y: Array
    weights: Array
    fit_intercept: bool = True

    @cached_property
    def _blocks(self) -> SingleBlocks:
        return SingleBlocks(self.X, self.Z, max(_FEWEST, _TILE // self.Z.shape[0]))

    def values(self, X: Any) -> Array:
        """Return the kernel between some rows and the landmarks, in single precision."""
        return self.kernel.values(self._blocks.pairs_with(X))

    @cached_property
    def target_means(self) -> Array:
        """The weighted means of the targets, zero without a bias."""
        means = np.average(self.Y, axis=0, weights=self.weights)
        return np.asarray(means if self.fit_intercept else np.zeros_like(means))

    @cached_property
    def moments(self) -> tuple[Array, Array]:
        """K' W H Y, and the weighted means of the columns of K, zero without a bias."""
        columns = np.column_stack([self.Y - self.target_means, np.ones(len(self.Y))])
        columns = np.asarray(self.weights[:, None] * columns, dtype=SINGLE)
        sums_over_rows = KernelSums(self.kernel, columns, self.Z.shape[0])
        [sums] = run(self._blocks, sums_over_rows)
        means = sums[:, -1] / self.weights.sum()
        return sums[:, :-1], means if self.fit_intercept else np.zeros_like(means)

    def times(self, V: Array, progress: Task) -> Array:
        """Return K' W H K V."""
        weights = self.weights[:, None].astype(SINGLE)
        [product] = run(self._blocks, Normal(self.kernel, weights, V.astype(SINGLE)), progress)
        _, means = self.moments
        return np.asarray(product - self.weights.sum() * np.outer(means, means @ V))

    def whitened(self, triangle: Array, sample: Array, progress: Task = SILENT) -> Array:
        """Return T^-T K' W H K T^-1, estimated from some of the rows."""
        weights = self.weights[sample]
        scale = self.weights.sum() / weights.sum()
        [product] = run(
            SingleBlocks(self.X[sample], self.Z, _MANY),
            Whitened(
                self.kernel,
                np.sqrt(scale * weights).astype(SINGLE)[:, None],
                self.moments[1].astype(SINGLE),
                triangle,
            ),
            progress,
        )
        return product

    def whitened_landmarks(self, triangle: Array) -> Array:
        r"""Return the same from the landmarks alone: :math:`T^{-\top} K_m = T`, then centred.

        The upper triangle of it, which is all that a factor takes.
        """
        m = self.Z.shape[0]
        product = square(triangle.T.copy(order="F")).T  # T T'
        v = _solve(triangle, self.moments[1].astype(SINGLE), 1)
        sums = triangle.sum(axis=1)
        for start in range(0, m, _MANY):  # less s v' + v s' - m v v', in place
            rows = slice(start, start + _MANY)
            left = np.column_stack([m * v[rows] - sums[rows], -v[rows]])
            product[rows] += left @ np.vstack([v, sums])
        product *= SINGLE(self.weights.sum() / m)
        return product

    def solve(
        self,
        system: "Preconditioner",
        judge: Judge | None = None,
        most: int = MOST_ITERATIONS,
        progress: Task = SILENT,
    ) -> LandmarkSolution:
        """Return the machine at every ridge of the preconditioner.

        Parameters
        ----------
        system : Preconditioner
            For the same kernel and landmarks.
        judge : callable or None, default=None
            Takes coefficients (ridges, m, c) and biases (ridges, c) to losses (ridges,); every
            machine is the best of its iterates by that. None makes all iterations.
        most : int
            The largest number of iterations.
        progress : Task
            Told of every iteration.
        """
        right, means = self.moments
        best = _Best(judge, self.target_means, means, system.ridges.size)
        R = system.transposed(np.tile(right, (1, system.ridges.size)))
        X, P, rho = np.zeros_like(R), R.copy(), np.einsum("ij,ij->j", R, R)
        for iteration in range(1, most + 1):
            V = system(P)
            Q = system.transposed(self.times(V, progress) + system.penalty(V))
            step = ratio(rho, np.einsum("ij,ij->j", P, Q))
            X += step * P
            R -= step * Q
            rho, before = np.einsum("ij,ij->j", R, R), rho
            P = R + ratio(rho, before) * P
            if iteration == most or judge is not None:
                best.enter(system(X))
            if best.is_done:
                break
        return LandmarkSolution(best.coefficients, best.bias, best.losses, iteration)


class _Best:
    """The best machine so far at every ridge, by what a judge says of it."""

    def __init__(
        self, judge: Judge | None, target_means: Array, column_means: Array, ridges: int
    ) -> None:
        self._judge, self._target_means, self._means = judge, target_means, column_means
        self._ridges, self._waited = ridges, 0
        self.losses = np.full(ridges, np.inf)
        self.coefficients = np.zeros((ridges, column_means.size, target_means.size))
        self.bias = np.zeros((ridges, target_means.size))

    @property
    def is_done(self) -> bool:
        """Whether another iteration is not likely to improve any of them."""
        return self._waited >= _PATIENCE

    def enter(self, V: Array) -> None:
        """Enter an iterate, of shape (m, ridges * c)."""
        coefficients = V.reshape(len(V), self._ridges, -1).transpose(1, 0, 2)
        bias = self._target_means - np.einsum("i,rij->rj", self._means, coefficients)
        losses = np.zeros(self._ridges)
        if self._judge is not None:
            losses = self._judge(coefficients, bias)
        if not np.isfinite(coefficients).all() or not np.isfinite(losses).all():
            raise NotConverged
        gains = losses < self.losses
        is_better = losses.min() < (1.0 - _GAIN) * self.losses.min()
        self._waited = 0 if is_better else self._waited + 1
        self.coefficients[gains], self.bias[gains] = coefficients[gains], bias[gains]
        self.losses = np.minimum(losses, self.losses)


@dataclass(frozen=True, eq=False)
class Preconditioner:
    r"""The inverse of the system on a sample of rows, in two triangular factors.

    With :math:`K_m = T^\top T` and :math:`A^\top A = T^{-\top} S T^{-1} + \lambda I`, where S
    estimates :math:`K^\top W H K`, the system is near :math:`(A T)^\top (A T)`.
    """

    ridges: Array
    landmark_factor: Array  # T
    factors: Sequence[Array]  # A, by ridge

    @classmethod
    def of(
        cls, seen: Landmarks, ridges: Array, sample: Array | None, progress: Task = SILENT
    ) -> "Preconditioner":
        """Return the preconditioner for some ridges from a sample of the rows.

        Without one the landmarks are the sample. That is the cheapest, and takes more iterations.
        The task is told of every factor, of thousands of landmarks a matter of seconds.
        """
        with progress.part("factors", 2 + ridges.size) as task:
            K = seen.values(seen.Z)
            T = _factor(K, _EPS * float(K.diagonal().sum()))
            task.advance()
            if sample is None:
                S = seen.whitened_landmarks(T)
                task.advance()
            else:
                S = seen.whitened(T, sample, task)
            factors = []
            for ridge in ridges:
                factors.append(_factor(S, ridge))
                task.advance()
        return cls(ridges, T, factors)

    def at(self, place: int) -> "Preconditioner":
        """Return the preconditioner for one of the ridges."""
        return replace(self, ridges=self.ridges[[place]], factors=[self.factors[place]])

    def __call__(self, V: Array) -> Array:
        """Return T^-1 A^-1 V, by ridge."""
        T = self.landmark_factor
        return self._by_ridge(lambda A, v: _solve(T, _solve(A, v)), V)

    def transposed(self, V: Array) -> Array:
        """Return A^-T T^-T V, by ridge."""
        T = self.landmark_factor
        return self._by_ridge(lambda A, v: _solve(A, _solve(T, v, 1), 1), V)

    def penalty(self, V: Array) -> Array:
        """Return ridge T'T V."""
        product = self.landmark_factor.T @ (self.landmark_factor @ V.astype(SINGLE))
        return np.asarray(np.repeat(self.ridges, V.shape[1] // self.ridges.size) * product)

    def _by_ridge(self, solve: Callable[[Array, Array], Array], V: Array) -> Array:
        parts = np.split(V.astype(SINGLE), len(self.factors), axis=1)
        solved = [solve(A, part) for A, part in zip(self.factors, parts, strict=True)]
        return np.hstack(solved).astype(np.float64)


def _solve(triangle: Array, V: Array, transposed: int = 0) -> Array:
    return np.asarray(solve_triangular(triangle, V, trans=transposed, check_finite=False))


def _factor(M: Array, jitter: float) -> Array:
    """Return the upper Cholesky factor of M + jitter I, of a larger one where that takes it."""
    for attempt in range(_ATTEMPTS):
        shifted = np.array(M, dtype=SINGLE)
        shifted.flat[:: len(M) + 1] += SINGLE(jitter * 10.0**attempt)
        lower = factorize(shifted.T)
        if lower is not None:
            return lower.T
    raise NotConverged
