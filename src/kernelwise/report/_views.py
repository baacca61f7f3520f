"""The section of a report on groups of features that kernels are weighed for."""

from html import escape
from typing import Any

from kernelwise.report import _tables
from kernelwise.report._markup import section
from kernelwise.selection.diagnostics import change_of_loss
from kernelwise.selection.record import ErrorEstimate, Views

_MOST = 30  # in the chart


def summarized_views(views: Views) -> dict[str, Any]:
    """Return the weights, the largest first, and the gain over one kernel, as plain data."""
    ranked = sorted(views.weights.items(), key=lambda pair: -pair[1])
    return {
        "title": views.title,
        "shares": [{"name": name, "share": share} for name, share in ranked[:_MOST]],
        "more": max(0, len(ranked) - _MOST),
        "gain": views.gain,
        "gain_standard_error": views.gain_standard_error,
        "is_clear": views.gain > views.gain_standard_error,
        "single": _short(views.single_error),
        "uniform": _short(views.uniform_error),
    }


def views_section(summary: dict[str, Any]) -> str:
    """Return the section on the views; nothing where there are none."""
    views = summary["views"]
    if views is None:
        return ""
    told = (
        '<p class="quiet">The weight of the kernels on each group of features, 100 % in all. Every '
        "kernel is centred and of the same size before it is weighed.</p>"
    )
    more = f'<p class="quiet">{views["more"]} more, with less weight.</p>' if views["more"] else ""
    body = f"{_gain(summary)}{told}{_tables.shares(views['shares'], 'Weight of every view')}"
    return section("views", "Which views matter", body + more)


def _gain(summary: dict[str, Any]) -> str:
    """Return in plain words whether the sum is better than one kernel."""
    views, error = summary["views"], summary["sure"]["error"]
    change = change_of_loss(views["gain"], views["gain_standard_error"])
    told = (
        "<b>The sum predicts rows left out better than any of its kernels alone</b>"
        if views["is_clear"]
        else "<b>One kernel is as good</b> on rows left out"
    )
    errors = {"the sum": error and error["short"], "the best kernel alone": views["single"]}
    errors["equal weights"] = views["uniform"]
    known = [
        f'{name} <b class="whole">{escape(value)}</b>' for name, value in errors.items() if value
    ]
    listed = f" {error['measure'].capitalize()}: {', '.join(known)}." if error and known else ""
    return f"<p>{told}: the loss is {change}.{listed}</p>"


def _short(error: ErrorEstimate | None) -> str | None:
    return None if error is None else error.short
