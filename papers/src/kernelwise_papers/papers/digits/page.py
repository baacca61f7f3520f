"""What the digits say, as a page and a figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernelwise_papers import publications
from kernelwise_papers.experiment import Line
from kernelwise_papers.markdown import table
from kernelwise_papers.papers.digits.counting import NEAREST, WAYS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SURE = 1e-6  # a tail that is no chance, also where sixty numbers and three ways were looked at
_LOOKED_AT = 60  # numbers of splits
_FITS = 0.01  # of a set or a pair of classes, which are looked at once
_SMALLEST = 1e-120  # on the axis
NAMES = {
    "sm2017_table2": "SM 2017, Table 2",
    "er2015_table1": "ER 2015, Table 1",
    "ks2019_table2": "KS 2019, Table II",
    "sps2014_table1": "SPS 2014, Table 1",
}
_INTRODUCTION = """\
A test error over s splits with m test rows each has s m places to be wrong, so that its mean is a
multiple of 100 / (s m) percent. A printed number therefore fits some numbers of splits and not
others: with 81 test rows and 5 splits 18.52 fits (75 of 405), 18.50 does not. A cell *fits* if
some count of wrong rows, in percent and rounded to the printed decimals (a tie either way), gives
it. *Chance* is the share of all numbers of as many decimals that fit; once s m reaches 10,000
every number does and a cell says nothing. *Tail* is the probability that at least as many cells
fit by chance: the exact distribution of a sum of independent cells, each with its own chance.
Cells of one row of a table are not quite independent, because criteria often pick the same
kernel, so read tails as orders of magnitude.

