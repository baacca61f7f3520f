"""The columns whose protocol the printed digits support: how many of them are reproduced.

A section of the index, from the files of results: what the digits say decides which tables count,
the cells within one published standard deviation which columns are reproduced.
"""

from collections.abc import Callable, Sequence

from kernelwise_papers.experiment import Line
from kernelwise_papers.papers.digits.page import NAMES, supported
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.tables.agreement import REPRODUCED, Verdict, judged
from kernelwise_papers.tables.comparison import Results
from kernelwise_papers.tables.table import PaperTable


def section(lines_of: Callable[[str], Sequence[Line]]) -> list[str]:
    """Return the section; nothing as long as the digits or a table have no results.

    Parameters
    ----------
    lines_of : callable
        Returns the lines of an experiment by its key.
    """
    digits = lines_of("digits")
    tables = [table for name in supported(digits) for table in _of(name)]
    found = [(table, verdict) for table in tables for verdict in _verdicts(table, lines_of)]
    if not found:
        return []
    holds = sum(bool(verdict.holds) for _, verdict in found)
    named = " and ".join(f"[{NAMES[table.published or '']}]({table.key}.md)" for table in tables)
    return [
        "## Columns whose protocol the digits support",
        "",
        f"[The printed digits](digits.md) fit the stated number of splits of {named}, and of no "
        f"other table of error rates. Of their {len(found)} columns that the papers define "
        f"{holds} ({100 * holds / len(found):.0f} %) are reproduced: at least "
        f"{100 * REPRODUCED:.0f} % of the cells are within one published standard deviation. "
        "What is not, and why:",
        "",
        *(f"- {NAMES[table.published or '']}: {v.text}" for table, v in found if not v.holds),
        "",
    ]


def _of(published: str) -> list[PaperTable]:
    """Return the paper's own protocol of a published table."""
    return [table for table in TABLES.values() if table.published == published and not table.of]


def _verdicts(table: PaperTable, lines_of: Callable[[str], Sequence[Line]]) -> list[Verdict]:
    """Return the verdicts on the columns that the paper defines."""
    found = judged(Results.of(table, lines_of(table.key)))
    return [verdict for verdict in found if verdict.holds is not None]
