"""kernelwise predict: use a saved model."""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.cli import write
from kernelwise.cli.far import far_rows, unseen_texts
from kernelwise.cli.formats.delimited import UNNAMED
from kernelwise.cli.prepare import Wanted, conform
from kernelwise.cli.read import read_table
from kernelwise.cli.screen import BadInput, Screen, counted, tell
from kernelwise.selection.persistence import load_model

_AT_ONCE = 2000  # rows: the kernel matrix against the training rows stays small


def predict(args: argparse.Namespace, screen: Screen) -> int:
    """Predict the rows of a table; return the exit status."""
    if args.out is not None:
        _check_out(args)
    with screen.heard():
        with screen.status("loading the model"):
            model = _load(args.model)
            wanted = Wanted.by(model)
        with screen.status(f"reading {args.file}"):
            known = {"text": wanted.texts, "is_bare": _is_bare(wanted)}
            table = read_table(args.file, args.format, **known)
            rows, slips = conform(table, wanted)
        for sentence in (*table.notes, *slips):
            screen.note(sentence)
        with screen.status("predicting"):
            columns = _predicted(args, model, rows)
        if empty := _empty_sets(columns.get("set", ()), args.interval):
            screen.note(empty, "warning")
        _tell_limits(model, rows, wanted, screen)
    content = json.dumps(columns) + "\n" if args.json else write.to_csv(columns)
    _hand_over(args, content)
    return 0


def _hand_over(args: argparse.Namespace, content: str) -> None:
    """Write predictions where they are wanted, or else to standard output."""
    if args.out is None:
        tell(content, end="")
        return
    try:
        write.write_text(Path(args.out), content)
    except OSError as error:
        tell(content, end="")
        raise BadInput(write.not_written(Path(args.out), error)) from None


def _check_out(args: argparse.Namespace) -> None:
    out = Path(args.out)
    for name in (args.file, args.model):
        if out.exists() and Path(name).exists() and out.samefile(name):
            raise BadInput(f"--out {args.out!r} is what is read from: name another file.")
    write.check_writable(out)


def _load(path: str) -> Any:
    """Return the model of a file."""
    model = load_model(path)
    if not hasattr(model, "steps") or len(model.steps) != 2:
        raise BadInput(
            f"{path!r} holds a {type(model).__name__}, not what 'kernelwise select --out' writes."
        )
    return model


def _is_bare(wanted: Wanted) -> bool:
    """Say whether a model was made from a file without a header."""
    names = wanted.names or ["?"]
    return all(re.fullmatch(rf"{UNNAMED}\d+", name) for name in names)


def _predicted(args: argparse.Namespace, model: Any, rows: Any) -> dict[str, list[Any]]:
    """Return what is predicted; the kinds of the columns are in order by now."""
    with np.errstate(all="ignore"):
        columns = _columns(model, rows, args.proba)
        sureness = {} if args.interval is None else _sureness(args, model, rows)
    numbers = [values for values in columns.values() if isinstance(values[0], float)]
    if not np.isfinite(numbers).all():
        raise BadInput(
            f"{args.model!r} cannot predict these rows: their numbers are far beyond those that it "
            "was made from."
        )
    return columns | sureness


def _sureness(args: argparse.Namespace, model: Any, rows: Any) -> dict[str, list[Any]]:
    """Return the bounds of every row, None where there is none, or its set of classes."""
    machine = model[-1]
    if not (hasattr(machine, "predict_interval") or hasattr(machine, "predict_set")):
        raise BadInput(
            f"--interval: {type(machine).__name__} does not know how sure it is: leave it out, or "
            "select by lssvm or krr."
        )
    prepared = model[:-1].transform(rows)
    if hasattr(machine, "predict_interval"):
        bounds = machine.predict_interval(prepared, args.interval)
        found = [[b if np.isfinite(b) else None for b in bound.tolist()] for bound in bounds]
        return dict(zip(("lower", "upper"), found, strict=True))
    members = machine.predict_set(prepared, args.interval)
    sets = [model.classes_[row].tolist() for row in members]
    return {"set": sets if args.json else ["|".join(map(str, labels)) for labels in sets]}


def _tell_limits(model: Any, rows: Any, wanted: Wanted, screen: Screen) -> None:
    """Say which rows, and which texts, the model does not know."""
    if far := far_rows(model, rows, wanted.numeric):
        screen.note(far, "warning")
    if unseen := unseen_texts(model, rows, wanted.kinds.get("texts", [])):
        screen.note(unseen)


def _empty_sets(sets: Sequence[Any], level: float | None) -> str:
    """Return a sentence on rows for which no class is near enough; "" without any."""
    empty = sum(not labels for labels in sets)
    if not empty:
        return ""
    return (
        f"{counted(empty, 'row')} with an empty set: the model is right more often than {level:g}, "
        "so that it may give up its least clear rows; a higher --interval names classes for them."
    )


def _columns(model: Any, rows: Any, proba: bool) -> dict[str, list[Any]]:
    """Return what is predicted by column name: the prediction, then numbers about it."""
    if proba and not hasattr(model, "predict_proba"):
        machine = type(model[-1]).__name__
        raise BadInput(
            f"--proba: {machine} gives no probabilities: leave it out, or select by lssvm."
        )
    columns = {"prediction": _in_parts(model.predict, rows)}
    classes = getattr(model, "classes_", None)
    if classes is None:
        return columns
    scores = np.asarray(_in_parts(model.decision_function, rows))
    alone = scores.ndim == 1
    columns |= {"decision": scores.tolist()} if alone else _by_class("decision", classes, scores)
    if proba:
        columns |= _by_class("probability", classes, _in_parts(model.predict_proba, rows))
    return columns


def _by_class(what: str, classes: Any, values: Any) -> dict[str, list[Any]]:
    names = [f"{what}_{label}" for label in classes.tolist()]
    return dict(zip(names, np.asarray(values).T.tolist(), strict=True))


def _in_parts(method: Any, rows: Any) -> list[Any]:
    """Return what a method gives for all rows, a few thousand at a time."""
    parts = rows.iloc if hasattr(rows, "iloc") else rows
    values: list[Any] = []
    for start in range(0, rows.shape[0], _AT_ONCE):
        values += method(parts[start : start + _AT_ONCE]).tolist()
    return values
