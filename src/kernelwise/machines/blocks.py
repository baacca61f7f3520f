"""Kernel matrices of machines, and sums over them that hold some of their rows at a time."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.pairs import kernel_between
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import as_rows

Function = Kernel | Callable[..., Any]

_ENTRIES = 2**20  # of the matrix at once, in all threads; distances take four times as much
_FEWEST = 16  # rows to a block: fewer take longer than they save


def matrix_between(
    kernel: Function, names: Iterable[str], X: Any, Z: Any, entries: int = 0
) -> Array:
    """Return a kernel between rows; it may name columns, which have these names.

    It may be part of a matrix of more entries.
    """
    if not isinstance(kernel, Kernel):
        return np.asarray(kernel(X, Z))
    known = list(names)
    kernel = kernel.with_positions(known) if known else kernel
    rows = as_rows(X)
    return kernel_between(kernel, rows, None if Z is X else as_rows(Z), entries)


def kernel_sums(
    kernel: Function, names: Iterable[str], X: Any, Z: Any, coefficients: Array
) -> Array:
    """Return the product of the matrix between X and Z with coefficients, block by block of X.

    A function that is not a kernel of ours is called by one thread at a time.
    """
    m, n = X.shape[0], Z.shape[0]

    def sums(rows: Any) -> Array:
        return np.asarray(matrix_between(kernel, names, rows, Z, m * n) @ coefficients)

    if m * n <= _ENTRIES:
        return sums(X)
    threads = workers() if isinstance(kernel, Kernel) else 1
    size = max(_FEWEST, _ENTRIES // (n * threads))
    blocks = (X[start : start + size] for start in range(0, m, size))
    if threads == 1:
        return np.concatenate([sums(block) for block in blocks])
    with pool(threads) as running:
        return np.concatenate(list(running.map(sums, blocks)))
