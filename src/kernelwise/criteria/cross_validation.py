"""Cross-validation without refits."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from kernelwise._sklearn import Interval, StrOptions
from kernelwise._types import Array
from kernelwise.criteria.base import CLASSES_ONLY, LEFT_OUT, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields
from kernelwise.gram import Need
from kernelwise.machines import Split, as_cv, make_splits

_FOLDS: dict[str, list[Any]] = {
    "k": [Interval(Integral, 2, None, closed="left")],
    "repeats": [Interval(Integral, 1, 10_000, closed="both")],
    # The seeds of the repeats follow one another, all of them below 2^32.
    "random_state": [Interval(Integral, 0, 2**32 - 10_001, closed="both")],
    "fold_ridge": [StrOptions({"fixed", "scaled"})],
}
_LOSSES = {"error", "square", "squared_hinge", "hinge", "absolute", "auc"}


def check_folds(owner: Any) -> None:
    """Say so where the parameters that make folds are out of range."""
    check_fields(owner, **_FOLDS)
    object.__setattr__(owner, "cv", as_cv(owner.cv))


def fold_losses(
    evidence: Evidence, ridge: float, splits: Sequence[Split], loss: str, fold_ridge: str
) -> Array:
    """Return the mean loss of every split; criteria that share folds share them."""
    key = ("fold losses", ridge, loss, fold_ridge, *splits)
    if key not in evidence.shared:
        evidence.shared[key] = _fold_losses(evidence, ridge, splits, loss, fold_ridge)
    return np.asarray(evidence.shared[key])


def _fold_losses(
    evidence: Evidence, ridge: float, splits: Sequence[Split], loss: str, fold_ridge: str
) -> Array:
    factors = [split.share_trained if fold_ridge == "scaled" else 1.0 for split in splits]
    fold_loss = evidence.machine.fold_loss
    return np.array([fold_loss(ridge * f, s, loss) for f, s in zip(factors, splits, strict=True)])


@dataclass(frozen=True)
class KFold(Criterion):
    r"""Loss on folds of rows left out: cross-validation, exact, least squares without a refit.

    .. math:: y_B - f_{-B}(x_B) = [(C^{-1})_{BB}]^{-1} \alpha_B

    for every fold B, from one factorisation for all folds and ridges; leave-one-out (:class:`ELOO`)
    is the special case of single rows. The support vector machine is trained on slices of one
    kernel matrix. The value is the mean over folds of the mean loss in a fold.

    Parameters
    ----------
    k : int, default=5
        The number of folds.
    loss : {"error", "square", "squared_hinge", "hinge", "absolute", "auc"}, default="error"
        "error" is the rate of misclassified rows; of real targets the mean square, as "square".
        "auc", the area under the ROC curve, is to be maximised.
        The support vector machine takes "error" and "hinge".
    cv : splitter, list of (train, test) rows or None, default=None
        Other folds: a splitter of scikit-learn, or its output for splitters that need groups. A row
        that a split neither trains nor tests on is left out.
    repeats : int, default=1
        How often k folds are drawn anew; the mean over all of them depends less on chance.
    fold_ridge : {"fixed", "scaled"}, default="fixed"
        Whether the machine of a fold has the ridge itself, or the ridge times its share of the
        rows: the convention of the kernel stability paper, whose ridge is n times a constant.
    random_state : int, default=0
        How the rows are shuffled; the same folds serve every kernel and ridge.

    References
    ----------
    S. An, W. Liu and S. Venkatesh, Fast cross-validation algorithms for least squares support
    vector machine and kernel ridge regression, Pattern Recognition 40 (2007).
    """

    k: int = 5
    loss: str = "error"
    cv: Any = None
    repeats: int = 1
    fold_ridge: str = "fixed"
    random_state: int = 0

    name: ClassVar[str] = "kfold"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.FOLDS})
    formula: ClassVar[str] = "mean_B loss([(C^-1)_BB]^-1 alpha_B)"
    reference: ClassVar[str] = "An et al. 2007"
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True
    draws_folds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, loss=[StrOptions(_LOSSES)])
        check_folds(self)
        if self.loss in ("squared_hinge", "hinge", "auc"):
            self._specialize(tasks=CLASSES_ONLY)
        if self.loss == "auc":
            self._specialize(greater_is_better=True)

    def value(self, evidence: Evidence, ridge: float) -> Array:
        """Return the mean loss of every fold."""
        splits = make_splits(evidence.targets, self.cv, self.k, self.repeats, self.random_state)
        return fold_losses(evidence, ridge, splits, self.loss, self.fold_ridge)
