"""SPS with exact perturbations of the eigenvalues, which Liu and Liao 2014 approximate."""

from typing import Any

import numpy as np
import scipy.linalg

from kernelwise._sklearn import POSITIVE, check_parameters
from kernelwise.gram import Targets
from kernelwise.gram.psd import check_matrix
from kernelwise.machines import check_ridge, fit_cholesky


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
    computed here the long way, with n + 1 spectra in O(n⁴); use
    :class:`~kernelwise.criteria.SPS` to choose a kernel.

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
    >>> from kernelwise_papers.criteria import sps_exact
    >>> y = [1, 1, -1, -1]
    >>> round(sps_exact(np.eye(4), y, 1.0, fit_intercept=False), 12)  # 1/4 + tr(K)/n^2
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
