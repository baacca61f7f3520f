"""The section of a report on the rows that go wrong: classes, or residuals."""

from html import escape
from typing import Any

from kernelwise.report import _tables
from kernelwise.report._markup import number, plural, section

_TITLE = "Where it errs"
_MOST_SAID = 5  # pairs of classes in a sentence
_WHY_NOT = "they come from leaving out every row in turn, which is quick with LSSVC and KRR only."
_HOW = {
    "leave-one-out": "Every row was left out once and predicted from the others (leave-one-out).",
    "leave-one-out of a sample": "Some of the rows were left out, each once, and predicted from "
    "all others.",
    "held-out rows": "Some of the rows were held out and predicted from the others.",
}


def mistakes(summary: dict[str, Any]) -> str:
    """Return the section; one sentence of it where folds told the error, nothing without one."""
    error = summary["sure"]["error"]
    how = _HOW.get("leave-one-out" if error is None else error["method"], _HOW["leave-one-out"])
    if summary["mistakes"] is not None:
        body = f'<p class="quiet">{how}</p>{_classes(summary["mistakes"])}'
    elif summary["residuals"] is not None:
        body = f'<p class="quiet">{how}</p>{_residuals(summary["residuals"])}'
    elif error is not None and error["method"] not in _HOW:
        headline = summary["headline"]
        what = "Residuals" if headline["task"] == "regression" else "Errors class by class"
        body = f"<p>{what} are not shown for {escape(headline['machine'])}: {_WHY_NOT}</p>"
    else:
        return ""
    return section("errors", _TITLE, body)


def _classes(found: dict[str, Any]) -> str:
    most = [
        f"{plural(pair['rows'], 'row')} of {escape(pair['label'])} taken for "
        f"{escape(pair['predicted'])}"
        for pair in found["pairs"][:_MOST_SAID]
    ]
    said = f"<p>Most often: {'; '.join(most)}.</p>" if most else "<p>No row was misclassified.</p>"
    table = _tables.class_errors(found["classes"])
    if found["more"]:
        table += f'<p class="quiet">{found["more"]} more classes err no more often.</p>'
    return f"{said}{table}{_confused(found)}"


def _confused(found: dict[str, Any]) -> str:
    """Return the confusion matrix or, of too many classes, the pairs that are confused most."""
    if found["matrix"] is not None:
        return f"<h3>Which class is taken for which</h3>{_tables.confusion(found)}"
    if len(found["pairs"]) <= _MOST_SAID:
        return ""
    table = _tables.confused_pairs(found["pairs"])
    if found["more_pairs"]:
        table += f'<p class="quiet">{found["more_pairs"]} more pairs occur no more often.</p>'
    return f"<h3>The pairs that are confused most</h3>{table}"


def _residuals(found: dict[str, Any]) -> str:
    said = (
        f"<p>Half of the predictions are off by at most <b>{number(found['median'])}</b>, nine in "
        f"ten by at most <b>{number(found['ninety'])}</b>.</p>"
    )
    return (
        f"{said}<h3>Target less prediction</h3>{_tables.histogram(found)}"
        '<h3>By the size of the prediction</h3><p class="quiet">Means over a fifth of the rows. '
        "Bias is the mean of target less prediction, error the root of its mean square.</p>"
        f"{_tables.levels(found['levels'])}"
    )
