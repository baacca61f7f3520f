"""Distances and dot products of two sets of points, which kernels are functions of.

Three geometries serve all kernels: squared Euclidean distances, city-block distances and dot
products. A fourth, ``"matrix"``, is the user's own kernel matrix passed in place of X.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import manhattan_distances
from sklearn.utils import check_array, check_random_state

from kernelwise._sklearn import check_numbers
from kernelwise._types import Array

Rows = Any  # a dense (n, d) array or a scipy CSR matrix of the same shape
Transform = Callable[[Rows], Rows]  # of every row alone; a hashable value

_LARGEST = 1e50  # squares of entries, and sums of their products, stay within float64

# |x|^2 + |z|^2 - 2 x.z is off by a few eps (|x|^2 + |z|^2). Pairs closer than this fraction of
# |x|^2 + |z|^2 are computed again from their difference: the relative error stays below 1e-12.
_CANCELLATION = 1e-3
_BLOCK = 512  # rows compared at once while looking for such pairs
# A thousand rows give half a million distances: their quantiles are known to a percent or two, and
# grids have steps of two.
_SAMPLE = 1000
_REPAIRS = 65536  # pairs computed again at once: bounds the memory where most rows coincide


def as_rows(X: Any, name: str = "X") -> Rows:
    """Return X as a finite float64 array or CSR matrix of shape (n, d); refuse anything else."""
    check_numbers(X, name)
    rows = check_array(X, accept_sparse="csr", dtype=np.float64, order="C", input_name=name)
    return in_range(rows, name)


def in_range(rows: Rows, name: str = "X") -> Rows:
    """Return rows of finite numbers, or say that they are too large; sparse ones in order."""
    if sp.issparse(rows) and not rows.has_canonical_format:
        rows = rows.copy()  # products depend on the order of the entries
        rows.sum_duplicates()
    numbers = rows.data if sp.issparse(rows) else rows
    if max(numbers.max(initial=0.0), -numbers.min(initial=0.0)) > _LARGEST:  # without a copy
        raise ValueError(f"{name} has entries beyond {_LARGEST:g}: standardise the features first.")
    return rows


def squared_distances(X: Rows, Z: Rows | None = None) -> Array:
    r"""Return :math:`|x_i - z_j|^2` for all pairs, never negative, with small relative error.

    One matrix product does the bulk of the work on data centred at the mean of Z (distances do not
    change, cancellation does); near pairs are computed again from their difference, so that equal
    rows have distance zero exactly.
    """
    same = Z is None or Z is X
    if Z is None:
        Z = X
    if not (sp.issparse(X) or sp.issparse(Z)):
        center = Z.mean(axis=0)
        X_c = X - center
        Z_c = X_c if same else Z - center
    else:  # centring would fill a sparse matrix
        X_c, Z_c = X, Z
    norms = np.add.outer(squared_norms(X_c), squared_norms(Z_c))
    D = dot_products(X_c, Z_c)
    D *= -2.0
    D += norms  # both norms at once: the result is symmetric to the last bit
    np.maximum(D, 0.0, out=D)
    _repair_near_pairs(D, norms, X, Z)
    if same:
        np.fill_diagonal(D, 0.0)
    return D


def _repair_near_pairs(D: Array, norms: Array, X: Rows, Z: Rows) -> None:
    """Compute the entries of D that lost digits to cancellation again, in place."""
    for start in range(0, D.shape[0], _BLOCK):
        block = slice(start, start + _BLOCK)
        i, j = np.nonzero(D[block] <= _CANCELLATION * norms[block])
        i += start
        for first in range(0, i.size, _REPAIRS):
            chunk = slice(first, first + _REPAIRS)
            D[i[chunk], j[chunk]] = squared_norms(X[i[chunk]] - Z[j[chunk]])


def squared_norms(X: Rows) -> Array:
    """Return :math:`|x_i|^2` for every row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def dot_products(X: Rows, Z: Rows | None = None) -> Array:
    r"""Return :math:`x_i \cdot z_j` for all pairs."""
    product = X @ (X if Z is None else Z).T
    return np.asarray(product.toarray() if sp.issparse(product) else product)


def city_block_distances(X: Rows, Z: Rows | None = None) -> Array:
    r"""Return :math:`|x_i - z_j|_1` for all pairs."""
    if sp.issparse(X) or sp.issparse(Z):
        X = _canonical(X)
        Z = None if Z is None else _canonical(Z)
    return np.asarray(manhattan_distances(X, X if Z is None else Z))


def sample_rows(X: Rows, random_state: Any = None) -> Rows:
    """Return at most 1,000 rows, drawn at random; None draws the same ones every time."""
    if X.shape[0] <= _SAMPLE:
        return X
    draw = check_random_state(0 if random_state is None else random_state)
    return X[draw.choice(X.shape[0], _SAMPLE, replace=False)]


def _canonical(X: Rows) -> Rows:
    """Return a sorted copy with the indices that scikit-learn's loops expect."""
    X = sp.csr_matrix(X, copy=True)
    X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def given_matrix(X: Rows, Z: Rows | None = None) -> Array:
    """Return X itself, which is the kernel matrix; check that it fits the training rows Z."""
    K = X.toarray() if sp.issparse(X) else X
    columns = K.shape[0] if Z is None else Z.shape[0]
    if K.shape[1] != columns:
        raise ValueError(
            f"X must hold kernel values with one column per training row: expected {columns} "
            f"columns, got {K.shape[1]}."
        )
    return np.asarray(K)


GEOMETRIES: Mapping[str, Callable[[Rows, Rows | None], Array]] = MappingProxyType(
    dict(sqdist=squared_distances, l1=city_block_distances, dot=dot_products, matrix=given_matrix)
)
DIAGONALS: Mapping[str, Callable[[Rows], Array]] = MappingProxyType(
    dict(dot=squared_norms, matrix=lambda K: given_matrix(K).diagonal())  # of others it is zero
)


@dataclass(eq=False)
class Pairs:
    """Two sets of points, or one and itself; each geometry of their pairs is computed once.

    Kernels on transformed points take a :meth:`view`, which is computed once too.
    """

    X: Rows
    Z: Rows | None = None
    _known: dict[str, Array] = field(default_factory=dict, init=False, repr=False)
    _views: dict[Transform, "Pairs"] = field(default_factory=dict, init=False, repr=False)

    def __getitem__(self, geometry: str) -> Array:
        """Return the values of a geometry; they are shared, so never change them in place."""
        if geometry not in self._known:
            self._known[geometry] = GEOMETRIES[geometry](self.X, self.Z)
        return self._known[geometry]

    def view(self, transform: Transform) -> "Pairs":
        """Return the pairs of the transformed points."""
        if transform not in self._views:
            self._views[transform] = self._transformed(transform)
        return self._views[transform]

    def without_views(self) -> Self:
        """Return the same pairs, sharing what is known of them, with no view computed yet."""
        fresh = copy.copy(self)
        fresh._views = {}
        return fresh

    def _transformed(self, transform: Transform) -> "Pairs":
        return Pairs(transform(self.X), None if self.Z is None else transform(self.Z))
