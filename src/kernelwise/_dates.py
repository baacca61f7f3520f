"""Dates as numbers.

The command line prepares columns of dates with :func:`days`, and a saved model refers to it: so it
stands below whatever reads models.
"""

from typing import Any

import numpy as np

from kernelwise._types import Array


def days(frame: Any) -> Array:
    """Return the columns of a frame as days since 1970; NaN for what is not a date."""
    import pandas as pd

    columns = [
        pd.to_datetime(frame[name], errors="coerce", format="ISO8601", utc=True) for name in frame
    ]
    return np.column_stack([_days_since_1970(c.dt.tz_localize(None).to_numpy()) for c in columns])


def _days_since_1970(dates: Array) -> Array:
    """Return them without a change to a finer unit, which would end in the year 2262."""
    whole = dates.astype("datetime64[D]")
    part = (dates - whole) / np.timedelta64(1, "D")
    return np.where(np.isnat(dates), np.nan, whole.astype(np.int64) + part)
