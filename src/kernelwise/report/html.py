"""The report as one HTML file that needs nothing else."""

import json
import os
from collections.abc import Callable
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from kernelwise._files import replacing
from kernelwise.report import _tables
from kernelwise.report._markup import (
    DIRECTIONS,
    bar,
    bullets,
    code,
    contents,
    heading,
    number,
    plural,
    section,
)
from kernelwise.report._mistakes import mistakes
from kernelwise.report._stack import features, members, stack_sentence
from kernelwise.report._views import views_section
from kernelwise.report.summarize import summarize
from kernelwise.selection.record import Record

_MOST_CLASSES = 12
_ESTIMATES = {
    "error": "Error",
    "single": "One kernel alone",
    "balanced": "Balanced error",
    "nested": "Nested error",
}
_COSTS = {"n^2": "order n²", "n^3": "order n³", "training": "a training"}
_CURVE = section(  # the script draws it here; without a curve it hides the section
    "curve",
    "The curve behind it",
    "<noscript><p>The curve needs JavaScript; its values are in the table below.</p></noscript>"
    '<div id="chart-app" hidden>'
    '<form id="picker" aria-label="Criterion of the curve"></form>'
    '<p id="explanation" aria-live="polite"></p>'
    '<figure><div id="chart"></div>'
    '<figcaption><ul id="legend" hidden></ul><p id="chart-text" class="quiet"></p></figcaption>'
    "</figure></div>",
)


def write_report(record: Record, path: str | os.PathLike[str]) -> None:
    """Write the report of a record to one HTML file.

    Parameters
    ----------
    record : Record
    path : str or path
        The file appears there whole or not at all: it is written under another name, then renamed.
    """
    # A file name that is not UTF-8 reaches Python as lone surrogates.
    page = render(summarize(record)).encode("utf-8", errors="backslashreplace")
    with replacing(path) as draft:
        draft.write_bytes(page)


def render(summary: dict[str, Any]) -> str:
    """Return the HTML page that shows a summary, as :func:`summarize` makes it.

    Parameters
    ----------
    summary : dict

    Returns
    -------
    page : str
    """
    folder = files(__package__) / "templates"
    page = Template((folder / "report.html").read_text("utf-8"))
    headline = summary["headline"]
    sections = _sections(summary)
    return page.substitute(
        title=escape(f"{headline['kernel']} · {headline['source'] or 'kernelwise'}"),
        style=(folder / "report.css").read_text("utf-8"),
        script=(folder / "report.js").read_text("utf-8"),
        series=_script_data(summary["tables"]),
        header=_header(summary),
        contents=contents(sections),
        sections="\n".join(filter(None, sections.values())),
        version=escape(f"kernelwise {summary['version']}".strip()),
    )


def _sections(summary: dict[str, Any]) -> dict[str, str]:
    """Return the sections in the order of the page; those with nothing to say are empty."""
    return {
        "views": views_section(summary),
        "why": _why(summary["why"]),
        "curve": _CURVE,
        "stack": members(summary),
        "features": features(summary["features"]),
        "sure": _sure(summary["sure"]),
        "errors": mistakes(summary),
        # Kernels that are weighed are all chosen.
        "close": "" if summary["views"] else _close(summary["close"]),
        "ranks": _ranks(summary["tables"][-1]),
        "candidates": _candidates(summary),
        "data": _data(summary["data"]),
        "model": _model(summary["model"]),
        "criteria": _criteria(summary["tables"]),
    }


def _terms(terms: dict[str, Any]) -> str:
    """Return a sentence with scikit-learn's parameters."""
    pairs = [f'<span class="whole">{name} = {number(v)}</span>' for name, v in terms.items()]
    return f" In scikit-learn's terms: <b>{', '.join(pairs)}</b>." if pairs else ""