Three ways to round 70 % (SPS: 50 %) of the rows, and 1 to 60 splits, were looked at. No data are
needed, only the number of rows."""


class Found(NamedTuple):
    """The counts of one table."""

    table: str
    lines: list[Line]

    def part(self, part: str, **wanted: object) -> list[Line]:
        """Return some of the lines."""
        kept = [line for line in self.lines if line["part"] == part]
        return [x for x in kept if all(x[key] == str(value) for key, value in wanted.items())]

    @property
    def stated(self) -> int:
        """The number of splits that the paper states."""
        return int(publications.protocol(self.table)["repetitions"])

    def best(self, part: str = "table", **wanted: object) -> Line:
        """Return the line with the smallest tail."""
        return min(self.part(part, **wanted), key=lambda line: float(line["tail"]))

    def at(self, splits: int) -> Line:
        """Return the counts of a number of splits, of the whole table."""
        [line] = self.part("table", way=NEAREST, splits=splits)
        return line


def found_in(lines: Sequence[Line]) -> list[Found]:
    """Sort the lines by table."""
    known = {line["dataset"] for line in lines}
    names = [name for name in NAMES if name in known]
    return [Found(name, [x for x in lines if x["dataset"] == name]) for name in names]


def supported(lines: Sequence[Line]) -> list[str]:
    """Return the tables whose stated number of splits fits, and none other as well."""
    return [
        found.table
        for found in found_in(lines)
        for best in [found.best(way=NEAREST)]
        if float(best["tail"]) <= _SURE and int(best["splits"]) == found.stated
    ]


def findings(lines: Sequence[Line]) -> list[str]:
    """Return one line a table: the number of splits that fits best, and the one that is stated."""
    said = []
    for found in found_in(lines):
        best, stated = found.best(way=NEAREST), found.at(found.stated)
        verdict = _verdict(found, best, stated)
        said.append(f"{NAMES[found.table]}: {verdict}")
    return said


def _verdict(found: Found, best: Line, stated: Line) -> str:
    said = f"its {found.stated} splits fit {_share(stated)}"
    if float(best["tail"]) > _SURE:
        return f"no number of splits fits beyond chance ({said})"
    if best is stated or best["splits"] == stated["splits"]:
        return f"{said}, and no other number fits as well"
    return f"{best['splits']} splits fit {_share(best)}; {said}"


def _share(line: Line) -> str:
    expected, chance = float(line["expected"]), float(line["tail"])
    return f"{line['fits']} of {line['cells']} cells ({expected:.0f} by chance, tail {chance:.1e})"


def page(lines: Sequence[Line]) -> str:
    """Return the page."""
    tables = found_in(lines)
    parts = [
        "![How improbable the fit is, by number of splits](digits.svg)",
        "",
        _INTRODUCTION,
        "",
        "## Tables",
        "",
        *(f"- **{text.partition(':')[0]}**:{text.partition(':')[2]}." for text in findings(lines)),
        "",
        *_ways(tables),
        "",
        *_columns(tables),
        "",
        *_single(tables),
        *_sets(tables),
        *_misfits(tables),
        *_pairs(tables),
        "## What follows",
        "",
        "Standard errors of published means are those of the stated number of splits. Where the "
        "digits fit another number, as for KS 2019, Table II, the pages of that table count both "
        "ways: a mean over five splits is more than three times as uncertain as one over fifty.",
    ]
    return "\n".join(parts) + "\n"


def _ways(tables: Sequence[Found]) -> list[str]:
    rows = []
    for found in tables:
        for way in WAYS:
            best = found.best(way=way)
            [stated] = found.part("table", way=way, splits=found.stated)
            rows.append([NAMES[found.table], way, *_cells(best), *_cells(stated)])
    heads = ["table", "rounding", "best splits", "fit", "by chance", "tail"]
    return table([*heads, "stated splits", "fit", "by chance", "tail"], rows)


def _cells(line: Line) -> list[str]:
    share = f"{line['fits']} of {line['cells']}"
    return [line["splits"], share, f"{float(line['expected']):.1f}", f"{float(line['tail']):.1e}"]


def _columns(tables: Sequence[Found]) -> list[str]:
    rows = []
    for found in tables:
        for name in dict.fromkeys(line["name"] for line in found.part("column")):
            best = found.best("column", name=name)
            [stated] = found.part("column", name=name, splits=found.stated)
            rows.append([NAMES[found.table], name, *_cells(best), *_cells(stated)])
    heads = ["table", "column", "best splits", "fit", "by chance", "tail"]
    return [
        f"Column by column ({NEAREST}; the best of sixty, so that a tail above 0.001 is nothing):",
        "",
        *table([*heads, "stated splits", "fit", "by chance", "tail"], rows),
    ]


def _single(tables: Sequence[Found]) -> list[str]:
    """Say which columns fit single splits beyond chance, where no number fits the whole table."""
    said = []
    for found in tables:
        if found in _known(tables):
            continue
        for name in dict.fromkeys(line["name"] for line in found.part("column")):
            [single] = found.part("column", name=name, splits=1)
            if float(single["tail"]) < _FITS / _LOOKED_AT:
                said.append(
                    f"Of {NAMES[found.table]} the column {name} alone fits single splits, in "
                    f"{_share(single)}: as if some of its cells were no means."
                )
    return [*said, ""] if said else []


def _sets(tables: Sequence[Found]) -> list[str]:
    """Return, for tables whose number of splits is known, the test rows that every set fits."""
    rows, sums = [], []
    for found in _known(tables):
        best, fitting = found.best(way=NEAREST), 0
        for name in dict.fromkeys(line["name"] for line in found.part("set")):
            own = found.part("set", name=name, splits=best["splits"])
            likely = min(own, key=lambda line: float(line["tail"]))
            fitting += int(likely["fits"])
            counts = ", ".join(f"{line['test rows']}: {line['fits']}" for line in own)
            told = likely["test rows"] if float(likely["tail"]) < _FITS else "–"
            rows.append([NAMES[found.table], name, best["splits"], own[0]["cells"], counts, told])
        sums.append(f"{NAMES[found.table]}: {fitting} of {best['cells']} cells")
    heads = ["table", "set", "splits", "cells", "cells that fit, by test rows", "supported"]
    return [
        "## Sets",
        "",
        "The test rows that the cells of a set fit, at the table's best number of splits. "
        f"Supported: a tail below {_FITS:g}. A dash: too coarse to tell, or none fits. With the "
        f"test rows that fit every set best: {'; '.join(sums)}.",
        "",
        *table(heads, rows),
        "",
    ]


def _known(tables: Sequence[Found]) -> list[Found]:
    """Return the tables whose digits tell a number of splits."""
    return [found for found in tables if float(found.best(way=NEAREST)["tail"]) <= _SURE]


def _misfits(tables: Sequence[Found]) -> list[str]:
    """Return the cells that fit none of the numbers of test rows, table by table."""
    lines = []
    for found in _known(tables):
        of: dict[str, list[str]] = {}
        for line in found.part("cell"):
            name, _, cell = line["name"].partition(": ")
            of.setdefault(name, []).append(cell)
        best = found.best(way=NEAREST)
        count = sum(map(len, of.values()))
        told = "; ".join(f"{name} ({', '.join(cells)})" for name, cells in of.items()) or "none"
        head = f"{NAMES[found.table]}, {best['splits']} splits, {count} of {best['cells']}"
        lines.append(f"- {head}: {told}.")
    return [
        "## Cells that fit no number of test rows",
        "",
        'At the table\'s best number of splits, with any of the test rows above; after "at" the '
        "printed lambda. They were rounded otherwise, are misprints, or are means over other "
        "splits.",
        "",
        *lines,
        "",
    ]


def _pairs(tables: Sequence[Found]) -> list[str]:
    """Return what the digits say of the pairs of classes that a paper does not name."""
    rows = []
    for found in tables:
        names = dict.fromkeys(line["name"].partition(":")[0] for line in found.part("pair"))
        for name in names:
            own = [x for x in found.part("pair") if x["name"].startswith(f"{name}:")]
            fit = [x for x in own if x["fits"] == x["cells"] and float(x["tail"]) < _FITS]
            coarse = sum(float(x["tail"]) >= _FITS and x["fits"] == x["cells"] for x in own)
            pairs = "; ".join(f"{x['name'].partition(': ')[2]} ({x['test rows']})" for x in fit)
            rows.append([NAMES[found.table], name, str(len(own)), pairs or "none", str(coarse)])
    if not rows:
        return []
    heads = ["table", "set", "pairs", "pairs that all cells fit (test rows)", "too coarse to tell"]
    return [
        "## Pairs of classes",
        "",
        "Sets of more than two classes, where the paper does not say which two it takes: the pairs "
        f"of which all cells fit at the stated number of splits, with a tail below {_FITS:g}.",
        "",
        *table(heads, rows),
        "",
    ]


def draw(lines: Sequence[Line]) -> "Figure":
    """Draw the tail over the number of splits, a panel a table."""
    from kernelwise_papers.figures import panels

    tables = found_in(lines)
    figure, axes = panels(len(tables))
    for ax, found in zip(axes, tables, strict=False):
        own = found.part("table", way=NEAREST)
        splits = [int(line["splits"]) for line in own]
        tails = np.maximum([float(line["tail"]) for line in own], _SMALLEST)
        ax.semilogy(splits, tails, "o-", ms=2, lw=0.8)
        ax.axvline(found.stated, color="0.6", lw=0.8, zorder=0)
        ax.set_title(NAMES[found.table], fontsize=9)
        ax.set_xlabel("number of splits (line: stated)", fontsize=8)
    axes[0].set_ylabel("probability by chance", fontsize=8)
    return figure
