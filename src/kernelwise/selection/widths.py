"""Candidates by width: which is narrower, which is last, and what to add beyond it."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from kernelwise.kernels import Gaussian, Kernel

_STEPS = 4  # by which a grid is extended
_OF_EACH = 3  # kernels of every family that survive a screen of several families
_NARROWER = 2  # kernels that a look at few rows may not leave out: many rows prefer them


def edge(kernels: Sequence[Kernel], winner: int) -> str | None:
    """Return "narrowest" or "widest" where the winner is the last of its family on that side."""
    family = {k.roughness for k in kernels if k.family == kernels[winner].family}
    if len(family) < 3 or not kernels[winner].inverse_widths:
        return None
    roughness = kernels[winner].roughness
    if roughness == max(family):
        return "narrowest"
    return "widest" if roughness == min(family) else None


def extended(kernels: Sequence[Kernel], side: str) -> list[Kernel]:
    """Return a grid of Gaussians with four more powers of two on one side."""
    widths = sorted(kernel.tau for kernel in kernels if isinstance(kernel, Gaussian))
    steps = range(1, _STEPS + 1)
    if side == "narrowest":
        return [Gaussian(widths[0] / 2.0**i) for i in reversed(steps)] + list(kernels)
    return list(kernels) + [Gaussian(widths[-1] * 2.0**i) for i in steps]


def surviving(kernels: Sequence[Kernel], order: Iterable[int], keep: int) -> list[int]:
    """Return the first of an order that survive a screen, in that order.

    Measures of a matrix alone rank the kernels of one family, not one family against another. Each
    of several families therefore keeps its share, at least three kernels (or as many as are to be
    kept in all, if those are fewer).
    """
    order = list(order)
    families = len({kernels[i].family for i in order})
    each = keep if families == 1 else max(min(keep, _OF_EACH), -(-keep // max(families, 1)))
    kept, counts = [], Counter[Hashable]()
    for i in order:
        counts[kernels[i].family] += 1
        if counts[kernels[i].family] <= each:
            kept.append(i)
    return kept


def with_narrower(kernels: Sequence[Kernel], survivors: Sequence[int]) -> list[int]:
    """Return survivors, families apart and wide kernels first, with the next narrower candidates.

    A screen prefers kernels that are too wide for many rows. Every family with widths that has a
    survivor gets two more.
    """
    families = {kernel.family: place for place, kernel in reversed(list(enumerate(kernels)))}
    order = sorted(
        range(len(kernels)), key=lambda i: (families[kernels[i].family], kernels[i].roughness)
    )
    narrowest = {kernels[i].family: kernels[i] for i in order if i in survivors}
    kept = {kernels[i] for i in survivors}
    for kernel in narrowest.values():
        kept.update(narrower(kernels, kernel))
    return [i for i in order if kernels[i] in kept]


def narrower(kernels: Sequence[Kernel], kernel: Kernel) -> list[Kernel]:
    """Return the two next narrower kernels of the same family, if there are such."""
    found = {k for k in kernels if k.family == kernel.family and k.roughness > kernel.roughness}
    return sorted(found, key=lambda k: k.roughness)[:_NARROWER]
