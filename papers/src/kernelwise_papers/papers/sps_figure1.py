"""SPS 2014, Figure 1: the highest accuracy over lambda, from the results of Table 1."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kernelwise_papers import publications
from kernelwise_papers.experiment import Line
from kernelwise_papers.markdown import holds, table
from kernelwise_papers.papers.sps import SPS_TABLE1
from kernelwise_papers.tables.comparison import Results
from kernelwise_papers.tables.run import OfTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TABLE = SPS_TABLE1
_SAID = ("breast-cancer", "diabetes", "svmguide3", "heart", "sonar", "ionosphere")


class HighestAccuracies(OfTable):
    """The best of the four lambdas, criterion by criterion, on every set: no runs of its own."""

    key = "sps-figure1"
    title = "SPS 2014, Figure 1: the highest accuracy over lambda"

    @property
    def source(self) -> str:
        """The results are those of the table."""
        return self.table.key

    def summary(self, lines: Sequence[Line]) -> str:
        """Return which statements of the paper hold."""
        return "\n".join(_statements(_highest(lines)))

    def page(self, lines: Sequence[Line]) -> str:
        """Return the statements, then ours beside what the table of the paper has."""
        ours, theirs = _highest(lines), _published()
        columns = list(_TABLE.columns)
        rows = []
        for dataset, row in ours.items():
            cells = [
                f"{row[c]:.2f}<br>{theirs[dataset][c]:.2f}" if c in theirs[dataset] else "–"
                for c in columns
            ]
            rows.append([dataset, *cells])
        parts = [
            "Mean accuracies over the splits of Table 1, the highest of its four lambdas. The "
            "paper prints no numbers of its figure; the lower line is the highest legible mean of "
            "its Table 1.",
            "",
            f"![{self.title}]({self.key}.svg)",
            "",
            "## What the paper says of it",
            "",
            *(f"- {statement}" for statement in _statements(ours)),
            "",
            "## Ours and published, percent",
            "",
            *table(["set", *columns], rows),
        ]
        return "\n".join(parts) + "\n"

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw the accuracies of every set, a mark a criterion."""
        from kernelwise_papers.figures import panels

        ours = _highest(lines)
        figure, [ax] = panels(1, 8.0, 3.5)
        for column, marker in zip(_TABLE.columns, "os^Dv", strict=True):
            values = [row[column] for row in ours.values()]
            ax.plot(list(ours), values, marker, label=column, ms=5, alpha=0.8)
        ax.set_ylabel("highest accuracy, percent")
        ax.tick_params(axis="x", rotation=30, labelsize=8)
        ax.legend(fontsize=8, ncols=5)
        return figure


def _highest(lines: Sequence[Line]) -> dict[str, dict[str, float]]:
    """Return the highest mean accuracy over lambda, by set and column."""
    results = Results.of(_TABLE, lines)
    found: dict[str, dict[str, float]] = {}
    for place, row in results.errors.items():
        best = found.setdefault(place.dataset, dict.fromkeys(_TABLE.columns, -np.inf))
        for column in _TABLE.columns:
            best[column] = max(best[column], float(row[column].mean()))
    return found


def _published() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {name: {} for name in _TABLE.datasets}
    for cell in publications.load("sps2014_table1"):
        if cell.value is not None:
            row = found[cell.dataset]
            row[cell.criterion] = max(cell.value, row.get(cell.criterion, 0.0))
    return found


def _statements(ours: dict[str, dict[str, float]]) -> list[str]:
    """Return each statement of the paper with the count that decides it."""
    found = []
    for other in ("KTA", "CKTA", "FSM"):
        above = sum(row["SPS"] > row[other] for row in ours.values())
        verdict = holds(above == len(ours))
        found.append(f"SPS above {other} on all sets: {verdict} ({above} of {len(ours)})")
    named = [name for name in _SAID if name in ours]
    above = sum(ours[name]["SPS"] > ours[name]["CV"] for name in named)
    found.append(
        f"SPS above cross-validation on {', '.join(named)}: {holds(above == len(named))} "
        f"({above} of {len(named)})"
    )
    return found
