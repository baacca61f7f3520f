"""Kernels that see the features rescaled, or some of them only."""

import math
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._arguments import is_list, shown, some
from kernelwise._registry import unknown
from kernelwise._types import Array
from kernelwise.kernels.base import Contraction, Kernel, quietly
from kernelwise.kernels.compose import check_kernel
from kernelwise.kernels.geometry import Pairs, Rows, Transform, in_range

_PRINTED = 8  # weights or columns; of more there is a summary


@dataclass(frozen=True)
class Scaling:
    """Rows with every feature multiplied by its weight."""

    weights: tuple[float, ...]

    @quietly
    def __call__(self, rows: Rows) -> Rows:
        """Return the scaled rows, in the type that they have."""
        d = int(rows.shape[1])
        if d != len(self.weights):
            raise ValueError(
                f"weights of Scaled must be one for each of the {d} features of X, got "
                f"{len(self.weights)}."
            )
        weights = np.array(self.weights, dtype=rows.dtype)
        if sp.issparse(rows):
            scaled = sp.csr_matrix(rows, copy=True)
            scaled.data *= weights[scaled.indices]
        else:
            scaled = rows * weights
        return in_range(scaled, "X times the weights of Scaled")


@dataclass(frozen=True)
class Selection:
    """Rows with some of their features."""

    columns: tuple[int | str, ...]

    def __call__(self, rows: Rows) -> Rows:
        """Return the features, in the order of the columns."""
        named = [column for column in self.columns if isinstance(column, str)]
        if named:
            raise ValueError(
                f"columns of Columns are names ({some(named, 3)}) and X has none: fit on a "
                "DataFrame, or give positions."
            )
        positions, d = [int(column) for column in self.columns], int(rows.shape[1])
        if max(positions) >= d:
            raise ValueError(
                f"columns of Columns must be below {d}, the number of features of X, got "
                f"{max(positions)}: the first is 0."
            )
        chosen = rows[:, positions]
        return chosen if sp.issparse(rows) else np.ascontiguousarray(chosen)


