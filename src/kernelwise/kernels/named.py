"""Grids of candidates by the names that scikit-learn has for kernels, made from the data."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._registry import unknown
from kernelwise._threads import limited
from kernelwise.kernels.base import NO_WIDTH, Kernel
from kernelwise.kernels.gaussian import widths_for
from kernelwise.kernels.geometry import Rows, sample_rows, squared_distances
from kernelwise.kernels.laplacian import scales_for
from kernelwise.kernels.linear import Linear
from kernelwise.kernels.matern import Matern
from kernelwise.kernels.polynomial import Polynomial
from kernelwise.kernels.sigmoid import Sigmoid

_DEGREES = range(1, 6)
_STEPS = 2.0 ** np.arange(-2.0, 6.0)  # scales, in units of the typical distance
_SLOPES = 2.0 ** np.arange(-4.0, 2.0)  # of tanh, in units of scikit-learn's gamma="scale"


def _matern(rows: Rows, random_state: Any) -> list[Kernel]:
    """Return smoothness 3/2, with scales around the median distance of rows that differ."""
    rows = sample_rows(rows, random_state)
    with limited(rows=rows.shape[0]):
        distances = squared_distances(rows)
    apart = distances[distances > 0.0]
    if apart.size == 0:
        raise ValueError(NO_WIDTH)
    return [Matern(scale, 1.5) for scale in (np.median(np.sqrt(apart)) * _STEPS).tolist()]


def _gamma(rows: Rows) -> float:
    """Return scikit-learn's gamma="scale": 1 / (features times variance of all entries)."""
    mean = float(rows.mean())
    variance = float(rows.multiply(rows).mean()) if sp.issparse(rows) else float((rows**2).mean())
    variance -= mean**2
    return 1.0 / (rows.shape[1] * variance) if variance > 0.0 else 1.0


def _polynomial(rows: Rows, random_state: Any) -> list[Kernel]:
    return [Polynomial(degree, 1.0, _gamma(rows)) for degree in _DEGREES]


def _sigmoid(rows: Rows, random_state: Any) -> list[Kernel]:
    return [Sigmoid(slope, 0.0) for slope in (_gamma(rows) * _SLOPES).tolist()]


_GRIDS: Mapping[str, Callable[[Rows, Any], list[Kernel]]] = MappingProxyType(
    {
        "rbf": lambda rows, seed: [*widths_for(rows, seed)],
        "laplacian": lambda rows, seed: [*scales_for(rows, seed)],
        "matern": _matern,
        "poly": _polynomial,
        "linear": lambda rows, seed: [Linear()],
        "sigmoid": _sigmoid,
    }
)
NAMES = tuple(_GRIDS)
_ALSO = MappingProxyType({"auto": "rbf", "gaussian": "rbf", "polynomial": "poly"})


def canonical(name: str) -> str:
    """Return the name of a family, also for its other names; refuse what is none."""
    name = _ALSO.get(name, name)
    if name not in _GRIDS:
        raise ValueError(unknown("kernel", name, NAMES))
    return name


def grid_of(name: str, rows: Rows, random_state: Any = None) -> list[Kernel]:
    """Return the candidates of a family for validated rows.

    Parameters
    ----------
    name : {"rbf", "laplacian", "matern", "poly", "linear", "sigmoid"}
        "rbf" is :func:`grids.auto`, "laplacian" :func:`grids.laplacian_for`; "matern" has
        smoothness 3/2 and eight scales around the median distance; "poly" the degrees 1 to 5 with
        scikit-learn's ``gamma="scale"``; "sigmoid" six slopes around that.
    rows : array or CSR matrix of shape (n, d)
    random_state : int, RandomState or None, default=None
        Draws the rows that distances are taken from where there are more than 1,000.
    """
    return _GRIDS[canonical(name)](rows, random_state)
