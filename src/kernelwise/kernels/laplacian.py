"""The Laplacian kernel, and the scales that suit data."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.kernels.base import NO_WIDTH, PairKernel, set_positive
from kernelwise.kernels.geometry import city_block_distances, sample_rows

_DIFFERENCES = 10**8  # of features, which take a tenth of a second
_EXPONENTS = np.arange(-2.0, 6.0)  # of the scales, in powers of two of the typical distance


@dataclass(frozen=True)
class Laplacian(PairKernel):
    r"""The Laplacian kernel, on city-block distances.

    .. math:: k(x, z) = \exp\left(-\frac{|x - z|_1}{s}\right)

    This is scikit-learn's ``laplacian_kernel`` with ``gamma = 1 / scale``. On Euclidean distances
    the same profile is ``Matern(scale, nu=0.5)``; the two coincide for a single feature.

    Parameters
    ----------
    scale : float, default=1.0
        The width s.
    """

    scale: float = 1.0
    geometry: ClassVar[str] = "l1"

    def __post_init__(self) -> None:
        set_positive(self, "scale")

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """``1 / scale``."""
        return (1.0 / self.scale,)

    def to_sklearn(self) -> dict[str, Any]:
        """Return "laplacian" with ``gamma = 1 / scale``; support vector machines lack the name."""
        return {"kernel": "laplacian", "gamma": 1.0 / self.scale}

    def profile(self, g: Array) -> Array:
        r"""Return :math:`\exp(-g / s)`."""
        return np.asarray(np.exp(g / -self.scale))

    def deviation(self, g: Array) -> Array:
        r"""Return :math:`\exp(-g / s) - 1`."""
        return np.asarray(np.expm1(g / -self.scale))

    def slope(self, g: Array) -> Array:
        r"""Return :math:`-\exp(-g / s) / s`."""
        return self.profile(g) / -self.scale


def scales_for(rows: Any, random_state: Any = None) -> list[Laplacian]:
    """Return the kernels of :func:`grids.laplacian_for` for validated rows."""
    rows = sample_rows(rows, random_state)
    n, d = rows.shape
    some = np.unique(np.linspace(0, n - 1, min(n, max(1, _DIFFERENCES // (n * d)))).astype(int))
    with limited(rows=n):
        distances = city_block_distances(rows[some], rows)
    apart = distances[distances > 0.0]
    if apart.size == 0:
        raise ValueError(NO_WIDTH)
    return list(map(Laplacian, (np.median(apart) * 2.0**_EXPONENTS).tolist()))
