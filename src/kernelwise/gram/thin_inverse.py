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
from kernelwise.gram.inverse import Inverse, Solved

_FOLDS_KEPT = 10  # their second moments, each as large as that of all rows


class RidgePath:
    """What the inverses of one matrix at several ridges share."""

    def __init__(self, phi: FeatureMatrix, ridges: Sequence[float]) -> None:
        self.phi, self.ridges = phi, np.array(ridges, dtype=np.float64)
        self._solved: tuple[Array, Array] | None = None
        self._machines: tuple[Array, list[Solved]] | None = None
        self._moments: dict[tuple[bytes, bool], tuple[Array, Array]] = {}

    @property
    def eigenvalues(self) -> Array:
        """The eigenvalues s, ascending."""
        return self.phi.eigensystem[0]

    @cached_property
    def gains(self) -> Array:
        """1 / (s + ridge), of shape (features, ridges)."""
        return np.asarray(1.0 / (self.eigenvalues[:, None] + self.ridges))

    @cached_property
    def traces(self) -> Array:
        """The traces of all inverses."""
        return np.asarray((self.phi.n - self.eigenvalues @ self.gains) / self.ridges)

    def solve(self, B: Array, place: int) -> Array:
        """Return the product of one inverse with B; all are computed together."""
        if self._solved is None or not np.array_equal(self._solved[0], B):
            weights = self._weights(self.phi.onto(B))
            fitted = self.phi.times(_side_by_side(self.phi.eigensystem[1] @ weights))
            self._solved = B.copy(), fitted.reshape(len(B), self.ridges.size, -1)
        return np.asarray((B - self._solved[1][:, place]) / self.ridges[place])

    def fit(self, Y: Array, u: Array | None, place: int) -> Solved:
        """Return the machine at one ridge; all are computed together."""
        columns = np.column_stack([Y, np.zeros(len(Y)) if u is None else u])
        if self._machines is None or not np.array_equal(self._machines[0], columns):
            self._machines = columns, self._fit(columns)
        return self._machines[1][place]

    def _fit(self, B: Array) -> list[Solved]:
        """Return the machines for columns Y and u at all ridges.

        The bias comes from sums over all rows, and before the values of any of them: where a
        constant is nearly a function of the features, h would lose what the values need.
        """
        onto, inner = self.onto(B), B.T @ B
        weights = self._weights(onto)
        forms = (inner - self._rotated(onto).T @ weights) / self.ridges[:, None, None]
        biases = np.stack([bias_of(form) for form in forms])
        weights[:, :, :-1] -= weights[:, :, -1:] * biases[:, None, :]
        fitted, leverages = self._values(weights)
        machines = []
        for place, total in enumerate(forms[:, -1, -1].tolist()):
            given = biases[place], fitted[:, place], leverages[:, place], total
            of_features = self.phi.eigensystem[1] @ weights[place, :, :-1]
            machines.append(self._machine(place, B, *given)._replace(weights=of_features))
        return machines

    def _values(self, weights: Array) -> tuple[Array, Array]:
        """Return Phi U weights for every row, and the leverages of the judged, by ridge.

        Of the judged, which are divided by how little they matter, to more digits.
        """
        phi, U = self.phi, self.phi.eigensystem[1]
        fitted = phi.times(_side_by_side(U @ weights))
        fitted[phi.judged], leverages = phi.leverages(
            self.gains, _side_by_side(weights), phi.judged
        )
        return fitted.reshape(phi.n, self.ridges.size, -1), leverages

    def _machine(
        self, place: int, B: Array, bias: Array, fitted: Array, leverages: Array, total: float
    ) -> Solved:
        """Return one machine; total is u'h."""
        ridge, u, judged = self.ridges[place], B[:, -1], self.phi.judged
        alpha = (B[:, :-1] - np.outer(u, bias) - fitted[:, :-1]) / ridge
        h, trace = (u - fitted[:, -1]) / ridge, float(self.traces[place])
        diagonal = np.full(self.phi.n, np.nan)
        diagonal[judged] = (1.0 - leverages) / ridge
        if total != 0.0:
            diagonal[judged] -= h[judged] ** 2 / total
            trace -= float(h @ h) / total
        return Solved(alpha, bias, h, diagonal, trace)

    def _rotated(self, onto: Array) -> Array:
        return np.asarray(self.phi.eigensystem[1].T @ onto)

    def _weights(self, onto: Array) -> Array:
        """Return U' (Phi' Phi + ridge I)^-1 onto, of shape (ridges, features, columns)."""
        return np.asarray(self.gains.T[:, :, None] * self._rotated(onto))

    def onto(self, B: Array) -> Array:
        """Return Phi' B of columns Y and u, where u may be zero."""
        if B[:, -1].any():
            return self.phi.onto(B)
        return np.pad(self.phi.onto(B[:, :-1]), ((0, 0), (0, 1)))

    def moments_without(self, rows: Array, B: Array) -> tuple[Array, Array]:
        """Return Phi' Phi and Phi' B of all rows but some, which several ridges ask for."""
        key = rows.tobytes(), bool(B[:, -1].any())
        if key not in self._moments:
            if len(self._moments) == _FOLDS_KEPT:
                self._moments.pop(next(iter(self._moments)))
            G, onto = self.phi.moments(B[rows], rows)
            self._moments[key] = self.phi.second_moments - G, self.onto(B) - onto
        return self._moments[key]


