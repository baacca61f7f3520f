"""Ours over published, row by row of a table."""

import numpy as np

from kernelwise_papers import markdown, publications
from kernelwise_papers.tables.agreement import undefined
from kernelwise_papers.tables.comparison import BEST, Place, Results, not_worse, spread_of
from kernelwise_papers.tables.table import columns_of


def rows(results: Results) -> list[str]:
    """Return the table: a row a data set and lambda, ours over published."""
    names, empty = [*results.table.columns, BEST], undefined(results)
    known = _published_cells(results)
    lines = []
    for place in _places(results):
        cells = [_cell(results, place, name, known.get((place, name))) for name in names]
        others = [_below("–", known.get((place, name))) for name in empty]
        lines.append([place.dataset, f"{place.lam:g}", *cells, *others])
    return markdown.table(["set", "lambda", *names, *empty], lines)


def _published_cells(results: Results) -> dict[tuple[Place, str], publications.Cell]:
    """Return the published cells by place and the column of ours that they stand below.

    That is the column of their name, or the first variant where there is no other.
    """
    if results.table.published is None:
        return {}
    cells = publications.load(results.table.published)
    below = {
        name: next(iter(columns_of(results.table, name)), name)
        for name in {cell.criterion for cell in cells}
    }
    places = [Place(cell.dataset, 1.0 if cell.lam is None else cell.lam) for cell in cells]
    return {(p, below[cell.criterion]): cell for p, cell in zip(places, cells, strict=True)}


def published_marks(results: Results) -> str:
    """Say whether the paper's own marks are known."""
    if any(cell.mark for cell in _published_cells(results).values()):
        return "So are the published cells, by the paper's own marks."
    return "The marks of the paper's table are not in its text."


def _places(results: Results) -> list[Place]:
    order = {name: i for i, name in enumerate(results.table.datasets)}
    return sorted(results.errors, key=lambda p: (p.lam, order.get(p.dataset, len(order))))


def _cell(results: Results, place: Place, name: str, beside: publications.Cell | None) -> str:
    values = results.errors[place][name]
    if np.isnan(values).all():
        return _below("–", beside)
    known = values[~np.isnan(values)]
    text = f"{known.mean():.4g} ± {spread_of(known):.2g}"
    if name in _own_columns(results, place):
        best = _best_column(results, place)
        if name == best:
            text = f"**{text}**"
        elif not_worse(results, place, name, best):
            text = f"_{text}_"
    return _below(text, beside)


def _below(text: str, cell: publications.Cell | None) -> str:
    """Return a cell of ours over the published one."""
    if cell is None:
        return text
    if cell.value is None:
        return f"{text}<br>illegible"
    mark = {"best": "**", "not_worse": "_"}.get(cell.mark, "")
    spread = "" if cell.spread is None else f" ± {cell.spread:g}"
    return f"{text}<br>{mark}{cell.value:g}{spread}{mark}"


def _own_columns(results: Results, place: Place) -> list[str]:
    """Return the columns that are the paper's and have all splits, without variants of ours."""
    row = results.errors[place]
    plain = [name for name in results.table.columns if "(" not in name]
    return [name for name in plain if row[name].size == row[BEST].size]


def _best_column(results: Results, place: Place) -> str:
    """Return the column with the best mean; accuracies are maximised."""
    sign = results.table.sign
    means = {
        n: sign * float(np.mean(results.errors[place][n])) for n in _own_columns(results, place)
    }
    return min(means, key=lambda n: np.inf if np.isnan(means[n]) else means[n])
