"""Spectral perturbation stability: how far the eigenvalues move when a point is removed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise._sklearn import POSITIVE
from kernelwise.criteria.base import PENALTY, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.gram import Need


@dataclass(frozen=True)
class SPS(Criterion):
    r"""Training error plus a penalty for eigenvalues that depend on single rows.

    .. math:: R_{\mathrm{emp}} + \frac{\delta}{n^2} \sum_{i,j} |q_{ji}^2 (2 s_j - K_{ii})|

    over the eigenpairs :math:`(s_j, q_j)` of K: the derivative of every eigenvalue with respect to
    the weight of every point (Theorem 3, with :math:`q_j^\top k_i = s_j q_{ji}`). The exact
    perturbation sums to the trace of K whatever the kernel.

    Parameters
    ----------
    delta : float or "cv", default=1.0
        The weight of the perturbation; "cv" chooses among 2^-5, 1, 2^5 and 2^10 by three folds
        inside the training set.

    References
    ----------
    Y. Liu and S. Liao, Kernel selection with spectral perturbation stability of kernel matrix,
    Science China Information Sciences 57 (2014), Theorem 3.
    """

    delta: float | str = 1.0

    name: ClassVar[str] = "sps"
    judges: ClassVar[str] = PENALTY
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Need.SPECTRUM, Need.TRAINING})
    formula: ClassVar[str] = "R_emp + (delta / n^2) sum_ij |q_ji^2 (2 s_j - K_ii)|"
    reference: ClassVar[str] = "Liu and Liao 2014"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {"delta": (2.0**-5, 1.0, 2.0**5, 2.0**10)}
    uses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, delta=[POSITIVE])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        weight = number(self.delta) / evidence.n**2
        return evidence.machine.training_loss(ridge) + weight * total_move(evidence)


def total_move(evidence: Evidence) -> float:
    """Return the sum over eigenvalues and points; no ridge changes it."""
    if total_move not in evidence.shared:
        s, Q = evidence.spectrum.values, evidence.spectrum.vectors
        diagonal = evidence.statistics.diagonal
        moves = np.abs(2.0 * s[None, :] - diagonal[:, None])
        total = float(np.einsum("ij,ij,ij->", Q, Q, moves))
        if s.size < evidence.n:  # the other eigenvalues are zero
            rest = np.maximum(1.0 - np.einsum("ij,ij->i", Q, Q), 0.0)
            total += float(rest @ np.abs(diagonal))
        evidence.shared[total_move] = total
    return float(evidence.shared[total_move])
