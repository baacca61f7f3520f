"""A record as plain data: all that a report says."""

import json
import math
import shlex
from collections import Counter
from dataclasses import fields
from typing import Any

import numpy as np

from kernelwise.criteria import Criterion
from kernelwise.kernels import Gaussian, Kernel, Multiple, PairKernel, Polynomial
from kernelwise.kernels.transform import Transformed
from kernelwise.report._stack import summarized_features, summarized_stack
from kernelwise.report._views import summarized_views
from kernelwise.report._wording import Titles, column_titles, kernel_meaning, terms
from kernelwise.selection.archive import to_plain
from kernelwise.selection.diagnostics import Code, code_of
from kernelwise.selection.left_out import Confusion
from kernelwise.selection.record import ErrorEstimate, Record
from kernelwise.selection.result import SelectionResult

_RUNNERS_UP = 5
_MOST_CLASSES = 12  # of a matrix, or lines of a table, that can still be read


def summarize(record: Record) -> dict[str, Any]:
    """Return everything that a report says of a selection.

    Parameters
    ----------
    record : Record

    Returns
    -------
    summary : dict
        Plain data that JSON can hold; None stands for NaN, "inf" and "-inf" for the infinities.
        "headline", "why", "stack", "views", "features", "sure", "close", "data" and "model" answer
        the questions of a reader.
        "tables" hold the candidates and, aligned with them, the values and ranks of every
        criterion: that of the selection and, where there is one, that of the comparison.
    """
    titles = column_titles(record)
    # Infinite and huge values are compared by their differences too.
    with np.errstate(invalid="ignore", over="ignore"):
        return {
            "version": record.version,
            "headline": _headline(record),
            "why": _why(record, titles),
            "stack": record.stack and summarized_stack(record.stack),
            "views": record.views and summarized_views(record.views),
            "features": summarized_features(record),
            "sure": _sure(record, titles),
            "mistakes": record.confusion and _mistakes(record.confusion),
            "residuals": to_plain(record.residuals),
            "close": _close(record, titles),
            "data": _data(record.data),
            "model": None if record.model is None else _model(record.model),
            "tables": _tables(record, titles),
            "notes": _notes(record),
        }


def _headline(record: Record) -> dict[str, Any]:
    return {
        "kernel": record.title,
        "ridge": to_plain(record.ridge),
        "terms": terms(record.kernel, record.ridge),
        "machine": record.machine,
        "task": record.task,
        "weighted": bool(record.data.get("class_weight")),
        "candidates": len(record.result),
        # Of the choice, not of all that followed.
        "seconds": to_plain(record.result.seconds),
        "source": str(record.data.get("source") or ""),
    }


def _why(record: Record, titles: Titles) -> dict[str, Any]:
    result = record.result
    reached = [_reached(result, place) for place in range(len(result.table))]
    choosing, kept = result.choosing(), 1 if record.views is None else record.views.kernels
    stages = [
        {
            **_explain(name, criterion, titles),
            "reached": reached[place],
            "kept": reached[place + 1] if place + 1 < len(reached) else kept,
            "best": str(result.best(name)) if name in choosing else None,
            "seconds": to_plain(result.timings.get(name, math.nan)),
        }
        for place, (name, criterion) in enumerate(result.criteria.items())
    ]
    return {
        "meaning": kernel_meaning(record.kernel),
        "as_well": record.as_well(),
        "engine": result.engine,
        "engine_reason": result.engine_reason,
        "weighs": record.views is not None,
        "estimates": [note for note in result.notes.values() if code_of(note) == Code.ESTIMATED],
        "stages": stages,
    }


def _reached(result: SelectionResult, stage: int) -> int:
    """Return how many candidates a stage looked at: those with a value, or a reason for none."""
    if stage == 0:
        return len(result)
    name = list(result.table)[stage]
    return sum(
        not np.isnan(value) or f"{kernel}: {name}" in result.notes
        for kernel, value in zip(result.kernels, result.table[name], strict=True)
    )


def _explain(name: str, criterion: Criterion, titles: Titles) -> dict[str, Any]:
    """Return what there is to know of the criterion of a column."""
    return {
        "name": name,
        "title": titles[name, criterion.label],
        "label": criterion.label,
        "meaning": criterion.meaning,
        "formula": criterion.formula,
        "reference": criterion.reference,
        "greater_is_better": criterion.greater_is_better,
        "cost": criterion.cost,
    }


