"""The tables of the report."""

from collections.abc import Iterable
from html import escape
from typing import Any

from kernelwise.report._markup import bar, code, mark, number, signed

_STRONGEST = 42  # per cent of the accent behind rank 1: the figure on it stays readable


def _table(rows: Iterable[str], label: str, head: str = "", kind: str = "") -> str:
    """Return a table in a box that scrolls by itself, with the keyboard too.

    The script shows the hint where the table is wider than its box.
    """
    top = f"<thead><tr>{head}</tr></thead>" if head else f"<caption>{label}</caption>"
    opening = f'<table class="{kind}">' if kind else "<table>"
    return (
        '<p class="hint" hidden>The table is wider than the page: scroll it sideways →</p>'
        f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">{opening}{top}'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _columns(titles: Iterable[str]) -> str:
    """Return the titles of columns of numbers; kernels stand to the left."""
    return "".join(
        f"<th scope=col{' class=text' if title == 'Kernel' else ''}>{escape(title)}</th>"
        for title in titles
    )


def candidates(table: dict[str, Any]) -> str:
    """Return the table of all candidates; the script makes it sortable."""
    columns = table["columns"]
    head = _columns(["#", "Kernel", "Ridge", *(column["title"] for column in columns)])
    rows = (_candidate(c, i, columns) for i, c in enumerate(table["candidates"]))
    return _table(rows, "All candidates", head, "sortable")


def _candidate(candidate: dict[str, Any], i: int, columns: list[dict[str, Any]]) -> str:
    cells = "".join(_value(c["values"][i], c["ranks"][i]) for c in columns)
    is_chosen = candidate["chosen"]
    return (
        f"<tr{' class=is-chosen' if is_chosen else ''}><td>{candidate['number']}</td>"
        f"<th scope=row>{code(candidate['kernel'])}{mark(is_chosen)}</th>"
        f"{_value(candidate['ridge'], None)}{cells}</tr>"
    )


def _value(value: Any, rank: float | None) -> str:
    """Return a cell that keeps the exact value to sort by; what is undefined has none."""
    exact = "" if value is None else f' data-v="{value}"'
    place = "" if rank is None else f" <small>{rank:.0f}</small>"
    text = f"<b>{number(value)}</b>" if rank == 1 else number(value)
    return f"<td{exact}>{text}{place}</td>"


def rank_map(table: dict[str, Any]) -> str:
    """Return the ranks, criteria by kernels, tinted; nothing for fewer than two criteria."""
    ranked = [c for c in table["columns"] if any(rank is not None for rank in c["ranks"])]
    if len(ranked) < 2:
        return ""
    head = "<th scope=col>#</th>" + "".join(map(_map_head, table["candidates"]))
    rows = (_heat_row(column["title"], _rank_cells(column["ranks"])) for column in ranked)
    return _table(rows, "Ranks of the candidates by every criterion", head, "heat ranks")


def _map_head(candidate: dict[str, Any]) -> str:
    chosen = ' class="is-chosen"' if candidate["chosen"] else ""
    star = '<span aria-label="chosen">★</span>' if candidate["chosen"] else ""
    title = escape(candidate["kernel"])
    return f'<th scope=col{chosen} title="{title}">{candidate["number"]}{star}</th>'


def _heat_row(name: str, cells: str) -> str:
    return f"<tr><th scope=row>{escape(name)}</th>{cells}</tr>"


def _rank_cells(ranks: list[float | None]) -> str:
    last = max(2.0, *(rank for rank in ranks if rank is not None), 2.0)
    return "".join(
        _tinted(None, "–") if rank is None else _tinted((last - rank) / (last - 1.0), f"{rank:.0f}")
        for rank in ranks
    )


def _tinted(strength: float | None, text: str) -> str:
    """Return a cell whose tint grows with the square of a strength: the few best stand out."""
    tint = "" if strength is None else f' style="--t:{_STRONGEST * strength**2:.0f}%"'
    return f"<td{tint}>{text}</td>"


def correlations(agreement: dict[str, Any]) -> str:
    """Return the rank correlations of the criteria."""
    names = agreement["titles"]
    rows = (
        _heat_row(name, "".join(map(_correlation, row)))
        for name, row in zip(names, agreement["matrix"], strict=True)
    )
    head = "<td></td>" + _columns(names)
    return _table(rows, "Rank correlations of the criteria", head, "heat")


def _correlation(value: float | None) -> str:
    if value is None:
        return _tinted(None, "–")
    return _tinted(max(0.0, value), f"{value:.2f}".replace("-", "−"))


def members(found: list[dict[str, Any]]) -> str:
    """Return the members of a stack, with what each does alone and how much it counts."""
    rows = (
        f"<tr><th scope=row>{escape(member['title'])}{mark(i == 0)}<br>"
        f"<small>{code(member['kernel'])}, "
        f'<span class="whole">ridge {number(member["ridge"])}</span></small></th>'
        f"<td>{escape(member['error'] or '–')}</td>"
        f"<td>{100 * member['weight']:.0f} %{bar(100 * member['weight'])}</td></tr>"
        for i, member in enumerate(found)
    )
    return _table(rows, "Members", _columns(["Kernel", "Error alone", "Weight"]), "members")


def shares(found: list[dict[str, Any]], label: str) -> str:
    """Return the share of every feature, or group of them, as a bar, longest for the largest."""
    most = max(feature["share"] for feature in found)
    rows = (
        f"<tr><th scope=row>{escape(feature['name'])}</th>"
        f'<td class="bar-cell">{bar(100 * feature["share"] / most)}</td>'
        f"<td>{100 * feature['share']:.1f} %</td></tr>"
        for feature in found
    )
    return _table(rows, label, kind="features")


def runners_up(close: dict[str, Any]) -> str:
    """Return the candidates that came next, with scikit-learn's terms where they have any."""
    names = [name for name in ("gamma", "C") if any(name in o["terms"] for o in close["others"])]
    rows = (
        f"<tr><th scope=row>{code(other['kernel'])}</th><td>{number(other['ridge'])}</td>"
        + "".join(f"<td>{number(other['terms'].get(name))}</td>" for name in names)
        + f"<td>{number(other['value'])}</td><td>{signed(other['difference'])}"
        f"{' (within one standard error)' if other['within_error'] else ''}</td></tr>"
        for other in close["others"]
    )
    titles = ["Kernel", "Ridge", *names, "Value", "Difference"]
    return _table(rows, "Runners-up", _columns(titles))


def class_errors(classes: list[dict[str, Any]]) -> str:
    """Return the error of every class."""
    rows = (
        f"<tr><th scope=row>{escape(c['label'])}</th><td>{c['rows']:,}</td><td>{c['wrong']:,}</td>"
        f'<td>{100 * c["share"]:.1f} %</td><td class="bar-cell">{bar(100 * c["share"])}</td></tr>'
        for c in classes
    )
    head = "<th scope=col class=text>Class</th>" + _columns(["Rows", "Wrong", "Error"])
    return _table(rows, "Error of every class", f"{head}<td></td>")


def confusion(found: dict[str, Any]) -> str:
    """Return the confusion matrix: a row per class, a column per prediction."""
    labels = found["labels"]
    rows = (
        _heat_row(label, "".join(_share(count, sum(counts)) for count in counts))
        for label, counts in zip(labels, found["matrix"], strict=True)
    )
    head = "<td>is ↓, predicted →</td>" + _columns(labels)
    return _table(rows, "Confusion matrix", head, "heat")


def confused_pairs(pairs: list[dict[str, Any]]) -> str:
    """Return which class was taken for which, and how often."""
    rows = (
        f"<tr><th scope=row>{escape(pair['label'])}</th><td class=text>{escape(pair['predicted'])}"
        f"</td><td>{pair['rows']:,}</td></tr>"
        for pair in pairs
    )
    head = "<th scope=col class=text>Class</th><th scope=col class=text>Taken for</th>"
    return _table(rows, "Pairs of classes", head + _columns(["Rows"]))


def _share(count: int, total: int) -> str:
    return _tinted((count / max(total, 1)) ** 0.5, f"{count:,}")


def histogram(found: dict[str, Any]) -> str:
    """Return how many residuals lie where."""
    edges, counts = found["edges"], found["counts"]
    most = max([1, *counts])
    rows = (
        f"<tr><th scope=row>{number(low, 3)} to {number(high, 3)}</th>"
        f'<td class="bar-cell">{bar(100 * count / most)}</td><td>{count:,}</td></tr>'
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    )
    return _table(rows, "How many rows are off by how much")


def levels(found: list[dict[str, Any]]) -> str:
    """Return bias and error by the size of the prediction."""
    rows = (
        f"<tr><td>{number(level['prediction'])}</td><td>{signed(level['bias'])}</td>"
        f"<td>{number(level['error'])}</td><td>{level['rows']:,}</td></tr>"
        for level in found
    )
    titles = ["Predicted", "Bias", "Error", "Rows"]
    return _table(rows, "Errors by the size of the prediction", _columns(titles))
