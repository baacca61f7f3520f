"""Sparse rows: LIBSVM's and SVMlight's format."""

import io
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from kernelwise.cli.formats.base import HEAD, Source, Table
from kernelwise.cli.screen import BadInput, one_line
from kernelwise.targets import LARGEST

LABEL = "label"
_MOST_COLUMNS = 10**6  # beyond, only the indices that occur are kept
_DENSE_SHARE = 0.3  # of non-zero entries: from here on a sparse matrix saves nothing
_FIRST_ROW = re.compile(r"([^\S\n]*\n|#.*\n)*[+-]?\d\S*[^\S\n]+\d+:[+-]?[\d.]")
_LINE = re.compile(
    r"[+-]?\d\S*(\s+qid:\d+)?(\s+\d+:[+-]?[\d.]\S*)*\s*(#.*)?", re.IGNORECASE | re.ASCII
)


def is_libsvm(source: Source) -> bool:
    """Say whether a text begins with a label and an index:value pair."""
    return _FIRST_ROW.match(source.decoded[0][:HEAD]) is not None


def read_libsvm(source: Source) -> Table:
    """Return the table, dense where sparse rows save nothing; absent indices are zero."""
    content, notes = source.decoded
    X, y, indices = _read(content, source.path)
    table = Table(source.path, rows=X, indices=indices, labels=y, notes=notes)
    columns = X.shape[1] - 1 if indices is None else X.shape[1]
    return table if X.nnz < _DENSE_SHARE * X.shape[0] * columns else dense(table)


def dense(table: Table) -> Table:
    """Return sparse rows as a table of columns, named by their index."""
    return replace(table, frame=to_frame(table.rows, table.labels, table.indices))


def _read(content: str, path: str) -> tuple[Any, Any, Any]:
    """Return the rows, their labels and the indices of the columns.

    Column 0 is index 0, which most files leave out: so the columns of two files never differ by
    one, whatever indices they happen to hold. The indices are None for 0, 1, 2 and so on; where
    one is huge the columns are those of the indices that occur.
    """
    from sklearn.datasets import load_svmlight_file  # slow to import

    try:
        X, y = load_svmlight_file(io.BytesIO(content.encode()), zero_based=True)
    except OverflowError:
        raise BadInput(
            f"{path!r} holds an index beyond {np.iinfo(np.int32).max}: number the features anew."
        ) from None
    except ValueError as error:
        raise BadInput(
            f"{path!r} is no LIBSVM file ({_reason(content, error)}): every line is a number and "
            "index:value pairs."
        ) from None
    if np.isnan(y).any():
        raise BadInput(f"{path!r} holds a label that is no number: fix it.")
    _check_values(X, path)
    if X.shape[1] <= _MOST_COLUMNS:
        return X, y, None
    indices = np.unique(X.indices).astype(np.int64)
    return at_indices(X, None, indices), y, indices


def _check_values(X: Any, path: str) -> None:
    if X.shape[0] == 0 or X.nnz == 0:
        raise BadInput(f"{path!r} holds no features: every line is a label and index:value pairs.")
    if not np.isfinite(X.data).all():
        raise BadInput(f"{path!r} holds values that are not finite: fix them or leave them out.")
    wrong = np.flatnonzero(np.abs(X.data) > LARGEST)
    if wrong.size:
        raise BadInput(
            f"{path!r} holds {X.data[wrong[0]]:g} at index {X.indices[wrong[0]]}, beyond "
            f"{LARGEST:g}: fix it, or give that feature in a larger unit."
        )


def at_indices(X: Any, indices: Any, wanted: Any) -> Any:
    """Return the columns of the wanted indices: zero where X lacks them; others are left out.

    ``indices`` numbers the columns of X; None stands for 0, 1, 2 and so on.
    """
    if len(wanted) == 0:
        return X[:, :0]
    entries, order = X.tocoo(), np.argsort(wanted)
    found = entries.col if indices is None else indices[entries.col]
    place = np.searchsorted(wanted, found, sorter=order).clip(max=len(wanted) - 1)
    place = order[place]
    known = wanted[place] == found
    where = entries.row[known], place[known]
    return sp.csr_matrix((entries.data[known], where), shape=(X.shape[0], len(wanted)))


def to_frame(X: Any, labels: Any, indices: Any = None) -> Any:
    """Return sparse rows as a frame whose columns are named by their index."""
    names = [str(i) for i in (range(X.shape[1]) if indices is None else indices)]
    frame = pd.DataFrame(X.toarray(), columns=names)
    if indices is None and not frame["0"].any():
        frame = frame.drop(columns="0")
    return frame if labels is None else frame.assign(**{LABEL: labels})


def _reason(content: str, error: Exception) -> str:
    for number, line in enumerate(io.StringIO(content), start=1):
        if line.strip() and not line.startswith("#") and not _LINE.fullmatch(line.rstrip("\n")):
            return f"line {number} begins {line[:30].strip()!r}"
    return one_line(str(error))
