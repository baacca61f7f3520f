"""A table of results beside the published numbers, as a page of the documentation."""

from itertools import groupby

import numpy as np

from kernelwise.experiments import datasets, markdown, publications
from kernelwise.experiments.tables.comparison import (
    BEST,
    Comparison,
    Place,
    Results,
    compare,
    not_worse,
    spread_of,
)
from kernelwise.experiments.tables.table import Table

_FEW = 0.05  # of the cells
_REPRODUCED = 0.8  # of the cells of a column
_SCALINGS = {"standard": "standardised", "unit": "brought between -1 and 1"}
_MARKS = "**bold** is our best, _italics_ not significantly worse (paired t-test, one-sided, 95 %)"


def page(results: Results) -> str:
    """Return a page in Markdown: counts of agreement, then ours over published, row by row."""
    table = results.table
    parts = [
        *markdown.made_from(table.key, table.title),
        *protocol(results),
        "",
        f"![Ours against published]({table.key}.svg)",
        "",
        "## How many cells agree",
        "",
        "Loose: within one published standard deviation. Strict: within two standard errors of "
        "the difference of the two means.",
        "",
        *_counts(results),
        "",
        *_out_of_reach(results),
        "",
        "## What holds, and what does not",
        "",
        *_verdicts(results),
        "",
        *_variants(results),
        *_claims(results),
        "## Ours and published",
        "",
        f"Mean ± standard deviation over the splits; below it the published cell. {_MARKS}.",
        "",
        *_rows(results),
    ]
    return "\n".join(parts) + "\n"


def summary(results: Results) -> str:
    """Return how many cells agree, column by column."""
    lines = [f"{'':<42}{'loose':>7}{'strict':>8}{'cells':>7}"]
    for published, column, cells in _agreeing(results):
        name = column if column == published else f"  {column}"
        loose, strict = sum(c.is_loose for c in cells), sum(c.is_strict for c in cells)
        lines.append(f"{name:<42}{loose:>7}{strict:>8}{len(cells):>7}")
    return "\n".join(lines)


def headline(results: Results) -> str:
    """Return how many cells of the published columns agree, in a line."""
    counts = [
        f"{column} {sum(c.is_loose for c in cells)} of {len(cells)}"
        for published, column, cells in _agreeing(results)
        if published == column
    ]
    return f"within one published standard deviation: {', '.join(counts)}"


def protocol(results: Results) -> list[str]:
    """Return how the results were got, as a list."""
    table = results.table
    splits = sorted({v.size for row in results.errors.values() for v in row.values()})
    found = f"{splits[0]}" if len(splits) == 1 else f"{splits[0]} to {splits[-1]}"
    bias = "with" if table.fit_intercept else "without"
    machine = "SVM (C = 1 / (2 ridge))" if table.machine == "svm" else f"least squares {bias} bias"
    missing = [name for name in table.datasets if not _has(results, name)]
    lines = [
        f"- {found} random splits a data set ({table.repetitions} in the paper), "
        f"{100 * table.train_share:.0f} % of the rows for training, not stratified; features "
        f"{_SCALINGS[table.scaling]} by the training rows.",
        f"- {machine}; {len(table.kernels)} kernels, {table.kernels[0]} to {table.kernels[-1]}.",
    ]
    if missing:
        lines.append(f"- Not run: {', '.join(missing)}.")
    for name in table.datasets:
        if _has(results, name) and (said := _remarks(table, name)):
            lines.append(f"- {name}: {said}.")
    return lines


def _remarks(table: Table, name: str) -> str:
    try:
        return "; ".join(table.load(name).remarks)
    except datasets.NoData:
        return ""


def _has(results: Results, dataset: str) -> bool:
    return any(place.dataset == dataset for place in results.errors)


def _agreeing(results: Results) -> list[tuple[str, str, list[Comparison]]]:
    """Return published column, ours and their cells; variants of a criterion after it."""
    found = []
    for criterion in dict.fromkeys(c.published.criterion for c in compare(results)):
        for column in results.table.columns:
            if column == criterion or column.startswith(f"{criterion} ("):
                cells = compare(results, {criterion: column})
                found.append(
                    (criterion, column, [c for c in cells if c.published.criterion == criterion])
                )
    return found


def _counts(results: Results) -> list[str]:
    heads = ["published", "ours", "loose", "strict", "cells", "mean, published", "mean, ours"]
    return markdown.table(heads, [_count(*each) for each in _agreeing(results)])


def _count(criterion: str, column: str, cells: list[Comparison]) -> list[str]:
    loose, strict = sum(c.is_loose for c in cells), sum(c.is_strict for c in cells)
    theirs = float(np.mean([c.published.value for c in cells if c.published.value is not None]))
    ours = float(np.mean([c.mean for c in cells]))
    counts = map(str, (loose, strict, len(cells)))
    return [criterion, column, *counts, f"{theirs:.4g}", f"{ours:.4g}"]


