"""A table of results beside the published numbers, as a page of the documentation."""

from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from kernelwise.criteria import Criterion
from kernelwise.kernels import Kernel
from kernelwise_papers import datasets, markdown, publications
from kernelwise_papers.tables.agreement import (
    by_lambda,
    claims,
    counts,
    out_of_reach,
    verdicts,
)
from kernelwise_papers.tables.cells import published_marks, rows
from kernelwise_papers.tables.comparison import BEST, Results
from kernelwise_papers.tables.table import PaperTable, over_rows, printed_ridge, rows_of, times_rows

_SCALINGS = {"standard": "standardised", "unit": "brought between -1 and 1"}
_RIDGES: dict[Callable[[float, int], float], str] = {
    printed_ridge: "the printed lambda",
    over_rows: "the printed lambda over the number of training rows",
    times_rows: "the printed lambda times the number of training rows",
}
_SAID = (  # of the paper's protocol, where it may matter
    "scaling",
    "machine",
    "lambda",
    "ridge_on_K",
    "kernels",
    "criterion_parameters",
    "significance",
)
_MARKS = (
    "**Bold** is the best of the paper's columns, _italics_ not significantly worse (paired "
    "t-test, one-sided, 95 %)"
)


def page(results: Results) -> str:
    """Return a page in Markdown: counts of agreement, then ours over published, row by row."""
    parts = [
        *protocol(results),
        "",
        *_paper(results),
        f"![Ours against published]({results.table.key}.svg)",
        "",
        "## How many cells agree",
        "",
        "Loose: within one published standard deviation. Strict: within two standard errors of "
        f"the difference of the two means.{_by_digits(results.table)}",
        "",
        *counts(results),
        "",
        *out_of_reach(results),
        "",
        *by_lambda(results),
        "## What holds, and what does not",
        "",
        *verdicts(results),
        "",
        *_variants(results),
        *claims(results),
        "## Ours and published",
        "",
        f"Mean ± standard deviation over the splits; below it the published cell. {_MARKS}. "
        f"{published_marks(results)}",
        "",
        *rows(results),
    ]
    return "\n".join(parts) + "\n"


def protocol(results: Results) -> list[str]:
    """Return how the results were got, as a list."""
    table = results.table
    splits = {row[BEST].size for row in results.errors.values()}
    bias = "with" if table.fit_intercept else "without"
    machine = "SVM (C = 1 / (2 ridge))" if table.machine == "svm" else f"least squares {bias} bias"
    done = {place.dataset for place in results.errors}
    limits = [(name, rows) for name, rows in table.up_to.items() if name in table.columns]
    lines = [
        *_origin(table),
        f"- {markdown.span(splits)} random splits a data set ({table.repetitions} in the paper), "
        f"{100 * table.train_share:.0f} % of the rows for training, not stratified; features "
        f"{_SCALINGS[table.scaling]} by the training rows.",
        *_shorter(results),
        *_nowhere(results),
        *_choices(table),
        f"- {machine}; on the diagonal of K {_RIDGES[table.ridge]}.",
        f"- {len(table.kernels)} kernels: {_candidates(table)}.",
        *markdown.not_run(_published_sets(table), done),
        *(f"- {name}: up to {rows:,} training rows, as it is costly." for name, rows in limits),
    ]
    for name in table.datasets:
        if name in done and (said := _remarks(table, name)):
            lines.append(f"- {name}: {said}.")
    return lines


def _shorter(results: Results) -> list[str]:
    """Say which columns have fewer splits than the others, and how many."""
    lines = []
    for name in results.table.columns:
        counts = {row[name].size for row in results.errors.values()}
        if any(row[name].size < row[BEST].size for row in results.errors.values()):
            lines.append(f"- {name}: {markdown.span(counts)} of the splits.")
    return lines


