"""Tables of delimited text."""

import csv
import io
import re
import warnings
from collections import Counter
from itertools import islice
from typing import Any

import pandas as pd

from kernelwise._texts import MISSING
from kernelwise._written import is_written
from kernelwise.cli.formats.base import Source, Table, look_of
from kernelwise.cli.screen import BadInput, listed, one_line

NEEDED = "at least a feature and the target are needed"
UNNAMED = "column"  # and a number, where a file has no header
_DELIMITERS = ",;\t|"
_LOOKED_AT = 200  # lines, to find out how numbers are written


def read_tsv(source: Source) -> Table:
    """Return a table whose fields stand between tabs."""
    return read_csv(source, "\t")


def read_csv(source: Source, separator: str | None = None) -> Table:
    """Return a table of delimited text, with a notice of what had to be assumed.

    Its fields stand between commas, semicolons, tabs, bars or white space; None finds out.
    """
    (content, assumed), path = source.decoded, source.path
    filled = (line for line in io.StringIO(content) if line.strip())
    lines = list(islice(filled, _LOOKED_AT))
    if not lines:
        raise BadInput(f"{path!r} is empty: give a file with a table.")
    separator = separator or _delimiter(lines[0])
    options: dict[str, Any] = {"sep": separator, "decimal": _decimal(lines, separator)}
    first = _fields(lines[0], separator)
    frame = _parse(content, path, {**options, "dtype": _texts(content, source, options)})
    notes = _twice(first)
    if source.is_bare or _is_data(first, frame):
        names = [f"{UNNAMED}{i + 1}" for i in range(len(first))]
        why = "" if source.is_bare else "the first line looks like data: "
        notes = [f"{why}columns are named 'column1' to '{names[-1]}'."]
        known = dict.fromkeys((name for name in source.text if name in names), object)
        frame = _parse(content, path, {**options, "header": None, "names": names, "dtype": known})
    if frame.shape[1] < 2:
        raise BadInput(
            f"{path!r} has only one column: {NEEDED}, separated by commas, semicolons or tabs."
        )
    if len(frame) == 0:
        raise BadInput(f"{path!r} has a header but no rows: give a file with data.")
    # Columns of a kind in one piece: many are slow to handle.
    return Table(path, frame.copy(), notes=(*assumed, *notes), decimal=options["decimal"])


def _texts(content: str, source: Source, options: dict[str, Any]) -> dict[str, Any]:
    """Return the columns to be read as text, as the header calls them."""
    if not source.text:
        return {}
    wanted = set(map(look_of, source.text))
    names = _parse(content, source.path, {**options, "nrows": 0}).columns
    return {name: object for name in names if look_of(name) in wanted}


def _twice(names: list[str]) -> list[str]:
    """Say so where a header has a name more than once."""
    twice = [name for name, count in Counter(names).items() if name and count > 1]
    if not twice:
        return []
    return [f"several columns are called {listed(twice)}: the second is now '{twice[0]}.1'."]


def _delimiter(line: str) -> str:
    """Return the most frequent delimiter of a line; white space if there is none."""
    counts = {delimiter: line.count(delimiter) for delimiter in _DELIMITERS}
    best = max(counts, key=lambda delimiter: counts[delimiter])
    if counts[best] == 0 and len(line.split()) > 1:
        return r"\s+"
    return best


def _decimal(lines: list[str], separator: str) -> str:
    """Return the decimal mark: a comma where fields such as 1,5 say so and none such as 1.5."""
    if separator == ",":
        return "."
    fields = [field for line in lines[1:] for field in _fields(line, separator)]
    by_comma = any(_has_decimal(field, ",", ".") for field in fields)
    by_point = any(_has_decimal(field, ".", ",") for field in fields)
    if by_comma and by_point:  # points between groups of three digits are no contradiction
        points = (field for field in fields if _has_decimal(field, ".", ","))
        by_point = not all(re.fullmatch(r"[+-]?[1-9]\d{0,2}\.\d{3}", field) for field in points)
    return "," if by_comma and not by_point else "."


def _has_decimal(field: str, mark: str, other: str) -> bool:
    """Say whether a field such as 1,5 or 1.234,5 has a decimal mark."""
    if mark not in field:
        return False
    grouped = rf"\D*[1-9]\d{{0,2}}(\{other}\d{{3}})+\{mark}\d+\D*"  # a currency beside it or not
    return re.fullmatch(rf"[+-]?\d+\{mark}\d+|{grouped}", field) is not None


def _fields(line: str, separator: str) -> list[str]:
    if separator == r"\s+":
        return line.split()
    try:
        return [field.strip() for field in next(csv.reader([line], delimiter=separator))]
    except (csv.Error, StopIteration):  # a field beyond csv's limit: pandas will judge it
        return line.split(separator)


def _parse(content: str, path: str, options: dict[str, Any]) -> Any:
    kept = {"keep_default_na": False, "na_values": list(MISSING), "index_col": False}
    try:
        with warnings.catch_warnings():
            # A row that is longer than the header would lose its end.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                io.StringIO(content), skipinitialspace=True, low_memory=False, **kept, **options
            )
    except (ValueError, pd.errors.ParserWarning, OverflowError) as error:
        reason = one_line(str(error)).removeprefix("Error tokenizing data. C error: ")
        if isinstance(error, pd.errors.ParserWarning):
            reason = "rows have more fields than the header"
        raise BadInput(
            f"{path!r} is no regular table ({reason}): fix that line, or set --format."
        ) from None


def _is_data(first: list[str], frame: Any) -> bool:
    """Say whether the first line is data, not a header.

    It holds numbers, and what is not a number in it occurs again further down.
    """
    if not any(_is_number(field) for field in first):
        return False
    return all(
        _is_number(field) or field in MISSING or field in set(map(str, frame.iloc[:, i]))
        for i, field in enumerate(first[: frame.shape[1]])
    )


def _is_number(field: str) -> bool:
    try:
        float(field.replace(",", "."))
    except ValueError:
        return is_written(field)
    return True
