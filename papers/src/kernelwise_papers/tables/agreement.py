"""How far results and published numbers agree: counts, verdicts, the paper's claims."""

from itertools import groupby
from typing import NamedTuple

import numpy as np

from kernelwise_papers import markdown, publications
from kernelwise_papers.tables.comparison import BEST, Comparison, Results, compare, not_worse
from kernelwise_papers.tables.table import columns_of

_FEW = 0.05  # of the cells
REPRODUCED = 0.8  # of the cells of a column
_LARGEST = ("a2a", "cpusmall")  # without which the explanations hold as well
_NO_COLUMN = "It has no column here."


def summary(results: Results) -> str:
    """Return how many cells agree, column by column."""
    lines = [f"{'':<42}{'loose':>7}{'strict':>8}{'cells':>7}"]
    for published, column, cells in _agreeing(results):
        name = column if column == published else f"  {column}"
        loose, strict = sum(c.is_loose for c in cells), sum(c.is_strict for c in cells)
        lines.append(f"{name:<42}{loose:>7}{strict:>8}{len(cells):>7}")
    return "\n".join(lines)


def headline(results: Results) -> str:
    """Return how many cells of every column agree, loosely and strictly, in a line."""
    counts = []
    for _, column, cells in _agreeing(results):
        loose, strict = sum(c.is_loose for c in cells), sum(c.is_strict for c in cells)
        counts.append(f"{column} {loose} ({strict}) of {len(cells)}")
    return (
        f"within one published standard deviation (within two standard errors): {', '.join(counts)}"
    )


def counts(results: Results) -> list[str]:
    """Return how many cells of every column agree, as a table."""
    by_digits = results.table.printed_splits
    heads = ["published", "ours", "loose", "strict", "cells"]
    rows = [_count(*each) for each in _agreeing(results)]
    if by_digits is not None:
        heads.insert(4, f"strict, {by_digits} splits")
        for row, (*_, cells) in zip(rows, _agreeing(results), strict=True):
            row.insert(4, str(sum(c.is_strict_by_digits for c in cells)))
    if results.table.task == "regression":  # sets in units of their own have no mean
        rows = [
            [*row[: len(heads)], _ratio(cells)]
            for row, (*_, cells) in zip(rows, _agreeing(results), strict=True)
        ]
        return markdown.table([*heads, "ours / published, median"], rows)
    return markdown.table([*heads, "mean, published", "mean, ours"], rows)


def out_of_reach(results: Results) -> list[str]:
    """Say how many published cells no choice among the candidates can give."""
    cells = compare(results)
    beyond = _beyond(results, cells)
    text = (
        f"Of {len(cells)} published cells {len(beyond)} are better than the mean of the best "
        "choice that the candidates allow, kernel by kernel on the test rows themselves (last "
        "column below)"
    )
    if len(beyond) < _FEW * len(cells):
        return [f"{text}."]
    return [
        f"{text}: no criterion could have chosen these, so data, scaling, kernels, machine or "
        "ridge were others than here."
    ]


def by_lambda(results: Results) -> list[str]:
    """Return the counts lambda by lambda, where there are several."""
    cells = compare(results)
    lambdas = sorted({c.place.lam for c in cells})
    if len(lambdas) < 2:
        return []
    beyond = _beyond(results, cells)
    rows = []
    for lam in lambdas:
        own = [c for c in cells if c.place.lam == lam]
        loose, strict = sum(c.is_loose for c in own), sum(c.is_strict for c in own)
        out = sum(c.place.lam == lam for c in beyond)
        rows.append([f"{lam:g}", str(loose), str(strict), str(out), str(len(own))])
    return [*markdown.table(["lambda", "loose", "strict", "out of reach", "cells"], rows), ""]


class Verdict(NamedTuple):
    """What came of a published column.

    Attributes
    ----------
    holds : bool or None
        Whether it is reproduced; None where the column is a reconstruction of ours.
    text : str
        How far it agrees, by which variant, and why.
    """

    holds: bool | None
    text: str


def verdicts(results: Results) -> list[str]:
    """Return a line of a list for every published column."""
    reasons = results.table.why
    missing = [f"- **{name}**: {reasons.get(name, _NO_COLUMN)}" for name in undefined(results)]
    return [*(f"- {verdict.text}" for verdict in judged(results)), *missing]