def _out_of_reach(results: Results) -> list[str]:
    """Say how many published cells are better than any choice among the candidates can be."""
    cells = compare(results)
    sign = results.table.sign
    beyond = [
        c
        for c in cells
        if c.published.value is not None
        and sign * c.published.value < sign * float(np.mean(results.errors[c.place][BEST]))
    ]
    text = (
        f"Of {len(cells)} published cells {len(beyond)} are better than the mean of the best "
        "choice that the candidates allow, kernel by kernel on the test rows themselves (last "
        "column below)"
    )
    if len(beyond) < _FEW * len(cells):
        return [f"{text}."]
    return [
        f"{text}: no criterion could have chosen these, so data, scaling, kernels or machine were "
        "others than the paper says."
    ]


def _verdicts(results: Results) -> list[str]:
    """Return a sentence a published column: how far it agrees, by which variant, and why."""
    lines = []
    for criterion, group in groupby(_agreeing(results), key=lambda each: each[0]):
        counts = {column: sum(c.is_loose for c in cells) for _, column, cells in group}
        of = max(len(cells) for name, _, cells in _agreeing(results) if name == criterion)
        best = max(counts, key=lambda column: counts[column])
        verdict = "reproduces" if counts[best] >= _REPRODUCED * of else "does not reproduce"
        variants = ", ".join(f"{count} as {column}" for column, count in counts.items())
        why = results.table.why.get(criterion, "")
        lines.append(f"- **{criterion}** {verdict}: of {of} cells {variants}. {why}".rstrip())
    return lines


def _variants(results: Results) -> list[str]:
    """Return links to the other protocols that were tried."""
    tried = [f"- [{table.title}]({table.key}.md)" for table in results.table.variants]
    return ["Tried besides:", "", *tried, ""] if tried else []


def _claims(results: Results) -> list[str]:
    """Return the paper's counts of significant differences beside ours, as a section."""
    claims = [c for c in publications.records("claims") if c["table"] == results.table.published]
    rows = []
    for claim in claims:
        first, second = claim["first"], claim["second"]
        if not {first, second} <= set(results.table.columns):
            continue
        lam = float(claim["lambda"]) if claim["lambda"] else 1.0
        places = [place for place in results.errors if place.lam == lam]
        winner, loser = (first, second) if claim["claim"] == "better" else (second, first)
        count = sum(not not_worse(results, place, loser, winner) for place in places)
        said = claim["count"] if claim["relation"] == "exactly" else f"{claim['count']} or more"
        statement = f"{first} {claim['claim']} than {second}"
        rows.append([f"{lam:g}", statement, said, str(count), str(len(places))])
    if not rows:
        return []
    return [
        "## Significant differences, the paper's count and ours",
        "",
        "Sets on which the first criterion is significantly better or worse than the second "
        "(paired t-test over our splits, one-sided, 95 %).",
        "",
        *markdown.table(["lambda", "claim", "paper", "ours", "sets"], rows),
        "",
    ]


def _rows(results: Results) -> list[str]:
    names = [*results.table.columns, BEST]
    rows = []
    known = {(c.place, c.published.criterion): c for c in compare(results)}
    for place in _places(results):
        cells = [_cell(results, place, name, known.get((place, name))) for name in names]
        rows.append([place.dataset, f"{place.lam:g}", *cells])
    return markdown.table(["set", "lambda", *names], rows)


def _places(results: Results) -> list[Place]:
    order = {name: i for i, name in enumerate(results.table.datasets)}
    return sorted(results.errors, key=lambda p: (p.lam, order.get(p.dataset, len(order))))


def _cell(results: Results, place: Place, name: str, beside: Comparison | None) -> str:
    values = results.errors[place][name]
    if np.isnan(values).all():
        return "–"
    known = values[~np.isnan(values)]
    text = f"{known.mean():.4g} ± {spread_of(known):.2g}"
    best = _best_column(results, place)
    if name == best:
        text = f"**{text}**"
    elif name != BEST and not_worse(results, place, name, best):
        text = f"_{text}_"
    if beside is None:
        return text
    return f"{text}<br>{beside.published.value:g} ± {beside.published.spread:g}"


def _best_column(results: Results, place: Place) -> str:
    """Return the column with the best mean; accuracies are maximised."""
    sign = results.table.sign
    means = {n: sign * float(np.mean(results.errors[place][n])) for n in results.table.columns}
    return min(means, key=lambda n: np.inf if np.isnan(means[n]) else means[n])
