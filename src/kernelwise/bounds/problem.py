"""A kernel matrix, a target and a ridge, with what theorems ask of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._arguments import shown
from kernelwise._cached import cached_property
from kernelwise._types import Array
from kernelwise.bounds.base import Assumption, Limits
from kernelwise.bounds.support_vectors import svm_coefficients
from kernelwise.criteria import Evidence
from kernelwise.gram import Dense, Targets
from kernelwise.gram.psd import check_matrix
from kernelwise.kernels import Precomputed
from kernelwise.machines import check_ridge
from kernelwise.machines.svm import hinge

_LARGEST = 1e140  # entries whose squares, and sums of squares, are numbers


@dataclass(frozen=True, eq=False)
class Fitted:
    """A machine without bias on its own training rows.

    Attributes
    ----------
    training_loss : float
        The mean squared or hinge loss.
    scores : array of shape (n,)
        f_S(x_i).
    norm : float
        The norm of f_S in the reproducing kernel Hilbert space.
    """

    training_loss: float
    scores: Array
    norm: float


def as_kernel_matrix(K: Any) -> Array:
    """Return K as a symmetric matrix, or say what is wrong with it."""
    matrix = check_matrix(K)
    largest = float(np.abs(matrix).max())
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise ValueError(
            f"K has entries up to {largest:.3g}, whose squares are not float64 numbers: rescale K."
        )
    return matrix


class Problem:
    """What all bounds are computed from; everything is computed once, when first asked for.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,) or Targets
        Two classes or a real target; a few integers are classes, unless Targets say otherwise.
    ridge : float
        Added to the diagonal of K.
    limits : Limits or None
    """

    def __init__(self, K: Any, y: Any, ridge: float = 1.0, limits: Limits | None = None) -> None:
        self.K = as_kernel_matrix(K)
        self.targets = y if isinstance(y, Targets) else Targets.of(y)
        if self.K.shape[0] != self.targets.n:
            raise ValueError(f"K has {self.K.shape[0]} rows but y has {self.targets.n} entries.")
        if self.targets.kind == "multiclass":
            raise ValueError("the bounds are for two classes or a real target, y has more classes.")
        if not isinstance(limits, Limits | None):
            raise TypeError(f"limits must be a bounds.Limits or None, got {shown(limits)}.")
        self.ridge, self._limits = check_ridge(ridge), limits or Limits()

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.targets.n

    @property
    def y(self) -> Array:
        """The labels ±1 (+1 for the second class), or the real target."""
        return np.asarray(self.targets.fit_columns[:, 0])

    @property
    def lam(self) -> float:
        """The regularisation of KS and SPS, which print K + n lambda I."""
        return self.ridge / self.n

    def need_classes(self, what: str) -> None:
        """Say so where a theorem is for two classes and the target is real."""
        if self.targets.classes is None:
            raise ValueError(f"{what} is for two classes, but y is a real target.")

    @cached_property
    def evidence(self) -> Evidence:
        """What criteria judge by."""
        kernel = Precomputed()
        [gram] = Dense().grams([kernel], self.K, self.targets)
        return Evidence(gram, self.targets, kernel, fit_intercept=False)

    @cached_property
    def kappa(self) -> float:
        """The supremum of k(x, x): given, or the largest of the sample."""
        given = self._limits.kernel
        return float(np.abs(self.K.diagonal()).max()) if given is None else float(given)

    @cached_property
    def target_limit(self) -> float:
        """The supremum of abs(y): given, 1 for classes, or the largest of the sample."""
        given = self._limits.target
        return float(np.abs(self.y).max()) if given is None else float(given)

    def score_limit(self, fitted: Fitted) -> float:
        """Return the supremum of abs(f): given, or by the Cauchy-Schwarz inequality."""
        given = self._limits.score
        return float(np.sqrt(self.kappa) * max(1.0, fitted.norm)) if given is None else float(given)

    @cached_property
    def least_squares(self) -> Fitted:
        """The least-squares machine, in eigenvectors: there its coefficients do not cancel."""
        loss = self.evidence.fit(self.ridge).training_loss
        s, Q = self.evidence.spectrum.values, self.evidence.spectrum.vectors
        w = (Q.T @ self.y) / (s + self.ridge)
        return Fitted(loss, Q @ (s * w), self._norm(w))

    @cached_property
    def svm(self) -> Fitted:
        """The support vector machine with C = 1 / (2 ridge)."""
        alpha = svm_coefficients(self.K, self.y, self.ridge)
        scores = self.K @ alpha
        norm = self._norm(self.evidence.spectrum.vectors.T @ alpha)
        return Fitted(hinge(self.y, scores), scores, norm)

    def _norm(self, w: Array) -> float:
        """Return the norm of f = K alpha from w = Q' alpha: a sum without cancellation."""
        return float(np.sqrt(max(float(self.evidence.spectrum.values @ (w * w)), 0.0)))

    def psd(self) -> Assumption:
        """Return that K is positive semidefinite."""
        smallest = float(self.evidence.spectrum.values[0])
        return Assumption("K is positive semidefinite", smallest >= 0.0)

    def kernel_limit(self) -> Assumption:
        """Return that the limit of k(x, x) is one."""
        seen = float(np.abs(self.K.diagonal()).max())
        holds = None if self._limits.kernel is None else seen <= self.kappa
        return Assumption(f"k(x, x) <= kappa = {self.kappa:.4g} for every x", holds)

    def bounded_target(self) -> Assumption:
        """Return that the limit of abs(y) is one."""
        seen = float(np.abs(self.y).max())
        known = self._limits.target is not None or self.targets.classes is not None
        holds = seen <= self.target_limit if known else None
        return Assumption(f"|y| <= M = {self.target_limit:.4g} for every y", holds)

    @staticmethod
    def unit_ball(fitted: Fitted) -> Assumption:
        """Return that the machine lies in the unit ball."""
        return Assumption(f"|f_S|_K = {fitted.norm:.4g} <= 1", fitted.norm <= 1.0 + 1e-9)
