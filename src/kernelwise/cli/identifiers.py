"""Columns of numbers that only tell which row it is, or whose."""

import re
from typing import Any

_NAMES = ("id", "index", "row", "rowid", "row_id", "uid", "uuid")
_FEW = 50  # rows: so few numbers may all differ by chance


def is_id(name: str, values: Any, total: int) -> bool:
    """Say whether numbers are those of rows, or of what the rows are about, as customers are.

    Those need not be consecutive, if their name says so.
    """
    if name.lower() in _NAMES or name.startswith("Unnamed: "):
        return _counts(values, total)
    has_name = re.search(r"[\W_]u?u?id$", name.lower()) or re.search(r"[a-z]I[Dd]$", name)
    is_whole = values.is_unique and not (values % 1 != 0).any()
    return bool(has_name) and is_whole and len(values) > _FEW


def _counts(values: Any, total: int) -> bool:
    """Say whether numbers could be those of the rows: consecutive integers, in any order.

    Rows that are not used leave gaps, but within the number of rows of the file.
    """
    if not (values.is_unique and (values == values.round()).all()):
        return False
    return bool(values.max() - values.min() < total)
