"""A kernel matrix, a target and a ridge, with what theorems ask of them."""

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from kernelwise._arguments import shown
from kernelwise._threads import cached_property
from kernelwise._types import Array
from kernelwise.bounds.base import Assumption, Limits
from kernelwise.bounds.support_vectors import svm_coefficients
from kernelwise.criteria import Evidence
from kernelwise.gram import Dense, Gram
from kernelwise.gram.inverse import Spectrum, spectral_inverses
from kernelwise.gram.psd import check_matrix
from kernelwise.kernels import Precomputed
from kernelwise.machines import RidgeFit, check_ridge
from kernelwise.machines.svm import hinge
from kernelwise.targets import Targets

_LARGEST = 1e140  # entries whose squares, and sums of squares, are numbers


class Learner(Enum):
    """The machine a theorem is about: its loss, and whether it needs two classes."""

    KRR = ("squared loss", False)
    LSSVM = ("squared loss", True)
    SVM = ("hinge loss", True)
    HYPERPLANE = ("error rate", True)  # that of equation 17 of Nguyen and Ho 2007
    NONE = ("no loss", False)  # the matrix alone

    def __init__(self, loss: str, classifies: bool) -> None:
        self.loss, self.classifies = loss, classifies


class Fitted(NamedTuple):
    """A machine without bias on its own training rows."""

    training_loss: float  # mean squared or hinge loss
    scores: Array  # f_S(x_i)
    norm: float  # of f_S in the reproducing kernel Hilbert space


def as_kernel_matrix(K: Any) -> Array:
    """Return K as a symmetric matrix, or say what is wrong with it."""
    matrix = check_matrix(K)
    largest = float(np.abs(matrix).max())
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise ValueError(
            f"K has entries up to {largest:.3g}, whose squares are not float64 numbers: rescale K."
        )
    return matrix


def eigenvalues(K: Any) -> Array:
    """Return the eigenvalues of a matrix or a sample, ascending; rounding makes none negative."""
    if isinstance(K, Sample):
        return K.spectrum.values
    matrix = as_kernel_matrix(K)
    # As for a sample, whose target does not matter here: the same digits, also of tiny eigenvalues.
    return _gram(matrix, Targets(np.zeros(len(matrix)), None)).spectrum().values


def _gram(K: Array, targets: Targets) -> Gram:
    """Return the matrix as criteria see it."""
    [gram] = Dense().grams([Precomputed()], K, targets)
    return gram


