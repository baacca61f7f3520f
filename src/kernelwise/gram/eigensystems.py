"""Eigenpairs of kernel matrices of a form that makes them quick to find."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh
from scipy.sparse import issparse

from kernelwise._types import Array
from kernelwise.gram._lapack import decompose
from kernelwise.kernels import Kernel

_EPS = float(np.finfo(float).eps)
_FAR_FEWER = 2  # times as many rows as features: then these are decomposed, not the matrix


def eigensystem(make: Callable[[], Array]) -> tuple[Array, Array]:
    """Return the eigenvalues of a symmetric matrix, ascending, and the eigenvectors as columns.

    `make` returns the matrix, which may be overwritten. By divide and conquer, the fastest way,
    which fails for a few matrices with entries of very different size, as of a narrow kernel on
    rows that repeat: then by QR iterations. Ctrl-C need not wait for large matrices.
    """
    try:
        return decompose(make())
    except LinAlgError:
        s, Q = eigh(make(), driver="ev", overwrite_a=True, check_finite=False)
    return s, Q


def thin_features(kernel: Kernel, X: Any) -> Array | None:
    """Return features whose dot products are the matrix, where they are far fewer than rows."""
    phi = None if kernel.takes_matrix or issparse(X) else kernel.features(X)
    return phi if phi is not None and phi.shape[1] <= X.shape[0] // _FAR_FEWER else None


def are_thin(kernels: Sequence[Kernel], X: Any) -> bool:
    """Say whether the decompositions of all kernels, which serve all ridges, take little time."""
    return all(thin_features(kernel, X) is not None for kernel in kernels)


def eigensystem_of_features(phi: Array) -> tuple[Array, Array] | None:
    """Return the eigenvalues of phi phi' above rounding, ascending, and their eigenvectors.

    None of a matrix that is zero to rounding.
    """
    s, V = eigensystem(lambda: phi.T @ phi)
    kept = s > s.max(initial=0.0) * phi.shape[0] * _EPS
    if not kept.any():
        return None
    return s[kept], np.asarray(phi @ (V[:, kept] / np.sqrt(s[kept])))


def eigensystem_of_groups(K: Array, groups: Sequence[Array]) -> tuple[Array, Array]:
    """Return the eigensystem of a matrix that is zero between groups of rows."""
    s, Q = np.empty(K.shape[0]), np.zeros(K.shape)
    start = 0
    for rows in groups:
        columns = slice(start, start + rows.size)
        if rows.size == 1:
            s[start], Q[rows[0], start] = K[rows[0], rows[0]], 1.0
        else:
            both = np.ix_(rows, rows)
            s[columns], Q[rows, columns] = eigensystem(partial(K.__getitem__, both))
        start += rows.size
    order = np.argsort(s, kind="stable")
    return s[order], Q[:, order]
