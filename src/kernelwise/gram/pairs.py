"""Pairs of points as engines take them: city-block distances by a compiled loop."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._threads import pool, workers
from kernelwise._types import Array
from kernelwise.gram.tiles import direct_distances
from kernelwise.kernels import Kernel, Pairs
from kernelwise.kernels.geometry import Transform

_ROWS = 256  # of a matrix at once
_BLOCK = 384  # rows and columns whose differences are summed at once
# Differences, beyond which loading the compiled loops takes less time than it saves.
_WORTH = 10**8


class EnginePairs(Pairs):
    """Two sets of points; many city-block distances are computed four times as fast.

    They may be part of a larger matrix, whose number of entries tells whether that pays; an engine
    that has loaded the loops anyway gives the largest number.
    """

    def __init__(self, X: Any, Z: Any = None, entries: int = 0) -> None:
        super().__init__(X, Z)
        self.entries = max(entries, X.shape[0] * (X if Z is None else Z).shape[0])

    def __getitem__(self, geometry: str) -> Array:
        """Return the values of a geometry."""
        if geometry == "l1" and geometry not in self._known and self._is_worth_it():
            self._known[geometry] = _city_block_distances(self.X, self.Z)
        return super().__getitem__(geometry)

    def _is_worth_it(self) -> bool:
        if sp.issparse(self.X) or sp.issparse(self.Z):
            return False
        return bool(self.entries * self.X.shape[1] > _WORTH)

    def _transformed(self, transform: Transform) -> "EnginePairs":
        Z = None if self.Z is None else transform(self.Z)
        return EnginePairs(transform(self.X), Z, self.entries)


def kernel_between(kernel: Kernel, X: Any, Z: Any = None, entries: int = 0) -> Array:
    """Return the matrix of a kernel between checked rows X and Z, or X and itself.

    It may be part of one of more entries.
    """
    return kernel.values(EnginePairs(X, Z, entries))


def upper_triangle(kernel: Kernel, X: Any, entries: int) -> Array:
    """Return a kernel matrix, or part of one, with its upper triangle set, by blocks in threads."""
    n = X.shape[0]
    K = np.empty((n, n))

    def fill(start: int) -> None:
        rows = slice(start, start + _ROWS)
        K[rows, start:] = kernel_between(kernel, X[rows], X[start:], entries)

    with pool(workers()) as threads:
        list(threads.map(fill, range(0, n, _ROWS)))
    return K


def _city_block_distances(X: Array, Z: Array | None) -> Array:
    """Return the distances block by block; of X and itself half of them, mirrored."""
    others = X if Z is None else Z
    D = np.empty((X.shape[0], others.shape[0]))
    for i in range(0, D.shape[0], _BLOCK):
        for j in range(i if Z is None else 0, D.shape[1], _BLOCK):
            left, right = X[i : i + _BLOCK], others[j : j + _BLOCK]
            G = direct_distances("l1", left, right, np.empty((len(left), len(right))))
            if Z is None and i == j:  # rounding depends on the place in the loop
                G = np.triu(G, 1)
                G += G.T
            elif Z is None:
                D[j : j + _BLOCK, i : i + _BLOCK] = G.T
            D[i : i + _BLOCK, j : j + _BLOCK] = G
    return D
