r"""How sure a prediction is: conformal intervals and sets from exact leave-one-out values.

With the leave-one-out residuals :math:`e_i = y_i - f_{-i}(x_i)` of n training rows and the rank
:math:`r = \lceil (n + 1)\, \mathrm{level} \rceil`, the *jackknife* interval at x is

.. math:: f(x) \pm |e|_{(r)},

the r-th smallest of the :math:`|e_i|`. The *jackknife+* puts every residual around the machine that
never saw its row: from the r-th largest of :math:`f_{-i}(x) - |e_i|` to the r-th smallest of
:math:`f_{-i}(x) + |e_i|`. It covers the target of a new row with probability at least
2 level - 1 whatever the distribution and the machine, if the rows are exchangeable, and about
`level` in practice. The jackknife has no such guarantee; it is the same where no single row
matters.

Least squares need no refit for either. The values of a machine are linear in its targets,
:math:`f(x) = \sum_i w_i(x)\, y_i`, and leaving row i out is the same as replacing its target by its
leave-one-out value, so that

.. math:: f_{-i}(x) = f(x) - w_i(x)\, e_i .

For classes, the residual of a row is its *margin*, by how much the best other class leads its own.
A set holds the classes whose margin at x is among the r smallest.

If r > n there are too few rows: intervals are infinite and sets hold every class.

References
----------
R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, Predictive inference with the
jackknife+, Annals of Statistics 49 (2021).
Y. Romano, M. Sesia and E. J. Candès, Classification with valid and adaptive coverage, NeurIPS 2020.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from kernelwise._arguments import as_real, shown
from kernelwise._types import Array
from kernelwise.gram import Inverse


def check_level(level: Any) -> float:
    """Return a level as a float, or say that it must lie between 0 and 1."""
    value = as_real(level)
    if value is not None and 0.0 < value < 1.0:
        return value
    raise ValueError(
        f"level must be a number between 0 and 1, both excluded, such as 0.9, got {shown(level)}."
    )


def rank(level: float, n: int) -> int:
    """Return ceil((n + 1) level), with the level as it is written: 0.07 of 100 is 7, not 8."""
    return math.ceil((n + 1) * Fraction(str(level)))


def fewest_rows(level: float) -> int:
    """Return the smallest n with rank(level, n) <= n."""
    share = Fraction(str(level))
    return math.ceil(share / (1 - share))


def target_weights(
    inverse: Inverse, cross: Array, sample_weight: Array, *, fit_intercept: bool
) -> Array:
    r"""Return the weights w(x) of the training targets in f(x), of shape (m, n).

    .. math:: w(x) = M^{-1} k(x) + \frac{1 - h^\top k(x)}{1^\top h}\, h, \qquad h = M^{-1} 1,

    with :math:`M = K + \lambda W^{-1}`; the second term is due to the bias.

    Parameters
    ----------
    inverse : Inverse
        Of :math:`W^{1/2} K W^{1/2} + \lambda I`.
    cross : array of shape (m, n)
        k(x), between new and training rows.
    sample_weight : array of shape (n,)
        W, positive.
    fit_intercept : bool
        Whether the machine has a bias.
    """
    root = np.sqrt(sample_weight)[:, None]
    weights = (root * inverse.solve(root * cross.T)).T
    if fit_intercept:
        h = (root * inverse.solve(root))[:, 0]
        weights = weights + np.outer((1.0 - cross @ h) / h.sum(), h)
    return np.asarray(weights)


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


def jackknife_plus(values: Array, residuals: Array, level: float, weights: Array) -> Array:
    """Return the ranked bounds of the machines that each lack one row.

    Parameters and result are those of :func:`jackknife`, and ``weights`` of shape (m, n) from
    :func:`target_weights`: where they vanish, so does the difference.
    """
    bounds = np.empty((2, *values.shape))
    for c, e in enumerate(residuals.T):
        without = values[:, c, None] - weights * e
        bounds[0, :, c] = -_ranked(np.abs(e) - without, level)
        bounds[1, :, c] = _ranked(np.abs(e) + without, level)
    # Below a level of one half they may cross: the interval is what lies between, never empty.
    return np.sort(bounds, axis=0)


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


def jackknife_plus_set(
    values: Array, own: Array, level: float, weights: Array, residuals: Array
) -> Array:
    """Return which classes are in the set of each row, by the machines that each lack one row.

    A class is in it if its margin exceeds that of fewer than `rank` training rows, each compared
    under the machine without that row. ``weights`` (m, n) and ``residuals`` (n, c) as of
    :func:`jackknife_plus`, the others as of :func:`jackknife_set`.
    """
    without = values[:, None, :] - weights[:, :, None] * residuals
    exceeded = np.count_nonzero(margins(without) > own[:, None], axis=1)
    return np.asarray(exceeded < rank(level, own.size))


def _ranked(scores: Array, level: float) -> Array:
    """Return the r-th smallest along the last axis, infinity where there are fewer."""
    n = scores.shape[-1]
    r = rank(level, n)
    if r > n:
        return np.full(scores.shape[:-1], np.inf)
    return np.asarray(np.partition(scores, r - 1, axis=-1)[..., r - 1])
