"""Spread along the line between the class means in feature space."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise.criteria.base import CLASSES_ONLY, Criterion, Evidence, Undefined, class_pairs
from kernelwise.gram import GramStatistics

_REFERENCE = "Nguyen and Ho 2007"


def squared_mean_distance(stats: GramStatistics, p: int, q: int) -> float:
    r"""Return :math:`|\phi_p - \phi_q|^2 = A + D - B - C`, zero where it is rounding only."""
    counts = stats.targets.counts
    B = stats.centered_block_sums  # the difference of two means does not see the overall mean
    square = (
        B[p, p] / counts[p] ** 2
        + B[q, q] / counts[q] ** 2
        - (B[p, q] + B[q, p]) / (counts[p] * counts[q])
    )
    means = np.abs(stats.products[:, [p, q]]).max(axis=0) / counts[[p, q]]
    floor = stats.n * np.finfo(float).eps * means.max()
    return float(square) if square > floor else 0.0


def _spread(stats: GramStatistics, p: int, q: int) -> float:
    """Return var of class p times |phi_p - phi_q|: the deviation of b_i - a_i in eq. 12."""
    targets = stats.targets
    counts = targets.counts
    if counts[p] < 2:
        assert targets.classes is not None
        raise Undefined(f"class {targets.classes.tolist()[p]!r} has one row, so no variance")
    rows = targets.y == p
    S = stats.products[rows]
    along = S[:, q] / counts[q] - S[:, p] / counts[p]  # b_i - a_i: the shift cancels
    along = along - along.mean()
    unit = np.abs(along).max() or 1.0  # squares of tiny numbers vanish
    return float(unit * np.sqrt(np.sum((along / unit) ** 2) / (counts[p] - 1)))


def _pair_value(stats: GramStatistics, p: int, q: int) -> float:
    spread = _spread(stats, p, q) + _spread(stats, q, p)
    square = squared_mean_distance(stats, p, q)
    return spread / square if square > 0.0 else np.inf


@dataclass(frozen=True)
class FSM(Criterion):
    r"""Feature-space measure: within-class spread over distance of the class means.

    .. math:: \frac{\mathrm{var}_+ + \mathrm{var}_-}{|\phi_+ - \phi_-|}

    where :math:`\mathrm{var}_\pm` are the standard deviations of the classes along the line
    between their means (eq. 9 to 14). Infinite where the class means coincide. With more than two
    classes the mean over pairs; undefined for regression and for a class of a single row.

    A diagonal kernel matrix has FSM = 0, the best value there is: FSM rewards kernels so narrow
    that every point is alone.

    References
    ----------
    C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, eq. 14.
    """

    name: ClassVar[str] = "fsm"
    greater_is_better: ClassVar[bool | None] = False
    cost: ClassVar[str] = "n^2"
    formula: ClassVar[str] = "(var+ + var-) / |phi+ - phi-|"
    reference: ClassVar[str] = _REFERENCE
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over class pairs."""
        stats = evidence.statistics
        return float(np.mean([_pair_value(stats, *pair) for pair in class_pairs(stats.targets)]))


@dataclass(frozen=True)
class FSMError(Criterion):
    r"""The bound on the training error that the feature-space measure gives.

    .. math:: \frac{\mathrm{FSM}^2}{1 + \mathrm{FSM}^2}

    of the hyperplane halfway (in standard deviations) between the class means. One where the class
    means coincide. With more than two classes the mean over pairs.

    References
    ----------
    C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, eq. 15.
    """

    name: ClassVar[str] = "fsm_error"
    greater_is_better: ClassVar[bool | None] = False
    cost: ClassVar[str] = "n^2"
    formula: ClassVar[str] = "FSM^2 / (1 + FSM^2)"
    reference: ClassVar[str] = _REFERENCE
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over class pairs."""
        stats = evidence.statistics
        return float(np.mean([_bound(stats, *pair) for pair in class_pairs(stats.targets)]))


def _bound(stats: GramStatistics, p: int, q: int) -> float:
    fsm = _pair_value(stats, p, q)
    return 1.0 if np.isinf(fsm) else fsm**2 / (1.0 + fsm**2)
