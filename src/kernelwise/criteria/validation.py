"""Leave-one-out in closed form, and what is built on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise._sklearn import StrOptions
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import CLASSES_ONLY, LEAVE_ONE_OUT, LEFT_OUT, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields
from kernelwise.gram import Targets
from kernelwise.machines.base import auc, log_losses, misclassified
from kernelwise.machines.held_out import LeftOut


@dataclass(frozen=True)
class ELOO(Criterion):
    r"""Loss on every row, predicted from all the others: exact leave-one-out, without a refit.

    .. math:: r_i = y_i - f_{-i}(x_i) = \alpha_i / (C^{-1})_{ii}

    With ``loss="press"`` the mean of :math:`r_i^2`; ``"error"`` the rate of misclassified rows;
    ``"squared_hinge"`` the mean of :math:`\max(0, 1 - y_i f_{-i}(x_i))^2`, which does not punish
    being confidently right. With more than two classes the squared losses are averaged over
    one-vs-rest targets and a row is misclassified when another class has the largest value.
    ``"absolute"`` is the mean of :math:`|r_i|`, ``"log_loss"`` that of minus the log probability of
    the right class, with probabilities calibrated on the leave-one-out values themselves, and
    ``"auc"``, which is to be maximised, the area under the ROC curve of these values (its mean over
    one-vs-rest targets; rows count equally). ``"balanced_error"`` and ``"balanced_squared_hinge"``
    are means over the classes of the mean loss in each: with few rows of one class, the others do
    not decide alone.
    Where rows have weights w, :math:`C` has :math:`K + \lambda W^{-1}`, and all means are weighted.

    Parameters
    ----------
    loss : str, default="press"
        "press", "error", "squared_hinge", "absolute", "log_loss", "auc", "balanced_error" or
        "balanced_squared_hinge"; only "press" and "absolute" are defined for regression.

    References
    ----------
    G. C. Cawley, Leave-one-out cross-validation based model selection criteria for weighted
    LS-SVMs, IJCNN 2006.
    """

    loss: str = "press"

    name: ClassVar[str] = "eloo"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = LEAVE_ONE_OUT
    formula: ClassVar[str] = "mean_i loss(alpha_i / (C^-1)_ii)"
    reference: ClassVar[str] = "Cawley 2006"
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, loss=[StrOptions(set(_LOSSES))])
        if self.loss not in ("press", "absolute"):
            self._specialize(tasks=CLASSES_ONLY)
        if self.loss == "auc":
            self._specialize(greater_is_better=True)

    def value(self, evidence: Evidence, ridge: float) -> float | Array:
        """Return the loss of every row, or the area, at one ridge."""
        return self.losses(*evidence.left_out(ridge))

    def losses(self, targets: Targets, left_out: LeftOut) -> float | Array:
        """Return the loss of every row judged, or the area."""
        found = _LOSSES[self.loss](targets, left_out)
        return found if isinstance(found, float) else found * targets.relative_weights


def _squared_hinge(targets: Targets, left_out: LeftOut) -> Array:
    """Return the mean over targets of max(0, 1 - y f)²; 1 - y f = y (y - f) for y = ±1."""
    return np.asarray(
        np.mean(np.maximum(targets.fit_columns * left_out.residuals, 0.0) ** 2, axis=1)
    )


def _balanced(targets: Targets, losses: Array) -> Array:
    """Return losses weighted such that their mean is the mean over classes of the mean in each."""
    weights = targets.n / (targets.sizes.size * targets.sizes)
    return np.asarray(losses * weights[targets.y])


# The loss of every row when it is left out; the area under a curve is a single number.
_LOSSES: dict[str, Callable[[Targets, LeftOut], float | Array]] = {
    "press": lambda t, out: np.mean(out.residuals**2, axis=1),
    "absolute": lambda t, out: np.mean(np.abs(out.residuals), axis=1),
    "squared_hinge": _squared_hinge,
    "error": lambda t, out: misclassified(t.y, out.values),
    "log_loss": lambda t, out: log_losses(t.y, out.values, t.relative_weights),
    "balanced_error": lambda t, out: _balanced(t, misclassified(t.y, out.values)),
    "balanced_squared_hinge": lambda t, out: _balanced(t, _squared_hinge(t, out)),
    "auc": lambda t, out: auc(t.y, out.values),
}


@dataclass(frozen=True)
class GCV(Criterion):
    r"""Training error corrected for how flexible the machine is (generalised cross-validation).

    .. math:: \frac{R_{\mathrm{emp}}}{(1 - \mathrm{df} / n)^2}

    with the degrees of freedom of the least-squares machine, the bias included. Computed as
    :math:`\overline{\alpha^2} / \overline{\mathrm{diag}\, C^{-1}}^2`, which does not cancel for
    small ridges.

    References
    ----------
    G. H. Golub, M. Heath and G. Wahba, Generalized cross-validation as a method for choosing a good
    ridge parameter, Technometrics 21 (1979).
    """

    name: ClassVar[str] = "gcv"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = LEAVE_ONE_OUT
    formula: ClassVar[str] = "R_emp / (1 - df/n)^2"
    reference: ClassVar[str] = "Golub et al. 1979"
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        fit = evidence.fit(ridge)
        squares = (fit.coefficients**2).T / fit.weights
        return float(np.mean(squares) / fit.mean_diagonal**2)


@dataclass(frozen=True)
class BR(Criterion):
    r"""Leave-one-out plus a penalty for narrow kernels (Bayesian regularisation).

    .. math:: \frac n2 \log \frac{\mathrm{PRESS}}{2} + \frac d2 \log \frac{\sum_j \theta_j^2}{2}

    with PRESS the sum of squared leave-one-out residuals (averaged over one-vs-rest targets) and
    :math:`\theta_1, \dots, \theta_d` the inverse widths of the kernel: :math:`1 / (2 \tau)` of a
    Gaussian, 1/scale of Laplacian and Matérn kernels, those of all parts of a sum or product.
    Undefined for kernels without a width.

    References
    ----------
    G. C. Cawley and N. L. C. Talbot, Preventing over-fitting during model selection via Bayesian
    regularisation of the hyper-parameters, JMLR 8 (2007).
    """

    name: ClassVar[str] = "br"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = LEAVE_ONE_OUT
    formula: ClassVar[str] = "(n/2) log(PRESS/2) + (d/2) log(sum_j theta_j^2 / 2)"
    reference: ClassVar[str] = "Cawley and Talbot 2007"
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        theta = evidence.kernel.inverse_widths if evidence.kernel is not None else ()
        if not theta:
            raise Undefined("the kernel has no width")
        targets, left_out = evidence.left_out(ridge)
        squares = targets.relative_weights[:, None] * left_out.residuals**2
        press = evidence.n * float(np.mean(squares))
        if press == 0.0:
            return -np.inf
        penalty = len(theta) / 2 * np.log(np.sum(np.square(theta)) / 2.0)
        return float(evidence.n / 2 * np.log(press / 2.0) + penalty)
