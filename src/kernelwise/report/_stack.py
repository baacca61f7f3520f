"""The sections of a report on the members of a stack, and on the features that matter."""

import re
from html import escape
from typing import Any

from kernelwise.kernels import Scaled
from kernelwise.report import _tables
from kernelwise.report._markup import bullets, plural, section
from kernelwise.selection.archive import to_plain
from kernelwise.selection.record import Record, Stack

_MOST_FEATURES = 15  # in the chart
_BY_LOSS = ", by the loss, which counts how far predictions are off and not only how often"
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}(e[+-]?\d+)?")


def summarized_stack(stack: Stack) -> dict[str, Any]:
    """Return the members of a stack and how far they are trusted, as plain data."""
    return {
        "gate": stack.gate,
        "members": [
            {
                "title": member.title,
                "kernel": _LONG_NUMBER.sub(lambda n: f"{float(n[0]):.4g}", str(member.kernel)),
                "ridge": to_plain(member.ridge),
                "weight": member.weight,
                "error": None if member.error is None else member.error.short,
                "weighs_features": isinstance(member.kernel, Scaled),
            }
            for member in stack.members
        ],
        "notes": list(stack.notes),
    }


def summarized_features(record: Record) -> dict[str, Any] | None:
    """Return the columns that matter most, with their shares; None where they are not known."""
    if not record.relevance:
        return None
    ranked = sorted(record.relevance.items(), key=lambda pair: -pair[1])
    shown = ranked[:_MOST_FEATURES]
    total = max(len(ranked), int(record.data.get("features") or 0))
    return {
        "shares": [{"name": name, "share": share} for name, share in shown],
        "more": total - len(shown),
        "rest": max(0.0, 1.0 - sum(share for _, share in shown)),
    }


def stack_sentence(stack: dict[str, Any] | None) -> str:
    """Return for the top of the page whether the model is more than the chosen kernel."""
    if stack is None:
        return ""
    if stack["gate"] == 0.0:
        return " One kernel is enough: others beside it do not help."
    others = sum(member["weight"] > 0.0 for member in stack["members"][1:])
    return f" The model stacks it with {plural(others, 'other kernel')}."


def members(summary: dict[str, Any]) -> str:
    """Return the section on the members; nothing where one kernel was asked for."""
    stack, sure = summary["stack"], summary["sure"]
    if stack is None:
        return ""
    by_loss = "" if summary["headline"]["task"] == "regression" else _BY_LOSS
    told = f"<p>{_gate(stack, by_loss)}</p>{_both(sure['single'], sure['error'])}"
    table = f"{_tables.members(stack['members'])}{_flattered(stack['members'])}"
    body = f"{told}{table}{bullets(map(escape, stack['notes']))}"
    return section("stack", "Several kernels together", body)


def _gate(stack: dict[str, Any], by_loss: str) -> str:
    """Return in plain words how far the stack is trusted."""
    gate = stack["gate"]
    if len(stack["members"]) == 1:
        return "No other kernel suits the data: the model is the chosen kernel alone."
    if gate == 0.0:
        return (
            "<b>One kernel is as good.</b> On rows left out, the others bring no gain: the model "
            "is the chosen kernel alone (gate 0)."
        )
    told = (
        f"<b>Several kernels predict rows left out better than the chosen one alone</b>{by_loss}."
    )
    share = max(1, round(100 * gate))  # of the stack, in %
    if share == 100:
        return f"{told} The gain is clear: the model is the stack (gate 1)."
    return (
        f"{told} The gain is not beyond doubt: the stack counts {share} %, the "
        f"chosen kernel alone the other {100 - share} % (gate {gate:.2g})."
    )


def _flattered(members: list[dict[str, Any]]) -> str:
    """Return why a member may err less alone than all together, where one may."""
    if not any(member["weighs_features"] for member in members):
        return ""
    return (
        '<p class="quiet">Alone, a kernel on weighted features looks better than it is: the error '
        "is on the rows that its weights were learnt from.</p>"
    )


def _both(single: dict[str, Any] | None, error: dict[str, Any] | None) -> str:
    if single is None or error is None:
        return ""
    return (
        f"<p>{escape(single['measure'].capitalize())} of the chosen kernel alone: "
        f'<b class="whole">{escape(single["short"])}</b>; of all together: '
        f'<b class="whole">{escape(error["short"])}</b>.</p>'
    )


def features(found: dict[str, Any] | None) -> str:
    """Return the section on the features; nothing where they are not known."""
    if found is None:
        return ""
    told = (
        '<p class="quiet">How strongly what the model says changes with each column, for changes '
        "as large as the column has, in squares: twice the change is four times the share; all "
        "columns together make 100 %. Columns that say nearly the same share what they matter. "
        "What a column is worth is another question, which training without it answers "
        "(<code>--drop</code>): a small share may hide a large loss.</p>"
    )
    rest = f"{found['rest']:.0%}".replace("%", " %")
    more = f'<p class="quiet">{found["more"]:,} more columns, together {rest}.</p>'
    body = (
        told
        + _tables.shares(found["shares"], "Share of every column")
        + (more if found["more"] else "")
    )
    return section("features", "Which features matter", body)
