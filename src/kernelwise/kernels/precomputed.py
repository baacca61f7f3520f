"""The user's own kernel matrix."""

from dataclasses import dataclass
from typing import Any, ClassVar

from kernelwise._types import Array
from kernelwise.kernels.base import PairKernel


@dataclass(frozen=True)
class Precomputed(PairKernel):
    """Stands for a kernel matrix that is given in place of X.

    For fitting, X is the square matrix on the training rows; for predicting, the matrix between the
    new rows and the training rows, one column per training row.
    """

    geometry: ClassVar[str] = "matrix"
    psd: ClassVar[bool | None] = None
    takes_matrix: ClassVar[bool] = True

    def to_sklearn(self) -> dict[str, Any]:
        """Return "precomputed"."""
        return {"kernel": "precomputed"}

    def profile(self, g: Array) -> Array:
        """Return a copy of the matrix."""
        return g.copy()
