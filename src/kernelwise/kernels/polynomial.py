"""The polynomial kernel."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from kernelwise._sklearn import Interval, check_parameters
from kernelwise._types import Array
from kernelwise.kernels.base import PairKernel, set_finite, set_positive

HIGHEST = 10_000  # degree: a kernel beyond it is zero, one or infinite for nearly all pairs


@dataclass(frozen=True)
class Polynomial(PairKernel):
    r"""The polynomial kernel.

    .. math:: k(x, z) = (c + \gamma\, x \cdot z)^d

    Parameters
    ----------
    degree : int, default=3
        The degree d, from 1 to 10,000.
    coef0 : float, default=1.0
        The constant c; the kernel is positive semidefinite for :math:`c \ge 0`.
    gamma : float, default=1.0
        The factor of the dot product.
    """

    degree: int = 3
    coef0: float = 1.0
    gamma: float = 1.0
    geometry: ClassVar[str] = "dot"

    def __post_init__(self) -> None:
        degrees = Interval(Integral, 1, HIGHEST, closed="both")
        check_parameters("Polynomial", {"degree": [degrees]}, degree=self.degree)
        object.__setattr__(self, "degree", int(self.degree))
        set_finite(self, "coef0")
        set_positive(self, "gamma")

    @property
    def is_psd(self) -> bool:
        """True unless the constant is negative."""
        return self.coef0 >= 0.0

    @property
    def roughness(self) -> float:
        """The degree."""
        return float(self.degree)

    def to_sklearn(self) -> dict[str, Any]:
        """Return "poly" with the same parameters."""
        return {
            "kernel": "poly",
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
        }

    def profile(self, g: Array) -> Array:
        r"""Return :math:`(c + \gamma g)^d`; a value beyond float64 comes out infinite."""
        return np.asarray((self.coef0 + self.gamma * g) ** self.degree)

    def slope(self, g: Array) -> Array:
        r"""Return :math:`d\, \gamma\, (c + \gamma g)^{d-1}`."""
        power = (self.coef0 + self.gamma * g) ** (self.degree - 1)
        return np.asarray(self.degree * self.gamma * power)

    def deviation(self, g: Array) -> Array:
        r"""Return :math:`e_d = (c + u)^d - c^d` without cancellation, in log d steps.

        With b = c + u they are :math:`e_{2k} = e_k (b^k + c^k)`, :math:`e_{k+1} = b e_k + c^k u`.
        """
        u = self.gamma * g
        b, c = self.coef0 + u, np.float64(self.coef0)
        e, b_k, k = u.copy(), b, 1
        for digit in f"{self.degree:b}"[1:]:
            if k > 1:  # b^k, of the k that is doubled now
                b_k = b_k * b_k if k % 2 == 0 else b_k * b_k * b
            e *= b_k + c**k
            k *= 2
            if digit == "1":
                e *= b
                e += c**k * u
                k += 1
        return np.asarray(e)
