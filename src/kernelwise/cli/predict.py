"""kernelwise predict: use a saved model."""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.cli.delimited import UNNAMED
from kernelwise.cli.prepare import conform
from kernelwise.cli.read import read_bytes, read_table
from kernelwise.cli.screen import BadInput, Screen
from kernelwise.cli.write import check_writable, write_text
from kernelwise.selection.persistence import load_model

_AT_ONCE = 2000  # rows: the kernel matrix against the training rows stays small


def predict(args: argparse.Namespace, screen: Screen) -> int:
    """Predict the rows of a table; return the exit status."""
    if args.out is not None:
        _check_out(args)
    with screen.heard():
        with screen.status("loading the model"):
            model = _load(args.model)
        with screen.status(f"reading {args.file}"):
            header = _header(model) if args.header is None else args.header
            table = read_table(args.file, args.format, text=_texts(model), header=header)
            rows, slips = conform(table, model)
        for sentence in (*table.notes, *slips):
            screen.note(sentence)
        with screen.status("predicting"):
            columns = _columns(model, rows, args.proba)
    content = _as_json(columns) if args.json else _as_csv(columns)
    if args.out is None:
        sys.stdout.write(content)
    else:
        write_text(Path(args.out), content)
    return 0


def _check_out(args: argparse.Namespace) -> None:
    out = Path(args.out)
    for name in (args.file, args.model):
        if out.exists() and Path(name).exists() and out.samefile(name):
            raise BadInput(f"--out {args.out!r} is what is read from: name another file.")
    check_writable(out)


def _load(path: str) -> Any:
    read_bytes(path)  # says it well where there is no such file
    model = load_model(path)
    if not hasattr(model, "steps") or len(model.steps) != 2:
        raise BadInput(
            f"{path!r} holds a {type(model).__name__}, not what 'kernelwise select --out' writes."
        )
    return model


def _texts(model: Any) -> tuple[str, ...]:
    """Return the columns that the model takes for texts, even if they look like numbers."""
    steps = getattr(model[0], "transformers_", [])
    return tuple(name for step, _, names in steps if step == "texts" for name in names)


def _header(model: Any) -> bool | None:
    """Return False for a model that was made from a file without a header."""
    names = getattr(model[0], "feature_names_in_", ["?"])
    return False if all(re.fullmatch(rf"{UNNAMED}\d+", name) for name in names) else None


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
    if scores.ndim == 1:
        columns["decision"] = scores.tolist()
    else:
        columns |= _by_class("decision", classes, scores)
    if proba:
        columns |= _by_class("probability", classes, _in_parts(model.predict_proba, rows))
    return columns


def _by_class(what: str, classes: Any, values: Any) -> dict[str, list[Any]]:
    names = [f"{what}_{label}" for label in classes.tolist()]
    return dict(zip(names, np.asarray(values).T.tolist(), strict=True))


def _in_parts(method: Any, rows: Any) -> list[Any]:
    """Return what a method gives for all rows, a few thousand at a time."""
    starts = range(0, rows.shape[0], _AT_ONCE)
    parts = [method(_part(rows, start)).tolist() for start in starts]
    return [value for part in parts for value in part]


def _part(rows: Any, start: int) -> Any:
    return (rows.iloc if hasattr(rows, "iloc") else rows)[start : start + _AT_ONCE]


def _as_csv(columns: dict[str, list[Any]]) -> str:
    import pandas as pd

    return str(pd.DataFrame(columns).to_csv(index=False))


def _as_json(columns: dict[str, list[Any]]) -> str:
    return json.dumps(columns) + "\n"
