"""The numbers that the theorems bound, as far as one sample shows them."""

from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.bounds.base import finite, guarded
from kernelwise.bounds.eigenratio import er_decay
from kernelwise.bounds.feature_space import fsm_hyperplane_error
from kernelwise.bounds.sample import Learner, Sample
from kernelwise.bounds.stability import ks_empirical_stability
from kernelwise.bounds.support_vectors import svm_coefficients
from kernelwise.bounds.theorem import Quantity, statements
from kernelwise.criteria import Undefined
from kernelwise.machines.base import misclassified
from kernelwise.machines.svm import hinge

MOST_TRAININGS = 500  # rows up to which a support vector machine is trained without each
_FOLDS = 10  # beyond
_CLEAR = 1e-3  # how far beyond its margin a point surely is no support vector
_LARGEST = "largest on the sample"


class Observed(NamedTuple):
    """A number that a theorem bounds, as far as the sample shows it."""

    value: float
    method: str  # how it was found


_Part = dict[Quantity, Observed]  # of one machine, by the quantity that is bounded


def observe(
    K: Any, y: Any, *, ridge: float = 1.0, t: int = 4, task: str = "auto"
) -> dict[str, Observed]:
    """Return the numbers that the theorems bound, by the names of the bounds' functions.

    Expected losses and error rates are those of leaving one row out; for the support vector
    machine, beyond 500 rows, those of ten folds. No machine has a bias, as in the proofs.
    Stabilities are the largest changes on the sample, which a theorem that holds for every point
    must exceed. What one sample does not show, as the variance of a cross-validation error, and
    what is undefined, is left out. Takes what :func:`kernelwise.bounds.all_bounds` does.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds.observed import observe
    >>> x = np.array([0.0, 1.0, 2.0, 2.5, 4.0, 5.0])
    >>> observe(np.outer(x, x), [0, 0, 1, 0, 1, 1])["fsm_training_error"].value
    0.3333333333333333
    """
    sample = Sample.of(K, y, ridge, task=task)

    @cache
    def seen(learner: Learner) -> _Part:
        with suppress(Undefined):  # a machine that does not exist, or whose numbers overflow
            return _PARTS[learner](sample, t)
        return {}

    with limited(rows=sample.n):
        return {
            name: seen(theorem.learner)[theorem.quantity]
            for name, (theorem, _) in statements().items()
            if theorem.takes(sample.targets) and theorem.quantity in seen(theorem.learner)
        }


def _of_spectrum(sample: Sample, t: int) -> _Part:
    return {Quantity.RATIO: Observed(er_decay(sample, t=t).terms["ratio"], "spectrum")}


def _of_hyperplane(sample: Sample, t: int) -> _Part:
    error = fsm_hyperplane_error(sample, sample.y)
    return {Quantity.TRAINING_ERROR: Observed(error, "training rows")}


@guarded
def _of_least_squares(sample: Sample, t: int) -> _Part:
    """Return the losses without each row, and what leaving one out changes."""
    fit = sample.ridge_fit
    loss = finite(float(np.mean(fit.loo_residuals[:, 0] ** 2)))
    change = finite(float(np.abs(sample.residuals_without_each - sample.residuals[:, None]).max()))
    stability = ks_empirical_stability(sample, sample.y)
    found = {
        Quantity.LOSS: Observed(loss, "leave-one-out"),
        Quantity.CHANGE: Observed(change, _LARGEST),
        Quantity.STABILITY: Observed(stability, _LARGEST),
    }
    if sample.targets.classes is not None:
        error = _error_rate(sample, fit.loo_values[:, 0])
        found[Quantity.ERROR_RATE] = Observed(error, "leave-one-out")
    return found


def _error_rate(sample: Sample, scores: Array) -> float:
    """Return the share of rows that a machine gets wrong; a score of zero names the first class.

    The theorems do not count a score of zero as an error, people do.
    """
    return float(np.mean(misclassified(sample.targets.y, scores[:, None])))


@guarded
def _of_support_vectors(sample: Sample, t: int) -> _Part:
    """Return the losses on rows left out, and the largest change that leaving one out makes."""
    y, each = sample.y, sample.n <= MOST_TRAININGS
    scores = sample.fitted(Learner.SVM).scores
    if each:  # a row beyond its margin changes nothing when it goes
        folds = [np.array([i]) for i in np.flatnonzero(y * scores <= 1.0 + _CLEAR)]
    else:
        folds = np.array_split(np.random.default_rng(0).permutation(sample.n), _FOLDS)
    outside, change = scores.copy(), 0.0
    before = np.maximum(1.0 - y * scores, 0.0)
    for fold in folds:
        rows = np.setdiff1d(np.arange(sample.n), fold)
        alpha = svm_coefficients(sample.K[np.ix_(rows, rows)], y[rows], sample.ridge)
        without = sample.K[:, rows] @ alpha
        outside[fold] = without[fold]
        change = max(change, float(np.abs(np.maximum(1.0 - y * without, 0.0) - before).max()))
    method = "leave-one-out" if each else f"{_FOLDS}-fold"
    found = {
        Quantity.LOSS: Observed(hinge(y, outside), method),
        Quantity.ERROR_RATE: Observed(_error_rate(sample, outside), method),
    }
    return found | ({Quantity.STABILITY: Observed(change, _LARGEST)} if each else {})


_PARTS = {
    Learner.NONE: _of_spectrum,
    Learner.HYPERPLANE: _of_hyperplane,
    Learner.KRR: _of_least_squares,
    Learner.LSSVM: _of_least_squares,
    Learner.SVM: _of_support_vectors,
}
