"""Spread along the line between the class means in feature space."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import CLASSES_ONLY, LOST, MATCH, Criterion, Needs, mean_over_pairs
from kernelwise.criteria.evidence import Evidence
from kernelwise.gram import GramStatistics, Need

_REFERENCE = "Nguyen and Ho 2007"


class _Projections(NamedTuple):
    r""":math:`\langle \phi(x_i), \phi_p - \phi_q \rangle` for the rows of p or q, in two parts.

    a_i - b_i of equations 11 to 13: the shift cancels.
    """

    others: Array  # what the other rows of the classes add, less a number common to p and q
    own: Array | float  # what the row itself adds where the statistics leave it out

    @property
    def mean(self) -> float:
        return float(np.mean(self.others) + np.mean(self.own))

    @property
    def deviations(self) -> Array:
        """Their difference from the mean; that of a constant diagonal is zero, exactly."""
        own = self.own - np.ravel(self.own)[0]
        return np.asarray((self.others - self.others.mean()) + (own - np.mean(own)))


def _projections(stats: GramStatistics, p: int, q: int) -> list[_Projections]:
    u = [stats.class_means[c][:, p] - stats.class_means[c][:, q] for c in (p, q)]
    middle = 0.5 * (u[0].mean() + u[1].mean())
    own: list[Array | float] = [0.0, 0.0]
    if stats.excludes_diagonal:
        members, counts = stats.targets.members, stats.targets.counts
        own = [stats.diagonal[members[c]] / counts[c] for c in (p, q)]
        own[1] = -own[1]
    return [_Projections(others - middle, mine) for others, mine in zip(u, own, strict=True)]


def squared_mean_distance(stats: GramStatistics, p: int, q: int) -> float:
    r"""Return :math:`|\phi_p - \phi_q|^2 = A + D - B - C`, zero where it is rounding only."""
    u_p, u_q = _projections(stats, p, q)
    square = u_p.mean - u_q.mean
    means = [np.abs(stats.class_means[c][:, d]).max() for c in (p, q) for d in (p, q)]
    rounding = np.finfo(float).eps * float(max(means))
    rows = (stats.targets.members[c] for c in (p, q))
    precision = stats.precision * _share(np.abs(stats.diagonal), *rows)
    if square == 0.0 or max(abs(square), precision) <= stats.n * rounding:
        return 0.0
    # If entries far exceed their differences, rounding has already lost those digits.
    if abs(square) < LOST * precision:
        raise Undefined("the distance of class means is lost to rounding, so centre the features")
    if square < 0.0:
        raise Undefined("the matrix is not positive semidefinite: a distance has a negative square")
    return square


def _share(diagonal: Array, *classes: Array) -> float:
    """Return the largest entry on some rows relative to all: entries grow with the diagonal."""
    largest = float(diagonal.max())
    if largest <= 0.0:
        return 1.0
    return max(float(diagonal[rows].max()) for rows in classes) / largest


def _spread(projections: _Projections, label: object) -> float:
    """Return var of a class times the distance of the means."""
    if projections.others.size < 2:
        raise Undefined(f"class {label!r} has one row, so no variance")
    u = projections.deviations
    return float(np.sqrt(np.sum(u**2) / (u.size - 1)))


def _pair_value(stats: GramStatistics, p: int, q: int) -> float:
    assert stats.targets.classes is not None
    labels = stats.targets.classes[[p, q]].tolist()
    spread = sum(map(_spread, _projections(stats, p, q), labels))
    square = squared_mean_distance(stats, p, q)
    return spread / square if square > 0.0 else np.inf


@dataclass(frozen=True)
class FSM(Criterion):
    r"""Spread of the classes relative to the distance of their means (feature-space measure).

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
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "(var+ + var-) / |phi+ - phi-|"
    reference: ClassVar[str] = _REFERENCE
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over class pairs."""
        return mean_over_pairs(_pair_value, evidence.statistics)


@dataclass(frozen=True)
class FSMError(Criterion):
    r"""The largest training error that the feature-space measure allows.

    .. math:: \frac{\mathrm{FSM}^2}{1 + \mathrm{FSM}^2}

    of the hyperplane halfway (in standard deviations) between the class means. One where the class
    means coincide. With more than two classes the mean over pairs.

    References
    ----------
    C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, eq. 15.
    """

    name: ClassVar[str] = "fsm_error"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "FSM^2 / (1 + FSM^2)"
    reference: ClassVar[str] = _REFERENCE
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the mean over class pairs."""
        return mean_over_pairs(_bound, evidence.statistics)


def _bound(stats: GramStatistics, p: int, q: int) -> float:
    fsm = _pair_value(stats, p, q)
    return 1.0 if np.isinf(fsm) else fsm**2 / (1.0 + fsm**2)
