"""Columns of numbers that only tell which row it is, or whose."""

import re
from typing import Any

_NAMES = ("id", "index", "row", "rowid", "row_id", "uid", "uuid")
_FEW = 50  # rows: so few numbers may all differ by chance


def is_id(name: str, values: Any, total: int) -> bool:
    """Say whether integers that all differ are those of the rows, or of what the rows are about.

    Those of rows are consecutive, in any order; rows that are not used leave gaps, but within the
    number of rows of the file. Those of customers, say, may be any.
    """
    is_of_rows = name.lower() in _NAMES or name.startswith("Unnamed: ")
    is_of_things = re.search(r"[\W_]u?u?id$", name.lower()) or re.search(r"[a-z]I[Dd]$", name)
    if not (is_of_rows or is_of_things):
        return False
    if not (values.is_unique and (values == values.round()).all()):
        return False
    return bool(values.max() - values.min() < total) if is_of_rows else len(values) > _FEW
