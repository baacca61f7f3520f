"""The linear kernel."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwise.kernels.base import PairKernel
from kernelwise.kernels.geometry import Array


@dataclass(frozen=True)
class Linear(PairKernel):
    r"""The linear kernel, :math:`k(x, z) = x \cdot z`."""

    geometry: ClassVar[str] = "dot"

    def profile(self, g: Array) -> Array:
        """Return a copy of the dot products."""
        return g.copy()
