"""What users bring: functions of two sets of rows, and several kernel matrices."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array

from kernelwise._sklearn import Interval, check_parameters
from kernelwise._types import Array
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.geometry import Pairs

_SYMMETRIC = 1e-8  # relative difference of mirror images that rounding explains
_LONGEST = 60  # characters of a name


@dataclass(frozen=True, repr=False, eq=False)
class Function(Kernel):
    """A kernel that is a function of two sets of rows.

    Parameters
    ----------
    function : callable
        ``function(X, Z)`` returns the matrix between the rows of X and those of Z. It must be
        symmetric.
    psd : bool or None, default=None
        Whether the function is positive semidefinite, None where that is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import Function
    >>> def overlap(X, Z):
    ...     return np.minimum(X[:, None], Z[None]).sum(axis=-1)
    >>> Function(overlap)([[1.0, 2.0], [3.0, 0.0]])
    array([[3., 1.],
           [1., 3.]])
    """

    function: Callable[..., Any]
    psd: bool | None = None

    def __post_init__(self) -> None:
        allowed = {"function": [callable], "psd": ["boolean", None]}
        check_parameters("Function", allowed, function=self.function, psd=self.psd)

    @property
    def name(self) -> str:
        """The name of the function, or what it prints as."""
        text = getattr(self.function, "__name__", None) or " ".join(repr(self.function).split())
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and self.psd == other.psd
            and self.function is other.function
        )

    def __hash__(self) -> int:
        return id(self.function)

    @property
    def family(self) -> Hashable:
        """Every function is a family of its own."""
        return self

    @property
    def origin(self) -> float:
        """Zero: nothing is known of the function."""
        return 0.0

    @property
    def is_psd(self) -> bool | None:
        """Whether it is positive semidefinite, as far as that is known."""
        return self.psd

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """None."""
        return ()

    def values(self, pairs: Pairs) -> Array:
        """Return what the function returns, after checking it."""
        others = pairs.X if pairs.Z is None else pairs.Z
        K = self._evaluated(pairs.X, others)
        return K if pairs.Z is not None else self._symmetric(K)

    def deviations(self, pairs: Pairs) -> Array:
        """Return the matrix: the origin is zero."""
        return self.values(pairs)

    def diagonal(self, X: Any) -> Array:
        """Return the values of every row with itself, from small matrices."""
        parts = [X[i : i + 64] for i in range(0, X.shape[0], 64)]
        return np.concatenate([self._evaluated(part, part).diagonal() for part in parts])

    def _evaluated(self, X: Any, Z: Any) -> Array:
        shape = X.shape[0], Z.shape[0]
        K = check_array(
            self.function(X, Z), dtype=np.float64, copy=True, input_name=f"of {self.name}"
        )
        if K.shape != shape:
            raise ValueError(
                f"the kernel function {self.name} must return a matrix of shape {shape} for X and "
                f"Z of so many rows, got {K.shape}."
            )
        return np.asarray(K)

    def _symmetric(self, K: Array) -> Array:
        """Return a matrix of rows with themselves, symmetric to the last bit."""
        asymmetry = float(np.abs(K - K.T).max())
        if asymmetry > _SYMMETRIC * float(np.abs(K).max()):
            raise ValueError(
                f"the kernel function {self.name} is not symmetric (entries differ by up to "
                f"{asymmetry:.3g}): k(X, Z) must be the transpose of k(Z, X)."
            )
        return np.asarray(0.5 * (K + K.T))

    def __repr__(self) -> str:
        return f"Function({self.name})"


@dataclass(frozen=True, repr=False)
class Matrix(Kernel):
    """One of several given matrices, which stand side by side in the place of X.

    ``score_matrices`` and ``MultiKernelSelector`` make these from a stack of matrices.

    Parameters
    ----------
    index : int, default=0
        Which of the matrices, counted from 0.
    name : str, default=""
        What to call it.
    """

    index: int = 0
    name: str = ""
    takes_matrix: ClassVar[bool] = True

    def __post_init__(self) -> None:
        allowed = {"index": [Interval(Integral, 0, None, closed="left")], "name": [str]}
        check_parameters("Matrix", allowed, index=self.index, name=self.name)
        object.__setattr__(self, "index", int(self.index))

    @property
    def family(self) -> Hashable:
        """Every matrix is a family of its own."""
        return self

    @property
    def origin(self) -> float:
        """Zero: nothing is known of the matrix."""
        return 0.0

    @property
    def is_psd(self) -> bool | None:
        """Not known."""
        return None

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """None."""
        return ()

    def values(self, pairs: Pairs) -> Array:
        """Return a copy of the matrix."""
        n = (pairs.X if pairs.Z is None else pairs.Z).shape[0]
        return self._block(pairs.X, n).copy()

    def deviations(self, pairs: Pairs) -> Array:
        """Return a copy of the matrix: the origin is zero."""
        return self.values(pairs)

    def diagonal(self, X: Any) -> Array:
        """Return the diagonal of the matrix."""
        return self._block(X, X.shape[0]).diagonal().copy()

    def _block(self, X: Any, n: int) -> Array:
        columns = slice(self.index * n, (self.index + 1) * n)
        if X.shape[1] < columns.stop or X.shape[1] % n:
            raise ValueError(
                f"X must hold {self.index + 1} matrices or more of {n} columns each, side by side, "
                f"got {X.shape[1]} columns."
            )
        block = X[:, columns]
        return np.asarray(block.toarray() if hasattr(block, "toarray") else block)

    def __repr__(self) -> str:
        return f"Matrix({self.index}, {self.name!r})" if self.name else f"Matrix({self.index})"
