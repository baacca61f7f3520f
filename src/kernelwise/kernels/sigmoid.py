"""The sigmoid (tanh) kernel."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelwise._types import Array
from kernelwise.kernels.base import PairKernel, set_finite


@dataclass(frozen=True)
class Sigmoid(PairKernel):
    r"""The sigmoid kernel, which is not positive semidefinite.

    .. math:: k(x, z) = \tanh(a\, x \cdot z + b)

    Its matrices may have negative eigenvalues and even a negative diagonal. Scoring it warns;
    ``kernelwise.gram.repair`` offers the usual remedies (clip, flip or shift the spectrum).

    Parameters
    ----------
    gamma : float, default=1.0
        The slope a.
    coef0 : float, default=0.0
        The offset b.
    """

    gamma: float = 1.0
    coef0: float = 0.0
    geometry: ClassVar[str] = "dot"
    psd: ClassVar[bool | None] = False

    def __post_init__(self) -> None:
        set_finite(self, "gamma")
        set_finite(self, "coef0")

    def to_sklearn(self) -> dict[str, Any]:
        """Return "sigmoid" with the same parameters."""
        return {"kernel": "sigmoid", "gamma": self.gamma, "coef0": self.coef0}

    def profile(self, g: Array) -> Array:
        r"""Return :math:`\tanh(a g + b)`."""
        return np.asarray(np.tanh(self.gamma * g + self.coef0))

    def deviation(self, g: Array) -> Array:
        r"""Return :math:`\tanh(u + b) - \tanh b = \tanh u\, (1 - \tanh b \tanh(u + b))`."""
        u = self.gamma * g
        return np.asarray(np.tanh(u) * (1.0 - np.tanh(self.coef0) * np.tanh(u + self.coef0)))

    def slope(self, g: Array) -> Array:
        r"""Return :math:`a\, (1 - \tanh^2(a g + b))`."""
        return np.asarray(self.gamma * (1.0 - self.profile(g) ** 2))
