"""What a sweep adds up: reductions over the tiles of kernel matrices.

A reduction is a value without closures. Together with :class:`~kernelwise.gram.tiles.Tiles` it is
all that a worker needs, whether it is a thread, a process or another machine.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.gram.families import Family
from kernelwise.gram.tiles import Block
from kernelwise.kernels import Kernel, Pairs


class Reduction(ABC):
    """Arrays that are sums over all tiles; it can be pickled."""

    @abstractmethod
    def zero(self) -> list[Array]:
        """Return the arrays before the first tile."""

    @abstractmethod
    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add a tile, and its mirror image below the diagonal."""

    def merge(self, into: list[Array], others: list[Array]) -> list[Array]:
        """Add the arrays of another worker, in place."""
        with np.errstate(over="ignore", invalid="ignore"):
            for total, array in zip(into, others, strict=True):
                np.add(total, array, out=total)
        return into


@dataclass(frozen=True, eq=False)
class Sums(Reduction):
    """The lines of every family, summed over each class: arrays (lines, labels, n)."""

    families: Sequence[Family]
    labels: int
    n: int

    def zero(self) -> list[Array]:
        """Return empty lines."""
        return [np.zeros((family.lines, self.labels, self.n)) for family in self.families]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the sums over the columns of a tile, and off the diagonal those over its rows."""
        for family, lines in zip(self.families, into, strict=True):
            on_rows, on_columns = family.sums(pairs, left == right)
            lines[:, right.label, left.rows] += on_rows
            if left != right:
                lines[:, left.label, right.rows] += on_columns


@dataclass(frozen=True, eq=False)
class Products(Reduction):
    """S V of some families, every step with vectors of its own: arrays (steps, m, n)."""

    families: Sequence[Family]
    vectors: Sequence[Array]  # V by family, (steps, m, n); zeros for steps that are not wanted
    wanted: Sequence[Array]  # which steps are, by family

    @classmethod
    def of(cls, families: Sequence[Family], vectors: Mapping[int, Array]) -> "Products":
        """Return the products of some candidates with vectors (n, m) over sorted rows."""
        asked = [family for family in families if not vectors.keys().isdisjoint(family.members)]
        n, m = next(iter(vectors.values())).shape
        by_step = [np.zeros((family.steps, m, n)) for family in asked]
        for family, V in zip(asked, by_step, strict=True):
            for i in vectors.keys() & family.members:
                V[family.members[i]] = vectors[i].T
        return cls(asked, by_step, [np.array([v.any() for v in V]) for V in by_step])

    def zero(self) -> list[Array]:
        """Return empty products."""
        return [np.zeros_like(V) for V in self.vectors]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the products of a tile."""
        parts = zip(self.families, self.vectors, self.wanted, into, strict=True)
        for family, vectors, wanted, products in parts:
            if not wanted.any():
                continue
            V = [np.ascontiguousarray(vectors[:, :, block.rows]) for block in (left, right)]
            on_rows, on_columns = family.products(pairs, wanted, *V)
            products[:, :, left.rows] += on_rows
            if left != right:
                products[:, :, right.rows] += on_columns


class RowMeans(NamedTuple):
    """A kernel whose S = K - c has known row means."""

    kernel: Kernel
    has_shift: bool  # whether c is the kernel's origin; it is zero otherwise
    means: Array  # S 1 / n over sorted rows


@dataclass(frozen=True, eq=False)
class CenteredSquares(Reduction):
    """|HSH|^2 of some kernels, centred before squaring: one array, a number for each."""

    kernels: Sequence[RowMeans]

    def zero(self) -> list[Array]:
        """Return zeros."""
        return [np.zeros(len(self.kernels))]

    def step(self, into: list[Array], pairs: Pairs, left: Block, right: Block) -> None:
        """Add the squares of a tile, twice off the diagonal."""
        for k, (kernel, has_shift, means) in enumerate(self.kernels):
            S = kernel.deviations(pairs) if has_shift else kernel.values(pairs)
            S = S - (means[left.rows, None] - means.mean())
            S -= means[right.rows]
            into[0][k] += (1.0 if left == right else 2.0) * np.einsum("ij,ij->", S, S)
