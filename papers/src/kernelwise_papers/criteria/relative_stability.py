"""Kernel stability in units of the largest eigenvalue, a form of our own."""

from dataclasses import dataclass
from typing import ClassVar

from kernelwise._sklearn import POSITIVE
from kernelwise.criteria import Criterion, Evidence, Need, Undefined
from kernelwise.criteria.base import PENALTY, Needs
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.criteria.stability import kernel_stability


@dataclass(frozen=True)
class RelativeRKS(Criterion):
    r"""Training error plus a penalty for kernels in which one row weighs as much as all (ours).

    .. math:: R_{\mathrm{emp}} + \eta \frac{\beta}{|K|_2}

    Not from a paper. The stability :math:`\beta` of Gaussian kernels falls as they become narrower,
    and so does the training error: :class:`~kernelwise.criteria.RKS` has nothing that speaks
    against kernels which are too narrow. In units of the largest eigenvalue stability falls from 1,
    where every row is alone, to about :math:`1 / \sqrt n`, where all rows are alike. See
    docs/widths.md.

    Parameters
    ----------
    eta : float or "cv", default=1.0
        The weight of stability; "cv" chooses among 0.2, 0.6 and 1 by three folds inside the
        training set.
    """

    eta: float | str = 1.0

    name: ClassVar[str] = "rks_relative"
    judges: ClassVar[str] = PENALTY
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Need.LEADING, Need.TRAINING})
    formula: ClassVar[str] = "R_emp + eta beta / |K|_2"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {"eta": (0.2, 0.6, 1.0)}
    reference: ClassVar[str] = "ours, after Liu et al. 2019"
    uses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, eta=[POSITIVE])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        training_loss = evidence.machine.training_loss(ridge)
        if evidence.is_psd is False:
            raise Undefined("the kernel matrix has negative eigenvalues")
        largest = float(evidence.gram.leading_eigenvalues(1)[0])
        if largest <= 0.0:
            raise Undefined("no eigenvalue of the kernel matrix is positive")
        return training_loss + number(self.eta) * kernel_stability(evidence.statistics) / largest
