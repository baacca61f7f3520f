"""The answer of a selection as a person reads it."""

from typing import Any

from kernelwise.cli.screen import counted
from kernelwise.selection.archive import from_kernel, from_number
from kernelwise.selection.record import Record


def answer(record: Record, written: list[str]) -> str:
    """Return a few lines: what was chosen, how good it is, what came close."""
    lines = {
        "kernel": str(record.kernel),
        "ridge": f"{record.ridge:.4g}",
        "machine": f"{record.machine}, {_data(record)}",
        "error": "not known" if record.error is None else str(record.error),
        "nested": "" if record.nested is None else str(record.nested),
        "runner-up": _runner_up(record),
        "stability": _stability(record),
        "time": _time(record),
        "written": ", ".join(written),
    }
    return "\n".join(f"{name:<11}{text}" for name, text in lines.items() if text)


def runner_up(record: Record) -> dict[str, Any] | None:
    """Return the second of the last stage as plain data; None where there is none."""
    result = record.result
    stage = list(result.table)[-1]
    ranked = result.ranking(stage)
    others = [i for i in ranked if result.kernels[i] != record.kernel]
    chosen = [i for i in ranked if result.kernels[i] == record.kernel]
    if not others or not chosen:
        return None
    return {
        "kernel": from_kernel(result.kernels[others[0]]),
        "name": str(result.kernels[others[0]]),
        "criterion": stage,
        "value": from_number(result.table[stage][others[0]]),
        "chosen": from_number(result.table[stage][chosen[0]]),
    }


def _runner_up(record: Record) -> str:
    second = runner_up(record)
    if second is not None:
        values = f"{second['value']:.4g} against {second['chosen']:.4g}"
        return f"{second['name']} ({second['criterion']} {values})"
    if len(set(record.result.kernels)) == 1:
        return ""
    # Where there are many rows the selector sets candidates aside that clearly lose on a part.
    return "none: a part of the rows was enough to set the others aside"


def _stability(record: Record) -> str:
    if not record.stability:
        return ""
    share = record.stability.get(str(record.kernel), 0.0)
    return f"picked on {100 * share:.0f} % of random halves of the rows"


def _time(record: Record) -> str:
    kernels = counted(len(set(record.result.kernels)), "kernel")
    chosen = f"{record.result.seconds:.1f} s to choose among {kernels}"
    return f"{chosen}, {record.seconds:.1f} s in all"


def _data(record: Record) -> str:
    facts = record.data
    classes = facts.get("classes")
    kind = "regression" if classes is None else f"{len(classes)} classes"
    return (
        f"{kind} of {facts['target']!r} on {counted(facts['rows'], 'row')}, "
        f"{counted(facts['features'], 'feature')}"
    )
