"""The variance of cross-validation, which Liu et al. 2019 replace by kernel stability."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kernelwise._sklearn import POSITIVE
from kernelwise.criteria import CVKS, Criterion, Evidence, Need, Undefined
from kernelwise.criteria.base import LEFT_OUT, Needs
from kernelwise.criteria.cross_validation import check_folds, fold_losses
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.machines import make_splits


@dataclass(frozen=True)
class CVVariance(Criterion):
    r"""Cross-validation error plus a penalty for its variance.

    .. math:: \mathrm{CV}_k + \eta\, \widehat{\mathrm{var}}, \quad \widehat{\mathrm{var}} =
        \frac{1}{k} \cdot \frac{1}{k - 1} \sum_{B} (\ell_B - \bar\ell)^2

    with the mean losses :math:`\ell_B` of the folds, in the machine's own loss. The paper
    penalises the variance over training sets, which it replaces by kernel stability
    (:class:`~kernelwise.criteria.CVKS`) as it cannot be computed. This is the usual estimate: folds
    share training rows and are not independent, and no unbiased estimate exists (Bengio and
    Grandvalet 2004).

    Parameters
    ----------
    k : int, default=5
        The number of folds.
    eta : float or "cv", default=1.0
        The weight of the variance; "cv" as for :class:`~kernelwise.criteria.RKS`.
    cv, repeats, fold_ridge, random_state
        As for :class:`~kernelwise.criteria.KFold`. With repeats the variance is the mean of theirs.

    References
    ----------
    Y. Liu et al., Kernel stability for model selection in kernel-based algorithms, IEEE Trans.
    Cybernetics 2019, Section V, before Theorem 5.
    """

    k: int = 5
    eta: float | str = 1.0
    cv: Any = None
    repeats: int = 1
    fold_ridge: str = "fixed"
    random_state: int = 0

    name: ClassVar[str] = "cv_variance"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.FOLDS})
    formula: ClassVar[str] = "CV_k + eta var(fold losses) / k"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = CVKS.tradeoffs
    reference: ClassVar[str] = CVKS.reference
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True
    draws_folds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, eta=[POSITIVE])
        check_folds(self)

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        splits = make_splits(evidence.targets, self.cv, self.k, self.repeats, self.random_state)
        if len(splits) < 2:
            raise Undefined("a single fold has no variance, so use two or more")
        losses = fold_losses(evidence, ridge, splits, evidence.machine.own_loss, self.fold_ridge)
        drawn = losses.reshape(self.repeats if self.cv is None else 1, -1)  # cv is not repeated
        variance = float(np.mean(drawn.var(axis=1, ddof=1) / drawn.shape[1]))
        return float(losses.mean()) + number(self.eta) * variance
