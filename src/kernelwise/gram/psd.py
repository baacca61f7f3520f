"""Matrices that are given, or not positive semidefinite: checks, and the usual remedies."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from kernelwise._sklearn import StrOptions, check_parameters
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.gram.eigensystems import eigensystem


class NotPSDWarning(UserWarning):
    """A kernel matrix has negative eigenvalues, so strictly it is not a kernel matrix."""


def warn_indefinite(what: str) -> None:
    """Say that a kernel is not positive semidefinite, and what to do."""
    warn_user(
        f"{what} is not positive semidefinite: choose another kernel, or repair its matrix with "
        "kernelwise.gram.repair(K, 'clip'), 'flip' or 'shift' and use Precomputed().",
        NotPSDWarning,
    )


def repair(K: Any, method: str = "clip") -> Array:
    r"""Return a positive semidefinite matrix near a symmetric one.

    Parameters
    ----------
    K : array of shape (n, n)
        A symmetric matrix.
    method : {"clip", "flip", "shift"}, default="clip"
        Set negative eigenvalues to zero, take their absolute value, or add the most negative one's
        absolute value to the diagonal.

    Returns
    -------
    repaired : array of shape (n, n)

    References
    ----------
    Y. Chen et al., Similarity-based classification: concepts and algorithms, JMLR 10 (2009).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.gram import repair
    >>> repair(np.array([[0.0, 1.0], [1.0, 0.0]]), "flip").round(12)
    array([[1., 0.],
           [0., 1.]])
    """
    methods = [StrOptions({"clip", "flip", "shift"})]
    check_parameters("repair", {"method": methods}, method=method)
    K = check_matrix(K)
    with limited(rows=K.shape[0]):
        s, Q = eigensystem(K.copy)
        if s[0] >= 0.0:
            return np.asarray(K)
        if method == "shift":
            return np.asarray(K - s[0] * np.eye(s.size))
        s = np.abs(s) if method == "flip" else np.maximum(s, 0.0)
        repaired = (Q * s) @ Q.T
        return np.asarray(0.5 * (repaired + repaired.T))


def check_matrix(K: Any) -> Array:
    """Return K as a symmetric float64 matrix, after checking it."""
    K = K.toarray() if hasattr(K, "toarray") else K
    K = check_array(K, dtype=np.float64, order="C", input_name="K")
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"K must be a square matrix, got shape {K.shape}.")
    largest = np.abs(K).max()
    asymmetry = np.abs(K - K.T).max()
    if asymmetry > 1e-8 * largest:
        raise ValueError(
            f"K is not symmetric (entries differ by up to {asymmetry:.3g}): "
            "use (K + K.T) / 2 if that is meant."
        )
    return np.asarray(K if asymmetry == 0.0 else 0.5 * (K + K.T))
