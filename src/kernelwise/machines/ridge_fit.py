r"""A least-squares machine at one ridge, and what every way of solving for it shares.

With :math:`M = K + \lambda W^{-1}` (W the sample weights) and a bias b the machine solves

.. math::

    C \begin{pmatrix} \alpha \\ b \end{pmatrix} = \begin{pmatrix} y \\ 0 \end{pmatrix},
    \qquad C = \begin{pmatrix} M & 1 \\ 1^\top & 0 \end{pmatrix},

without a bias :math:`M \alpha = y`. Everything a user or a criterion asks of a fit follows from
:math:`\alpha` and :math:`C^{-1}`: training residuals :math:`\lambda \alpha_i / w_i`, leave-one-out
residuals :math:`\alpha_i / (C^{-1})_{ii}`.

Weights are worked in by the change of variables :math:`\tilde K = W^{1/2} K W^{1/2}`,
:math:`\tilde y = W^{1/2} y`, :math:`u = W^{1/2} 1`, after which the ridge multiplies the identity.

References
----------
J. A. K. Suykens et al., Least Squares Support Vector Machines, World Scientific 2002.
G. C. Cawley, Leave-one-out cross-validation based model selection criteria for weighted LS-SVMs,
IJCNN 2006.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kernelwise._arguments import as_real, shown
from kernelwise._types import Array

_EPS = float(np.finfo(float).eps)
_DIGITS = 1e-4  # the relative error of a number with four digits
# A held-out value below this share of its target is mostly the rounding error of y - r.
_CANCELLED = 1e-12
SMALLEST_RIDGE = 1e-100  # squares of coefficients stay within float64
LARGEST_RIDGE = 1.0 / SMALLEST_RIDGE


class LostDigitsWarning(UserWarning):
    """Rounding errors of the kernel matrix leave a machine fewer than four digits."""


@dataclass(frozen=True, eq=False)
class RidgeFit:
    r"""A least-squares machine at one ridge.

    Attributes
    ----------
    ridge : float
        :math:`\lambda`.
    targets : array of shape (n, c)
        y, one column per target.
    coefficients : array of shape (n, c)
        :math:`\alpha`.
    bias : array of shape (c,)
        b; zeros for a machine without bias.
    inverse_diagonal : array of shape (n,)
        The diagonal of the first n rows of :math:`C^{-1}`; of :math:`M^{-1}` without bias.
    degrees_of_freedom : float
        The trace of the hat matrix.
    weights : array of shape (n,)
        The sample weights, ones by default.
    condition : float
        How many times the solution magnifies the rounding errors of the kernel matrix.
    off_diagonal_values : callable or None
        Returns the leave-one-out values from the off-diagonal part of :math:`C^{-1}`.
    """

    ridge: float
    targets: Array
    coefficients: Array
    bias: Array
    inverse_diagonal: Array
    degrees_of_freedom: float
    weights: Array
    condition: float
    off_diagonal_values: Callable[[], Array] | None = None

    @property
    def training_residuals(self) -> Array:
        r"""Y - f(x) on the training rows: :math:`\lambda \alpha_i / w_i`."""
        return self.coefficients * (self.ridge / self.weights)[:, None]

    @property
    def loo_residuals(self) -> Array:
        r""":math:`y_i - f_{-i}(x_i) = \alpha_i / (C^{-1})_{ii}`, the machine refitted without i."""
        with np.errstate(divide="ignore", invalid="ignore"):  # one row alone cannot be left out
            return np.asarray(self.coefficients / self.inverse_diagonal[:, None])

    @cached_property
    def loo_values(self) -> Array:
        r""":math:`f_{-i}(x_i)`, what the machine refitted without i says of i.

        The target less the residual; where that difference cancels, as for a very narrow kernel
        without a bias, from the off-diagonal part of :math:`C^{-1}`.
        """
        values = self.targets - self.loo_residuals
        if self.off_diagonal_values is None or not cancels(self.targets, values):
            return np.asarray(values)
        return self.off_diagonal_values()

    @property
    def training_loss(self) -> float:
        """The weighted mean of the squared training residuals, averaged over the targets."""
        squares = np.average(self.training_residuals**2, axis=0, weights=self.weights)
        return float(squares.mean())

    @property
    def lost_digits(self) -> str | None:
        """What to do about a solution with fewer than four digits; None where it has them."""
        return lost_digits(self.condition, self.ridge)


def lost_digits(condition: float, ridge: float) -> str | None:
    """Say what to do where the condition leaves fewer than four digits; None where it does not."""
    if condition * _EPS < _DIGITS:
        return None
    return (
        f"rounding errors of the kernel matrix leave fewer than four digits at ridge = {ridge:g}, "
        "so use a larger ridge or standardise the features"
    )


def cancels(targets: Array, values: Array) -> bool:
    """Say whether some of values = targets - residuals are nothing but rounding errors."""
    return bool(np.any(np.abs(values) <= _CANCELLED * np.abs(targets)))


def eliminate_intercept(
    solved: Array, diagonal: Array, h: Array, u: Array
) -> tuple[Array, Array, Array, float]:
    """Add the bias to M^-1 y by the block inverse: b = h'y / u'h, alpha = M^-1 y - h b."""
    share = h / float(u @ h)  # before it is squared: h may be as small as 1e-200
    bias = (u @ solved) / float(u @ h)  # h'y = u'M^-1 y
    return solved - np.outer(h, bias), bias, diagonal - h * share, float(h @ share)


def check_ridge(ridge: Any) -> float:
    """Return a ridge as a float, or say that it must be a positive number within reason."""
    value = as_real(ridge)
    if value is not None and SMALLEST_RIDGE <= value <= LARGEST_RIDGE:
        return value
    raise ValueError(f"ridge must be a positive number (1e-100 to 1e100), got {shown(ridge)}.")


def as_columns(y: Any) -> Array:
    """Return targets as columns of floats."""
    y = np.asarray(y, dtype=np.float64)
    return np.asarray(y[:, None] if y.ndim == 1 else y)


def as_weights(sample_weight: Array | None, n: int) -> Array:
    """Return the weights of n rows, ones where none are given."""
    return np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)


def not_positive_definite(ridge: float) -> np.linalg.LinAlgError:
    """Return what to raise where K + ridge I has no Cholesky factor."""
    return np.linalg.LinAlgError(
        f"the kernel matrix plus ridge = {ridge:g} on the diagonal is not positive definite: "
        "use a larger ridge, or repair the matrix with kernelwise.gram.repair."
    )
