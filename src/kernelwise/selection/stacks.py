"""Several kernel matrices in the place of X: stacked, or side by side as the engines take them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._arguments import is_list, is_one_of, shown
from kernelwise._types import Array
from kernelwise.gram.psd import check_matrix
from kernelwise.kernels import Kernel, Matrix, Multiple, Precomputed, Product, Sum


def is_stack(X: Any) -> bool:
    """Say whether X is a stack of matrices: an array of three dimensions, or a list of arrays."""
    if isinstance(X, list | tuple):
        return bool(X) and all(getattr(K, "ndim", 0) == 2 for K in X)
    return bool(getattr(X, "ndim", 0) == 3)


def side_by_side(X: Any, columns: int | None = None) -> Any:
    """Return a stack (k, m, n) as one matrix (m, k n), a block for each; other data as it is.

    It must have so many columns, if that is given.
    """
    if not is_stack(X):
        return X
    matrices = [K.toarray() if sp.issparse(K) else np.asarray(K) for K in X]
    shapes = list(dict.fromkeys(K.shape for K in matrices))
    if len(shapes) != 1:
        raise ValueError(f"X must hold matrices of one shape, got {shown(shapes)}.")
    if columns not in (None, len(matrices) * shapes[0][1]):
        raise ValueError(
            "X must be a stack of as many matrices as in fit, with a column per training row, got "
            f"{len(matrices)} of shape {shapes[0]}."
        )
    return np.concatenate(matrices, axis=1)


def matrix_kernels(kernels: Any, matrices: int, shape: tuple[int, int]) -> list[Kernel]:
    """Return the candidates among matrices side by side: all of them unless some are given."""
    n, columns = shape[0], shape[1] // matrices
    if n != columns:
        raise ValueError(
            "X must be a stack of square matrices, of shape (k, n, n), got shape "
            f"{(matrices, n, columns)}."
        )
    if isinstance(kernels, Precomputed) or is_one_of(kernels, ("auto", None)):
        return [Matrix(i) for i in range(matrices)]
    given = [kernels] if isinstance(kernels, Kernel) else kernels
    if is_list(given):
        listed = list(given)
        if listed and all(isinstance(k, Kernel) and k.takes_matrix for k in listed):
            return listed
    raise ValueError("X is a stack of matrices: leave kernels='auto' to weigh all.")


def named_matrices(matrices: Any) -> tuple[list[Matrix], Array]:
    """Return a kernel for every matrix, and the matrices side by side, checked one by one."""
    if isinstance(matrices, Mapping):
        if not all(isinstance(name, str) for name in matrices):
            raise TypeError("matrices must have texts for names, as in {'string': K}.")
        names, given = list(matrices), list(matrices.values())
    elif is_stack(matrices):
        names, given = [""] * len(matrices), list(matrices)
    else:
        raise TypeError(
            "matrices must be a mapping of names to square matrices, or a stack of shape (k, n, n),"
            f" got {shown(matrices)}: see docs/candidates.md."
        )
    if not given:
        raise ValueError("matrices is empty: give at least one, as in {'string': K}.")
    kernels = [Matrix(i, name) for i, name in enumerate(names)]
    checked = [_checked(K, kernel) for K, kernel in zip(given, kernels, strict=True)]
    return kernels, np.asarray(side_by_side(checked))


def check_matrices(X: Any, kernels: Sequence[Kernel]) -> Array:
    """Return the matrix that is given, or several side by side, each of them checked."""
    named = {k.index: k for kernel in kernels for k in _matrices_of(kernel)}
    if not named:
        return check_matrix(X)
    X = np.asarray(X)
    n = X.shape[0]
    blocks = [X[:, start : start + n] for start in range(0, X.shape[1], n)]
    checked = [_checked(K, named.get(i, Matrix(i))) for i, K in enumerate(blocks)]
    if max(named) >= len(checked):
        raise ValueError(f"kernels names matrix {max(named)} of {len(checked)}: the first is 0.")
    return np.concatenate(checked, axis=1)


def _matrices_of(kernel: Kernel) -> list[Matrix]:
    """Return the given matrices that a kernel is made of."""
    if isinstance(kernel, Matrix):
        return [kernel]
    if isinstance(kernel, Multiple):
        return _matrices_of(kernel.part)
    parts = kernel.parts if isinstance(kernel, Sum | Product) else ()
    return [matrix for part in parts for matrix in _matrices_of(part)]


def part_of(X: Array, rows: Array, others: Array | None = None) -> Array:
    """Return what one matrix, or several side by side, say of some rows and others.

    By default those are the same.
    """
    others = rows if others is None else others
    columns = [others + start for start in range(0, X.shape[1], X.shape[0])]
    return np.asarray(X[np.ix_(rows, np.concatenate(columns))])


def _checked(K: Any, kernel: Matrix) -> Array:
    """Return a symmetric matrix; an error says which of them it is about."""
    try:
        return check_matrix(K)
    except ValueError as error:
        raise ValueError(f"{kernel}: {error}") from None
