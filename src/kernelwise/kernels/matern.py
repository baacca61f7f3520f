"""The Matérn kernels of half-integer smoothness."""

import math
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from kernelwise._sklearn import Options, check_parameters
from kernelwise._types import Array
from kernelwise.kernels.base import PairKernel, set_positive

# The profile is p(s) exp(-s) with s = sqrt(2 nu) r / scale; these are the coefficients of p.
_POLYNOMIAL = MappingProxyType({0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)})
_FAR = 1e3  # exp(-1000) is zero, and so must be its product with any polynomial
_SERIES_BELOW = 0.5  # beyond it p(s) exp(-s) - 1 loses less than two digits
_TERMS = 18  # 0.5^18 / 18! is far below the rounding error


def _series(nu: float) -> tuple[float, ...]:
    """Return the coefficients of p(s) exp(-s) - 1 in powers of s, from the constant (zero) on."""
    p = _POLYNOMIAL[nu]
    coefficients = [
        sum(c * (-1.0) ** (k - j) / math.factorial(k - j) for j, c in enumerate(p) if j <= k)
        for k in range(_TERMS)
    ]
    coefficients[0] = 0.0
    for k in range(1, len(p)):  # 1 - 1 and the like: zero by algebra, not by rounding
        if abs(coefficients[k]) < 1e-12:
            coefficients[k] = 0.0
    return tuple(coefficients)


@dataclass(frozen=True)
class Matern(PairKernel):
    r"""The Matérn kernel of smoothness 1/2, 3/2 or 5/2.

    With :math:`s = \sqrt{2 \nu}\, |x - z| / \ell`:

    .. math::

        k_{1/2} = e^{-s}, \quad k_{3/2} = (1 + s)\, e^{-s}, \quad
        k_{5/2} = (1 + s + s^2 / 3)\, e^{-s}

    Parameters
    ----------
    scale : float, default=1.0
        The length scale :math:`\ell`, as in scikit-learn's ``gaussian_process.kernels.Matern``.
    nu : {0.5, 1.5, 2.5}, default=1.5
        The smoothness.

    References
    ----------
    C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press 2006,
    section 4.2.1.
    """

    scale: float = 1.0
    nu: float = 1.5
    geometry: ClassVar[str] = "sqdist"

    def __post_init__(self) -> None:
        set_positive(self, "scale")
        check_parameters("Matern", {"nu": [Options(Real, set(_POLYNOMIAL))]}, nu=self.nu)
        object.__setattr__(self, "nu", float(self.nu))

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """``1 / scale``."""
        return (1.0 / self.scale,)

    def _scaled(self, g: Array) -> Array:
        s = np.sqrt(g) * (math.sqrt(2.0 * self.nu) / self.scale)
        return np.minimum(s, _FAR)

    def profile(self, g: Array) -> Array:
        r"""Return :math:`p(s)\, e^{-s}`."""
        s = self._scaled(g)
        return np.asarray(np.polynomial.polynomial.polyval(s, _POLYNOMIAL[self.nu]) * np.exp(-s))

    def deviation(self, g: Array) -> Array:
        r"""Return :math:`p(s)\, e^{-s} - 1`: by its power series where that is small."""
        s = self._scaled(g)
        if self.nu == 0.5:
            return np.asarray(np.expm1(-s))
        E = np.polynomial.polynomial.polyval(s, _POLYNOMIAL[self.nu]) * np.exp(-s) - 1.0
        small = s < _SERIES_BELOW
        E[small] = np.polynomial.polynomial.polyval(s[small], _series(self.nu))
        return np.asarray(E)

    def slope(self, g: Array) -> Array:
        r"""Return the derivative by the squared distance, :math:`(\nu / \ell^2)\, q(s)\, e^{-s}`.

        q is :math:`-1/s`, -1 and :math:`-(1 + s)/3`. The kernel of smoothness 1/2 has a kink where
        two points coincide: the mean of its slopes there, zero, is returned.
        """
        s = self._scaled(g)
        if self.nu == 0.5:
            q = np.divide(-1.0, s, out=np.zeros_like(s), where=s > 0.0)
        else:
            q = np.full_like(s, -1.0) if self.nu == 1.5 else (1.0 + s) / -3.0
        return np.asarray(self.nu * q * np.exp(-s) / self.scale / self.scale)
