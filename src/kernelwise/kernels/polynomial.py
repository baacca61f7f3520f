"""The polynomial kernel."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise.kernels.base import PairKernel, set_finite, set_positive
from kernelwise.kernels.geometry import Array


@dataclass(frozen=True)
class Polynomial(PairKernel):
    r"""The polynomial kernel.

    .. math:: k(x, z) = (c + \gamma\, x \cdot z)^d

    Parameters
    ----------
    degree : int, default=3
        The degree d, at least 1.
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
        if not isinstance(self.degree, int | np.integer) or self.degree < 1:
            raise ValueError(
                f"degree of Polynomial must be an integer of at least 1, got {self.degree!r}."
            )
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

    def profile(self, g: Array) -> Array:
        r"""Return :math:`(c + \gamma g)^d`; a value beyond float64 comes out infinite."""
        with np.errstate(over="ignore"):
            return np.asarray((self.coef0 + self.gamma * g) ** self.degree)

    def deviation(self, g: Array) -> Array:
        r"""Return :math:`(c + u)^d - c^d` by :math:`e_k = (c + u)\, e_{k-1} + c^{k-1} u`."""
        u = self.gamma * g
        base = self.coef0 + u
        e = u.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(2, self.degree + 1):
                e *= base
                e += np.float64(self.coef0) ** (k - 1) * u
        return np.asarray(e)