def _sure(record: Record, titles: Titles) -> dict[str, Any]:
    single = record.stack.single_error if record.stack and record.stack.gate > 0.0 else None
    return {
        "error": record.error and _estimate(record.error),
        "single": single and _estimate(single),
        "balanced": record.balanced_error and _estimate(record.balanced_error),
        "nested": record.nested and _estimate(record.nested),
        "agreement": record.comparison and _agreement(record.comparison, record.kernel, titles),
        "warnings": list(record.warnings),
    }


def _mistakes(confusion: Confusion) -> dict[str, Any]:
    """Return the error of every class, the worst first, and who is taken for whom."""
    wrong = confusion.wrong
    classes: list[dict[str, Any]] = [
        {"label": label, "rows": rows, "wrong": wrong[label], "share": wrong[label] / max(rows, 1)}
        for label, rows in confusion.counts.items()
    ]
    matrix = None
    if len(classes) <= _MOST_CLASSES:
        pairs = {(m.label, m.predicted): m.rows for m in confusion.mistakes}
        pairs |= {(c["label"], c["label"]): c["rows"] - c["wrong"] for c in classes}
        labels = list(confusion.counts)
        matrix = [[pairs.get((label, other), 0) for other in labels] for label in labels]
    return {
        "classes": sorted(classes, key=lambda each: -each["share"])[:_MOST_CLASSES],
        "more": max(0, len(classes) - _MOST_CLASSES),
        "labels": list(confusion.counts) if matrix else [],
        "matrix": matrix,
        "pairs": [to_plain(mistake) for mistake in confusion.mistakes[:_MOST_CLASSES]],
        "more_pairs": max(0, len(confusion.mistakes) - _MOST_CLASSES),
    }


def _estimate(estimate: ErrorEstimate) -> dict[str, Any]:
    def text(value: float, digits: int = 4) -> str | None:
        return None if math.isnan(value) else estimate.text(value, digits)

    return {
        **to_plain(estimate),
        "short": estimate.short,
        "value_text": text(estimate.value),
        "spread_text": text(estimate.standard_error, 2),
        "baseline_text": text(estimate.baseline),
        "constant": estimate.constant,
    }


def _agreement(
    comparison: SelectionResult, chosen: Kernel, titles: Titles
) -> dict[str, Any] | None:
    """Return the rank correlations of the criteria, and what each of them would pick."""
    names, matrix = comparison.agreement()
    if len(names) < 2:
        return None
    pairs = matrix[np.triu_indices(len(names), k=1)]
    known = pairs[~np.isnan(pairs)]
    picks = {name: comparison.best(name) for name in names}
    return {
        "names": list(names),
        "titles": [titles[name, comparison.criteria[name].label] for name in names],
        "matrix": to_plain(matrix),
        "mean": float(known.mean()) if known.size else None,
        "picks": [
            {"name": name, "kernel": str(kernel), "chosen": kernel == chosen}
            for name, kernel in picks.items()
        ],
    }


def _close(record: Record, titles: Titles) -> dict[str, Any] | None:
    """Return the best of those that were not chosen, by the last stage that could choose."""
    result = record.result
    if not result.choosing():
        return None
    name = result.choosing()[-1]
    values, chosen = result.table[name], _chosen(result, record)
    errors = result.standard_errors.get(name, np.full(len(result), np.nan))
    reference = math.nan if chosen is None else float(values[chosen])
    error = math.nan if chosen is None else float(errors[chosen])
    others = [i for i in result.ranking(name) if i != chosen][:_RUNNERS_UP]
    return {
        **_explain(name, result.criteria[name], titles),
        "value": to_plain(reference),
        "standard_error": to_plain(error),
        "others": [
            {
                "kernel": str(result.kernels[i]),
                "ridge": to_plain(result.ridges[i]),
                "terms": terms(result.kernels[i], float(result.ridges[i])),
                "value": to_plain(values[i]),
                "difference": to_plain(values[i] - reference),
                "within_error": bool(abs(values[i] - reference) <= error),
            }
            for i in others
        ],
    }


def _chosen(result: SelectionResult, record: Record) -> int | None:
    """Return the row of the choice: its kernel and, of several ridges, the nearest."""
    same = [i for i, kernel in enumerate(result.kernels) if kernel == record.kernel]
    gaps = np.nan_to_num(np.abs(result.ridges[same] - record.ridge), nan=math.inf)
    return same[int(np.argmin(gaps))] if same else None


