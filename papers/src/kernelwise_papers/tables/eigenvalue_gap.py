r"""EP, the eigenvalues perturbation criterion, as a reconstruction.

ER 2015 compares with EP (Liu, Jiang and Liao 2013) and none of the five papers defines it. They say
that it measures the difference between the eigenvalues of the kernel matrix and those of the
integral operator, that the latter need the distribution of the rows, and that its weight is one of
2^0, 2^5, 2^10, 2^15, 2^20. Here the distribution is a normal one fitted to the rows, for which the
operator of a Gaussian kernel has known eigenvalues, and the gap is the sum of absolute differences.
"""

import heapq
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise._sklearn import POSITIVE
from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence, Need, Undefined
from kernelwise.criteria.base import PENALTY, Needs
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.kernels import Gaussian

ROWS = "rows"  # under which the evidence of a split has them: no criterion of the library sees them
_CONSTANT = 1e-12  # share of the largest variance that is none


@dataclass(frozen=True)
class EP(Criterion):
    r"""Training error plus a penalty for eigenvalues unlike those of a fitted normal (our reading).

    .. math:: R_{\mathrm{emp}} + \frac{\delta}{n} \sum_{j \le n} |s_j / n - \lambda_j|

    with the eigenvalues :math:`\lambda_j` of the integral operator of a Gaussian kernel under the
    normal distribution with the mean and the covariance of the rows.

    Parameters
    ----------
    delta : float or "cv", default=1024.0
        The weight of the gap; "cv" chooses among 2^0, 2^5, 2^10, 2^15 and 2^20.
    """

    delta: float | str = 1024.0

    name: ClassVar[str] = "ep"
    judges: ClassVar[str] = PENALTY
    greater_is_better: ClassVar[bool | None] = False
    needs: ClassVar[Needs] = frozenset({Need.SPECTRUM, Need.TRAINING})
    formula: ClassVar[str] = "R_emp + (delta / n) sum_j |s_j / n - lambda_j|"
    reference: ClassVar[str] = "a reconstruction of Liu et al. 2013"
    tradeoffs: ClassVar[dict[str, tuple[float, ...]]] = {
        "delta": (1.0, 2.0**5, 2.0**10, 2.0**15, 2.0**20)
    }
    uses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, delta=[POSITIVE])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the criterion at one ridge."""
        weight = number(self.delta) / evidence.n
        return evidence.machine.training_loss(ridge) + weight * _gap(evidence)


def _gap(evidence: Evidence) -> float:
    """Return the sum of differences; no ridge changes it."""
    if _gap not in evidence.shared:
        kernel = evidence.kernel
        if ROWS not in evidence.shared or not isinstance(kernel, Gaussian):
            raise Undefined("it takes the rows themselves and a Gaussian kernel")
        variances = np.linalg.eigvalsh(np.atleast_2d(np.cov(evidence.shared[ROWS], rowvar=False)))
        s = np.zeros(evidence.n)
        s[: evidence.spectrum.values.size] = np.sort(evidence.spectrum.values)[::-1]
        wanted = operator_eigenvalues(variances, kernel.tau, evidence.n)
        evidence.shared[_gap] = float(np.abs(s / evidence.n - wanted).sum())
    return float(evidence.shared[_gap])


def operator_eigenvalues(variances: Array, tau: float, count: int) -> Array:
    r"""Return the largest eigenvalues of a Gaussian kernel's operator under a normal distribution.

    Along an axis of variance :math:`v`, with :math:`a = 1/(4v)`, :math:`b = 1/(2\tau)`,
    :math:`c = \sqrt{a^2 + 2ab}` and :math:`A = a + b + c`, they are
    :math:`\sqrt{2a/A}\,(b/A)^k`; in several dimensions the products (Zhu et al. 1998).

    Parameters
    ----------
    variances : array of shape (d,)
        Along the principal axes; those without variance do not count.
    tau : float
        The width: the kernel is :math:`\exp(-|x - z|^2 / (2 \tau))`.
    count : int
    """
    largest = float(np.max(variances, initial=0.0))
    v = variances[variances > _CONSTANT * largest]
    if v.size == 0:  # all rows alike
        return np.asarray(np.eye(1, count)[0])
    a, b = 1.0 / (4.0 * v), 1.0 / (2.0 * tau)
    A = a + b + np.sqrt(a * a + 2.0 * a * b)
    first = 0.5 * float(np.sum(np.log(2.0 * a / A)))
    return np.asarray(np.exp(first - _smallest_sums(np.sort(np.log(A / b)), count)))


def _smallest_sums(weights: Array, count: int) -> Array:
    """Return the smallest sums of weights, each taken any number of times, in order.

    A set is its parent with the last weight once more, or with the next larger one for the last:
    every set has one parent, whose sum is not larger.
    """
    w = weights.tolist()
    found, heap = [0.0], [(w[0], 0)]
    while len(found) < count:
        total, last = heapq.heappop(heap)
        found.append(total)
        heapq.heappush(heap, (total + w[last], last))
        if last + 1 < len(w):
            heapq.heappush(heap, (total - w[last] + w[last + 1], last + 1))
    return np.array(found[:count])
