"""Candidate kernels in families: which of them can share work."""

import math
from collections.abc import Sequence

from kernelwise.gram.families import AnyKernel, Chain, DistanceRange, Family
from kernelwise.kernels import Gaussian, Kernel, Linear, Pairs, Polynomial

_RATIOS = range(3, 11)  # ratios of widths, besides 2, whose grids are climbed by multiplications
_SAME = 2e-15  # relative difference of two widths that rounding explains
_LONGEST = 64  # steps of a ladder: beyond, what lies between two kernels costs more than it saves


def group_kernels(kernels: Sequence[Kernel], sample: Pairs, reach: DistanceRange) -> list[Family]:
    """Return the families of candidate kernels; a sample of the pairs tells which are wide."""
    widths: dict[int, float] = {}
    polynomials: dict[tuple[float, float], dict[int, Polynomial]] = {}
    alone: list[Family] = []
    for i, kernel in enumerate(kernels):
        # A subclass may mean something else.
        if type(kernel) is Gaussian:
            widths[i] = kernel.tau
        elif type(kernel) is Linear:
            polynomials.setdefault((0.0, 1.0), {})[i] = Polynomial(1, 0.0)
        elif type(kernel) is Polynomial and kernel.degree <= _LONGEST:
            polynomials.setdefault((kernel.coef0, kernel.gamma), {})[i] = kernel
        else:
            alone.append(AnyKernel(i, kernel, sample))
    if not widths and not polynomials:
        return alone
    from kernelwise.gram._ladders import GaussianLadder, PolynomialLadder, PowerLadder  # numba

    ladders = [
        (GaussianLadder if chain.ratio == 2 else PowerLadder)(chain, sample, reach)
        for chain in _chains(widths)
    ]
    return [*alone, *ladders, *map(PolynomialLadder, polynomials.values())]


def _chains(widths: dict[int, float]) -> list[Chain]:
    """Return chains of ratio two for widths of one mantissa, and of other ratios for the rest."""
    by_mantissa: dict[float, dict[int, float]] = {}
    for i, width in widths.items():
        by_mantissa.setdefault(math.frexp(width)[0], {})[i] = width
    doubling = [chain for group in by_mantissa.values() for chain in _cut(group, 2)]
    chains = [chain for chain in doubling if len(chain.rungs) > 1]
    left = {i: widths[i] for chain in doubling if len(chain.rungs) == 1 for i in chain.rungs}
    while left:
        chain = max((_from_widest(left, r) for r in _RATIOS), key=lambda chain: len(chain.rungs))
        chains.append(chain if len(chain.rungs) > 1 else chain._replace(ratio=2))
        left = {i: width for i, width in left.items() if i not in chain.rungs}
    return chains


def _cut(widths: dict[int, float], ratio: int) -> list[Chain]:
    """Return widths of one ratio in chains that are not too long."""
    chains: list[Chain] = []
    for i, width in sorted(widths.items(), key=lambda item: -item[1]):
        if not chains or _rungs(chains[-1].widest, width, ratio) >= _LONGEST:
            chains.append(Chain(width, ratio, {}))
        chains[-1].rungs[i] = _rungs(chains[-1].widest, width, ratio)
    return chains


def _from_widest(widths: dict[int, float], ratio: int) -> Chain:
    """Return the chain that leads from the widest width down by a ratio."""
    widest = max(widths.values())
    return _cut({i: w for i, w in widths.items() if _is_power(widest, w, ratio)}, ratio)[0]


def _rungs(widest: float, width: float, ratio: int) -> int:
    """Return how often the widest width must be divided by the ratio; logs do not overflow."""
    return round((math.log(widest) - math.log(width)) / math.log(ratio))


def _is_power(widest: float, width: float, ratio: int) -> bool:
    rungs = _rungs(widest, width, ratio)
    return rungs < _LONGEST and abs(width * float(ratio) ** rungs - widest) <= _SAME * widest
