"""Random kernels, ordinary and extreme."""

from typing import Any

import kernelwise as kw
from fuzz.draw import Rng, chance, pick, tame_number, wild_integer, wild_number


def tame_kernel(rng: Rng, depth: int = 2) -> kw.kernels.Kernel:
    """Return a kernel of ordinary parameters, alone or composed; always positive semidefinite."""
    if depth and chance(rng, 0.3):
        left, right = tame_kernel(rng, depth - 1), tame_kernel(rng, depth - 1)
        return pick(rng, [left + right, left * right, 0.5 * left, left * 3])
    s = tame_number(rng)
    return pick(
        rng,
        [
            kw.Gaussian(s),
            kw.Gaussian(s),
            kw.Laplacian(s),
            kw.Matern(s, pick(rng, [0.5, 1.5, 2.5])),
            kw.Polynomial(int(rng.integers(1, 4)), pick(rng, [0.0, 1.0]), pick(rng, [0.1, 1.0])),
            kw.Linear(),
        ],
    )


def wild_kernel(rng: Rng, depth: int = 2) -> Any:
    """Return a kernel of any parameters, or what somebody may take for one.

    Constructors refuse what they do not take: call this through a trial.
    """
    if depth and chance(rng, 0.3):
        return _composed(rng, depth - 1)
    scale, other = wild_number(rng), wild_number(rng)
    return pick(
        rng,
        [
            lambda: kw.Gaussian(scale),
            lambda: kw.Gaussian(scale),
            lambda: kw.Gaussian.from_gamma(scale),
            lambda: kw.Laplacian(scale),
            lambda: kw.Matern(scale, pick(rng, [0.5, 1.5, 2.5, 2, "a", None, 1e300])),
            lambda: kw.Polynomial(wild_integer(rng), scale, other),
            lambda: kw.Polynomial(int(rng.integers(1, 300)), other, scale),
            lambda: kw.Sigmoid(scale, other),
            kw.Linear,
            kw.Precomputed,
        ],
    )()


def _composed(rng: Rng, depth: int) -> Any:
    left, right = wild_kernel(rng, depth), wild_kernel(rng, depth)
    kind = rng.integers(4)
    if kind == 0:
        return left + right
    if kind == 1:
        return left * right
    factor = wild_number(rng)
    # Python itself says that a kernel cannot be multiplied by a list.
    factor = factor if isinstance(factor, int | float) else 2.0
    return factor * left if kind == 2 else left * factor


def some_kernels(rng: Rng) -> list[kw.kernels.Kernel]:
    """Return a few ordinary candidates."""
    return [tame_kernel(rng) for _ in range(int(rng.integers(1, 4)))]
