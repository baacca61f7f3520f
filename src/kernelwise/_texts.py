"""Columns of texts, with NaN for what is missing.

The command line prepares columns of texts with :func:`texts`, and a saved model refers to it: so it
stands below whatever reads models.
"""

from typing import Any

import numpy as np

from kernelwise._types import Array

MISSING = (
    *("", *"? NA N/A n/a #N/A #NA nan NaN -nan -NaN null NULL <NA> NaT".split()),
    *"#DIV/0! #NAME? #NULL! #NUM! #REF! #VALUE!".split(),  # what a spreadsheet could not compute
)
_BLANK = frozenset(MISSING)


def texts(frame: Any) -> Array:
    """Return the columns of a frame as texts, with NaN for every sign of a gap that a frame knows.

    scikit-learn takes None for a value of its own, and fails on pandas' NA.
    """
    import pandas as pd

    is_known = isinstance(frame, pd.DataFrame)
    table = frame if is_known else pd.DataFrame(np.asarray(frame, dtype=object))
    return np.column_stack([as_texts(column).to_numpy() for _, column in table.items()])


def as_pandas(frame: Any) -> Any:
    """Return a frame of any library, such as polars, as one of pandas."""
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        return frame
    return pd.DataFrame({name: np.asarray(frame[name]) for name in frame.columns})


def as_texts(values: Any) -> Any:
    """Return a column as texts with NaN for what is missing, whatever pandas made of it."""
    import pandas as pd

    pairs = zip(*stripped(values), strict=True)
    found = [np.nan if is_blank else str(cell).strip() for cell, is_blank in pairs]
    return pd.Series(found, index=values.index, dtype=object)


def stripped(values: Any) -> tuple[Any, Any]:
    """Return the values of a column, texts stripped, and which of them stand for nothing."""
    import pandas as pd

    cells = np.empty(len(values), dtype=object)
    cells[:] = [cell.strip() if isinstance(cell, str) else cell for cell in values]
    blank = (str(cell) in _BLANK for cell in cells)
    return cells, pd.isna(cells) | np.fromiter(blank, dtype=bool, count=len(cells))
