"""What scores on rows that were left out are worth."""

import numpy as np
from scipy.stats import rankdata

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.machines.calibration import Calibration
from kernelwise.targets import Targets


def standard_error(losses: Array) -> float:
    """Return the standard error of a mean of losses, NaN for a single one."""
    if losses.size < 2:
        return float("nan")
    unit = float(np.abs(losses).max()) or 1.0  # squares of losses of any size are numbers then
    return unit * float(np.std(losses / unit, ddof=1) / np.sqrt(losses.size))


def misclassified(codes: Array, scores: Array) -> Array:
    """Return 1 for every row whose scores, (n, 1) or (n, c), name another class, else 0."""
    winners = (scores[:, 0] > 0.0) if scores.shape[1] == 1 else scores.argmax(axis=1)
    return np.asarray(winners != codes, dtype=np.float64)


def log_losses(codes: Array, scores: Array) -> Array:
    """Return minus the log probability of every row's class, calibrated on these very scores."""
    P = Calibration.fit(scores, codes).probabilities(scores)
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
    columns = targets.fit_columns
    if loss == "error" and targets.classes is not None:
        return float(np.mean(misclassified(targets.y, scores)))
    if loss == "auc":
        return auc(targets.y, scores)
    if loss in ("error", "square"):
        return float(np.mean((columns - scores) ** 2))
    if loss == "absolute":
        return float(np.mean(np.abs(columns - scores)))
    margins = np.maximum(1.0 - columns * scores, 0.0)
    return float(np.mean(margins if loss == "hinge" else margins**2))