def _script_data(value: Any) -> str:
    """Return JSON in which nothing can end the script element or begin a tag."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _header(summary: dict[str, Any]) -> str:
    headline, sure = summary["headline"], summary["sure"]
    source = f" · {escape(headline['source'])}" if headline["source"] else ""
    seconds = headline["seconds"]
    took = "" if seconds is None else f' in <span class="whole">{number(seconds, 2)} s</span>'
    task = escape(headline["task"]) + (", classes weighted" if headline["weighted"] else "")
    return (
        f'<p class="eyebrow">The chosen kernel{source}</p>'
        f"{heading(headline['kernel'])}"
        f'<p class="lede">with ridge <b>{number(headline["ridge"])}</b> for '
        f"<b>{escape(headline['machine'])}</b> ({task}), chosen among "
        f"{plural(headline['candidates'], 'candidate')}{took}.{_terms(headline['terms'])}"
        f"{stack_sentence(summary['stack'])}</p>"
        f"{_facts(sure)}{_warnings(sure['warnings'])}"
    )


def _facts(sure: dict[str, Any]) -> str:
    # Where classes have weights, what they are for comes first, beside what a constant achieves.
    first = "error" if sure["balanced"] is None else "balanced"
    shown = {first: _ESTIMATES[first], **_ESTIMATES}
    facts = [
        (title, _value_with_spread(estimate), f"{estimate['measure']}, {estimate['method']}")
        for title, estimate in ((title, sure[key]) for key, title in shown.items())
        if estimate is not None
    ]
    if sure[first] is not None and sure[first]["baseline_text"]:
        constant = sure[first]["constant"]
        facts.append(("Without a model", escape(sure[first]["baseline_text"]), constant))
    items = "".join(
        f'<div><dt>{title}</dt><dd>{value}</dd><dd class="note">{escape(note)}</dd></div>'
        for title, value, note in facts
    )
    return f'<dl class="facts">{items}</dl>' if facts else ""


def _value_with_spread(estimate: dict[str, Any]) -> str:
    spread = (estimate["spread_text"] or "").removesuffix(" %")
    small = f' <small class="whole">± {escape(spread)}</small>' if spread else ""
    return f'<span class="whole">{escape(estimate["value_text"] or "unknown")}</span>{small}'


def _warnings(warnings: list[str]) -> str:
    if not warnings:
        return ""
    return (
        '<div class="warnings" role="note"><p><b>Please note</b></p>'
        f"{bullets(map(escape, warnings))}</div>"
    )


def _why(why: dict[str, Any]) -> str:
    most = max([1, *(stage["reached"] for stage in why["stages"])])
    purpose = _purpose_of_weighing if why["weighs"] else _purpose
    items = "".join(
        _stage(stage, 100 * stage["reached"] / most, purpose) for stage in why["stages"]
    )
    told = f"<p>{escape(why['meaning'])}</p>" if why["meaning"] else ""
    also = (
        f"<p>As far as these rows can tell, {escape(why['as_well'])}.</p>" if why["as_well"] else ""
    )
    reason = f": {escape(why['engine_reason'])}" if why["engine_reason"] else ""
    said = "".join(f" {escape(note[:1].upper() + note[1:])}." for note in why["estimates"])
    engine = f'<p class="quiet">Engine {code(why["engine"])}{reason}.{said}</p>'
    body = f'{told}<ol class="stages">{items}</ol>{also}{engine}'
    return section("why", "Why this one", body)


def _stage(stage: dict[str, Any], share: float, purpose: Callable[[dict[str, Any]], str]) -> str:
    seconds = stage["seconds"]
    took = "" if seconds is None else f', <span class="whole">{number(seconds, 2)} s</span>'
    best = "" if stage["best"] is None else f" It prefers {code(stage['best'])}."
    return (
        f'<li><p class="count"><b>{stage["reached"]}</b>'
        f'<span class="unseen"> candidates, kept:</span> → {stage["kept"]}</p>'
        f"<div>{bar(share)}<p>{purpose(stage)} {escape(stage['meaning'])}{best}<br>"
        f'<span class="quiet">{escape(stage["label"])}{took}</span></p></div></li>'
    )


def _purpose(stage: dict[str, Any]) -> str:
    """Return what a stage is for, in bold."""
    reached = plural(stage["reached"], "candidate")
    if stage["kept"] > 1:
        return f"<b>A quick look at {reached} keeps the {stage['kept']} most promising.</b>"
    if stage["reached"] > 1:
        return f"<b>A closer look at {reached} decides.</b>"
    return "<b>One candidate is left.</b>"


def _purpose_of_weighing(stage: dict[str, Any]) -> str:
    reached = plural(stage["reached"], "kernel")
    return f"<b>{reached} were weighed; this is what each of them does alone.</b>"


def _sure(sure: dict[str, Any]) -> str:
    said = [_estimate_sentence(sure[key], key) for key in _ESTIMATES if sure[key] is not None]
    body = bullets(said)
    if sure["agreement"] is not None:
        body += _agreement(sure["agreement"])
    body = body or "<p>Nothing was measured that tells: no error, no comparison.</p>"
    return section("sure", "How sure", body)


def _estimate_sentence(estimate: dict[str, Any], key: str) -> str:
    spread = f" ± {estimate['spread_text']}" if estimate["spread_text"] else ""
    baseline = estimate["baseline_text"]
    against = f"; {estimate['constant']}: {baseline}" if baseline else ""
    whose = " of one kernel alone" if key == "single" else ""
    measure = f"{estimate['measure'].capitalize()}{whose} ({estimate['method']})"
    value = f"{estimate['value_text'] or 'unknown'}{spread}"
    return f"{escape(measure)}: <b>{escape(value)}</b>{escape(against)}."


def _agreement(agreement: dict[str, Any]) -> str:
    picks, mean = agreement["picks"], agreement["mean"]
    same = [t for t, pick in zip(agreement["titles"], picks, strict=True) if pick["chosen"]]
    who = f" ({escape(', '.join(same))})" if same else ""
    alike = "" if mean is None else f" Their rankings correlate by {mean:.2f} on average."
    return (
        f"<p>Of {len(picks)} criteria, {len(same) or 'none'} would pick this very kernel{who}."
        f"{alike} They judge different things: where they differ, trust errors on rows left out."
        "</p>"
        "<details><summary>Rank correlations of the criteria</summary>"
        f"{_tables.correlations(agreement)}</details>"
    )


def _close(close: dict[str, Any] | None) -> str:
    if close is None or not close["others"]:
        return ""
    told = f"{close['label']}, {DIRECTIONS[close['greater_is_better']]}"
    own = f'<p class="quiet">By {escape(told)}; the choice has {number(close["value"])}.</p>'
    return section("close", "What else was close", own + _tables.runners_up(close))


def _ranks(table: dict[str, Any]) -> str:
    ranks = _tables.rank_map(table)
    told = (
        '<p class="quiet">A row per criterion, a column per candidate, numbered as in the table '
        "below. 1 is the preferred one; ★ marks the choice.</p>"
    )
    return section("ranks", "Ranks by every criterion", told + ranks) if ranks else ""


def _candidates(summary: dict[str, Any]) -> str:
    undefined = [
        f"{escape(note['name'])}: {escape(note['reason'])} ({plural(note['count'], 'candidate')})"
        for note in summary["notes"]
    ]
    table = summary["tables"][-1]
    told = f"{escape(table['title'])}. The small figure is the rank; 1 is preferred."
    body = f'<p class="quiet">{told}</p>{_tables.candidates(table)}'
    if undefined:
        body += f"<details><summary>Why values are missing</summary>{bullets(undefined)}</details>"
    return section("candidates", "All candidates", body)


def _data(data: dict[str, Any]) -> str:
    titles = {"source": "Source", "rows": "Rows", "features": "Features", "target": "Target"}
    facts = [(title, escape(data[key])) for key, title in titles.items() if data[key] is not None]
    if data["classes"]:
        facts.append(("Classes", _classes(data["classes"])))
    if not facts and not data["prepared"]:
        return ""
    pairs = "".join(f"<div><dt>{title}</dt><dd>{text}</dd></div>" for title, text in facts)
    done = f"<h3>What was done to it</h3>{bullets(map(escape, data['prepared']))}"
    return section(
        "data", "The data", f'<dl class="pairs">{pairs}</dl>' + (done if data["prepared"] else "")
    )


def _classes(classes: list[dict[str, Any]]) -> str:
    total = max(1, sum(c["count"] for c in classes))
    shown = [
        f"{escape(c['label'])}: {c['count']} ({100 * c['count'] / total:.0f} %)"
        for c in classes[:_MOST_CLASSES]
    ]
    more = len(classes) - len(shown)
    return "<br>".join([*shown, f"and {more} more"] if more else shown)


def _model(model: dict[str, str] | None) -> str:
    if model is None:
        return ""
    body = (
        f"<h3>In Python</h3><pre tabindex=0>{code(model['python'])}</pre>"
        f"<h3>In a shell</h3><pre tabindex=0>{code(model['shell'])}</pre>"
    )
    return section("model", "Use the model", body)


def _criteria(tables: list[dict[str, Any]]) -> str:
    """Explain every criterion once, under the labels that tell its parameters."""
    columns = [column for table in tables for column in table["columns"]]
    texts: dict[str, list[str]] = {}
    for column in columns:
        labels = texts.setdefault(_explanation(column), [])
        shown = column["label"] if column["title"] == column["name"] else column["title"]
        if shown not in labels:
            labels.append(shown)
    items = "".join(
        f"<div><dt>{'<br>'.join(map(escape, labels))}</dt><dd>{text}</dd></div>"
        for text, labels in texts.items()
    )
    return section("criteria", "The criteria, in one line each", f'<dl class="pairs">{items}</dl>')


def _explanation(criterion: dict[str, Any]) -> str:
    """Return one line on a criterion."""
    facts = (
        DIRECTIONS[criterion["greater_is_better"]],
        f"costs {_COSTS.get(criterion['cost'], criterion['cost'])}",
        criterion["reference"],
    )
    return (
        f"{escape(criterion['meaning'])} {code(criterion['formula'])} "
        f'<span class="quiet">{escape("; ".join(facts))}</span>'
    )
