"""The tables as experiments: one job is one split, one line of its results one lambda."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.tables.agreement import headline, summary
from kernelwise_papers.tables.comparison import Results
from kernelwise_papers.tables.page import page
from kernelwise_papers.tables.split import KERNEL, outcomes, part_of
from kernelwise_papers.tables.table import PaperTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class OfTable(Experiment):
    """An experiment whose jobs are the splits of a table."""

    table: PaperTable

    @property
    def key(self) -> str:  # type: ignore[override]
        """The table's."""
        return self.table.key

    @property
    def title(self) -> str:  # type: ignore[override]
        """The table's."""
        return self.table.title

    @property
    def datasets(self) -> Sequence[str]:
        """The table's."""
        return self.table.datasets

    @property
    def repetitions(self) -> int:
        """The table's."""
        return self.table.splits or self.table.repetitions

    @property
    def first_repetition(self) -> int:
        """The table's."""
        return self.table.first_split

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return what every column picks on one split, and the error of the pick."""
        return split_lines(self.table, job)

    def lacks(self, lines: Sequence[Line]) -> bool:
        """Say whether the table has gained a column since."""
        return bool(missing(self.table, lines))

    def complete(self, job: Job, lines: Sequence[Line]) -> list[dict[str, Any]]:
        """Return the lines with the columns that the table has gained, on the same split."""
        columns = {name: self.table.columns[name] for name in missing(self.table, lines)}
        made = split_lines(replace(self.table, columns=columns), job)
        gained = {float(line["lambda"]): line for line in made}
        fields = [field for name in columns for field in (name, KERNEL.format(name))]
        return [line | {f: gained[float(line["lambda"])][f] for f in fields} for line in lines]


class TableRun(OfTable):
    """One of the tables, beside the published numbers."""

    def summary(self, lines: Sequence[Line]) -> str:
        """Return how many cells agree."""
        return summary(Results.of(self.table, lines))

    def headline(self, lines: Sequence[Line]) -> str:
        """Return how many cells of each column agree."""
        return headline(Results.of(self.table, lines))

    def page(self, lines: Sequence[Line]) -> str:
        """Return ours beside published."""
        return page(Results.of(self.table, lines))

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw ours against published, a panel a column."""
        from kernelwise_papers.tables.figure import agreement

        return agreement(Results.of(self.table, lines))


def missing(table: PaperTable, lines: Sequence[Line]) -> list[str]:
    """Return the columns of a table that the lines of a finished job lack."""
    return [name for name in table.columns if not all(line.get(name) for line in lines)]


def split_lines(table: PaperTable, job: Job) -> list[dict[str, Any]]:
    """Return one line per lambda: the error of every column and the position of its kernel."""
    lines: dict[float, dict[str, Any]] = {}
    for outcome in outcomes(part_of(table, job), table):
        line = lines.setdefault(outcome.lam, {"lambda": outcome.lam})
        line[outcome.column] = f"{outcome.error:.5g}"
        line[KERNEL.format(outcome.column)] = outcome.kernel
    return list(lines.values())
