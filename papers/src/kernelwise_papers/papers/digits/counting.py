"""Which printed means can be means over some splits of some test rows, and how many by chance."""

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

_PERCENT = 100
_TIE = 1e-9  # a number halfway between two printed ones may have been rounded either way


class Printed(NamedTuple):
    """A percentage as it was printed."""

    value: float
    decimals: int

    @classmethod
    def of(cls, text: str) -> "Printed":
        """Return what a text says."""
        return cls(float(text), len(text.partition(".")[2]))


def fits(printed: Printed, rows: int) -> bool:
    """Say whether a number is a count of so many rows in all, in percent and rounded.

    ``rows`` is the number of splits times the number of test rows.
    """
    nearest = round(printed.value * rows / _PERCENT)
    half = 0.5 * 10.0**-printed.decimals + _TIE
    counts = range(max(nearest - 1, 0), min(nearest + 1, rows) + 1)
    return any(abs(_PERCENT * count / rows - printed.value) <= half for count in counts)


@cache
def chance(decimals: int, rows: int) -> float:
    """Return the share of all numbers of so many decimals that fit."""
    unit = 10**decimals
    if rows >= _PERCENT * unit:
        return 1.0
    attained = np.round(_PERCENT * unit * np.arange(rows + 1) / rows)
    return float(np.unique(attained).size / (_PERCENT * unit + 1))


def tail(chances: Iterable[float], count: int) -> float:
    """Return the probability that at least so many fit, each with a chance of its own, exactly.

    The sum of independent indicators (Poisson binomial), by its distribution.
    """
    distribution = np.ones(1)
    for p in chances:
        distribution = np.convolve(distribution, [1.0 - p, p])
    return float(distribution[count:].sum())


class Count(NamedTuple):
    """How many cells fit a number of splits."""

    cells: int
    fits: int
    expected: float  # by chance
    tail: float  # the probability of as many or more by chance


def count(cells: Iterable[tuple[Printed, int]], splits: int) -> Count:
    """Return how many of some cells, each with its number of test rows, fit a number of splits."""
    found = [
        (fits(each, splits * rows), chance(each.decimals, splits * rows)) for each, rows in cells
    ]
    chances, hits = [p for _, p in found], sum(hit for hit, _ in found)
    return Count(len(found), hits, math.fsum(chances), tail(chances, hits))


# How many rows are tested: the training rows rounded down or up, or the test rows to the nearest.
WAYS = ("training rows rounded down", "training rows rounded up", "test rows to the nearest")
NEAREST = WAYS[2]


def test_rows(rows: int, train_share: float, way: str) -> int:
    """Return the number of test rows of a set."""
    exact = rows * (1.0 - train_share)
    if way == NEAREST:
        return math.floor(exact + 0.5 + _TIE)
    return math.ceil(exact - _TIE) if way == WAYS[0] else math.floor(exact + _TIE)


def near(rows: int, train_share: float) -> list[int]:
    """Return the numbers of test rows around the share: those it could be, and two more."""
    exact = rows * (1.0 - train_share)
    return list(range(math.floor(exact + _TIE) - 1, math.ceil(exact - _TIE) + 2))
