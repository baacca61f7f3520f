"""The four tables of error rates, cell by cell."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kernelwise_papers import downloads, publications
from kernelwise_papers.datasets import PAIRS
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.papers.digits.counting import (
    NEAREST,
    WAYS,
    Count,
    Printed,
    count,
    near,
    test_rows,
)
from kernelwise_papers.papers.digits.page import draw, findings, page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLES = ("sm2017_table2", "er2015_table1", "ks2019_table2", "sps2014_table1")
_SPLITS = range(1, 61)  # that are looked at
_FEWEST = 10  # rows of a pair of classes


class Digits(Experiment):
    """Which numbers of splits the printed digits fit; nothing is run but this arithmetic."""

    key = "digits"
    title = "What the printed digits say: the number of splits behind four tables"

    @property
    def datasets(self) -> Sequence[str]:
        """The tables."""
        return TABLES

    @property
    def repetitions(self) -> int:
        """Once."""
        return 1

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return the counts of one table: as a whole, by column, by set, by pair of classes.

        The last lines are cells that fit none of the numbers of test rows that a set could have.
        """
        cells = _cells(job.dataset)
        lines = []
        for way, splits in itertools.product(WAYS, _SPLITS):
            found = count(((c.printed, _tested(c, way)) for c in cells), splits)
            lines.append(_line("table", "all", splits, found, way=way))
        for name, splits in itertools.product(dict.fromkeys(c.column for c in cells), _SPLITS):
            own = [(c.printed, _tested(c, NEAREST)) for c in cells if c.column == name]
            lines.append(_line("column", name, splits, count(own, splits), way=NEAREST))
        best = _best(lines)
        numbers = {best, int(publications.protocol(job.dataset)["repetitions"]), 1}
        lines += _by_set(cells, sorted(numbers)) + _by_pair(cells, max(numbers))
        return lines + _misfits(cells, best)

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the number of splits that fits each table best."""
        return "\n".join(findings(lines))

    def page(self, lines: Sequence[Line]) -> str:
        """Return the counts."""
        return page(lines)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw how improbable the fit to every number of splits is."""
        return draw(lines)


class _Cell(NamedTuple):
    dataset: str
    column: str
    lam: float | None
    printed: Printed
    rows: int
    train_share: float


def _cells(table: str) -> list[_Cell]:
    """Return the legible cells with the number of rows of their sets."""
    share = float(publications.protocol(table)["train_share"])
    return [
        _Cell(
            cell.dataset,
            cell.criterion,
            cell.lam,
            Printed.of(cell.text),
            rows_of(cell.dataset),
            share,
        )
        for cell in publications.load(table)
        if cell.legible
    ]


def rows_of(name: str) -> int:
    """Return how many rows a set has, of more than two classes those of the pair that we take."""
    classes = classes_of(name)
    if name not in PAIRS:
        return downloads.sources()[name].rows
    return sum(classes[label] for label in PAIRS[name])


def classes_of(name: str) -> dict[str, int]:
    """Return the classes of a set and their rows."""
    entries = downloads.sources()[name].classes.split("; ")
    return {label: int(rows) for label, _, rows in (e.rpartition(": ") for e in entries)}


def _tested(cell: _Cell, way: str) -> int:
    return test_rows(cell.rows, cell.train_share, way)


def _line(
    part: str, name: str, splits: int, found: Count, *, way: str = "", rows: int | str = ""
) -> dict[str, Any]:
    return {
        "part": part,
        "name": name,
        "way": way,
        "test rows": rows,
        "splits": splits,
        "cells": found.cells,
        "fits": found.fits,
        "expected": f"{found.expected:.5g}",
        "tail": f"{found.tail:.4g}",
    }


def _best(lines: Sequence[dict[str, Any]]) -> int:
    """Return the number of splits whose fit to the whole table is the least probable by chance."""
    whole = [line for line in lines if line["part"] == "table" and line["way"] == NEAREST]
    return int(min(whole, key=lambda line: float(line["tail"]))["splits"])


def _by_set(cells: Sequence[_Cell], numbers: Sequence[int]) -> list[dict[str, Any]]:
    """Return the counts of every set for the numbers of test rows that it could have."""
    lines = []
    for name in dict.fromkeys(cell.dataset for cell in cells):
        own = [cell for cell in cells if cell.dataset == name]
        for splits, rows in itertools.product(numbers, near(own[0].rows, own[0].train_share)):
            found = count(((cell.printed, rows) for cell in own), splits)
            lines.append(_line("set", name, splits, found, rows=rows))
    return lines


def _by_pair(cells: Sequence[_Cell], splits: int) -> list[dict[str, Any]]:
    """Return the counts of all pairs of classes, where a set has more than two."""
    lines = []
    for name in dict.fromkeys(cell.dataset for cell in cells):
        own = [cell for cell in cells if cell.dataset == name]
        classes = classes_of(name)
        for first, second in itertools.combinations(classes, 2) if len(classes) > 2 else ():
            both = classes[first] + classes[second]
            if both < _FEWEST:
                continue
            rows = test_rows(both, own[0].train_share, NEAREST)
            found = count(((cell.printed, rows) for cell in own), splits)
            lines.append(
                _line("pair", f"{name}: {first} / {second}", splits, found, way=NEAREST, rows=rows)
            )
    return lines


def _misfits(cells: Sequence[_Cell], splits: int) -> list[dict[str, Any]]:
    """Return the cells that fit a number of splits with none of the test rows around the share."""
    lines = []
    for cell in cells:
        found = [count([(cell.printed, n)], splits) for n in near(cell.rows, cell.train_share)]
        if not any(each.fits for each in found):
            at = "" if cell.lam is None else f" at {cell.lam:g}"
            name = f"{cell.dataset}: {cell.column}{at}"
            lines.append(_line("cell", name, splits, found[0]))
    return lines
