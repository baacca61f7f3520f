r"""Machines on some of the rows, judged on all of them, in single precision.

With :math:`M = D K D + \lambda I`, D the square roots of the weights w, and the bias b eliminated,

.. math:: \alpha = M^{-1} D (y - b), \qquad
          y_i - f_{-i}(x_i) = \frac{\alpha_i}{\sqrt{w_i}\, (C^{-1})_{ii}}

on the rows of the fit (see :mod:`kernelwise.machines.ridge_path`) and
:math:`f(x) = b + \sum_j \sqrt{w_j} \alpha_j k(x_j, x)` elsewhere. Half of the digits are enough to
compare machines, and take half of the time. Rounding acts on M like noise E of norm ε √n, and on
its inverse like :math:`M^{-1} E M^{-1}`: where that is much, as for wide kernels at small ridges,
and for kernels of which single precision knows little, machines are solved in double precision.
"""

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from kernelwise._progress import SILENT, Task
from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.pairs import EnginePairs, kernel_between
from kernelwise.gram.panels import cholesky_factor, inverse_factor
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import Transform
from kernelwise.kernels.transform import unwrapped
from kernelwise.targets import Targets

SINGLE = np.float32
_BLOCK = 512  # rows at once
FILLING = 10  # parts in which progress of a matrix is told; its factor takes ten times as long
_PROBE = 64  # rows that tell how exact single precision is
_BEARABLE = 0.02  # relative change of the inverse by rounding; that of a mean loss is smaller
_EPS = float(np.finfo(SINGLE).eps)


class RoundedPairs(EnginePairs):
    """Two sets of points whose geometries are computed in double precision, and kept in single."""

    def __getitem__(self, geometry: str) -> Array:
        """Return the values of a geometry."""
        if geometry not in self._known:
            self._known[geometry] = super().__getitem__(geometry).astype(SINGLE)
        return self._known[geometry]

    def _transformed(self, transform: Transform) -> "RoundedPairs":
        assert self.Z is not None
        return RoundedPairs(transform(self.X), transform(self.Z), self.entries)


class Machine(NamedTuple):
    """A machine on all rows, and what it would be without the last of them.

    Attributes
    ----------
    coefficients : array of shape (n, c)
    bias : array of shape (c,)
    values : array of shape (last, c)
        f(x) of the last rows, by the machine on the others.
    """

    coefficients: Array
    bias: Array
    values: Array


