"""Columns that tell the target by themselves: few are known when one predicts."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from kernelwise._arguments import some
from kernelwise._types import Array
from kernelwise.cli.columns import MANY_LEVELS, ColumnRoles
from kernelwise.gram import Targets
from kernelwise.selection.diagnostics import Code, Diagnostic

_LEFT = 0.02  # of the errors of a constant prediction, at most
_FEWEST = 10  # errors of that: with fewer, chance tells as much


def told_leaks(roles: ColumnRoles, targets: Targets) -> list[str]:
    """Return a sentence on columns whose texts, or gaps, tell the classes nearly without error.

    Numbers may tell them honestly, their gaps hardly: of those only gaps count.
    """
    if targets.classes is None or targets.n - targets.counts.max() < _FEWEST:
        return []
    classes = np.searchsorted(targets.classes, targets.labels)
    most = _LEFT * (targets.n - targets.counts.max())
    found = [name for name, levels in _levels(roles) if _wrong(levels, classes) <= most]
    if not found:
        return []
    names = ("" if len(found) == 1 else "each of ") + some([repr(name) for name in found])
    text = (
        f"{names} alone tells nearly every class, by the text or by where it is empty: is that "
        "known when you predict? --drop COLUMN leaves a column out."
    )
    return [Diagnostic(text, Code.TELLS_TARGET)]


def _levels(roles: ColumnRoles) -> Iterator[tuple[str, Array]]:
    """Yield columns with a number for every text and for a gap; for a gap alone of the others."""
    has_gaps = roles.frame.isna().any()
    for name in roles.texts:
        if roles.levels[name] <= MANY_LEVELS:
            yield name, np.asarray(pd.factorize(roles.frame[name])[0]) + 1
    for name in roles.numbers + roles.dates:
        if has_gaps[name]:
            yield name, np.asarray(roles.frame[name].isna(), dtype=int)


def _wrong(levels: Array, classes: Array) -> int:
    """Return how many rows the largest class of every level leaves wrong."""
    counts = np.zeros((levels.max() + 1, classes.max() + 1), int)
    np.add.at(counts, (levels, classes), 1)
    return int(counts.sum() - counts.max(axis=1).sum())
