"""The answer of a selection as a person reads it."""

from typing import Any

import numpy as np

from kernelwise._arguments import some
from kernelwise.cli.screen import counted, labelled
from kernelwise.selection.archive import to_plain
from kernelwise.selection.diagnostics import Code, has_code
from kernelwise.selection.params import told_params
from kernelwise.selection.record import Record, Stack

_TOO_GOOD = 0.005  # of the error of a constant prediction
_MOST_LABELS = 10  # whose weights are told
_RARE = 0.4  # of its even share of the rows: below, a class may be given up for the others


def answer(record: Record, written: list[str]) -> str:
    """Return a few lines: what was chosen, how good it is, what came close."""
    return "\n".join(filter(None, (choice(record), quality(record), rest(record, written))))


def choice(record: Record) -> str:
    """Return what was chosen, in the library's terms and in scikit-learn's."""
    theirs = told_params(record.kernel, record.ridge)
    lines = {
        "kernel": str(record.kernel),
        "ridge": f"{record.ridge:.4g}" + (f" (scikit-learn: {theirs})" if theirs else ""),
        "machine": f"{record.machine}, {described(record.data)}",
        "weights": described_weights(record.data.get("class_weight", {})),
    }
    return labelled(lines)


def quality(record: Record) -> str:
    """Return how good the choice is and what came close."""
    lines = {
        "error": "not known" if record.error is None else str(record.error),
        "balanced": "" if record.balanced_error is None else str(record.balanced_error),
        "stack": "" if record.stack is None else stacked(record, record.stack),
        "runner-up": _runner_up(record),
    }
    return labelled(lines)


def too_good(record: Record) -> list[str]:
    """Return a sentence where hardly any error is left, which few honest tables allow."""
    error = record.error
    if error is None or error.value > _TOO_GOOD * error.baseline:
        return []
    return [
        "hardly any error is left: does a column tell the answer, one that is not known when you "
        "predict? The report shows which columns matter; --drop COLUMN leaves one out."
    ]


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


def rest(record: Record, written: list[str]) -> str:
    """Return what takes longer to find out than the choice."""
    seconds, candidates = record.result.seconds, len(set(record.result.kernels))
    if record.stack is not None:
        seconds = sum(member.seconds for member in record.stack.members)
        candidates = sum(member.candidates for member in record.stack.members)
    time, kernels = f"{seconds:.1f} s to choose", counted(candidates, "kernel")
    lines = {
        "nested": "" if record.nested is None else str(record.nested),
        "time": f"{time} among {kernels}, {record.seconds:.1f} s in all",
        "written": ", ".join(written),
    }
    return labelled(lines)


def stacked(record: Record, stack: Stack) -> str:
    """Return what one kernel does, and what others add to it."""
    single, others = stack.single_error, stack.members[1:]
    alone = f"one kernel: {record.kernel}, {'error not known' if single is None else single.short}"
    if not others:
        return f"{alone}; no other member suits the data"
    shares = {member.title: f"{100 * member.weight:.0f} %" for member in others}
    added = [f"{title} {share}" for title, share in shares.items() if share != "0 %"]
    if not added or record.error is None:
        names = ", ".join(shares)
        return f"{alone}; it is as good as a stack with {names} (gate {stack.gate:.2g})"
    own, trust = f"{100 * stack.members[0].weight:.0f} %", f"gate {stack.gate:.2g}"
    return (
        f"{alone}; {own} of it stacked with {', '.join(added)}: {record.error.short} "
        f"({trust}, how far the stack is trusted)"
    )


def runner_up(record: Record) -> dict[str, Any] | None:
    """Return the second of the last stage with two kernels as plain data, None without one."""
    result, stage = record.result, _deciding_stage(record)
    ranked = [] if stage is None else result.ranking(stage)
    others = [i for i in ranked if result.kernels[i] != record.kernel]
    chosen = [i for i in ranked if result.kernels[i] == record.kernel]
    if stage is None or not others or not chosen:
        return None
    return {
        "kernel": to_plain(result.kernels[others[0]]),
        "name": str(result.kernels[others[0]]),
        "criterion": stage,
        "value": to_plain(result.table[stage][others[0]]),
        "chosen": to_plain(result.table[stage][chosen[0]]),
    }


def _runner_up(record: Record) -> str:
    second = runner_up(record)
    if second is not None:
        values = f"{second['value']:.4g} against {second['chosen']:.4g}"
        label = record.result.criteria[second["criterion"]].label
        return "; ".join(filter(None, (f"{second['name']} ({label} {values})", record.as_well())))
    if _set_aside(record, list(record.result.table)[-1]):
        return "none: a part of the rows was enough to set the others aside"
    return ""


def _deciding_stage(record: Record) -> str | None:
    """Return the last stage that compared kernels; None where one was compared on a part only.

    A stage that got one kernel, to choose its ridge, compares none.
    """
    for stage, values in reversed(record.result.table.items()):
        if np.count_nonzero(~np.isnan(values)) > 1:
            return stage
        if _set_aside(record, stage):
            return None
    return None


def _set_aside(record: Record, stage: str) -> bool:
    """Say whether a stage set kernels aside that clearly lost on a part of many rows."""
    return has_code(record.result.notes_on(stage), Code.SET_ASIDE)


def described_weights(weights: dict[str, float]) -> str:
    """Return the weights of the first few classes."""
    return some([f"{label}: {weight:.4g}" for label, weight in weights.items()], _MOST_LABELS)


def described(facts: dict[str, Any]) -> str:
    """Return what is to be predicted, and from how much."""
    classes = facts.get("classes")
    kind = "regression" if classes is None else f"{len(classes)} classes"
    return (
        f"{kind} of {facts['target']!r} on {counted(facts['rows'], 'row')}, "
        f"{counted(facts['features'], 'feature')}"
    )