class Trials:
    """Machines on the first of some rows.

    Parameters
    ----------
    kernels : sequence of Kernel
        All that there will be trials of.
    X : array or sparse matrix of shape (n, d)
        The rows that machines are fitted to come first.
    targets : Targets
    count : int
        How many these are.
    fit_intercept : bool
    keeps_distances : bool, default=True
        Whether those of all pairs stay in memory for the next machine.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        X: Any,
        targets: Targets,
        count: int,
        fit_intercept: bool,
        *,
        keeps_distances: bool = True,
    ) -> None:
        self._keeps_distances = keeps_distances
        self._X, self._count, self._fit_intercept = X, count, fit_intercept
        Y, weights = targets.fit_columns, targets.weights
        self._roots = np.ones(targets.n) if weights is None else np.sqrt(weights)
        self._origin = np.average(Y, axis=0, weights=weights) if fit_intercept else 0.0
        self._unit = float(np.abs(Y - self._origin).max()) or 1.0
        self._Y = (Y - self._origin) / self._unit  # of any size before
        self._metric: tuple[Any, ...] = ()
        self._pairs: dict[int, RoundedPairs] = {}

    def left_out(self, kernel: Kernel, ridge: float, progress: Task = SILENT) -> Array | None:
        """Return f(x) of every row by a machine without it, of shape (n, c).

        None if there is no such machine. The task is told of the steps to a large factor and its
        inverse.
        """
        noise = self._noise(kernel) * math.sqrt(self._count)
        with np.errstate(all="ignore"):  # what is not finite is found out
            found = self._solved(kernel, ridge, SINGLE, progress, _BEARABLE / noise)
            if found is None:
                found = self._solved(kernel, ridge, np.float64, SILENT)
        return None if found is None else self._origin + self._unit * found

    def machine(
        self, kernel: Kernel, ridge: float, last: int, progress: Task = SILENT
    ) -> Machine | None:
        r"""Return the machine in single precision, and what it says of its last rows without them.

        A Cholesky factor :math:`L L^\top = M` has that of the rows before, :math:`L_1`, in its
        corner. With :math:`z = L_1^{-1} D (y - b)` of these rows, the machine on them has the
        values :math:`b + D^{-1} L_{21} z` on the last ones: one factor serves both machines.

        None where there is no factor. The task is told of the matrix, in :data:`FILLING` parts, and
        of the steps to the factor.
        """
        m = self._count
        before, roots = m - last, self._roots[:m]
        M = self._matrix(kernel, SINGLE, progress)
        M.flat[:: m + 1] += SINGLE(ridge)
        with np.errstate(all="ignore"):  # what is not finite is found out
            L = cholesky_factor(M.T, progress)
            if L is None:
                return None
            right = (np.column_stack([self._Y[:m], np.ones(m)]) * roots[:, None]).astype(SINGLE)
            Z = solve_triangular(L, right, lower=True, check_finite=False)
            z, bias = self._without_bias(Z[:before])
            values = bias + (L[before:, :before] @ z) / roots[before:, None]
            z, bias = self._without_bias(Z)
            alpha = solve_triangular(L, z, lower=True, trans=1, check_finite=False)
        found = Machine(
            self._unit * roots[:, None] * alpha,
            self._origin + self._unit * bias,
            self._origin + self._unit * values,
        )
        return found if all(np.isfinite(array).all() for array in found) else None

    def _without_bias(self, Z: Array) -> tuple[Array, Array]:
        """Return the columns of L^-1 D y less the bias times the last, L^-1 D 1, and the bias."""
        targets, ones = Z[:, :-1], Z[:, -1]
        bias = np.zeros(targets.shape[1])
        if self._fit_intercept:
            bias = (ones @ targets / (ones @ ones)).astype(np.float64)
        return targets - np.outer(ones, bias.astype(SINGLE)), bias

    def _noise(self, kernel: Kernel) -> float:
        """Return the error of an entry in single precision, from those of a few rows."""
        some = self._X[:: max(1, len(self._Y) // _PROBE)]
        K = kernel_between(kernel, some, some)
        error = np.abs(kernel.values(RoundedPairs(some, some)) - K).max()
        return float(max(error, _EPS * np.abs(K).max()))

    def _solved(
        self,
        kernel: Kernel,
        ridge: float,
        dtype: Any,
        progress: Task,
        largest: float = math.inf,
    ) -> Array | None:
        """Return the values in units of the targets.

        None if they are not finite, or if an inverse has a larger mean diagonal than it may have.
        """
        m = self._count
        M, roots = self._matrix(kernel, dtype), self._roots[:m]
        M.flat[:: m + 1] += dtype(ridge)
        L = cholesky_factor(M.T, progress)
        if L is None:
            return None
        right = np.column_stack([self._Y[:m], np.ones(m)]) * roots[:, None]
        solved = cho_solve((L, True), right.astype(dtype), check_finite=False).astype(np.float64)
        N = inverse_factor(L, progress)
        diagonal = np.einsum("ij,ij->j", N, N).astype(np.float64)
        if not diagonal.mean() <= largest:
            return None
        alpha, h, bias = solved[:, :-1], solved[:, -1], np.zeros(solved.shape[1] - 1)
        if self._fit_intercept:
            bias = roots @ alpha / (roots @ h)
            alpha, diagonal = alpha - np.outer(h, bias), diagonal - h**2 / (roots @ h)
        values = np.empty_like(self._Y)
        values[:m] = self._Y[:m] - alpha / (roots * diagonal)[:, None]
        coefficients = (roots[:, None] * alpha).astype(dtype)
        self._by_blocks(
            lambda rows: np.add(self._tile(kernel, rows, dtype) @ coefficients, bias, values[rows]),
            range(m, len(values), _BLOCK),
        )
        return values if np.isfinite(values).all() else None

    def _matrix(self, kernel: Kernel, dtype: Any, progress: Task = SILENT) -> Array:
        """Return D K D of the first rows, and tell a task of them."""
        m, roots = self._count, self._roots[: self._count].astype(dtype)
        M = np.empty((m, m), dtype)

        def fill(rows: slice) -> None:
            M[rows] = self._tile(kernel, rows, dtype) * roots

        self._by_blocks(fill, range(0, m, _BLOCK), progress)
        M *= roots[:, None]
        M.flat[:: m + 1] = kernel.diagonal(self._X[:m]) * self._roots[:m] ** 2
        return M

    def _by_blocks(
        self, work: Callable[[slice], Any], starts: range, progress: Task = SILENT
    ) -> None:
        """Work on blocks of rows in threads; none has rows on both sides of the count."""
        ends, told = [*starts[1:], starts.stop], 0
        with pool(workers()) as threads:
            for i, _ in enumerate(threads.map(work, map(slice, starts, ends)), 1):
                for _ in range(told, FILLING * i // len(starts)):
                    progress.advance()
                told = FILLING * i // len(starts)

    def _tile(self, kernel: Kernel, rows: slice, dtype: Any) -> Array:
        """Return the kernel between some rows and the first; single distances are kept."""
        if dtype is not SINGLE:
            return kernel_between(kernel, self._X[rows], self._X[: self._count])
        _, metric = unwrapped(kernel)
        if metric != self._metric:
            self._metric, self._pairs = metric, {}
        pairs = self._pairs.get(rows.start)
        if pairs is None:
            pairs = RoundedPairs(self._X[rows], self._X[: self._count], sys.maxsize)
            if self._keeps_distances:
                self._pairs[rows.start] = pairs
        return kernel.values(pairs)