class Sample:
    """What all bounds are computed from; everything is computed once, when first asked for.

    Every function of this package also takes a sample for K, and then ignores y, ridge and limits:
    bounds of one sample share its spectrum and its machines. y holds two classes or a real target,
    as ``task`` says; the ridge is added to the diagonal of K.
    """

    def __init__(
        self, K: Any, y: Any, ridge: float, limits: Limits | None = None, task: str = "auto"
    ) -> None:
        self.K, self.targets = as_kernel_matrix(K), Targets.of(y, task)
        if self.K.shape[0] != self.targets.n:
            raise ValueError(f"K has {self.K.shape[0]} rows but y has {self.targets.n} entries.")
        if self.targets.kind == "multiclass":
            raise ValueError("the bounds are for two classes or a real target, y has more classes.")
        if not isinstance(limits, Limits | None):
            raise TypeError(f"limits must be a bounds.Limits or None, got {shown(limits)}.")
        self.ridge, self._limits = check_ridge(ridge), limits or Limits()
        self.n = self.targets.n
        self.lam = self.ridge / self.n  # the lambda of KS and SPS, which print K + n lambda I
        self.y = self.targets.fit_columns[:, 0]  # the labels ±1 (+1 for the second class), or reals

    @classmethod
    def of(cls, K: Any, *arguments: Any, **options: Any) -> "Sample":
        """Return a sample, or the one that is given for K."""
        return K if isinstance(K, Sample) else cls(K, *arguments, **options)

    @cached_property
    def evidence(self) -> Evidence:
        """What criteria judge by."""
        gram = _gram(self.K, self.targets)
        return Evidence(gram, self.targets, Precomputed(), fit_intercept=False)

    @property
    def spectrum(self) -> Spectrum:
        """The eigenvalues of K, ascending, and the eigenvectors as columns."""
        return self.evidence.spectrum

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

    def score_limit(self, learner: Learner) -> float:
        """Return the supremum of abs(f): given, or by the Cauchy-Schwarz inequality."""
        norm, given = self.fitted(learner).norm, self._limits.score
        return float(np.sqrt(self.kappa) * max(1.0, norm)) if given is None else float(given)

    def fitted(self, learner: Learner) -> Fitted:
        """Return a machine trained on the sample."""
        return self._svm if learner is Learner.SVM else self._least_squares

    @property
    def ridge_fit(self) -> RidgeFit:
        """The least-squares machine with its leave-one-out values."""
        _ = self.spectrum  # the fit then uses it, in whatever order bounds are asked for
        return self.evidence.fit(self.ridge)

    @cached_property
    def _least_squares(self) -> Fitted:
        """The least-squares machine, in eigenvectors: there its coefficients do not cancel."""
        loss = self.ridge_fit.training_loss
        s, Q = self.spectrum.values, self.spectrum.vectors
        w = (Q.T @ self.y) / (s + self.ridge)
        return Fitted(loss, Q @ (s * w), self._norm(w))

    @cached_property
    def _svm(self) -> Fitted:
        """The support vector machine with C = 1 / (2 ridge)."""
        alpha = svm_coefficients(self.K, self.y, self.ridge)
        scores = self.K @ alpha
        return Fitted(hinge(self.y, scores), scores, self._norm(self.spectrum.vectors.T @ alpha))

    def _norm(self, w: Array) -> float:
        """Return the norm of f = K alpha from w = Q' alpha: a sum without cancellation."""
        return float(np.sqrt(max(float(self.spectrum.values @ (w * w)), 0.0)))

    @property
    def residuals(self) -> Array:
        """The training residuals of the least-squares machine."""
        return np.asarray(self.y - self._least_squares.scores)

    @cached_property
    def residuals_without_each(self) -> Array:
        """The residuals without each row when its share of the ridge goes with it."""
        return self.residuals_without((self.n - 1) / self.n)

    def residuals_without(self, share: float) -> Array:
        r"""Return the residuals of the least-squares machines without each row, a column each.

        Their ridge is a share of the sample's. With :math:`G = (K + \rho I)^{-1}` and
        :math:`\alpha = G y` the residuals without row i are
        :math:`\rho (\alpha_j - G_{ji} \alpha_i / G_{ii})`, and :math:`\alpha_i / G_{ii}` at i.
        """
        rho = share * self.ridge
        [inverse] = spectral_inverses(self.spectrum, [rho])
        G = inverse.block(np.arange(self.n))
        alpha = G @ self.y
        alone = alpha / G.diagonal()
        residuals = rho * (alpha[:, None] - G * alone)
        np.fill_diagonal(residuals, alone)
        return np.asarray(residuals)

    def psd(self) -> Assumption:
        """Return that K is positive semidefinite."""
        return Assumption("K is positive semidefinite", bool(self.spectrum.values[0] >= 0.0))

    def limits_hold(self) -> tuple[Assumption, Assumption]:
        """Return that no k(x, x) and no abs(y) exceeds its limit."""
        kappa, M, limits = self.kappa, self.target_limit, self._limits
        kernel = None if limits.kernel is None else bool(np.abs(self.K.diagonal()).max() <= kappa)
        is_open = limits.target is None and self.targets.classes is None
        target = None if is_open else bool(np.abs(self.y).max() <= M)
        return (
            Assumption(f"k(x, x) <= kappa = {kappa:.4g} for every x", kernel),
            Assumption(f"|y| <= M = {M:.4g} for every y", target),
        )

    def unit_ball(self, learner: Learner) -> Assumption:
        """Return that a machine lies in the unit ball."""
        norm = self.fitted(learner).norm
        return Assumption(f"|f_S|_K = {norm:.4g} <= 1", norm <= 1.0 + 1e-9)
