"""The span estimate of the leave-one-out error of a support vector machine."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise.criteria.base import CLASSES_ONLY, LEFT_OUT, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.gram import Need


@dataclass(frozen=True)
class Span(Criterion):
    r"""Leave-one-out error of the support vector machine, estimated from one training (span).

    .. math:: \frac1n \#\{ i : y_i f(x_i) < \alpha_i S_i^2 \}

    with the span :math:`S_i` of support vector i: its distance, in feature space, to the others
    that are free to move. The estimate is exact where leaving a point out does not change which
    multipliers are at their bounds. With more than two classes the mean over one-vs-rest machines.
    Undefined where every support vector is at its bound, or training does not converge.

    References
    ----------
    O. Chapelle and V. Vapnik, Model selection for support vector machines, NIPS 1999.
    """

    name: ClassVar[str] = "span"
    judges: ClassVar[str] = LEFT_OUT
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.ENTRIES})
    formula: ClassVar[str] = "mean_i [y_i f(x_i) < alpha_i S_i^2]"
    reference: ClassVar[str] = "Chapelle and Vapnik 1999"
    tasks: ClassVar[frozenset[str]] = CLASSES_ONLY
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the estimate at one ridge, C = 1 / (2 ridge)."""
        errors, weights = (
            evidence.support_vectors.span_errors(ridge),
            evidence.targets.relative_weights,
        )
        return float(np.mean(weights[:, None] * errors))