def judged(results: Results) -> list[Verdict]:
    """Return a verdict on every published column that has one of ours."""
    found = []
    for criterion, group in groupby(_agreeing(results), key=lambda each: each[0]):
        found.append(_judged(results, criterion, {column: cells for _, column, cells in group}))
    return found


def _judged(results: Results, criterion: str, found: dict[str, list[Comparison]]) -> Verdict:
    """Return the verdict on a criterion from the cells of its columns."""
    counts = {column: sum(c.is_loose for c in cells) for column, cells in found.items()}
    of = max(map(len, found.values()))
    variants = ", ".join(
        f"{count} {'' if len(found[column]) == of else f'of {len(found[column])} '}as {column}"
        for column, count in counts.items()
    )
    why = results.table.why.get(criterion, "") if _is_whole(results) else ""
    holds = max(counts.values()) >= REPRODUCED * of
    said = "reproduces" if holds else "does not reproduce"
    if criterion not in results.table.columns:  # all that there is is a form of ours
        return Verdict(
            None,
            f"**{criterion}** is reconstructed, not reproduced: of {of} cells {variants} are "
            f"within one published standard deviation. {why}".rstrip(),
        )
    return Verdict(holds, f"**{criterion}** {said}: of {of} cells {variants}. {why}".rstrip())


def claims(results: Results) -> list[str]:
    """Return the paper's counts of significant differences beside ours, as a section."""
    claims = [c for c in publications.records("claims") if c["table"] == results.table.published]
    rows = []
    for claim in claims:
        first, second = claim["first"], claim["second"]
        if not {first, second} <= set(results.table.columns):
            continue
        lam = float(claim["lambda"]) if claim["lambda"] else 1.0
        places = [
            place
            for place, row in results.errors.items()
            if place.lam == lam and row[first].size == row[second].size > 0
        ]
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
        "(paired t-test over our splits, one-sided, 95 %). Whether the paper's counts follow from "
        f"its own numbers: [significance.md]({markdown.PUBLISHED_NUMBERS}significance.md).",
        "",
        *markdown.table(["lambda", "claim", "paper", "ours", "sets"], rows),
        "",
    ]


def _agreeing(results: Results) -> list[tuple[str, str, list[Comparison]]]:
    """Return published column, ours and their cells; variants of a criterion after it."""
    found = []
    for criterion in _named(results):
        own = []
        for column in columns_of(results.table, criterion):
            cells = compare(results, {criterion: column})
            own.append(
                (criterion, column, [c for c in cells if c.published.criterion == criterion])
            )
        if any(cells for *_, cells in own):
            found += own
    return found


def _count(criterion: str, column: str, cells: list[Comparison]) -> list[str]:
    loose, strict = sum(c.is_loose for c in cells), sum(c.is_strict for c in cells)
    counted = map(str, (loose, strict, len(cells)))
    if not cells:
        return [criterion, column, *counted, "–", "–"]
    theirs = np.mean([c.published.value for c in cells if c.published.value is not None])
    ours = np.mean([c.mean for c in cells])
    return [criterion, column, *counted, f"{theirs:.4g}", f"{ours:.4g}"]


def _ratio(cells: list[Comparison]) -> str:
    """Return the median over the cells of ours over published."""
    ratios = [c.mean / c.published.value for c in cells if c.published.value]
    return f"{np.median(ratios):.2f}" if ratios else "–"


def _beyond(results: Results, cells: list[Comparison]) -> list[Comparison]:
    """Return the published cells that are better than any choice among the candidates can be."""
    sign = results.table.sign
    return [
        c
        for c in cells
        if c.published.value is not None
        and sign * c.published.value < sign * float(np.mean(results.errors[c.place][BEST]))
    ]


def _is_whole(results: Results) -> bool:
    """Say whether all sets were run that the explanations are about."""
    done = {place.dataset for place in results.errors}
    return all(name in done for name in results.table.datasets if name not in _LARGEST)


def undefined(results: Results) -> list[str]:
    """Return the published columns that we do not know how to make."""
    return [name for name in _named(results) if not columns_of(results.table, name)]


def _named(results: Results) -> list[str]:
    """Return the columns of the published table."""
    if results.table.published is None:
        return []
    return list(dict.fromkeys(c.criterion for c in publications.load(results.table.published)))
