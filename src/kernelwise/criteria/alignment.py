"""Alignment of the kernel matrix with the target matrix, as it is and centred."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise._undefined import Undefined
from kernelwise.criteria.base import LOST, MATCH, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.gram import Need, Targets
from kernelwise.gram.base import SMALLEST


@dataclass(frozen=True)
class KTA(Criterion):
    r"""How well rows that are similar share their target (kernel target alignment).

    .. math:: \frac{\langle K, Y \rangle_F}{|K|_F\, |Y|_F}

    with :math:`Y = y y^\top` for two classes; 1 for the same class and :math:`-1/(c-1)` for
    another with c classes; :math:`y y^\top` of the centred target for regression. Undefined where
    K = 0.

    References
    ----------
    N. Cristianini, J. Shawe-Taylor, A. Elisseeff and J. Kandola, On kernel-target alignment, NIPS
    2001; C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, eq. 5.
    """

    name: ClassVar[str] = "kta"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "<K, yy'> / (|K| |yy'|)"
    reference: ClassVar[str] = "Cristianini et al. 2001"

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the alignment."""
        stats, targets = evidence.statistics, evidence.targets
        norm = stats.frobenius
        if norm == 0.0:
            raise Undefined("the kernel matrix is zero")
        if targets.classes is None:
            y = targets.centered
            # the centred target sums to zero, so the shift has no part in it
            return float(stats.centered_block_sums[1, 1] / (norm * (y @ y)))
        B = stats.block_sums
        same = np.trace(B)
        inner = same - (B.sum() - same) / (targets.classes.size - 1)
        target_sum, target_norm = _target_sum_and_norm(targets)
        # <K, Y> = <S, Y> + c sum(Y): the sum is zero, exactly, for balanced classes.
        return float((inner + stats.shift * target_sum) / (norm * target_norm))


def _target_sum_and_norm(targets: Targets) -> tuple[float, float]:
    """Return the sum and the Frobenius norm of Y, which is 1 or -1/(c - 1), from integers."""
    c, n = int(targets.counts.size), targets.n
    within = int((targets.counts.astype(int) ** 2).sum())
    between = n * n - within
    return ((c - 1) * within - between) / (c - 1), math.sqrt(within + between / (c - 1) ** 2)


@dataclass(frozen=True)
class CKTA(Criterion):
    r"""Kernel target alignment after centring: similarity common to all rows does not count.

    .. math:: \frac{\langle HKH, HYH \rangle_F}{|HKH|_F\, |HYH|_F}, \quad H = I - 11^\top / n

    with the target matrix Y of :class:`KTA`. Computed from the deviation of K from a constant, so
    that it stays exact for very wide kernels. Undefined where HKH = 0.

    References
    ----------
    C. Cortes, M. Mohri and A. Rostamizadeh, Two-stage learning kernel algorithms, ICML 2010.
    """

    name: ClassVar[str] = "ckta"
    judges: ClassVar[str] = MATCH
    greater_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "<HKH, Hyy'H> / (|HKH| |Hyy'H|)"
    reference: ClassVar[str] = "Cortes et al. 2010"

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the centred alignment."""
        stats, targets = evidence.statistics, evidence.targets
        norm = stats.centered_frobenius
        if norm < SMALLEST:
            raise Undefined("the kernel matrix is constant: all points look alike to the kernel")
        if norm < LOST * stats.precision * targets.n:  # |error|_F <= n times that of an entry
            raise Undefined("the centred kernel matrix is lost to rounding, so centre the features")
        if targets.classes is None:
            y = targets.centered
            return float(stats.centered_block_sums[1, 1] / (norm * (y @ y)))
        # HYH is a multiple of HGH, G = Z Z' with class indicators Z; |H Z Z' H| = |Z' H Z|.
        counts = targets.counts.astype(float)
        target_norm = np.linalg.norm(np.diag(counts) - np.outer(counts, counts) / targets.n)
        return float(np.trace(stats.centered_block_sums) / (norm * target_norm))
