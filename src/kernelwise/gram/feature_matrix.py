"""The features of all rows as a matrix that is never stored: what is asked of it takes a pass."""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from kernelwise._progress import SILENT
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.base import GramStatistics
from kernelwise.gram.eigensystems import eigensystem
from kernelwise.gram.features import (
    Features,
    Leverages,
    Moments,
    OrderlessSums,
    Projections,
    RowBlocks,
    RowStatistics,
)
from kernelwise.gram.inverse import without_rounding
from kernelwise.gram.runner import Reduction, run
from kernelwise.kernels import Kernel
from kernelwise.targets import Targets

_EPS = float(np.finfo(float).eps)


class Sample(NamedTuple):
    """The rows that stand for all of them."""

    landmarks: Array  # by which the features are made
    judged: Array  # on which machines are judged: none of the landmarks


class FeatureMatrix:
    """D Phi: the features of every row, multiplied by its entry of the scale.

    The first pass is for the second moments. It takes the products with the columns that machines
    and statistics ask for along.

    Attributes
    ----------
    n : int
        The number of rows.
    judged : array of int
        The rows on which machines are judged.
    progress : Task
        What is told of every pass.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        targets: Targets,
        sample: Sample,
        scale: Array | None = None,
    ) -> None:
        self.n, self.judged, self.progress = targets.n, sample.judged, SILENT
        self._kernel, self._X, self._targets, self._sample = kernel, X, targets, sample
        self._scale = scale

    def scaled(self, scale: Array) -> "FeatureMatrix":
        """Return the features of every row times its entry of a scale."""
        again = FeatureMatrix(self._kernel, self._X, self._targets, self._sample, scale)
        vars(again).update(features=self.features, progress=self.progress)
        return again

    @cached_property
    def features(self) -> Features:
        """The features by the landmarks."""
        return Features.of(self._kernel, self._X[self._sample.landmarks])

    @property
    def _columns(self) -> Array:
        """What machines fit, ones, and the columns of the statistics."""
        fitted = np.column_stack([self._targets.fit_columns, np.ones(self.n)])
        if self._scale is not None:
            fitted *= self._scale[:, None]
        return np.hstack([fitted, self._targets.columns])

    @cached_property
    def _moments(self) -> tuple[Array, Array]:
        """Phi' Phi, and Phi' times the columns."""
        return self.moments(self._columns)

    def moments(self, B: Array, part: Array | None = None) -> tuple[Array, Array]:
        """Return Phi' Phi and Phi' B, where a part is given of its rows alone."""
        upper, onto = self._run(Moments(self.features, self._part(part), B), part)
        return np.triu(upper) + np.triu(upper, 1).T, onto

    @cached_property
    def eigensystem(self) -> tuple[Array, Array]:
        """The eigenvalues of Phi' Phi, ascending, and the eigenvectors as columns."""
        s, U = eigensystem(self.second_moments.copy)
        return without_rounding(s), U

    def release(self) -> None:
        """Release the eigenvectors, which the second moments give again."""
        vars(self).pop("eigensystem", None)

    @property
    def second_moments(self) -> Array:
        """Phi' Phi."""
        return self._moments[0]

    def onto(self, B: Array, part: Array | None = None) -> Array:
        """Return Phi' B; where a part is given, B has its rows alone.

        Of columns that are not known from the first pass, to fewer digits than those.
        """
        if part is None and np.array_equal(B, self._columns[:, : B.shape[1]]):
            return self._moments[1][:, : B.shape[1]]
        scale, features = self._part(part), self.features
        scaled = B if scale is None else scale[:, None] * B
        largest = float(features.kernel.diagonal(self._X).max())  # of all entries, as K is psd
        sums = OrderlessSums.of(features.kernel, scaled, features.rank, largest)
        rounded, rest = self._run(sums, part)
        return np.asarray(
            solve_triangular(features.factor, rounded + rest, lower=True, check_finite=False)
        )

    def times(self, W: Array, part: Array | None = None) -> Array:
        """Return Phi W, on some rows where a part is given."""
        n = self.n if part is None else part.size
        coefficients = self.features.coefficients(W)
        [values] = self._run(Projections(self.features, self._part(part), coefficients, n), part)
        return values

    def leverages(self, gains: Array, weights: Array, part: Array) -> tuple[Array, Array]:
        """Return Phi U weights, and the diagonal of Phi U diag(g) U' Phi' for columns g of gains.

        On some rows; to more digits than :meth:`times`.
        """
        U = self.eigensystem[1]
        found = Leverages(self.features, self._part(part), U, gains, weights, part.size)
        values, leverages = self._run(found, part)
        return values, leverages

    def statistics(self) -> GramStatistics:
        """Return the statistics of K = Phi Phi'."""
        targets, G = self._targets, self.second_moments
        onto = self._moments[1][:, -targets.columns.shape[1] :]  # Phi' T
        products, diagonal, squares = self._run(
            RowStatistics(self.features, self._scale, onto, G, self.n)
        )
        sums = onto[:, 0] if targets.classes is None else onto.sum(axis=1)
        centered = G - np.outer(sums, sums / self.n)
        return GramStatistics(
            targets=targets,
            shift=0.0,
            products=products,
            row_squares=squares,
            centered_squares=float(np.sum(centered**2)),
            diagonal=diagonal,
            precision=_EPS * float(diagonal.max()),
        )

    def part(self, rows: Array) -> Array:
        """Return the features of some rows, which are held in memory."""
        blocks = RowBlocks(self._X[rows], self.features.landmarks, rows.size)
        [(left, right)] = blocks.strip(0)
        phi = self.features.values(blocks.pairs(left, right, blocks.room()))
        scale = self._part(rows)
        return phi if scale is None else scale[:, None] * phi

    def _part(self, rows: Array | None) -> Array | None:
        return self._scale if rows is None or self._scale is None else self._scale[rows]

    def _run(self, reduction: Reduction, part: Array | None = None) -> list[Array]:
        X = self._X if part is None else self._X[part]
        return run(RowBlocks(X, self.features.landmarks), reduction, self.progress)
