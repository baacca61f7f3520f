"""Rows far from all that a model has seen: it answers for them too, but does not know."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._arguments import some
from kernelwise._types import Array
from kernelwise.cli.screen import counted

_MARGIN = 0.5  # of the range that was seen, on either side of it
_AT_ONCE = 10_000  # rows


def far_rows(model: Any, rows: Any, numeric: Sequence[str]) -> str:
    """Return a sentence on rows with numbers or dates far beyond those seen; "" without any.

    ``numeric`` names these columns: the preparation puts them first. A machine on landmarks has
    seen those, a sample of its rows.
    """
    seen = _seen(model[-1])
    if seen is None or not numeric:
        return ""
    low, high = seen[:, : len(numeric)].min(axis=0), seen[:, : len(numeric)].max(axis=0)
    room = _MARGIN * (high - low)
    found = [np.empty((0, len(numeric)), bool)]
    for start in range(0, len(rows), _AT_ONCE):
        Z = model[:-1].transform(rows.iloc[start : start + _AT_ONCE])[:, : len(numeric)]
        found.append((low - room > Z) | (high + room < Z))
    return _told(np.vstack(found), rows, numeric)


def unseen_texts(model: Any, rows: Any, texts: Sequence[str]) -> str:
    """Return a sentence on columns of texts with some that the model has not seen; "" without."""
    parts = {name: part for name, part, _ in getattr(model[0], "transformers_", ())}
    known_texts = parts["texts"][-1].categories_ if texts else []
    shown = []
    for name, known in zip(texts, known_texts, strict=True):
        new = rows[name][rows[name].notna() & ~rows[name].isin(known)]
        if len(new):
            shown.append(f"{name!r} ({str(new.iloc[0])[:40]!r})")
    return f"texts that the model has not seen: {some(shown)}." if shown else ""


def _seen(machine: Any) -> Array | None:
    """Return the rows that a machine, or the first of a stack, was made from; None without any."""
    first = next(iter(getattr(machine, "members_", {0: machine}).values()))
    rows = getattr(getattr(first, "best_estimator_", first), "X_fit_", None)
    return None if rows is None or sp.issparse(rows) or len(rows) == 0 else np.asarray(rows)


def _told(is_far: Array, rows: Any, numeric: Sequence[str]) -> str:
    """Return a sentence with the first such value of every column."""
    count = int(is_far.any(axis=1).sum())
    if not count:
        return ""
    shown = []
    for name, column in zip(numeric, is_far.T, strict=True):
        if column.any():
            row = int(column.argmax())
            shown.append(f"{name!r} ({_written(rows[name].iloc[row])} in data row {row + 1})")
    return (
        f"the answer for {counted(count, 'row')} is a guess, far from all that the model has seen: "
        f"{some(shown)}."
    )


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")
