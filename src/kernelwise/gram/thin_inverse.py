r"""The inverse of :math:`M = \Phi \Phi^\top + \lambda I` from the few features of every row.

With the eigenpairs :math:`(s_j, u_j)` of :math:`\Phi^\top \Phi`, found once for all ridges,

.. math::

    M^{-1} = \frac 1 \lambda \Big(I - \Phi \, U \frac{1}{s + \lambda} U^\top \Phi^\top\Big).

What is asked of M for every row takes a pass over the rows, which all ridges share. The diagonal is
known of *judged* rows alone, NaN elsewhere: each entry takes as long as a row of
:math:`\Phi^\top \Phi` does.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.gram.feature_matrix import FeatureMatrix
from kernelwise.gram.inverse import Inverse

_FOLDS_KEPT = 10  # their second moments, each as large as that of all rows


class RidgePath:
    """What the inverses of one matrix at several ridges share."""

    def __init__(self, phi: FeatureMatrix, ridges: Sequence[float]) -> None:
        self.phi, self.ridges = phi, np.array(ridges, dtype=np.float64)
        self._solved: tuple[Array, Array] | None = None
        self._moments: dict[bytes, Array] = {}

    @property
    def eigenvalues(self) -> Array:
        """S, ascending."""
        return self.phi.eigensystem[0]

    @cached_property
    def gains(self) -> Array:
        """1 / (s + ridge), of shape (features, ridges)."""
        return np.asarray(1.0 / (self.eigenvalues[:, None] + self.ridges))

    @cached_property
    def diagonals(self) -> Array:
        """The diagonals of all inverses, of shape (rows, ridges); NaN for rows not judged."""
        found = np.full((self.phi.n, self.ridges.size), np.nan)
        leverages = self.phi.leverages(self.gains, self.phi.judged)
        found[self.phi.judged] = (1.0 - leverages) / self.ridges
        return found

    def solve(self, B: Array, place: int) -> Array:
        """Return the product of one inverse with B; all are computed together."""
        if self._solved is None or not np.array_equal(self._solved[0], B):
            U = self.phi.eigensystem[1]
            weights = U.T @ self.phi.onto(B)
            weights = U @ (self.gains[:, :, None] * weights[:, None, :]).reshape(len(U), -1)
            fitted = self.phi.times(weights).reshape(B.shape[0], self.ridges.size, -1)
            solved = (B[:, None, :] - fitted) / self.ridges[:, None]
            self._solved = B.copy(), np.ascontiguousarray(solved.transpose(1, 0, 2))
        return np.array(self._solved[1][place])

    def moments_without(self, rows: Array) -> Array:
        """Return Phi' Phi of all rows but some, which several ridges ask for."""
        key = rows.tobytes()
        if key not in self._moments:
            if len(self._moments) == _FOLDS_KEPT:
                self._moments.pop(next(iter(self._moments)))
            self._moments[key] = self.phi.second_moments() - self.phi.second_moments(rows)
        return self._moments[key]


class ThinInverse(Inverse):
    """One of several inverses by the same features."""

    is_thin = True

    def __init__(self, path: RidgePath, place: int) -> None:
        self._path, self._place, self._phi = path, place, path.phi
        self.ridge = float(path.ridges[place])
        self.judged = path.phi.judged
        # Every eigenvalue errs as much as the largest.
        s = path.eigenvalues
        self.condition = float(s.max(initial=0.0)) * self.trace() / self._phi.n

    @property
    def _gains(self) -> Array:
        return np.asarray(self._path.gains[:, self._place])

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""
        return self._path.solve(B, self._place)

    def diagonal(self) -> Array:
        """Return the diagonal, NaN for rows that are not judged."""
        return np.asarray(self._path.diagonals[:, self._place])

    def trace(self) -> float:
        """Return the sum of the whole diagonal."""
        s = self._path.eigenvalues
        return float((self._phi.n - s @ self._gains) / self.ridge)

    def logdet(self) -> float:
        """Return the logarithm of the determinant of M."""
        s = self._path.eigenvalues
        rest = (self._phi.n - s.size) * np.log(self.ridge)
        return float(np.log(s + self.ridge).sum() + rest)

    def block(self, rows: Array) -> Array:
        """Return some rows and the same columns."""
        Q = self._phi.part(rows) @ self._phi.eigensystem[1]
        block = -(Q * self._gains) @ Q.T
        block.flat[:: rows.size + 1] += 1.0
        return np.asarray(block / self.ridge)

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with a block, by two passes over its rows."""
        U, gains = self._phi.eigensystem[1], self._gains[:, None]

        def times(V: Array) -> Array:
            weights = U @ (gains * (U.T @ self._phi.onto(V, rows)))
            return np.asarray((V - self._phi.times(weights, rows)) / self.ridge)

        return times

    def solve_block(self, rows: Array, B: Array) -> Array:
        """Return [(M^-1)_BB]^-1 B: the rows left out are taken out of the second moments."""
        others = np.array(self._path.moments_without(rows))
        others.flat[:: len(others) + 1] += self.ridge
        factor = cho_factor(others, overwrite_a=True, check_finite=False)
        weights = cho_solve(factor, self._phi.onto(B, rows))
        return np.asarray(self.ridge * (B + self._phi.times(weights, rows)))


def thin_inverses(phi: FeatureMatrix, ridges: Sequence[float]) -> list[Inverse]:
    """Return the inverse of Phi Phi' + ridge I for every ridge."""
    path = RidgePath(phi, ridges)
    return [ThinInverse(path, place) for place in range(len(ridges))]
