"""The linear kernel."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelwise._types import Array
from kernelwise.kernels.base import PairKernel


@dataclass(frozen=True)
class Linear(PairKernel):
    r"""The linear kernel, :math:`k(x, z) = x \cdot z`."""

    geometry: ClassVar[str] = "dot"

    def to_sklearn(self) -> dict[str, Any]:
        """Return "linear"."""
        return {"kernel": "linear"}

    def features(self, rows: Array) -> Array:
        """Return the rows."""
        return rows

    def profile(self, g: Array) -> Array:
        """Return a copy of the dot products."""
        return g.copy()

    def slope(self, g: Array) -> Array:
        """Return ones."""
        return np.ones_like(g)
