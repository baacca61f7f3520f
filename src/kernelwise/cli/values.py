"""The values of columns, made uniform and looked at: many columns at once where that is quick."""

from typing import Any

import numpy as np
import pandas as pd

from kernelwise._texts import stripped
from kernelwise.cli.screen import BadInput
from kernelwise.targets import LARGEST

_NESTED = (list, tuple, set, dict, np.ndarray, bytes)


def split_numeric(frame: Any) -> tuple[Any, list[str]]:
    """Return the numbers and booleans of a frame, as floats in one piece, and the other columns."""
    is_numeric = np.array([pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes], bool)
    names, others = frame.columns[is_numeric], frame.columns[~is_numeric].tolist()
    values = frame[names].to_numpy(dtype=float, na_value=np.nan)
    return pd.DataFrame(values, columns=names, index=frame.index), others


def side_by_side(numeric: Any, columns: dict[str, Any]) -> Any:
    """Return one frame; adding columns one by one takes time in proportion to their square."""
    return pd.concat([numeric, pd.DataFrame(columns, index=numeric.index)], axis=1)


def without_blanks(values: Any) -> Any:
    """Return a column with NaN for the texts that stand for nothing."""
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
        return values
    cells, blank = stripped(values)
    return pd.Series(np.where(blank, np.nan, cells), index=values.index, dtype=object)


def is_nested(values: Any) -> bool:
    """Say whether a column holds lists, dicts or arrays."""
    return values.dtype == object and any(isinstance(value, _NESTED) for value in values)


def check_size(values: Any, what: str) -> None:
    """Refuse infinity, and numbers that cannot be computed with."""
    sizes = np.abs(np.asarray(values, dtype=float))
    wrong = np.flatnonzero(sizes > LARGEST)
    if wrong.size == 0:
        return
    row, size = int(values.index[wrong[0]]) + 1, float(sizes[wrong[0]])
    if np.isinf(size):
        raise BadInput(f"{what} holds infinity (data row {row}): fix it, or leave it empty.")
    raise BadInput(
        f"{what} holds a number of size {size:g} (data row {row}), beyond {LARGEST:g}: fix it, "
        "leave it empty, or give the column in a larger unit."
    )


def check_sizes(numeric: Any) -> None:
    """Refuse them in any column of a frame."""
    wrong = (np.abs(numeric.to_numpy()) > LARGEST).any(axis=0)
    if wrong.any():
        name = numeric.columns[int(wrong.argmax())]
        check_size(numeric[name], f"column {name!r}")
