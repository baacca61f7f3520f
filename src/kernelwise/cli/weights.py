"""Weights of classes: how they are written on the command line, and which rows they are for."""

import math
import re
from dataclasses import replace
from typing import Any

from kernelwise._arguments import some
from kernelwise.cli.prepare import Prepared
from kernelwise.cli.screen import BadInput
from kernelwise.selection.record import Record

Asked = str | dict[str, float]  # "balanced", or the weights of some labels as they are written
_MOST_LABELS = 10
_RARE = 0.4  # of its even share of the rows: below, a class may be given up for the others
_RULE = "class weights must be 'balanced', or labels with positive weights such as 'yes=5,no=1'"


def parse(text: str) -> Asked:
    """Return what is asked; raise ValueError for what is no weight."""
    if text == "balanced":
        return text
    pairs = re.findall(r"(.+?)=([^=,]*)(?:,|$)", text)  # a label may have commas in it
    weights = {label.strip(): _number(weight) for label, weight in pairs}
    is_whole = text == ",".join(f"{label}={weight}" for label, weight in pairs)
    is_sound = 0 < len(weights) == len(pairs) and all(w > 0.0 for w in weights.values())
    if not is_whole or not is_sound:
        raise ValueError(f"{_RULE}, got {text!r}")
    return weights


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if number < math.inf else math.nan


def weigh(data: Prepared, asked: Asked | None) -> tuple[Prepared, Any]:
    """Return the data with the weights of its classes as a fact, and what the library takes."""
    if asked is None:
        return data, None
    targets, facts = data.targets, data.facts
    if targets.classes is None:
        raise BadInput(
            f"--class-weight is for classes, but {facts['target']!r} is regressed on: leave it "
            "out, or use --task classification."
        )
    labels = {str(label): label for label in targets.classes.tolist()}
    taken: Any = asked
    if isinstance(asked, str):
        balance = targets.n / (len(labels) * targets.counts)
        weights = dict(zip(labels, balance.tolist(), strict=True))
    else:
        _check_labels(asked, facts["target"], list(labels))
        weights = {text: asked.get(text, 1.0) for text in labels}
        taken = {label: weights[text] for text, label in labels.items()}
    even = " so that each counts equally" if taken == "balanced" else ""
    told = f"classes are weighted{even}: {described(weights)}."
    facts = facts | {"class_weight": weights, "prepared": [*facts["prepared"], told]}
    return replace(data, facts=facts), taken


def _check_labels(asked: dict[str, float], target: str, labels: list[str]) -> None:
    for label in asked:
        if label not in labels:
            raise BadInput(
                f"--class-weight names {label!r}, which is no label of {target!r}: its labels are "
                f"{some(labels, _MOST_LABELS)}."
            )


def described(weights: dict[str, float]) -> str:
    """Return the weights of the first few classes."""
    return some([f"{label}: {weight:.4g}" for label, weight in weights.items()], _MOST_LABELS)


def rarely_found(record: Record) -> list[str]:
    """Return a sentence where a rare class is hardly ever predicted, and nobody gave weights."""
    if record.confusion is None or "class_weight" in record.data:
        return []
    counts, wrong = record.confusion.counts, record.confusion.wrong
    few = _RARE * sum(counts.values()) / max(len(counts), 1)
    missed = [c for c, rows in counts.items() if rows < few and wrong[c] > rows / 2]
    if not missed:
        return []
    label = min(missed, key=lambda c: counts[c])
    rows = counts[label]
    return [
        f"of {rows:,} rows of {label!r}, each left out, {rows - wrong[label]:,} are recognised: "
        "--class-weight balanced makes a rare class count as much as the others."
    ]
