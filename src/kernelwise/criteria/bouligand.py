"""Cross-validation approximated from one training."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from kernelwise._sklearn import Interval, StrOptions
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import ALL_TASKS, CLASSES_ONLY, LEFT_OUT, Criterion, Needs
from kernelwise.criteria.cross_validation import check_folds
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields
from kernelwise.gram import Need
from kernelwise.machines import RidgeFit, Split, SquaredHingeFit, fit_squared_hinge, make_splits
from kernelwise.machines.base import mean_loss

HIGHEST_ORDER = 10_000  # terms: KFold, the limit of the expansion, is exact and quicker
EXPANDED = ("square", "squared_hinge", "hinge")  # losses whose machines can be expanded


@dataclass(frozen=True)
class BIF(Criterion):
    r"""Cross-validation, approximated from one training (Bouligand influence function).

    The rows of a fold get the weight 1 - t; the machine is expanded in t and the expansion taken at
    t = 1, where they are gone. With the hat matrix H of the machine and its training residuals e

    .. math:: y_B - f_{-B}(x_B) \approx \sum_{j=0}^{p} H_{BB}^j\, e_B ,

    which converges to the exact residuals of :class:`KFold` *at the same ridge*; the error falls
    below :math:`\rho^{p+1}` of them, :math:`\rho < 1` the largest eigenvalue of :math:`H_{BB}`.
    Error rates need that convergence: for a kernel so narrow that its matrix is nearly the
    identity, the first terms get every row right (see docs/criteria.md).
    With squared hinge loss H is that of the active rows (margin below one), which the expansion
    holds fixed. With the plain hinge, the support vector machine's, the machine is piecewise linear
    in t: multipliers at their bound go to zero with it, the free ones keep their rows at margin
    one, and there are no terms after the first. A free row is not felt before its bound reaches it.

    Parameters
    ----------
    k : int, default=5
        The number of folds.
    order : int, default=2
        p, the number of terms after the training residuals. The plain hinge has one.
    loss : {"square", "squared_hinge", "hinge"}, default="square"
        What the machine minimises: squares (the least-squares machine), squared hinge, or hinge
        (the support vector machine).
    measure : {"error", "square", "squared_hinge", "hinge"}, default="error"
        What is averaged over the rows left out; "error" is the mean square for real targets.
    cv, repeats, random_state
        As for :class:`KFold`.

    References
    ----------
    Y. Liu, S. Jiang and S. Liao, Efficient approximation of cross-validation for kernel methods
    using Bouligand influence function, ICML 2014.
    """

    k: int = 5
    order: int = 2
    loss: str = "square"
    measure: str = "error"
    cv: Any = None
    repeats: int = 1
    random_state: int = 0

    name: ClassVar[str] = "bif"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.SOLVE, Need.DIAGONAL, Need.BLOCKS})
    formula: ClassVar[str] = "mean_B loss(sum_{j<=p} H_BB^j e_B)"
    reference: ClassVar[str] = "Liu et al. 2014"
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True
    draws_folds: ClassVar[bool] = True
    fold_ridge: ClassVar[str] = "fixed"  # the limit of the expansion

    def __post_init__(self) -> None:
        check_folds(self)
        check_fields(
            self,
            loss=[StrOptions(set(EXPANDED))],
            measure=[StrOptions({"error", *EXPANDED})],
            order=[Interval(Integral, 0, HIGHEST_ORDER, closed="both")],
        )
        hinged = not {"squared_hinge", "hinge"}.isdisjoint((self.loss, self.measure))
        self._specialize(tasks=CLASSES_ONLY if hinged else ALL_TASKS)
        if self.loss != "square":
            self._specialize(needs=frozenset({Need.ENTRIES}))

    def value(self, evidence: Evidence, ridge: float) -> Array:
        """Return the approximate mean loss of every fold."""
        targets = evidence.targets
        if targets.weights is not None:
            raise Undefined("it is not defined for rows with weights, so choose by kfold")
        splits = make_splits(targets, self.cv, self.k, self.repeats, self.random_state)
        ways = (self._of_squares, self._of_squared_hinge, self._of_hinge)
        scores = dict(zip(EXPANDED, ways, strict=True))[self.loss]
        losses = []
        for split, score in zip(splits, scores(evidence, ridge, splits), strict=True):
            judged = split.judged(evidence.gram)
            part = targets.part(split.left_out[judged])
            losses.append(mean_loss(part, score[judged], self.measure))
        return np.array(losses)

    def _of_squares(self, evidence: Evidence, ridge: float, splits: Sequence[Split]) -> list[Array]:
        fit, columns = evidence.fit(ridge), evidence.targets.fit_columns
        residuals, found = fit.training_residuals, []
        for rows in (split.left_out for split in splits):
            found.append(columns[rows] - taylor(_hat(fit, rows), residuals[rows], self.order))
        return found

    def _of_squared_hinge(
        self, evidence: Evidence, ridge: float, splits: Sequence[Split]
    ) -> list[Array]:
        K, signs = evidence.gram.entries(), evidence.targets.fit_columns
        has_bias = evidence.least_squares.fit_intercept
        try:
            fits = [fit_squared_hinge(K, column, ridge, has_bias) for column in signs.T]
        except np.linalg.LinAlgError:
            raise Undefined("the kernel matrix plus the ridge is not positive definite") from None
        return [
            np.column_stack(
                [
                    _without(K, y, fit, ridge, split.left_out, self.order)
                    for y, fit in zip(signs.T, fits, strict=True)
                ]
            )
            for split in splits
        ]

    def _of_hinge(self, evidence: Evidence, ridge: float, splits: Sequence[Split]) -> list[Array]:
        first_order = evidence.support_vectors.first_order_scores
        return [first_order(ridge, split.left_out, self.order) for split in splits]


def _hat(fit: RidgeFit, rows: Array) -> Callable[[Array], Array]:
    """Return the product with the rows and columns B of the hat matrix, H = I - ridge C^-1."""
    times_inverse = fit.times_block(rows)
    return lambda v: v - fit.ridge * times_inverse(v)


def taylor(times: Callable[[Array], Array], first: Array, order: int) -> Array:
    """Return the sum of H^j first for j up to the order."""
    term, total = first, first
    for _ in range(order):
        term = times(term)
        total = total + term
    return np.asarray(total)


def _without(
    K: Array, y: Array, fit: SquaredHingeFit, ridge: float, rows: Array, order: int
) -> Array:
    """Return the scores on rows B of the machine without them, its active rows held fixed."""
    scores = fit.scores(K[rows])
    inside = np.flatnonzero(np.isin(fit.active, rows))
    if inside.size == 0:
        return scores
    block = fit.inverse[np.ix_(inside, inside)]
    residuals = ridge * fit.coefficients[inside]
    left_out = taylor(lambda v: v - ridge * (block @ v), residuals, order)
    # Without rows S the coefficients change by -C^-1[:, S] r_S, r_S the residuals left out.
    change = fit.inverse[:, inside] @ left_out
    return np.asarray(
        scores - K[np.ix_(rows, fit.active)] @ change - float(fit.to_bias[inside] @ left_out)
    )
