"""Kernel stability: how far the kernel matrix moves when a point is removed."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from kernelwise._sklearn import POSITIVE, Interval, StrOptions
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import LEFT_OUT, PENALTY, Criterion, Needs
from kernelwise.criteria.bouligand import BIF, EXPANDED, HIGHEST_ORDER
from kernelwise.criteria.cross_validation import check_folds, fold_losses
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.gram import GramStatistics, Need
from kernelwise.machines import make_splits

_REFERENCE = "Liu et al. 2019"
_WEIGHTS = (2.0**-5, 1.0, 2.0**5, 2.0**10)  # the paper's choice of eta


def kernel_stability(stats: GramStatistics, norm: str = "spectral") -> float:
    r"""Return :math:`\max_i |K - K^i|` in closed form (Theorem 7, and Remark 2 for other norms).

    The two eigenvalues of :math:`K - K^i` that are not zero have the sum :math:`K_{ii}` and the
    product :math:`-\sum_{j \ne i} K_{ji}^2`. The absolute value of the diagonal extends the theorem
    to matrices that are not positive semidefinite.
    """
    d = np.abs(stats.diagonal)
    off = np.maximum(stats.kernel_row_squares - d * d, 0.0)
    if norm == "frobenius":
        return float(np.max(np.sqrt(d * d + 2.0 * off)))
    root = np.sqrt(d * d + 4.0 * off)
    return float(np.max(root if norm == "trace" else (d + root) / 2.0))


@dataclass(frozen=True)
class KS(Criterion):
    r"""How much one row can change the kernel matrix; alone it does not choose (kernel stability).

    .. math:: \beta = \max_i \frac{K_{ii} + \sqrt{K_{ii}^2 + 4 \sum_{j \ne i} K_{ji}^2}}{2}
        = \max_i |K - K^i|_2

    :math:`K^i` is K with row and column i set to zero.

    Parameters
    ----------
    norm : {"spectral", "trace", "frobenius"}, default="spectral"
        The norm of :math:`K - K^i`. The others are larger, as are the bounds by them:
        :math:`\max_i \sqrt{K_{ii}^2 + 4 \sum_{j \ne i} K_{ji}^2}` and
        :math:`\max_i \sqrt{K_{ii}^2 + 2 \sum_{j \ne i} K_{ji}^2}`.

    References
    ----------
    Y. Liu, S. Liao, H. Zhang, W. Ren and W. Wang, Kernel stability for model selection in
    kernel-based algorithms, IEEE Trans. Cybernetics 2019, Theorem 7; Remark 2 for other norms.
    """

    norm: str = "spectral"

    name: ClassVar[str] = "ks"
    greater_is_better: ClassVar[bool | None] = None
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS})
    formula: ClassVar[str] = "max_i (K_ii + sqrt(K_ii^2 + 4 sum_{j!=i} K_ji^2)) / 2"
    reference: ClassVar[str] = _REFERENCE

    def __post_init__(self) -> None:
        check_fields(self, norm=[StrOptions({"spectral", "trace", "frobenius"})])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return beta."""
        return kernel_stability(evidence.statistics, self.norm)


@dataclass(frozen=True)
class RKS(Criterion):
    r"""Training error plus a penalty for kernels that one row can change (kernel stability).

    .. math:: R_{\mathrm{emp}} + \frac{\eta}{n} \beta

    Parameters
    ----------
    eta : float or "cv", default=0.25
        The weight of stability; robust between 2^-4 and 2^-1 in the paper. "cv" chooses among
        2^-5, 1, 2^5 and 2^10 by three folds inside the training set.

    References
    ----------
    Y. Liu et al., Kernel stability for model selection in kernel-based algorithms, IEEE Trans.
    Cybernetics 2019, eq. 5.
    """

    eta: float | str = 0.25

    name: ClassVar[str] = "rks"
    judges: ClassVar[str] = PENALTY
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Need.TRAINING})
    formula: ClassVar[str] = "R_emp + (eta / n) beta"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {"eta": _WEIGHTS}
    reference: ClassVar[str] = _REFERENCE
    uses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, eta=[POSITIVE])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        beta = kernel_stability(evidence.statistics)
        return evidence.machine.training_loss(ridge) + number(self.eta) / evidence.n * beta


@dataclass(frozen=True)
class CVKS(Criterion):
    r"""Cross-validation error plus a penalty for kernels that one row can change.

    .. math:: \mathrm{CV}_k + \frac{\eta}{n} \beta

    with the mean over folds of the machine's own loss on the rows left out: squares for the
    least-squares machine, hinge for the support vector machine.

    Parameters
    ----------
    k : int, default=5
        The number of folds; 5 or 10 in the paper.
    eta : float or "cv", default=1.0
        The weight of stability; robust between 2^-3 and 2^1 in the paper. "cv" as for
        :class:`RKS`.
    cv, repeats, fold_ridge, random_state
        As for :class:`KFold`; ``fold_ridge="scaled"`` is the paper's convention.
    order : int or None, default=None
        None for exact folds. With a number the folds are approximated from one training by so many
        Taylor terms of the Bouligand influence function (:class:`BIF`), at the same ridge.

    References
    ----------
    Y. Liu et al., Kernel stability for model selection in kernel-based algorithms, IEEE Trans.
    Cybernetics 2019, eq. 6; Section VI, "Time Complexity", for the approximation.
    """

    k: int = 5
    eta: float | str = 1.0
    cv: Any = None
    repeats: int = 1
    fold_ridge: str = "fixed"
    random_state: int = 0
    order: int | None = None

    name: ClassVar[str] = "cvks"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.STATISTICS, Need.FOLDS})
    formula: ClassVar[str] = "CV_k + (eta / n) beta"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {"eta": _WEIGHTS}
    reference: ClassVar[str] = _REFERENCE
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True
    draws_folds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        orders = Interval(Integral, 0, HIGHEST_ORDER, closed="both")
        check_fields(self, eta=[POSITIVE], order=[orders, None])
        check_folds(self)
        if self.order is not None and self.fold_ridge != "fixed":
            raise ValueError("fold_ridge of CVKS must be 'fixed' where an order is given.")

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        error = float(np.mean(self._fold_losses(evidence, ridge)))
        return error + number(self.eta) / evidence.n * kernel_stability(evidence.statistics)

    def _fold_losses(self, evidence: Evidence, ridge: float) -> Array:
        """Return the mean loss of every fold, exact or by Taylor terms."""
        loss = evidence.machine.own_loss
        if self.order is not None:
            if loss not in EXPANDED:
                raise Undefined(f"no expansion is known for the loss {loss!r}, so leave out order")
            folds = {"cv": self.cv, "repeats": self.repeats, "random_state": self.random_state}
            return BIF(self.k, self.order, loss, loss, **folds).value(evidence, ridge)
        splits = make_splits(evidence.targets, self.cv, self.k, self.repeats, self.random_state)
        return fold_losses(evidence, ridge, splits, loss, self.fold_ridge)