class ThinInverse(Inverse):
    """One of several inverses by the same features."""

    is_thin = True

    def __init__(self, path: RidgePath, place: int) -> None:
        self._path, self._place, self._phi = path, place, path.phi
        self.ridge = float(path.ridges[place])
        self.judged = path.phi.judged
        # Every eigenvalue errs as much as the largest.
        self.condition = float(path.eigenvalues.max(initial=0.0)) * self.trace() / self._phi.n

    def fit(self, Y: Array, u: Array | None) -> Solved:
        """Return the machine with the bias that u stands for; without one where it is None."""
        return self._path.fit(Y, u, self._place)

    def solve(self, B: Array) -> Array:
        """Return the product with the columns of B."""
        return self._path.solve(B, self._place)

    def trace(self) -> float:
        """Return the sum of the whole diagonal."""
        return float(self._path.traces[self._place])

    def logdet(self) -> float:
        """Return the logarithm of the determinant of M."""
        s = self._path.eigenvalues
        rest = (self._phi.n - s.size) * np.log(self.ridge)
        return float(np.log(s + self.ridge).sum() + rest)

    def diagonal(self) -> Array:
        """Return the diagonal, NaN for rows that are not judged."""
        return self.fit(np.zeros((self._phi.n, 1)), None).diagonal

    def block(self, rows: Array) -> Array:
        """Return some rows and the same columns."""
        Q = self._phi.part(rows) @ self._phi.eigensystem[1]
        block = -(Q * self._path.gains[:, self._place]) @ Q.T
        block.flat[:: rows.size + 1] += 1.0
        return np.asarray(block / self.ridge)

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with a block, by two passes over its rows."""
        U, gains = self._phi.eigensystem[1], self._path.gains[:, self._place, None]

        def times(V: Array) -> Array:
            weights = U @ (gains * (U.T @ self._phi.onto(V, rows)))
            return np.asarray((V - self._phi.times(weights, rows)) / self.ridge)

        return times

    def held_out(self, rows: Array, Y: Array, u: Array | None) -> Array:
        """Return what a machine without some rows says of them, a refit on the other sums."""
        B = np.column_stack([Y, np.zeros(len(Y)) if u is None else u])
        G, onto = self._path.moments_without(rows, B)
        M = np.array(G)
        M.flat[:: len(M) + 1] += self.ridge
        weights = cho_solve(cho_factor(M, overwrite_a=True, check_finite=False), onto)
        inner = B.T @ B - B[rows].T @ B[rows]
        bias = bias_of((inner - onto.T @ weights) / self.ridge)
        fitted = self._phi.times(weights[:, :-1] - np.outer(weights[:, -1], bias), rows)
        return np.asarray(fitted + np.outer(B[rows, -1], bias))


def bias_of(form: Array) -> Array:
    """Return u'M^-1 Y / u'M^-1 u from the form of the columns Y and u; zeros where u is zero."""
    total = float(form[-1, -1])
    return np.asarray(form[-1, :-1] / total) if total != 0.0 else np.zeros(len(form) - 1)


def _side_by_side(weights: Array) -> Array:
    """Return weights by ridge, (ridges, features, columns), as (features, ridges x columns)."""
    return weights.transpose(1, 0, 2).reshape(weights.shape[1], -1)


def thin_inverses(phi: FeatureMatrix, ridges: Sequence[float]) -> list[Inverse]:
    """Return the inverse of Phi Phi' + ridge I for every ridge."""
    path = RidgePath(phi, ridges)
    return [ThinInverse(path, place) for place in range(len(ridges))]
