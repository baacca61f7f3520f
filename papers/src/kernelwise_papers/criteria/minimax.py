"""The minimax probability machine, which section 3.4 of Nguyen and Ho 2007 compares FSM with."""

from numbers import Real
from typing import Any

import numpy as np

from kernelwise._sklearn import Interval, check_parameters
from kernelwise._types import Array
from kernelwise.bounds.base import guarded
from kernelwise.bounds.sample import Sample
from kernelwise.criteria import FSM, Undefined

_STEPS = 10_000
_CONVERGED = 1e-13  # relative change of the objective in a step
_ROUNDING = 1e-12  # share of the largest variance that is none
_SMALLEST = 1e-300


@guarded
def minimax_error(K: Any, y: Any, *, regularisation: float = 0.0) -> float:
    r"""Return the error that the minimax probability machine guarantees for any distribution.

    .. math:: \frac{m^2}{1 + m^2}, \quad
        m = \min_{\langle a, \phi_+ - \phi_- \rangle = 1}
        \sqrt{\langle a, \Sigma_+ a \rangle} + \sqrt{\langle a, \Sigma_- a \rangle}

    over all directions a in feature space, with the covariance of either class (divided by
    :math:`n_\pm - 1`, as the variances of FSM). FSM is the same sum for the direction between the
    class means, so that this is at most the value of
    :func:`~kernelwise.bounds.fsm_training_error`; they are equal where that direction is an
    eigenvector of both covariances. A kernel of full rank has directions without any variance, and
    then the value is zero.

    Parameters
    ----------
    K : array of shape (n, n)
        A positive semidefinite kernel matrix.
    y : array of shape (n,)
        Two classes of two rows or more, whose means differ.
    regularisation : float, default=0.0
        Added to the variance of either class in every direction.

    Returns
    -------
    error : float

    References
    ----------
    G. R. G. Lanckriet, L. El Ghaoui, C. Bhattacharyya and M. I. Jordan, A robust minimax approach
    to classification, JMLR 3 (2002).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise_papers.criteria import minimax_error
    >>> x = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.0])
    >>> round(minimax_error(np.outer(x, x), [0, 0, 0, 1, 1, 1]), 12)  # deviations 1, distance 3
    0.307692307692
    """
    allowed = {"regularisation": [Interval(Real, 0.0, None, closed="left")]}
    check_parameters("minimax_error", allowed, regularisation=regularisation)
    sample = Sample.of(K, y, 1.0)
    if sample.targets.classes is None:
        raise ValueError("the minimax probability machine is for two classes, y is a real target.")
    if not np.isfinite(FSM().value(sample.evidence, 1.0)):
        raise Undefined("the class means coincide, so no direction separates them")
    m = _smallest_spread(*_moments(sample), regularisation)
    return m**2 / (1.0 + m**2)


def _moments(sample: Sample) -> tuple[Array, list[Array]]:
    """Return the difference of the class means and the covariances, in feature space."""
    s, Q = sample.spectrum.values, sample.spectrum.vectors
    if s[0] < 0.0:
        raise Undefined("the kernel matrix has negative eigenvalues")
    features = Q * np.sqrt(s)
    classes = [features[sample.y > 0.0], features[sample.y < 0.0]]
    difference = classes[0].mean(axis=0) - classes[1].mean(axis=0)
    return difference, [np.atleast_2d(np.cov(each, rowvar=False)) for each in classes]


def _smallest_spread(difference: Array, covariances: list[Array], added: float) -> float:
    """Return the minimum, by least squares with weights that follow the two deviations.

    Each step minimises sum_c (a' S_c a / sigma_c + sigma_c), which lies above twice the objective
    and touches it: the objective never rises.
    """
    covariances = [S + added * np.eye(len(S)) for S in covariances]
    variances, axes = np.linalg.eigh(covariances[0] + covariances[1])
    kept = variances > _ROUNDING * max(float(variances[-1]), _SMALLEST)
    inside = axes[:, kept].T @ difference
    outside = difference - axes[:, kept] @ inside
    if np.linalg.norm(outside) > np.sqrt(_ROUNDING) * np.linalg.norm(difference):
        return 0.0  # a direction without variance separates the means
    parts = [axes[:, kept].T @ S @ axes[:, kept] for S in covariances]
    deviations, best = _along(inside, parts), np.inf
    for _ in range(_STEPS):
        M = sum(S / deviation for S, deviation in zip(parts, deviations, strict=True))
        deviations = _along(np.linalg.lstsq(M, inside, rcond=None)[0], parts, inside)
        before, best = best, min(best, sum(deviations))
        if before < np.inf and before - best <= _CONVERGED * before:
            break
    return float(best)


def _along(a: Array, covariances: list[Array], difference: Array | None = None) -> list[float]:
    """Return the deviation of every class along a direction in which the means are one apart."""
    unit = float(a @ (a if difference is None else difference))
    return [np.sqrt(max(float(a @ S @ a), _SMALLEST)) / unit for S in covariances]
