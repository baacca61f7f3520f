"""Random choices and numbers, ordinary and odd."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

Rng = np.random.Generator


def pick(rng: Rng, choices: Sequence[Any]) -> Any:
    """Return one of some things, as it is."""
    return choices[int(rng.integers(len(choices)))]


def chance(rng: Rng, probability: float) -> bool:
    return bool(rng.random() < probability)


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """Return 10^u for u between two exponents."""
    return float(10.0 ** rng.uniform(low, high))


def odd_ones(rng: Rng, *arguments: str) -> set[str]:
    """Return which arguments of a call are to be odd: mostly one or two, now and then all."""
    count = pick(rng, [0, 1, 1, 1, 1, 2, 2, 2, len(arguments)])
    return {str(name) for name in rng.permutation(arguments)[:count]}


NOT_NUMBERS: tuple[Any, ...] = (None, "a", "auto", [1.0], (), {}, 1j, b"1", np.array([1.0, 2.0]))
ODD_NUMBERS: tuple[Any, ...] = (0, -1, 0.0, -1e-9, np.nan, np.inf, -np.inf, True, False, 10**400)


def tame_number(rng: Rng) -> float:
    """Return a positive number of ordinary size."""
    return pick(rng, [0.1, 1.0, 10.0, log_uniform(rng, -3, 3)])


def wild_number(rng: Rng) -> Any:
    """Return anything that somebody may take for a positive number."""
    kind = rng.random()
    if kind < 0.25:
        return tame_number(rng)
    if kind < 0.65:
        return log_uniform(rng, -310, 308)
    if kind < 0.9:
        return pick(rng, [*ODD_NUMBERS, np.float32(0.1), np.int64(3), Fraction(1, 3), Decimal(2)])
    return pick(rng, NOT_NUMBERS)


def wild_integer(rng: Rng) -> Any:
    """Return anything that somebody may take for a small positive integer."""
    if chance(rng, 0.6):
        return pick(rng, [1, 2, 3, 4, 5, 7, 10, 20, np.int64(3)])
    return pick(rng, [0, -1, 1000, 10**6, 10**30, 2.0, 2.5, *ODD_NUMBERS, *NOT_NUMBERS])


@np.errstate(all="ignore")
def wild_weights(rng: Rng, n: int) -> Any:
    """Return sample weights from none to absurd."""
    w = rng.random(n) + 0.1
    return pick(
        rng,
        [
            None,
            None,
            w,
            w,
            np.where(w > 0.6, w, 0.0),
            w * log_uniform(rng, -320, 308),
            w * log_uniform(rng, -320, 308),
            10.0 ** rng.uniform(-300, 300, n),
            10.0 ** rng.uniform(-30, 30, n),
            np.where(w > 1.0, 1e300, w),
            np.where(w > 1.0, 1e-300, w),
            np.zeros(n),
            -w,
            w[1:],
            np.where(w > 0.6, np.nan, w),
            np.where(w > 0.6, np.inf, w),
            3.0,
            w.tolist(),
            (10 * w).astype(int),
            "w",
            w[:, None],
        ],
    )
