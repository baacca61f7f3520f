"""Sparse rows: LIBSVM's and SVMlight's format."""

import io
import re
from typing import Any

import numpy as np

from kernelwise.cli.screen import BadInput, one_line

LABEL = "label"
_LINE = re.compile(
    r"[+-]?\d\S*(\s+qid:\d+)?(\s+\d+:[+-]?[\d.]\S*)*\s*(#.*)?", re.IGNORECASE | re.ASCII
)


def looks_like_libsvm(content: str) -> bool:
    """Say whether the first line with features is a label and index:value pairs."""
    for line in io.StringIO(content[:65536]):
        if line.strip() and not line.startswith("#"):
            return bool(re.match(r"[+-]?\d\S*\s+\d+:[+-]?[\d.]", line))
    return False


def read_libsvm(content: str, path: str) -> tuple[Any, Any]:
    """Return the rows and their labels.

    Column 0 is index 0, which most files leave out: so the columns of two files never differ by
    one, whatever indices they happen to hold.
    """
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(content.encode()), zero_based=True)
    except (ValueError, OverflowError) as error:
        raise BadInput(
            f"{path!r} is no LIBSVM file ({_reason(content, error)}): every line is a number and "
            "index:value pairs."
        ) from None
    if X.shape[0] == 0 or X.nnz == 0:
        raise BadInput(f"{path!r} holds no features: every line is a label and index:value pairs.")
    if not np.isfinite(X.data).all():
        raise BadInput(f"{path!r} holds values that are not finite: mend them or leave them out.")
    return X, y


def to_frame(X: Any, labels: Any) -> Any:
    """Return sparse rows as a frame whose columns are named by their index."""
    import pandas as pd

    frame = pd.DataFrame(X.toarray(), columns=[str(i) for i in range(X.shape[1])])
    if not frame["0"].any():
        frame = frame.drop(columns="0")
    return frame if labels is None else frame.assign(**{LABEL: labels})


def _reason(content: str, error: Exception) -> str:
    for number, line in enumerate(io.StringIO(content), start=1):
        if line.strip() and not line.startswith("#") and not _LINE.fullmatch(line.rstrip("\n")):
            return f"line {number} begins {line[:30].strip()!r}"
    return one_line(str(error))
