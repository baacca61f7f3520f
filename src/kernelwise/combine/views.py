"""Which base kernels there are, and on which view, a group of features, each of them is."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from kernelwise._arguments import is_list
from kernelwise._types import Array
from kernelwise.kernels import Columns, Gaussian, Kernel, Linear, Matrix
from kernelwise.kernels.geometry import sample_rows, squared_distances
from kernelwise.selection.inputs import as_kernels
from kernelwise.selection.stacks import matrix_kernels

_WIDTHS = (0.125, 0.5, 2.0)  # tau, in units of the median squared distance
_FEW = 16  # columns, up to which a plain loop takes less time than a matrix product
_WHOLE = "all features"
_SHOWN = 3  # columns in the name of a view that has none


class BaseKernels(NamedTuple):
    """Base kernels, each with the name of its view."""

    kernels: list[Kernel]
    views: list[str]


def base_kernels(
    kernels: Any, views: Any, X: Any, names: Sequence[str] | None, random_state: Any
) -> BaseKernels:
    """Return the kernels on rows X; with views, all of them on each view.

    By default there are the Gaussian widths of a selector, and three on each view.
    """
    if not views:
        found = as_kernels(kernels, X, names, random_state)
        return BaseKernels(found, [_view_of(kernel, names) for kernel in found])
    listed: list[Kernel] = []
    owners: list[str] = []
    for view, columns in views.items():
        own = _on_view(kernels, view, (columns, names), X, random_state)
        listed += own
        owners += [view] * len(own)
    return BaseKernels(listed, owners)


def given_matrices(kernels: Any, views: Any, X: Array, matrices: int) -> BaseKernels:
    """Return a kernel for every matrix of several side by side."""
    if views is not None:
        raise ValueError("views are groups of features, which given matrices do not have.")
    found = matrix_kernels(kernels, matrices, X.shape)
    return BaseKernels(found, list(map(repr, found)))


def _on_view(
    kernels: Any, view: str, given: tuple[Any, Sequence[str] | None], X: Any, random_state: Any
) -> list[Kernel]:
    columns, names = given
    listed = columns if is_list(columns) else [columns]
    try:
        selection = Columns(tuple(listed), Linear())
        if names is not None:
            selection = selection.with_positions(list(names))  # type: ignore[assignment]
        part = selection.transform(X)
    except (TypeError, ValueError) as error:
        raise ValueError(f"views[{view!r}]: {error}") from None
    if kernels is None or (isinstance(kernels, str) and kernels == "auto"):
        inner: list[Kernel] = [*_widths(part, random_state)]
    else:
        seen = None if names is None else [names[int(i)] for i in selection.columns]
        inner = as_kernels(kernels, part, seen, random_state)
    if any(kernel.takes_matrix for kernel in inner):
        raise ValueError("kernels on views must be of rows, not given matrices.")
    return [Columns(selection.columns, kernel) for kernel in inner]


def _widths(part: Any, random_state: Any) -> list[Gaussian]:
    """Return three Gaussian kernels around the median distance of rows that differ."""
    distances = _distances(sample_rows(part, random_state))
    apart = distances if distances.min(initial=np.inf) > 0.0 else distances[distances > 0.0]
    # A constant view gets no weight.
    unit = float(np.median(apart, overwrite_input=True)) if apart.size else 1.0
    return [Gaussian(max(share * unit, 1e-300)) for share in _WIDTHS]


def _distances(rows: Any) -> Array:
    """Return squared distances of pairs; every pair once where that is quick."""
    if sp.issparse(rows) or rows.shape[1] > _FEW:
        return squared_distances(rows)
    return np.asarray(pdist(rows, "sqeuclidean"))


def _view_of(kernel: Kernel, names: Sequence[str] | None) -> str:
    if isinstance(kernel, Matrix):
        return repr(kernel)
    if not isinstance(kernel, Columns):
        return _WHOLE
    called = [str(c) if names is None else str(names[int(c)]) for c in kernel.columns]
    more = f" and {len(called) - _SHOWN} more" if len(called) > _SHOWN else ""
    return f"columns {', '.join(called[:_SHOWN])}{more}"


def weight_by_view(views: Sequence[str], weights: Array) -> dict[str, float]:
    """Return the sum of the weights of every view, in their order."""
    found = dict.fromkeys(views, 0.0)
    for view, weight in zip(views, weights.tolist(), strict=True):
        found[view] += weight
    return found