def _data(data: dict[str, Any]) -> dict[str, Any]:
    facts = {key: data.get(key) for key in ("source", "rows", "features", "target")}
    classes = dict(data.get("classes") or {})
    return {
        **{key: None if fact is None else str(fact) for key, fact in facts.items()},
        "classes": [{"label": str(label), "count": int(n)} for label, n in classes.items()],
        "prepared": [str(sentence) for sentence in data.get("prepared") or ()],
    }


def _model(name: str) -> dict[str, str]:
    literal = json.dumps(name, ensure_ascii=False)
    return {
        "file": name,
        "python": (
            f"from kernelwise import load_model\n\nmodel = load_model({literal})\nmodel.predict(X)"
        ),
        "shell": f"kernelwise predict {shlex.quote(name)} new.csv",
    }


def _tables(record: Record, titles: Titles) -> list[dict[str, Any]]:
    tables = [_table("The selection, stage by stage", record.result, record, titles)]
    if record.comparison is not None:
        title = f"All criteria side by side, at ridge {record.ridge:.4g}"
        tables.append(_table(title, record.comparison, record, titles))
    return tables


def _table(title: str, result: SelectionResult, record: Record, titles: Titles) -> dict[str, Any]:
    return {
        "title": title,
        "candidates": _candidates(result, _chosen(result, record)),
        "columns": [_column(name, result, titles) for name in result.table],
    }


def _column(name: str, result: SelectionResult, titles: Titles) -> dict[str, Any]:
    undefined = np.full(len(result), np.nan)
    can_choose = name in result.choosing()
    return {
        **_explain(name, result.criteria[name], titles),
        "values": to_plain(result.table[name]),
        "standard_errors": to_plain(result.standard_errors.get(name, undefined)),
        "ranks": to_plain(result.ranks(name) if can_choose else undefined),
    }


def _candidates(result: SelectionResult, chosen: int | None) -> list[dict[str, Any]]:
    """Return every candidate, with its place on the axis of a chart."""
    repeated = len(set(result.kernels)) < len(result)
    candidates = []
    for i, (kernel, ridge) in enumerate(zip(result.kernels, result.ridges, strict=True)):
        axis, x = _place(kernel)
        family = _family(kernel) + (f", ridge {ridge:.4g}" if repeated else "")
        candidates.append(
            {
                "number": i + 1,
                "kernel": str(kernel),
                "ridge": to_plain(ridge),
                "axis": axis,
                "x": float(i + 1) if x is None else x,
                "family": "other kernels" if x is None else family,
                "chosen": i == chosen,
            }
        )
    return candidates


def _place(kernel: Kernel) -> tuple[str, float | None]:
    """Return the axis on which a kernel has a place, and the place where it is not its number."""
    if isinstance(kernel, Multiple):
        return _place(kernel.part)
    if isinstance(kernel, Transformed):
        return _place(kernel.kernel)
    if isinstance(kernel, Gaussian):
        return "width", math.log2(kernel.tau)
    if isinstance(kernel, Polynomial):
        return "degree", float(kernel.degree)
    widths = kernel.inverse_widths if isinstance(kernel, PairKernel) else ()
    if len(widths) == 1 and 0.0 < widths[0] < math.inf:
        return "width", -math.log2(widths[0])
    return "number", None


def _family(kernel: Kernel) -> str:
    """Return what the kernels of one curve share: all but the first parameter, defaults unsaid."""
    if isinstance(kernel, Multiple):
        return f"{kernel.factor:g} × {_family(kernel.part)}"
    if isinstance(kernel, Transformed):
        return f"{_family(kernel.kernel)}, {type(kernel).__name__.lower()} {kernel.shown}"
    others = {f.name: (getattr(kernel, f.name), f.default) for f in fields(kernel)[1:]}
    changed = [f"{name} {value}" for name, (value, default) in others.items() if value != default]
    return ", ".join([type(kernel).__name__, *changed])


def _notes(record: Record) -> list[dict[str, Any]]:
    """Return why values are undefined, and for how many candidates of a column."""
    notes = dict(record.result.notes)
    if record.comparison is not None:
        notes |= record.comparison.notes
    counts = Counter(
        (key.rpartition(": ")[2], reason)
        for key, reason in notes.items()
        if code_of(reason) not in (Code.ESTIMATED, Code.RANK_LIMITED)  # said elsewhere
    )
    return [{"name": name, "reason": text, "count": n} for (name, text), n in counts.items()]