class Transformed(Kernel):
    """A kernel on transformed points: what those of this module share."""

    kernel: Kernel

    @property
    @abstractmethod
    def transform(self) -> Transform:
        """What the points go through before the kernel sees them."""

    @property
    @abstractmethod
    def shown(self) -> str:
        """The parameters of the transform, as they are printed."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shown}, {self.kernel!r})"

    def _check_kernel(self) -> None:
        check_kernel(self, "kernel", self.kernel)
        if self.kernel.takes_matrix:
            raise ValueError(
                f"kernel of {type(self).__name__} must be one of rows: Precomputed() stands for a "
                "matrix, which has no features."
            )

    @property
    def origin(self) -> float:
        """That of the kernel."""
        return self.kernel.origin

    @property
    def is_psd(self) -> bool | None:
        """As the kernel."""
        return self.kernel.is_psd

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """Those of the kernel, in units of the transformed features."""
        return self.kernel.inverse_widths

    @property
    def roughness(self) -> float:
        """That of the kernel."""
        return self.kernel.roughness

    @property
    def family(self) -> Hashable:
        """The same transform around kernels of one family."""
        return self.transform, self.kernel.family

    @property
    def is_stationary(self) -> bool:
        """As the kernel: the transforms are linear."""
        return self.kernel.is_stationary

    def features(self, rows: Array) -> Array | None:
        """Return those of the transformed rows."""
        return self.kernel.features(self.transform(rows))

    def values(self, pairs: Pairs) -> Array:
        """Return the matrix of the transformed points."""
        return self.kernel.values(pairs.view(self.transform))

    def deviations(self, pairs: Pairs) -> Array:
        """Return the deviations of the transformed points."""
        return self.kernel.deviations(pairs.view(self.transform))

    @quietly
    def gradients(self, pairs: Pairs, weights: Array, contract: Contraction) -> Array:
        """Return the gradients by the features before the transform."""
        inner = self.kernel.gradients(pairs.view(self.transform), weights, contract)
        return self._pull_back(inner, pairs.X.shape[1])

    @abstractmethod
    def _pull_back(self, gradients: Array, features: int) -> Array:
        """Turn gradients by the features that come out into those by the features that go in."""

    def diagonal(self, X: Any) -> Array:
        """Return the diagonal of the transformed points."""
        return self.kernel.diagonal(self.transform(X))


@dataclass(frozen=True, repr=False)
class Scaled(Transformed):
    r"""A kernel on rescaled features, which gives every feature a width of its own.

    .. math:: k_w(x, z) = k(w \odot x,\; w \odot z)

    A Gaussian has the width :math:`\sqrt\tau / w_j` in feature j (automatic relevance
    determination), a Laplacian :math:`s / w_j`. A feature of weight zero has no influence.

    Parameters
    ----------
    weights : sequence of float
        One for every feature, not negative.
    kernel : Kernel
        What the rescaled features go into.

    Notes
    -----
    A kernel of up to eight weights is printed as it is written; of more the text gives their number
    and range only, and cannot be evaluated. ``inverse_widths`` are those of the inner kernel, in
    units of the rescaled features: widths of one kernel are compared under the same weights.

    References
    ----------
    R. M. Neal, Bayesian Learning for Neural Networks, Springer 1996.

    Examples
    --------
    >>> from kernelwise import Gaussian, Scaled
    >>> Scaled([1.0, 0.0], Gaussian(0.5))([[0.0, 3.0], [1.0, -7.0]]).round(3)
    array([[1.   , 0.368],
           [0.368, 1.   ]])
    """

    weights: tuple[float, ...]
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", _as_weights(self.weights))
        self._check_kernel()

    @property
    def transform(self) -> Scaling:
        """The weights."""
        return Scaling(self.weights)

    def _pull_back(self, gradients: Array, features: int) -> Array:
        return np.asarray(np.asarray(self.weights) * gradients)

    def with_positions(self, names: Sequence[str]) -> Kernel:
        """Replace names of columns in the kernel."""
        return Scaled(self.weights, self.kernel.with_positions(names))

    @property
    def shown(self) -> str:
        """The weights, as they are printed."""
        return _in_short(self.weights, "weights")


@dataclass(frozen=True, repr=False)
class Columns(Transformed):
    """A kernel that sees some of the features only.

    ``Columns([0, 1], k1) + Columns([2], k2)`` gives each of two groups of features its own kernel.

    Parameters
    ----------
    columns : sequence of int or str
        Positions, counted from 0; or names, which the estimators of kernelwise replace by positions
        where they are fitted on a DataFrame.
    kernel : Kernel
        What the features go into.

    Examples
    --------
    >>> from kernelwise import Columns, Linear
    >>> Columns([1], Linear())([[5.0, 1.0], [6.0, 2.0]])
    array([[1., 2.],
           [2., 4.]])
    """

    columns: tuple[int | str, ...]
    kernel: Kernel

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _as_columns(self.columns))
        self._check_kernel()

    @property
    def transform(self) -> Selection:
        """The columns."""
        return Selection(self.columns)

    def _pull_back(self, gradients: Array, features: int) -> Array:
        found = np.zeros((*gradients.shape[:-1], features))
        found[..., np.asarray(self.columns)] = gradients
        return found

    def with_positions(self, names: Sequence[str]) -> Kernel:
        """Replace names by positions; the kernel sees these columns under the same names."""
        positions = tuple(_position(column, names) for column in self.columns)
        seen = [names[i] for i in positions if i < len(names)]
        return Columns(positions, self.kernel.with_positions(seen))

    @property
    def shown(self) -> str:
        """The columns, as they are printed."""
        return _in_short(self.columns, "columns")


def unwrapped(kernel: Kernel) -> tuple[Kernel, tuple[Transform, ...]]:
    """Return the kernel inside of all transforms, and those, the outermost first."""
    transforms: list[Transform] = []
    while isinstance(kernel, Transformed):
        transforms.append(kernel.transform)
        kernel = kernel.kernel
    return kernel, tuple(transforms)


def _as_weights(given: Any) -> tuple[float, ...]:
    listed = list(given) if is_list(given) else []
    weights = tuple(float(w) for w in listed if isinstance(w, Real) and 0.0 <= float(w) < math.inf)
    if not listed or len(weights) < len(listed):
        raise ValueError(
            "weights of Scaled must be a number for every feature, finite and not negative, got "
            f"{shown(given)}."
        )
    return weights


def _as_columns(given: Any) -> tuple[int | str, ...]:
    listed = list(given) if is_list(given) else []
    positions = [int(c) if isinstance(c, Integral) else c for c in listed]
    found = tuple(c for c in positions if isinstance(c, str) or (isinstance(c, int) and c >= 0))
    if not listed or len(set(found)) < len(listed):
        raise ValueError(
            "columns of Columns must be positions from 0 on or names of features, each once, got "
            f"{shown(given)}."
        )
    return found


def _position(column: int | str, names: Sequence[str]) -> int:
    if isinstance(column, int):
        return column
    if column not in names:
        raise ValueError(f"columns of Columns: {unknown('feature', column, names)}")
    return names.index(column)


def _in_short(values: Sequence[Any], what: str) -> str:
    """Return values as a list; many of them by their number and range, which is no Python."""
    if len(values) <= _PRINTED:
        return repr(list(values))
    if what == "weights":
        return f"<{len(values)} weights from {min(values):.3g} to {max(values):.3g}>"
    return f"<{len(values)} columns, {values[0]!r} to {values[-1]!r}>"