def _nowhere(results: Results) -> list[str]:
    """Name the columns that are defined for none of the candidates."""
    found = [
        name
        for name in results.table.columns
        if all(row[name].size and np.isnan(row[name]).all() for row in results.errors.values())
    ]
    return [f"- {name}: not defined for any of the kernels." for name in found]


def _choices(table: PaperTable) -> list[str]:
    """Return what a reading has that others have not: fresh splits, another measure."""
    lines = []
    if table.first_split:
        lines.append(
            f"- The splits have the numbers from {table.first_split:,} on, which no other table "
            f"has: columns, kernels and machine, and up to {table.splits} splits, were written "
            "down before any of them was run."
        )
    if table.measure == "balanced":
        lines.append(
            "- Accuracy is balanced: the mean over the two classes of the share of rows that are "
            "right. The criteria themselves are as elsewhere."
        )
    return lines


def _by_digits(table: PaperTable) -> str:
    """Say that the printed digits fit another number of splits than the paper's."""
    if table.printed_splits is None:
        return ""
    return (
        f" The paper states {table.repetitions} splits; its digits fit {table.printed_splits} "
        "([how so](digits.md)), and then its means are less certain: counted both ways."
    )


def _origin(table: PaperTable) -> list[str]:
    """Return where a variant comes from."""
    if table.of is None:
        return []
    return [
        f"- Tried besides [the paper's protocol]({table.of}.md), whose page says what came of it."
    ]


def _published_sets(table: PaperTable) -> Sequence[str]:
    """Return the paper's data sets, of which a table may leave out some."""
    if table.published is None:
        return table.datasets
    return rows_of(table.published)["datasets"]


def _candidates(table: PaperTable) -> str:
    """Name the first and the last kernel of every kind."""
    kinds: dict[str, list[Kernel]] = {}
    for kernel in table.kernels:
        kinds.setdefault(type(kernel).__name__, []).append(kernel)
    return " and ".join(f"{len(of)} from `{of[0]}` to `{of[-1]}`" for of in kinds.values())


def _paper(results: Results) -> list[str]:
    """Return what the paper says of its protocol, and what our columns are."""
    table = results.table
    if table.published is None:
        return []
    said = publications.protocol(table.published)
    open_to = {f: grid for c in table.columns.values() for f, grid in _chosen(c).items()}
    chosen = "; ".join(f"{f} of {', '.join(map(str, grid))}" for f, grid in open_to.items())
    return [
        "The paper, as far as it says so "
        f"([all of it]({markdown.PUBLISHED_NUMBERS}protocols.csv)):",
        "",
        *(f"- {item.replace('_', ' ')}: {said[item]}." for item in _SAID if item in said),
        "",
        "The columns:",
        "",
        *(f"- {name}: `{_brief(criterion)}`" for name, criterion in table.columns.items()),
        *([f"- 'cv': {chosen}, by three folds inside the training rows."] if chosen else []),
        "",
    ]


def _brief(criterion: Criterion) -> str:
    """Return a criterion with its parameters; how folds are drawn is the same everywhere."""
    shown = [f.name for f in fields(criterion) if f.name not in ("cv", "repeats", "random_state")]
    given = {name: getattr(criterion, name) for name in shown}
    values = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
    return f"{type(criterion).__name__}({values})"


def _chosen(criterion: Criterion) -> dict[str, tuple[float, ...]]:
    """Return the grids of the trade-off parameters that are chosen by cross-validation."""
    grids = criterion.tradeoffs.items()
    return {f: tuple(grid) for f, grid in grids if getattr(criterion, f) == "cv"}


def _remarks(table: PaperTable, name: str) -> str:
    try:
        return "; ".join(table.load(name).remarks)
    except datasets.NoData:
        return ""


def _variants(results: Results) -> list[str]:
    """Return links to the other protocols that were tried."""
    tried = [f"- [{table.title}]({table.key}.md)" for table in results.table.variants]
    return ["Tried besides:", "", *tried, ""] if tried else []
