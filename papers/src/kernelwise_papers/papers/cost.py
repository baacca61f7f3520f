"""What is left out would cost: the largest data sets of tables and figures.

One split of a part of the rows is timed, and carried on by the power of n.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.markdown import table
from kernelwise_papers.papers.curves import CURVES
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.tables.run import split_lines
from kernelwise_papers.tables.table import PaperTable
from kernelwise_papers.timing import cpu_seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROWS = (1000, 2000)  # of the data set; fewer in proportion where it is capped
_FEW = 60  # rows on which loops are compiled
_CORES = 2
_CUBE = 3.0
_TABLES: dict[str, PaperTable] = TABLES | {curve.key: curve.table for curve in CURVES}


class Cost(Experiment):
    """Processor time of one split of what the full runs leave out."""

    key = "cost"
    title = "What the data sets that are left out would cost"
    takes_time = True

    @property
    def datasets(self) -> Sequence[str]:
        """A table or figure and one of its sets: a test compares them with what was run."""
        figures = (f"{curve.key} a2a" for curve in CURVES)
        return ("er-table1 a2a", "ks-table2 a2a", "ks-table3 cpusmall", *figures)

    @property
    def repetitions(self) -> int:
        """One split."""
        return 1

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Time one split of every number of rows; one more, of few rows, is not counted."""
        key, dataset = job.dataset.split()
        table, lines = _TABLES[key], []
        whole = table.load(dataset).n
        split_lines(table, Job(key, dataset, job.repetition, _FEW))
        for rows in _sizes(job.rows):
            one = Job(key, dataset, job.repetition, rows)
            seconds = cpu_seconds(partial(split_lines, table, one))
            lines.append({"rows": rows, "seconds": f"{seconds:.4g}", "all rows": whole})
        return lines

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the hours of every full run."""
        return "\n".join(
            f"{name}: {_hours(name, found)} h on {_CORES} cores"
            for name, found in _by_run(lines).items()
        )

    def page(self, lines: Sequence[Line]) -> str:
        """Return times, power and what follows."""
        heads = ["table or figure and set", "rows", "processor s a split", "power of n", "all rows"]
        heads += ["repetitions", f"full run, hours on {_CORES} cores"]
        rows = [_row(name, found) for name, found in _by_run(lines).items()]
        parts = [
            "These are left out of the full runs. One split of a part of the rows was timed "
            "(processor time, one thread). The first number of hours carries it to all rows "
            "by the power of n between the two sizes, the second by the cube, which "
            "decompositions take in the end.",
            "",
            f"![{self.title}]({self.key}.svg)",
            "",
            *table(heads, rows),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw seconds over rows, carried on to all rows."""
        from kernelwise_papers.figures import panels

        figure, [ax] = panels(1, 5.0, 3.5)
        for name, found in _by_run(lines).items():
            rows = np.array([float(line["rows"]) for line in found])
            [line] = ax.loglog(rows, [float(line["seconds"]) for line in found], "o-", label=name)
            whole = float(found[0]["all rows"])
            ends = [float(found[-1]["seconds"]), _seconds(found, _power(found))]
            ax.loglog([rows[-1], whole], ends, "--", color=line.get_color())
        ax.set_xlabel("rows")
        ax.set_ylabel("processor seconds a split")
        ax.legend(fontsize=8)
        return figure


def _sizes(most: int | None) -> list[int]:
    """Return the numbers of rows to time, of at most so many."""
    return [rows if most is None else rows * most // max(_ROWS) for rows in _ROWS]


def _by_run(lines: Sequence[Line]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in sorted(lines, key=lambda line: float(line["rows"])):
        found.setdefault(line["dataset"], []).append(line)
    return found


def _row(name: str, found: Sequence[Line]) -> list[str]:
    rows, seconds = (", ".join(line[field] for line in found) for field in ("rows", "seconds"))
    repetitions = _TABLES[name.split()[0]].repetitions
    cells = [name, rows, seconds, f"{_power(found):.2f}", found[0]["all rows"]]
    return [*cells, f"{repetitions}", _hours(name, found)]


def _power(found: Sequence[Line]) -> float:
    """Return the power of n; the cube where only one size was timed."""
    first, last = found[0], found[-1]
    if first["rows"] == last["rows"]:
        return _CUBE
    ratio = float(last["seconds"]) / float(first["seconds"])
    return math.log(ratio) / math.log(float(last["rows"]) / float(first["rows"]))


def _seconds(found: Sequence[Line], power: float) -> float:
    """Return what one split of all rows would take."""
    last = found[-1]
    ratio = float(last["all rows"]) / float(last["rows"])
    return float(float(last["seconds"]) * ratio**power)


def _hours(name: str, found: Sequence[Line]) -> str:
    """Return what all repetitions would take, by the power found and by the cube."""
    share = _TABLES[name.split()[0]].repetitions / _CORES / 3600.0
    powers = dict.fromkeys((_power(found), _CUBE))
    hours = dict.fromkeys(f"{_seconds(found, power) * share:.2g}" for power in powers)
    return " to ".join(hours)
