"""What every kernel offers, and how the simple ones are built."""

import math
import numbers
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np

from kernelwise._arguments import shown
from kernelwise._registry import members
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.kernels.geometry import DIAGONALS, Pairs, as_rows

SMALLEST = 1e-300  # the inverse of a smaller width is not a float64
NO_WIDTH = "X has no two rows that differ, so no width suits it: give kernels explicitly."

P = ParamSpec("P")
R = TypeVar("R")
# Of a geometry g, pairs and weights (n, m): the sums over z of w(x, z) dg(x, z)/dx, features last.
Contraction = Callable[[str, Pairs, Array], Array]


def quietly(method: Callable[P, R]) -> Callable[P, R]:
    """Let entries beyond float64 be infinite, or NaN, without a warning: engines report them."""

    @wraps(method)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> R:
        with np.errstate(over="ignore", invalid="ignore"):
            return method(*args, **kwargs)

    return quiet


@dataclass(frozen=True)
class Kernel(ABC):
    """A kernel function: a frozen, hashable value that maps two sets of points to a matrix.

    ``k(X)`` is the square matrix on X, ``k(X, Z)`` the cross matrix, ``k.diag(X)`` the diagonal of
    ``k(X)`` in O(n). Kernels add, multiply and scale: ``2.0 * k1 + k1 * k2``. A kernel can be given
    to scikit-learn as it is: ``SVC(kernel=k)``.
    """

    __array_ufunc__ = None  # numpy scalars leave ``np.float64(2) * k`` to __rmul__
    takes_matrix: ClassVar[bool] = False  # whether X is a ready-made kernel matrix

    def to_sklearn(self) -> dict[str, Any]:
        """Return the parameters that give scikit-learn's estimators this kernel.

        By name where scikit-learn has it, else the kernel itself, which is a function.

        Examples
        --------
        >>> from kernelwise import Gaussian, Matern
        >>> Gaussian(tau=8.0).to_sklearn()
        {'kernel': 'rbf', 'gamma': 0.0625}
        >>> Matern(2.0).to_sklearn()
        {'kernel': Matern(scale=2.0, nu=1.5)}
        """
        return {"kernel": self}

    @property
    @abstractmethod
    def origin(self) -> float:
        """The constant from which :meth:`deviations` are measured."""

    @property
    @abstractmethod
    def is_psd(self) -> bool | None:
        """Whether every matrix of this kernel is positive semidefinite; None where unknown."""

    @property
    @abstractmethod
    def inverse_widths(self) -> tuple[float, ...]:
        """The inverse widths of the kernel; empty where it has no width."""

    @property
    def roughness(self) -> float:
        """How closely the kernel can follow the data, to compare kernels of one family."""
        return math.hypot(*self.inverse_widths)

    @property
    def family(self) -> Hashable:
        """What kernels have in common that differ in their parameters alone."""
        return type(self)

    @property
    def is_stationary(self) -> bool:
        """Whether the kernel is known to stay the same when all points move together."""
        return False

    def with_positions(self, names: Sequence[str]) -> "Kernel":
        """Return the kernel with the names of columns, if it has any, replaced by positions."""
        return self

    def features(self, rows: Array) -> Array | None:
        """Return features of rows whose dot products are the kernel; None if it has no such."""
        return None

    @abstractmethod
    def values(self, pairs: Pairs) -> Array:
        """Return the kernel matrix of the pairs."""

    @abstractmethod
    def deviations(self, pairs: Pairs) -> Array:
        """Return the kernel matrix less :attr:`origin`, free of cancellation."""

    @abstractmethod
    def diagonal(self, X: Any) -> Array:
        """Return the diagonal of the kernel matrix on validated rows X."""

    def gradients(self, pairs: Pairs, weights: Array, contract: Contraction) -> Array:
        r"""Return :math:`\sum_z w(x, z)\, \partial k(x, z) / \partial x` by the chain rule.

        Each geometry that the kernel is a function of goes to `contract`, with the weights times
        the derivative of the kernel with respect to it. The last axis of the result has the
        features of x; whatever changes them before a kernel sees them changes them back here.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method gradients")

    def __call__(self, X: Any, Z: Any = None) -> Array:
        """Return the kernel matrix between the rows of X and those of Z (X itself by default)."""
        rows = as_rows(X)
        others = rows if Z is None or Z is X else as_rows(Z, "Z")
        (n, d), (m, e) = rows.shape, others.shape
        if d != e and not self.takes_matrix:
            raise ValueError(f"X and Z must have the same number of features, got {d} and {e}.")
        with limited(rows=max(n, m)):
            return self.values(Pairs(rows, None if others is rows else others))

    def diag(self, X: Any) -> Array:
        """Return the diagonal of ``k(X)`` without computing the matrix."""
        return self.diagonal(as_rows(X))

    def __add__(self, other: object) -> "Kernel":
        from kernelwise.kernels.compose import Sum

        return Sum.of(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: object) -> "Kernel":
        """Let ``sum(kernels)`` begin with zero."""
        return self if other == 0 else NotImplemented

    def __mul__(self, other: object) -> "Kernel":
        from kernelwise.kernels.compose import Multiple, Product

        if isinstance(other, Kernel):
            return Product.of(self, other)
        return Multiple.of(other, self) if isinstance(other, numbers.Real) else NotImplemented

    def __rmul__(self, other: object) -> "Kernel":
        return self * other if isinstance(other, numbers.Real) else NotImplemented


@dataclass(frozen=True)
class PairKernel(Kernel):
    """A geometry followed by a profile: what a new kernel usually derives from.

    A subclass is a frozen dataclass with a :attr:`geometry`, a :meth:`profile` and, where the
    profile comes close to a constant, a :meth:`deviation` that does not cancel.
    """

    geometry: ClassVar[str]
    psd: ClassVar[bool | None] = True

    @abstractmethod
    def profile(self, g: Array) -> Array:
        """Return the kernel as a function of the geometry."""

    def deviation(self, g: Array) -> Array:
        """Return ``profile(g) - profile(0)``; write it without cancellation where that matters."""
        return self.profile(g) - self.origin

    def slope(self, g: Array) -> Array:
        """Return the derivative of the profile, zero where the kernel has no derivative."""
        raise NotImplementedError(f"{type(self).__name__} has no method slope")

    @property
    @quietly
    def origin(self) -> float:
        """The profile at zero."""
        return float(self.profile(np.zeros(1))[0])

    @property
    def is_psd(self) -> bool | None:
        """Whether the kernel is positive semidefinite."""
        return self.psd

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """No width unless the kernel says so."""
        return ()

    @property
    def is_stationary(self) -> bool:
        """Whether it is a function of a distance."""
        return self.geometry in ("sqdist", "l1")

    @quietly
    def values(self, pairs: Pairs) -> Array:
        """Return the profile of the pairs' geometry."""
        return self.profile(pairs[self.geometry])

    @quietly
    def deviations(self, pairs: Pairs) -> Array:
        """Return the deviation of the pairs' geometry."""
        return self.deviation(pairs[self.geometry])

    @quietly
    def gradients(self, pairs: Pairs, weights: Array, contract: Contraction) -> Array:
        """Return the gradients, by the slope of the profile."""
        return contract(self.geometry, pairs, weights * self.slope(pairs[self.geometry]))

    @quietly
    def diagonal(self, X: Any) -> Array:
        """Return the profile of every point with itself."""
        own = DIAGONALS.get(self.geometry)  # no point is away from itself
        return self.profile(np.zeros(X.shape[0]) if own is None else own(X))


