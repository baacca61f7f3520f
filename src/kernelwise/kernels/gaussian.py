"""The Gaussian (RBF) kernel, and the widths that suit data."""

import math
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np

from kernelwise._sklearn import POSITIVE, check_parameters
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.kernels.base import NO_WIDTH, PairKernel, set_positive
from kernelwise.kernels.geometry import sample_rows, squared_distances

_MOST_WIDTHS = 31  # as in the papers; near-duplicates would need any number


K = TypeVar("K", bound=PairKernel)


def _explain_gamma(cls: type[K]) -> type[K]:
    """Tell who gives scikit-learn's parameter where it is taken."""
    plain_init = cls.__init__

    @wraps(plain_init)
    def init(self: K, *args: Any, **kwargs: Any) -> None:
        if "gamma" in kwargs:
            raise TypeError(
                f"{cls.__name__} takes tau = 1 / (2 gamma): use {cls.__name__}.from_gamma(gamma)."
            )
        plain_init(self, *args, **kwargs)

    cls.__init__ = init  # type: ignore[method-assign, assignment]
    return cls


@_explain_gamma
@dataclass(frozen=True)
class Gaussian(PairKernel):
    r"""The Gaussian kernel.

    .. math:: k(x, z) = \exp\left(-\frac{|x - z|^2}{2 \tau}\right)

    Parameters
    ----------
    tau : float, default=1.0
        The squared width. scikit-learn's ``gamma`` is :math:`1 / (2 \tau)`.

    Examples
    --------
    >>> from kernelwise import Gaussian
    >>> Gaussian(tau=0.5)([[0.0], [1.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    >>> Gaussian.from_gamma(2.0)
    Gaussian(tau=0.25)
    """

    tau: float = 1.0
    geometry: ClassVar[str] = "sqdist"

    def __post_init__(self) -> None:
        set_positive(self, "tau")

    @classmethod
    def from_gamma(cls, gamma: float) -> "Gaussian":
        r"""Return the kernel :math:`\exp(-\gamma |x - z|^2)`, scikit-learn's and LIBSVM's form."""
        check_parameters("Gaussian.from_gamma", {"gamma": [POSITIVE]}, gamma=gamma)
        return cls(tau=0.5 / gamma)

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        r""":math:`1 / (2 \tau)`."""
        return (0.5 / self.tau,)

    def to_sklearn(self) -> dict[str, Any]:
        r"""Return "rbf" with :math:`\gamma = 1 / (2 \tau)`."""
        return {"kernel": "rbf", "gamma": 0.5 / self.tau}

    def profile(self, g: Array) -> Array:
        r"""Return :math:`\exp(-g / (2 \tau))`."""
        scaled = g * (-0.5 / self.tau)
        return np.asarray(np.exp(scaled, out=scaled))

    def deviation(self, g: Array) -> Array:
        r"""Return :math:`\exp(-g / (2 \tau)) - 1`."""
        scaled = g * (-0.5 / self.tau)
        return np.asarray(np.expm1(scaled, out=scaled))

    def slope(self, g: Array) -> Array:
        r"""Return :math:`-\exp(-g / (2 \tau)) / (2 \tau)`."""
        return (-0.5 / self.tau) * self.profile(g)


def widths_for(rows: Any, random_state: Any = None) -> list[Gaussian]:
    """Return the Gaussian kernels of :func:`grids.auto` for validated rows."""
    rows = sample_rows(rows, random_state)
    with limited(rows=rows.shape[0]):
        distances = squared_distances(rows)
    distances[distances == 0.0] = np.inf  # a row and its duplicates say nothing of widths
    nearest = distances.min(axis=1)
    nearest = nearest[np.isfinite(nearest)]
    if nearest.size == 0:
        raise ValueError(NO_WIDTH)
    typical = np.median(distances[np.isfinite(distances)])
    # tau = d/2 gives exp(-1) at squared distance d.
    lo = math.floor(math.log2(0.5 * np.median(nearest))) - 1
    hi = math.ceil(math.log2(0.5 * typical)) + 6
    return [Gaussian(2.0**i) for i in range(max(lo, hi - _MOST_WIDTHS + 1), hi + 1)]
