"""Spectral perturbation stability: how far the eigenvalues move when a point is removed."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from kernelwise._sklearn import POSITIVE, check_parameters
from kernelwise.criteria.base import PENALTY, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields, number
from kernelwise.gram import Need, Targets
from kernelwise.gram.psd import check_matrix
from kernelwise.machines import check_ridge, fit_cholesky


@dataclass(frozen=True)
class SPS(Criterion):
    r"""Training error plus a penalty for eigenvalues that depend on single rows.

    .. math:: R_{\mathrm{emp}} + \frac{\delta}{n^2} \sum_{i,j} |q_{ji}^2 (2 s_j - K_{ii})|

    over the eigenpairs :math:`(s_j, q_j)` of K: the derivative of every eigenvalue with respect to
    the weight of every point (Theorem 3, with :math:`q_j^\top k_i = s_j q_{ji}`). The exact
    perturbation sums to the trace of K whatever the kernel, see :func:`sps_exact`.

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


def sps_exact(
    K: Any,
    y: Any,
    ridge: float,
    *,
    delta: float = 1.0,
    task: str = "auto",
    fit_intercept: bool = True,
) -> float:
    r"""Return the criterion with exact eigenvalue perturbations, to show that it is degenerate.

    .. math:: R_{\mathrm{emp}} + \frac{\delta}{n^2} \sum_{i,j} |s_j(K) - s_j(K^i)|

    By Cauchy interlacing every eigenvalue of :math:`K^i` (K with row and column i set to zero) lies
    below that of K, so the inner sum is :math:`\mathrm{tr} K - \mathrm{tr} K^i = K_{ii}` and the
    second term :math:`\delta\, \mathrm{tr} K / n^2`: the same for every Gaussian width. It is
    computed here the long way, with n + 1 spectra in O(n⁴); use :class:`SPS` to choose a kernel.

    Parameters
    ----------
    K : array of shape (n, n)
        A positive semidefinite kernel matrix.
    y : array of shape (n,)
    ridge : float
    delta : float, default=1.0
    task : {"auto", "classification", "regression"}, default="auto"
    fit_intercept : bool, default=True

    Returns
    -------
    value : float

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import criteria
    >>> y = [1, 1, -1, -1]
    >>> round(criteria.sps_exact(np.eye(4), y, 1.0, fit_intercept=False), 12)  # 1/4 + tr(K)/n^2
    0.5
    """
    K = check_matrix(K)
    targets = Targets.of(y, task)
    n = targets.n
    if K.shape[0] != n:
        raise ValueError(f"K has {K.shape[0]} rows but y has {n} entries.")
    check_ridge(ridge)
    allowed = {"delta": [POSITIVE], "fit_intercept": ["boolean"]}
    check_parameters("sps_exact", allowed, delta=delta, fit_intercept=fit_intercept)
    s = scipy.linalg.eigvalsh(K)
    total = 0.0
    for i in range(n):
        removed = K.copy()
        removed[i, :] = removed[:, i] = 0.0
        total += float(np.abs(s - scipy.linalg.eigvalsh(removed)).sum())
    fit = fit_cholesky(K, targets.fit_columns, ridge, fit_intercept=fit_intercept)
    return fit.training_loss + delta / n**2 * total
