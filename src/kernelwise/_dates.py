"""Dates as numbers.

The command line prepares columns of dates with :func:`days`, and a saved model refers to it: so it
stands below whatever reads models.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kernelwise._texts import as_pandas
from kernelwise._types import Array
from kernelwise._written import read_dates


def days(frame: Any, rules: Mapping[str, str] | None = None) -> Array:
    """Return the columns of a frame as days since 1970; NaN for what is not a date.

    Dates are ISO 8601, or else of the order that a column's rule names.
    """
    frame = as_pandas(frame)
    orders = {name: (rules or {}).get(name, "ymd") for name in frame}
    columns = [read_dates(frame[name], order).to_numpy() for name, order in orders.items()]
    return np.column_stack([_days_since_1970(dates) for dates in columns])


def _days_since_1970(dates: Array) -> Array:
    """Return them without a change to a finer unit, which would end in the year 2262."""
    whole = dates.astype("datetime64[D]")
    part = (dates - whole) / np.timedelta64(1, "D")
    return np.where(np.isnat(dates), np.nan, whole.astype(np.int64) + part)
