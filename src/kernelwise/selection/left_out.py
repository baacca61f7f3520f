"""How rows were predicted when they were left out: counts and means, never a row."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.machines.base import winners
from kernelwise.targets import Targets

_BARS = 15  # of the histogram of residuals
_LEVELS = 5  # parts of equal size into which predictions are sorted


@dataclass(frozen=True)
class Mistake:
    """Rows of one class that were taken for another."""

    label: str
    predicted: str
    rows: int


@dataclass(frozen=True)
class Confusion:
    """Which classes are taken for which, the most frequent mistake first."""

    counts: dict[str, int]  # the rows of every class
    mistakes: tuple[Mistake, ...]

    @property
    def wrong(self) -> Counter[str]:
        """How many rows of every class were taken for another."""
        wrong: Counter[str] = Counter()
        for mistake in self.mistakes:
            wrong[mistake.label] += mistake.rows
        return wrong


@dataclass(frozen=True)
class Level:
    """What is known of the rows with predictions of about one size."""

    prediction: float  # their mean
    bias: float  # the mean of target less prediction
    error: float  # the root of its mean square
    rows: int


@dataclass(frozen=True)
class Residuals:
    """Target less prediction, over all rows and by the size of the prediction."""

    edges: tuple[float, ...]  # of the bars of a histogram
    counts: tuple[int, ...]  # the rows of every bar
    median: float  # of the absolute residuals
    ninety: float  # nine in ten are not larger
    levels: tuple[Level, ...]


def confusion(machine: Any, targets: Targets) -> Confusion | None:
    """Return which classes a fitted machine confuses; None for reals, or if it does not know."""
    values, sound = loo_values(machine, targets)
    if values is None or targets.classes is None:
        return None
    names = list(map(str, targets.classes.tolist()))
    true, predicted = targets.y[sound], winners(values[sound])
    pairs = Counter(zip(true.tolist(), predicted.tolist(), strict=True))
    return Confusion(
        counts=dict(zip(names, np.bincount(true, minlength=len(names)).tolist(), strict=True)),
        mistakes=tuple(
            Mistake(names[a], names[b], n) for (a, b), n in pairs.most_common() if a != b
        ),
    )


def residuals(machine: Any, targets: Targets) -> Residuals | None:
    """Return how far a fitted machine is off; None for classes, or if it does not know."""
    values, sound = loo_values(machine, targets)
    if values is None or targets.classes is not None:
        return None
    predicted = values[sound, 0]
    off = targets.y[sound] - predicted
    counts, edges = np.histogram(off, min(_BARS, 1 + off.size // 5))
    sizes = np.abs(off)
    return Residuals(
        edges=tuple(edges.tolist()),
        counts=tuple(counts.tolist()),
        median=float(np.median(sizes)),
        ninety=float(np.quantile(sizes, 0.9)),
        levels=tuple(
            _level(predicted[rows], off[rows])
            for rows in np.array_split(np.argsort(predicted, kind="stable"), _LEVELS)
            if rows.size
        ),
    )


def _level(predicted: Array, off: Array) -> Level:
    error = float(np.sqrt(np.mean(off**2)))
    return Level(float(predicted.mean()), float(off.mean()), error, int(off.size))


def loo_values(machine: Any, targets: Targets) -> tuple[Array | None, Array]:
    """Return the leave-one-out values, None if there are none, and which rows they are sound of."""
    if not hasattr(machine, "loo_values_"):
        return None, np.zeros(targets.n, dtype=bool)
    values = np.asarray(machine.loo_values_).reshape(targets.n, -1)
    sound = np.isfinite(values).all(axis=1)
    return (values if sound.any() else None), sound
