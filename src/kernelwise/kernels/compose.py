"""Sums, products and positive multiples of kernels."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import iadd, imul, mul
from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._arguments import shown
from kernelwise._types import Array
from kernelwise.kernels.base import Contraction, Kernel, quietly, set_positive
from kernelwise.kernels.geometry import Pairs


def check_kernel(owner: Kernel, name: str, part: object) -> None:
    """Refuse a part that is not a kernel."""
    if not isinstance(part, Kernel):
        raise TypeError(
            f"{name} of {type(owner).__name__} must hold kernels such as Gaussian(1.0), got "
            f"{shown(part)}."
        )


@dataclass(frozen=True, repr=False)
class Combination(Kernel):
    """Two or more kernels taken together: what sums and products share."""

    parts: tuple[Kernel, ...]
    join: ClassVar[Any]  # of two parts, which may change the first in place

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple) or not self.parts:
            raise TypeError(
                f"parts of {type(self).__name__} must be a tuple of kernels, got "
                f"{shown(self.parts)}."
            )
        for part in self.parts:
            check_kernel(self, "parts", part)
        if len({part.takes_matrix for part in self.parts}) > 1:
            raise ValueError(
                "Precomputed() stands for a matrix: it combines with its own kind only."
            )

    @classmethod
    def of(cls, left: Kernel, right: Kernel) -> Self:
        """Combine two kernels; one of the same kind is extended, not nested."""
        flat = [k.parts if isinstance(k, cls) else (k,) for k in (left, right)]
        return cls(flat[0] + flat[1])

    @property
    def origin(self) -> float:
        """The parts' origins together."""
        return float(reduce(self.join, [part.origin for part in self.parts]))

    @property
    def is_psd(self) -> bool | None:
        """True where every part is positive semidefinite; unknown otherwise."""
        return True if all(part.is_psd for part in self.parts) else None

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """The widths of all parts."""
        return tuple(width for part in self.parts for width in part.inverse_widths)

    @property
    def family(self) -> Hashable:
        """The kind of combination, and the families of its parts."""
        return type(self), *(part.family for part in self.parts)

    @property
    def is_stationary(self) -> bool:
        """Whether every part is."""
        return all(part.is_stationary for part in self.parts)

    def with_positions(self, names: Sequence[str]) -> Kernel:
        """Replace names of columns in all parts."""
        return replace(self, parts=tuple(part.with_positions(names) for part in self.parts))

    @property
    def takes_matrix(self) -> bool:  # type: ignore[override]
        """Whether the parts take a matrix in place of X."""
        return self.parts[0].takes_matrix

    @quietly
    def values(self, pairs: Pairs) -> Array:
        """Return the parts' matrices together."""
        return np.asarray(reduce(self.join, (part.values(pairs) for part in self.parts)))

    @quietly
    def diagonal(self, X: Any) -> Array:
        """Return the parts' diagonals together."""
        return np.asarray(reduce(self.join, (part.diagonal(X) for part in self.parts)))


@dataclass(frozen=True, repr=False)
class Sum(Combination):
    """The sum of two or more kernels; written ``k1 + k2``."""

    join: ClassVar[Any] = iadd

    @quietly
    def deviations(self, pairs: Pairs) -> Array:
        """Return the sum of the parts' deviations."""
        return np.asarray(reduce(iadd, (part.deviations(pairs) for part in self.parts)))

    @quietly
    def gradients(self, pairs: Pairs, weights: Array, contract: Contraction) -> Array:
        """Return the sum of the parts' gradients."""
        return np.asarray(sum(part.gradients(pairs, weights, contract) for part in self.parts))

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


@dataclass(frozen=True, repr=False)
class Product(Combination):
    """The entrywise product of two or more kernels; written ``k1 * k2``."""

    join: ClassVar[Any] = imul

    @quietly
    def deviations(self, pairs: Pairs) -> Array:
        """Return the deviation by (a + e)(b + f) - ab = a f + b e + e f, part after part."""
        a, e = self.parts[0].origin, self.parts[0].deviations(pairs)
        for part in self.parts[1:]:
            b, f = part.origin, part.deviations(pairs)
            e = a * f + (b + f) * e
            a *= b
        return e

    @quietly
    def gradients(self, pairs: Pairs, weights: Array, contract: Contraction) -> Array:
        """Return the gradients by the product rule: each part's, weighted by all others."""
        values = [part.values(pairs) for part in self.parts]
        others = [reduce(mul, values[:k] + values[k + 1 :], weights) for k in range(len(values))]
        terms = zip(self.parts, others, strict=True)
        return np.asarray(sum(part.gradients(pairs, rest, contract) for part, rest in terms))

    def __repr__(self) -> str:
        return " * ".join(
            f"({p!r})" if isinstance(p, Sum | Multiple) else repr(p) for p in self.parts
        )


@dataclass(frozen=True, repr=False)
class Multiple(Kernel):
    """A positive multiple of a kernel; written ``2.0 * k``."""

    factor: float
    part: Kernel

    def __post_init__(self) -> None:
        set_positive(self, "factor")
        check_kernel(self, "part", self.part)

    @classmethod
    def of(cls, factor: Any, part: Kernel) -> "Multiple":
        """Return a multiple of a kernel; a multiple of a multiple has one factor."""
        whole = cls(factor, part)
        if isinstance(part, Multiple):
            return cls(whole.factor * part.factor, part.part)
        return whole

    @property
    def origin(self) -> float:
        """The scaled origin."""
        return self.factor * self.part.origin

    @property
    def is_psd(self) -> bool | None:
        """As the kernel that is scaled."""
        return self.part.is_psd

    @property
    def inverse_widths(self) -> tuple[float, ...]:
        """As the kernel that is scaled."""
        return self.part.inverse_widths

    @property
    def family(self) -> Hashable:
        """Multiples of the family of the kernel that is scaled."""
        return Multiple, self.part.family

    @property
    def is_stationary(self) -> bool:
        """As the kernel that is scaled."""
        return self.part.is_stationary

    def with_positions(self, names: Sequence[str]) -> Kernel:
        """Replace names of columns in the kernel that is scaled."""
        return replace(self, part=self.part.with_positions(names))

    @property
    def takes_matrix(self) -> bool:  # type: ignore[override]
        """As the kernel that is scaled."""
        return self.part.takes_matrix

    @quietly
    def values(self, pairs: Pairs) -> Array:
        """Return the scaled matrix."""
        return self.factor * self.part.values(pairs)

    @quietly
    def deviations(self, pairs: Pairs) -> Array:
        """Return the scaled deviations."""
        return self.factor * self.part.deviations(pairs)

    @quietly
    def gradients(self, pairs: Pairs, weights: Array, contract: Contraction) -> Array:
        """Return the scaled gradients."""
        return self.factor * self.part.gradients(pairs, weights, contract)

    @quietly
    def diagonal(self, X: Any) -> Array:
        """Return the scaled diagonal."""
        return self.factor * self.part.diagonal(X)

    def __repr__(self) -> str:
        inner = f"({self.part!r})" if isinstance(self.part, Sum | Product) else repr(self.part)
        return f"{self.factor!r} * {inner}"
