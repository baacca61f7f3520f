r"""Probabilities from decision values, fitted to leave-one-out values: no refit, no rows set aside.

With decision values f of c classes

.. math:: p_c \propto \exp(a f_c), \qquad a \ge 0,

fitted by maximum likelihood to targets that are a little short of certain, as Platt did, so that
the fit exists for separable classes too. Two classes have :math:`f_2 = -f_1 = f / 2`: the logistic
function of :math:`a f`. There is no offset: least squares on labels ±1 estimates
:math:`2 p - 1`, which is zero where both classes are as likely, and the most probable class is
always the predicted one.

References
----------
J. Platt, Probabilistic outputs for support vector machines, Advances in Large Margin Classifiers
1999; C. Guo, G. Pleiss, Y. Sun and K. Q. Weinberger, On calibration of modern neural networks,
ICML 2017.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_softmax, softmax

from kernelwise._types import Array

_STEEPEST = 1e6  # times the largest value: a step


@dataclass(frozen=True)
class Calibration:
    """How decision values become probabilities."""

    slope: float  # a

    @classmethod
    def fit(cls, scores: Array, codes: Array, weights: Array | None = None) -> "Calibration":
        """Fit to decision values, (n,) or (n, c), of rows of known class; NaN is passed over."""
        F = _by_class(scores)
        sound = np.isfinite(F).all(axis=1)
        F, codes = F[sound], codes[sound]
        weights = np.ones(codes.size) if weights is None else weights[sound]
        unit = float(np.abs(F).max(initial=0.0))
        if unit == 0.0:
            return cls(0.0)
        F = F / unit  # scores of any scale
        T = _targets(codes, F.shape[1], weights)

        def derivative(slope: float) -> float:
            """Return that of the negative log likelihood, which is convex."""
            return float(weights @ np.sum((softmax(slope * F, axis=1) - T) * F, axis=1))

        if derivative(0.0) >= 0.0:
            return cls(0.0)
        steep = 1.0
        while derivative(steep) < 0.0 and steep < _STEEPEST:
            steep *= 4.0
        slope = brentq(derivative, 0.0, steep) if derivative(steep) > 0.0 else steep
        return cls(float(slope) / unit)

    def probabilities(self, scores: Array) -> Array:
        """Return the probability of every class, (n, c)."""
        return np.asarray(softmax(self._exponents(scores), axis=1))

    def log_probabilities(self, scores: Array) -> Array:
        """Return the logarithms of the probabilities, also of those that are zero in float64."""
        return np.asarray(log_softmax(self._exponents(scores), axis=1))

    def _exponents(self, scores: Array) -> Array:
        """Return a f."""
        return self.slope * _by_class(scores)


def _by_class(scores: Array) -> Array:
    """Return one column per class; two classes share one value."""
    if scores.ndim == 2 and scores.shape[1] > 1:
        return scores
    f = scores.reshape(-1, 1)
    return np.hstack([-0.5 * f, 0.5 * f])


def _targets(codes: Array, classes: int, weights: Array) -> Array:
    """Return (n_c + 1) / (n_c + 2) for the class of a row, the rest shared by the others."""
    counts = np.bincount(codes, weights, minlength=classes)
    doubt = 1.0 / (counts[codes] + 2.0)
    T = np.repeat((doubt / (classes - 1))[:, None], classes, axis=1)
    T[np.arange(codes.size), codes] = 1.0 - doubt
    return T


def midpoint(values: Array, codes: Array, weights: Array) -> float:
    """Return what lies midway between the means of the decision values of two classes."""
    if values.ndim > 1:
        raise ValueError(
            f"threshold='midpoint' is for two classes, y has {values.shape[1]}: use class_weight."
        )
    sound = np.isfinite(values)
    sums, sizes = (
        np.bincount(codes[sound], weights[sound] * v, minlength=2) for v in (values[sound], 1.0)
    )
    return float(np.mean(sums / sizes)) if sizes.all() else 0.0
