"""Results of a run beside the published numbers."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise_papers import publications
from kernelwise_papers.experiment import Line
from kernelwise_papers.significance import LEVEL, paired
from kernelwise_papers.tables.table import PaperTable

BEST = "best possible"
_PERCENT = 100.0


class Place(NamedTuple):
    """A row of a table: a data set at one lambda."""

    dataset: str
    lam: float


@dataclass(frozen=True, eq=False)
class Results:
    """The test errors of a run, in the unit of the published table.

    Attributes
    ----------
    table : PaperTable
    errors : dict of Place to dict of str to array
        By row and column of the table, one number per split.
    """

    table: PaperTable
    errors: dict[Place, dict[str, Array]]

    @classmethod
    def of(cls, table: PaperTable, lines: Iterable[Line]) -> "Results":
        """Sort the lines of a run."""
        found: dict[Place, dict[str, list[float]]] = {}
        for line in lines:
            place = Place(line["dataset"], float(line["lambda"]))
            row = found.setdefault(place, {})
            for name in (*table.columns, BEST):
                values = row.setdefault(name, [])
                if line.get(name):  # a column that the table has gained may have fewer splits
                    values.append(_in_unit(table, float(line[name])))
        errors = {p: {n: np.array(v) for n, v in row.items()} for p, row in found.items()}
        return cls(table, errors)


def _in_unit(table: PaperTable, error: float) -> float:
    """Return an error as the paper prints it: percent, accuracy in percent, or a mean square."""
    if table.task == "regression":
        return error
    return _PERCENT * (1.0 - error if table.higher_is_better else error)


class Comparison(NamedTuple):
    """One cell of ours beside the published one.

    Attributes
    ----------
    mean, spread : float
        Over our splits.
    published : Cell
    difference : float
        Ours less the published value.
    is_loose : bool
        Whether the difference is within the published spread.
    is_strict : bool
        Whether it is within two standard errors of the difference of the two means.
    is_strict_by_digits : bool
        The same, with the published mean over as many splits as its digits fit.
    """

    place: Place
    column: str
    mean: float
    spread: float
    published: publications.Cell
    difference: float
    is_loose: bool
    is_strict: bool
    is_strict_by_digits: bool


def compare(results: Results, variant: dict[str, str] | None = None) -> list[Comparison]:
    """Return every legible published cell beside ours.

    ``variant`` names the column of ours that stands for a published one, where it is another.
    """
    if results.table.published is None:
        return []
    variant = variant or {}
    stated = results.table.repetitions
    numbers = (stated, results.table.printed_splits or stated)
    found = []
    for cell in publications.load(results.table.published):
        place = Place(cell.dataset, 1.0 if cell.lam is None else cell.lam)
        column = variant.get(cell.criterion, cell.criterion)
        ours = results.errors.get(place, {}).get(column)
        if ours is None or cell.value is None or cell.spread is None:
            continue
        if ours.size == 0 or np.isnan(ours).any():
            continue
        mean, spread = float(np.mean(ours)), spread_of(ours)
        difference = mean - cell.value
        errors = [math.sqrt(spread**2 / ours.size + cell.spread**2 / n) for n in numbers]
        is_loose, strict = (
            abs(difference) <= cell.spread,
            [abs(difference) <= 2 * e for e in errors],
        )
        found.append(Comparison(place, column, mean, spread, cell, difference, is_loose, *strict))
    return found


def spread_of(values: Array) -> float:
    """Return the standard deviation over splits; NaN of a single one."""
    return float(np.std(values, ddof=1)) if values.size > 1 else math.nan


def not_worse(results: Results, place: Place, column: str, best: str) -> bool:
    """Say whether a column is not significantly worse than the best, paired t-test, one-sided."""
    d = results.table.sign * (results.errors[place][column] - results.errors[place][best])
    if d.size < 2:
        return bool(d[0] <= 0.0)
    return not paired(d) < LEVEL