def available() -> dict[str, type[Kernel]]:
    """Return every kernel class by name, those defined outside the package included."""
    return {cls.__name__: cls for cls in members(Kernel)}


def set_finite(
    kernel: Kernel, name: str, least: float = -sys.float_info.max, wanted: str = "finite"
) -> None:
    """Store a parameter of a frozen kernel as a float; refuse one that is not finite."""
    given, what = getattr(kernel, name), f"{name} of {type(kernel).__name__}"
    if not isinstance(given, numbers.Real):
        raise TypeError(f"{what} must be a number, got {shown(given)}.")
    value = float(given)
    if not least <= value < math.inf:
        raise ValueError(f"{what} must be {wanted}, got {value}.")
    object.__setattr__(kernel, name, value)


set_positive = partial(
    set_finite, least=SMALLEST, wanted=f"positive (at least {SMALLEST:g}) and finite"
)
set_positive.__doc__ = """Store a parameter of a frozen kernel as a float; it must be positive.

Call it in ``__post_init__``.

Parameters
----------
kernel : Kernel
name : str
    The name of the field.
least : float, default=1e-300
    The smallest value that is taken.
wanted : str, default="positive (at least 1e-300) and finite"
    What an error says that the value must be.

Raises
------
TypeError
    If the value is no real number.
ValueError
    If it is below `least`, infinite or NaN.
"""
