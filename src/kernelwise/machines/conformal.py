r"""How sure a prediction is: conformal intervals and sets from exact leave-one-out values.

With the leave-one-out residuals :math:`e_i = y_i - f_{-i}(x_i)` of n training rows and the rank
:math:`r = \lceil (n + 1)\, \mathrm{level} \rceil`, the *jackknife* interval at x is

.. math:: f(x) \pm |e|_{(r)},

the r-th smallest of the :math:`|e_i|`. It covers about `level` of the targets of new rows like the
training rows, as long as no single row matters much to the machine.

For classes, the residual of a row is its *margin*, by how much the best other class leads its own.
A set holds the classes whose margin at x is among the r smallest.

If r > n there are too few rows: intervals are infinite and sets hold every class.

References
----------
R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, Predictive inference with the
jackknife+, Annals of Statistics 49 (2021), section 1, for the jackknife.
Y. Romano, M. Sesia and E. J. Candès, Classification with valid and adaptive coverage, NeurIPS 2020.
"""

import math
from fractions import Fraction
from numbers import Real

import numpy as np

from kernelwise._sklearn import Interval, check_parameters
from kernelwise._types import Array


def check_level(level: float) -> float:
    """Return a level as a float; refuse what does not lie between 0 and 1."""
    allowed = [Interval(Real, 0.0, 1.0, closed="neither")]
    check_parameters("a prediction", {"level": allowed}, level=level)
    return float(level)


def rank(level: float, n: int) -> int:
    """Return ceil((n + 1) level), with the level as it is written: 0.07 of 100 is 7, not 8."""
    return math.ceil((n + 1) * Fraction(str(level)))


def fewest_rows(level: float) -> int:
    """Return the smallest n with rank(level, n) <= n."""
    share = Fraction(str(level))
    return math.ceil(share / (1 - share))


def jackknife(values: Array, residuals: Array, level: float) -> Array:
    """Return f(x) minus and plus the ranked residual.

    Parameters
    ----------
    values : array of shape (m, c)
        f(x), one column per target.
    residuals : array of shape (n, c)
        e, of leave-one-out.
    level : float

    Returns
    -------
    bounds : array of shape (2, m, c)
    """
    radius = _ranked(np.abs(residuals.T), level)
    return np.stack([values - radius, values + radius])


def margins(scores: Array) -> Array:
    """Return by how much the best other class leads each class; negative for the predicted one.

    Scores of shape (..., c), or (..., 1) of two classes, the second against the first.
    """
    if scores.shape[-1] == 1:
        return np.concatenate([scores, -scores], axis=-1)
    second, first = np.moveaxis(np.partition(scores, [-2, -1], axis=-1)[..., -2:, None], -2, 0)
    return np.asarray(np.where(scores == first, second, first) - scores)


def jackknife_set(values: Array, own: Array, level: float) -> Array:
    """Return which classes are in the set of each row.

    Parameters
    ----------
    values : array of shape (m, c), or (m, 1) for two classes
        f(x).
    own : array of shape (n,)
        The margins of the training rows at their own classes, leave-one-out.
    level : float

    Returns
    -------
    members : boolean array of shape (m, c)
        A tie with the ranked margin is in the set.
    """
    return np.asarray(margins(values) <= _ranked(own, level))


def _ranked(scores: Array, level: float) -> Array:
    """Return the r-th smallest along the last axis, infinity where there are fewer."""
    n = scores.shape[-1]
    r = rank(level, n)
    if r > n:
        return np.full(scores.shape[:-1], np.inf)
    return np.asarray(np.partition(scores, r - 1, axis=-1)[..., r - 1])
