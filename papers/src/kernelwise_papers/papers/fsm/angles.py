"""Two Gaussian classes at an angle, of Figure 2 of the FSM paper: how they are drawn, their limits.

References
----------
C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, Section 4.1.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from kernelwise._types import Array
from kernelwise.gram import Targets
from kernelwise_papers.papers.fsm.measures import ALIGNMENT, BOUND, ERROR

ANGLES = (30, 60, 90, 120, 150, 180)
POINTS = 500  # of each class


class Reading(NamedTuple):
    """What the paper's "var = half the distance of the centres" may mean.

    Attributes
    ----------
    name : str
    text : str
        What it means.
    deviation : callable
        Returns the standard deviation in every direction from the distance of the centres.
    """

    name: str
    text: str
    deviation: Callable[[float], float]


READINGS = (
    Reading(
        "deviation",
        "half the distance is the standard deviation in every direction. This is what `var` is in "
        "the paper's equation 10, and the sets are images of each other, as the paper says",
        lambda distance: distance / 2.0,
    ),
    Reading(
        "total",
        "half the distance is the root of the summed variance of both directions; the sets are "
        "images of each other as well. Tried for the sake of the printed numbers",
        lambda distance: distance / math.sqrt(8.0),
    ),
    Reading(
        "variance",
        "half the distance is the variance, as the word says; the sets are then no images of each "
        "other",
        lambda distance: math.sqrt(distance / 2.0),
    ),
)


def centres(angle: float) -> Array:
    """Return the centres of the two classes as rows: on the unit circle, so many degrees apart."""
    beta = math.radians(angle)
    return np.array([[1.0, 0.0], [math.cos(beta), math.sin(beta)]])


def synthetic(angle: float, reading: Reading, points: int, seed: int) -> tuple[Array, Targets]:
    """Return two Gaussian classes of so many points each."""
    middles = centres(angle)
    deviation = reading.deviation(float(np.linalg.norm(middles[0] - middles[1])))
    noise = np.random.default_rng(seed).normal(0.0, deviation, (2 * points, 2))
    codes = np.repeat([0, 1], points)
    return middles[codes] + noise, Targets.of(codes, "classification")


def limits(angle: float, reading: Reading) -> dict[str, float]:
    """Return what the three quantities come to with ever more points.

    The error is that of the line halfway. Of the second moments of the points the eigenvalues are
    s^2 + cos^2(beta/2) and s^2 + sin^2(beta/2); sin(beta/2) is half the distance of the centres.
    """
    half = math.sin(math.radians(angle) / 2.0)
    variance = reading.deviation(2.0 * half) ** 2
    moments = math.hypot(variance + 1.0 - half**2, variance + half**2)
    fsm_square = variance / half**2
    return {
        ERROR: float(norm.sf(half / math.sqrt(variance))),
        ALIGNMENT: 1.0 - half**2 / moments,
        BOUND: fsm_square / (1.0 + fsm_square),
    }
