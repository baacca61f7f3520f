"""The ratio of the leading eigenvalues to the rest."""

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

from kernelwise._sklearn import POSITIVE, Interval, StrOptions
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import PENALTY, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.gram import Need


@dataclass(frozen=True)
class ER(Criterion):
    r"""Training error plus a penalty for kernels that can fit anything (eigenvalues ratio).

    .. math:: R_{\mathrm{emp}} + \frac{\eta}{\beta_t}, \quad
        \beta_t = \frac{\sum_{i \le t} s_i}{\sum_{i > t} s_i}

    with the mean squared training error of the least-squares machine. ``scale="printed"``
    multiplies the second term by n, as the paper prints it; the published numbers come from the
    form without n, which is the default.

    Parameters
    ----------
    t : int or "cv", default=4
        How many eigenvalues lead; 1, 4 or 16 in the paper, which "cv" chooses from by three folds
        inside the training set.
    eta : float or "cv", default=0.6
        The weight of the ratio; 0.2, 0.6 or 1 in the paper, which "cv" chooses from.
    scale : {"plain", "printed"}, default="plain"

    References
    ----------
    Y. Liu and S. Liao, Eigenvalues ratio for kernel selection of kernel methods, AAAI 2015.
    """

    t: int | str = 4
    eta: float | str = 0.6
    scale: str = "plain"

    name: ClassVar[str] = "er"
    judges: ClassVar[str] = PENALTY
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Need.LEADING, Need.TRAINING})
    formula: ClassVar[str] = "R_emp + eta (sum_{i>t} s_i) / (sum_{i<=t} s_i)"
    reference: ClassVar[str] = "Liu and Liao 2015"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {"t": (1, 4, 16), "eta": (0.2, 0.6, 1.0)}
    uses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        counts = Interval(Integral, 1, None, closed="left")
        scales = StrOptions({"plain", "printed"})
        check_fields(self, t=[counts], eta=[POSITIVE], scale=[scales])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        t = int(number(self.t))
        if t >= evidence.n:
            raise Undefined(f"t = {t} eigenvalues of {evidence.n} leave none for the tail")
        training_loss = evidence.machine.training_loss(ridge)
        if evidence.is_psd is False:
            raise Undefined("the kernel matrix has negative eigenvalues")
        lead = float(evidence.gram.leading_eigenvalues(t).sum())
        if lead <= 0.0:
            raise Undefined("the leading eigenvalues do not sum to a positive number")
        # Only the top t eigenvalues and the trace are needed; rounding may leave a tail below zero.
        tail = max(evidence.statistics.trace - lead, 0.0)
        factor = number(self.eta) * (evidence.n if self.scale == "printed" else 1.0)
        return training_loss + factor * tail / lead
