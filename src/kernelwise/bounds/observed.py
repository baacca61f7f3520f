"""What was really observed: the numbers that the theorems bound, as far as one sample has them."""

from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.bounds.base import finite, theorem
from kernelwise.bounds.decay import er_decay
from kernelwise.bounds.feature_space import fsm_hyperplane_error
from kernelwise.bounds.problem import Problem
from kernelwise.bounds.stability import ks_empirical_stability, residuals_without
from kernelwise.bounds.support_vectors import svm_coefficients
from kernelwise.criteria import Undefined
from kernelwise.gram import Targets
from kernelwise.machines.losses import misclassified
from kernelwise.machines.svm import hinge

MOST_TRAININGS = 500  # rows up to which a support vector machine is trained without each
_FOLDS = 10  # beyond
_CLEAR = 1e-3  # how far beyond its margin a point surely is no support vector


class Observed(NamedTuple):
    """A number that a theorem bounds, as far as the sample has it.

    Attributes
    ----------
    value : float
    method : str
        How it was found.
    """

    value: float
    method: str


def observe(
    K: Any, y: Any, *, ridge: float = 1.0, t: int = 4, task: str = "auto"
) -> dict[str, Observed]:
    r"""Return the numbers that the theorems bound, as far as one sample has them.

    Expected losses and error rates are those of leaving one row out; of the support vector machine,
    beyond 500 rows, those of ten folds. No machine has a bias, as in the proofs. Stabilities are
    the largest changes on the sample, which a theorem that holds for every point must exceed. The
    variance of a cross-validation error is nothing that one sample has.

    Parameters
    ----------
    K, y, ridge, t, task
        As for :func:`kernelwise.bounds.all_bounds`.

    Returns
    -------
    observed : dict of str to Observed
        By the name of the bound's function; without those that one sample does not have, or that
        are undefined.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds.observed import observe
    >>> x = np.array([0.0, 1.0, 2.0, 2.5, 4.0, 5.0])
    >>> observe(np.outer(x, x), [0, 0, 1, 0, 1, 1])["fsm_training_error"].value
    0.3333333333333333
    """
    problem = Problem(K, Targets.of(y, task), ridge)
    with limited(rows=problem.n):
        return _observed(problem, t)


def _observed(problem: Problem, t: int) -> dict[str, Observed]:
    """Return what there is; nothing of a machine that does not exist, or whose numbers overflow."""
    parts = [partial(_ratio, problem, t), partial(_of_least_squares, problem)]
    if problem.targets.classes is not None:
        parts += [partial(_of_support_vectors, problem), partial(_of_hyperplane, problem)]
    found: dict[str, Observed] = {}
    for part in parts:
        with suppress(Undefined):
            found |= part()
    return dict(sorted(found.items()))


def _ratio(problem: Problem, t: int) -> dict[str, Observed]:
    ratio = er_decay(problem.K, t=t).terms["ratio"]
    return {"er_decay": Observed(ratio, "spectrum")}


def _of_hyperplane(problem: Problem) -> dict[str, Observed]:
    error = fsm_hyperplane_error(problem.K, problem.targets)
    return {"fsm_training_error": Observed(error, "training rows")}


@theorem
def _of_least_squares(problem: Problem) -> dict[str, Observed]:
    """Return the losses without each row, and what leaving one out changes."""
    method, sample = "leave-one-out", "largest on the sample"
    fit = problem.evidence.fit(problem.ridge)
    loss = Observed(finite(float(np.mean(fit.loo_residuals[:, 0] ** 2))), method)
    found = {name: loss for name in ("er_krr", "ks_krr", "sps_krr")}
    found["ks_krr_prediction"] = Observed(_largest_move(problem), sample)
    stability = ks_empirical_stability(problem.K, problem.targets, ridge=problem.ridge)
    found["ks_krr_stability"] = Observed(stability, sample)
    if problem.targets.classes is not None:
        error = _error_rate(problem, fit.loo_values[:, 0])
        found |= {"er_lssvm": loss, "sm_lssvm": Observed(error, method)}
    return found


def _error_rate(problem: Problem, scores: Array) -> float:
    """Return the share of rows that a machine gets wrong; a score of zero names the first class.

    The theorems do not count a score of zero as an error, people do.
    """
    return float(np.mean(misclassified(problem.targets.y, scores[:, None])))


def _largest_move(problem: Problem) -> float:
    """Return the largest change of a score on the sample when one row, and its ridge, go."""
    trained = (problem.y - problem.least_squares.scores)[:, None]
    without = residuals_without(problem, (problem.n - 1) / problem.n)
    return finite(float(np.abs(without - trained).max()))


@theorem
def _of_support_vectors(problem: Problem) -> dict[str, Observed]:
    """Return the losses on rows left out, and the largest change that leaving one out makes."""
    y, each = problem.y, problem.n <= MOST_TRAININGS
    scores = problem.svm.scores
    if each:  # a row beyond its margin changes nothing when it goes
        folds = [np.array([i]) for i in np.flatnonzero(y * scores <= 1.0 + _CLEAR)]
    else:
        folds = np.array_split(np.random.default_rng(0).permutation(problem.n), _FOLDS)
    outside, change = scores.copy(), 0.0
    before = np.maximum(1.0 - y * scores, 0.0)
    for fold in folds:
        rows = np.setdiff1d(np.arange(problem.n), fold)
        without = _svm_scores(problem, rows)
        outside[fold] = without[fold]
        change = max(change, float(np.abs(np.maximum(1.0 - y * without, 0.0) - before).max()))
    method = "leave-one-out" if each else f"{_FOLDS}-fold"
    loss = Observed(hinge(y, outside), method)
    found = {name: loss for name in ("er_svm", "ks_svm", "sps_svm")}
    found["sm_svm"] = Observed(_error_rate(problem, outside), method)
    if each:
        found["ks_svm_stability"] = Observed(change, "largest on the sample")
    return found


def _svm_scores(problem: Problem, rows: Array) -> Array:
    """Return the scores on all rows of the support vector machine of some."""
    part = problem.K[np.ix_(rows, rows)]
    alpha = svm_coefficients(part, problem.y[rows], problem.ridge)
    return np.asarray(problem.K[:, rows] @ alpha)
