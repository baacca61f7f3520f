"""What a machine is to the criteria that judge by it, and what its scores are worth."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.stats import rankdata

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.gram import Gram, Need, Powers
from kernelwise.machines.calibration import Calibration
from kernelwise.machines.folds import Split
from kernelwise.targets import Targets


@dataclass(eq=False, repr=False)
class Machine(ABC):
    """A machine on one kernel matrix, at every ridge: how it trains, and what its losses are.

    It has a name, as in ``score_kernels(..., machine="svm")``. It trains on the rows of the gram,
    with a bias unless it may have none and `fit_intercept` is False. Methods raise
    :class:`~kernelwise.criteria.Undefined` where there is no such machine.
    """

    gram: Gram
    targets: Targets
    fit_intercept: bool = True

    name: ClassVar[str]
    own_loss: ClassVar[str]  # what it minimises, as losses are named
    # What training and folds take of a kernel matrix: its entries unless the machine says less.
    needs: ClassVar[Mapping[Need, frozenset[Need]]] = {}
    ridge_parameter: ClassVar[str]  # what estimators of the kind call the ridge

    @abstractmethod
    def training_loss(self, ridge: float) -> float:
        """Return the mean loss of its own on the training rows."""

    @abstractmethod
    def fold_loss(self, ridge: float, split: Split, loss: str) -> float:
        """Return the mean loss on the tested rows of the machine without those left out."""

    @abstractmethod
    def error_on(self, ridge: float, cross: Array, targets: Targets) -> float:
        """Return the error rate, or mean square, on other rows; cross is k(them, training rows)."""

    @classmethod
    def from_ridge(cls, ridge: float) -> float:
        """Return the ridge in the terms of its estimators."""
        return ridge


def needs_with(machine: type[Machine], needs: Iterable[Need | Powers]) -> frozenset[Need]:
    """Return what needs take of a kernel matrix; training and folds take what the machine says.

    Parameters
    ----------
    machine : subclass of Machine
    needs : iterable of Need or Powers

    Returns
    -------
    taken : frozenset of Need
        None of them is ``Need.TRAINING`` or ``Need.FOLDS``; powers take products.

    Examples
    --------
    >>> from kernelwise.gram import Need
    >>> from kernelwise.machines import LeastSquares, needs_with
    >>> needs_with(LeastSquares, {Need.TRAINING})
    frozenset({<Need.SOLVE: 'linear systems'>})
    """
    taken: set[Need] = set()
    for need in needs:
        if isinstance(need, Powers):
            taken.add(Need.PRODUCTS)
        elif need in (Need.TRAINING, Need.FOLDS):
            taken |= machine.needs.get(need, {Need.ENTRIES})
        else:
            taken.add(need)
    return frozenset(taken)


def standard_error(losses: Array) -> float:
    """Return the standard error of a mean of losses, NaN for a single one."""
    if losses.size < 2:
        return float("nan")
    return float(np.std(losses, ddof=1) / np.sqrt(losses.size))


def winners(scores: Array) -> Array:
    """Return the code of the class that the scores of every row, (n,), (n, 1) or (n, c), name."""
    if scores.ndim > 1 and scores.shape[1] > 1:
        return np.asarray(scores.argmax(axis=1))
    return (scores.ravel() > 0.0).astype(int)


def misclassified(codes: Array, scores: Array) -> Array:
    """Return 1 for every row whose scores, (n, 1) or (n, c), name another class, else 0."""
    return np.asarray(winners(scores) != codes, dtype=np.float64)


def log_losses(codes: Array, scores: Array, weights: Array) -> Array:
    """Return minus the log probability of every row's class, calibrated on these very scores."""
    P = Calibration.fit(scores, codes, weights).probabilities(scores)
    return np.asarray(-np.log(np.maximum(P[np.arange(codes.size), codes], np.finfo(float).tiny)))


def auc(codes: Array, scores: Array) -> float:
    """Return the area under the ROC curve, the mean over one-vs-rest of more than two classes."""
    if scores.shape[1] == 1:
        return _auc(codes == 1, scores[:, 0])
    return float(np.mean([_auc(codes == c, scores[:, c]) for c in range(scores.shape[1])]))


def _auc(positive: Array, scores: Array) -> float:
    """Return the share of pairs in the right order, ties counting half: a sum of ranks."""
    n_up = int(np.count_nonzero(positive))
    n_down = positive.size - n_up
    if n_up == 0 or n_down == 0:
        raise Undefined("the area under the ROC curve needs rows of every class")
    ranks = rankdata(scores)[positive].sum() - n_up * (n_up + 1) / 2.0
    return float(ranks / (n_up * n_down))


def mean_loss(targets: Targets, scores: Array, loss: str) -> float:
    """Return the mean loss of scores on rows with these targets."""
    if loss == "auc":
        return auc(targets.y, scores)
    losses = _losses(targets, scores, loss)
    return float(np.mean((losses.T * targets.relative_weights).T))


def _losses(targets: Targets, scores: Array, loss: str) -> Array:
    """Return the loss of every row, in every column of several."""
    columns = targets.fit_columns
    if loss == "error" and targets.classes is not None:
        return misclassified(targets.y, scores)
    if loss in ("error", "square"):
        return np.asarray((columns - scores) ** 2)
    if loss == "absolute":
        return np.asarray(np.abs(columns - scores))
    margins = np.maximum(1.0 - columns * scores, 0.0)
    return np.asarray(margins if loss == "hinge" else margins**2)
