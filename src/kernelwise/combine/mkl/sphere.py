r"""Minima over weights that are not negative, with :math:`|\mu|_p = 1`.

:math:`\mu = z / |z|_p` for :math:`z \ge 0` has the norm exactly, and reaches weights of zero. A
gradient g with respect to the weights is

.. math:: \frac{g - (g' \mu)\, \mu^{p - 1}}{|z|_p}

with respect to z. The norm of z is free; :math:`(|z|_p - 1)^2` is added, which is zero at the
solution.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from kernelwise._types import Array

_MOST_STEPS = 100
_LEAST = 1e-6  # norm of z, where a step leads to zero
_MIXED = 0.05  # of every other kernel in a start near one


def on_sphere(z: Array, p: float) -> tuple[Array, float]:
    """Return the weights that z stands for, and the norm of z, which is not zero."""
    largest = max(float(z.max()), _LEAST)
    z = np.maximum(z, _LEAST) if largest == _LEAST else z
    norm = largest * float(np.sum((z / largest) ** p)) ** (1.0 / p)  # no power overflows
    return z / norm, norm


def minimise(objective: Callable[[Array], tuple[float, Array]], usable: Array, p: float) -> Array:
    """Return weights of norm one at which an objective, a value with its gradient, is least.

    Objectives have several minima: the search begins at equal weights of the kernels that are
    usable, and again near the best one of them alone.
    """
    places = np.flatnonzero(usable)

    def placed(mu: Array) -> Array:
        full = np.zeros(usable.size)
        full[places] = mu
        return full

    def of_directions(z: Array) -> tuple[float, Array]:
        mu, norm = on_sphere(z, p)
        value, gradient = objective(placed(mu))
        g, outwards = gradient[places], mu ** (p - 1.0)
        around = (g - float(g @ mu) * outwards) / norm
        return value + (norm - 1.0) ** 2, around + 2.0 * (norm - 1.0) * outwards

    units, equal = np.eye(places.size), np.full(places.size, places.size ** (-1.0 / p))
    alone = min(units, key=lambda unit: of_directions(unit)[0])
    found = [
        _search(of_directions, start) for start in (equal, on_sphere(alone + _MIXED * equal, p)[0])
    ]
    found.append((of_directions(alone)[0], alone))
    _, z = min(found, key=lambda each: each[0])
    return placed(on_sphere(z, p)[0])


def _search(objective: Callable[[Array], tuple[float, Array]], start: Array) -> tuple[float, Array]:
    """Return the least value found from a start, and where it is."""
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * start.size,
        options={"maxiter": _MOST_STEPS, "ftol": 1e-12, "gtol": 1e-8},
    )
    return float(found.fun), np.asarray(found.x)
