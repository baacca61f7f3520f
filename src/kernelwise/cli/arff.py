"""Weka's ARFF files."""

import csv
import io
import re
from dataclasses import dataclass
from typing import Any

from kernelwise.cli.screen import BadInput

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_NUMBERS = ("numeric", "real", "integer")


@dataclass(frozen=True)
class _Attribute:
    name: str
    kind: str
    levels: tuple[str, ...] = ()


def read_arff(content: str, path: str) -> Any:
    """Return the frame that an ARFF file holds; dense and sparse rows."""
    import pandas as pd

    attributes, begin = _header(content, path)
    names = [attribute.name for attribute in attributes]
    if len(set(names)) < len(names):
        raise BadInput(f"{path!r} declares an attribute twice: rename one.")
    rows = _rows(content, begin, attributes, path)
    if not rows:
        raise BadInput(f"{path!r} has attributes but no rows after @data: give a file with data.")
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            a.name: _column(a, list(cells), path)
            for a, cells in zip(attributes, columns, strict=True)
        }
    )


def _header(content: str, path: str) -> tuple[list[_Attribute], int]:
    """Return the attributes and the number of the line after @data."""
    attributes = []
    for number, line in enumerate(io.StringIO(content), start=1):
        word = line.strip().lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(line.strip(), number, path))
        elif word.startswith("@data"):
            if len(attributes) < 2:
                raise BadInput(f"{path!r} declares fewer than two attributes: one is the target.")
            return attributes, number
    raise BadInput(f"{path!r} is no ARFF file: it has no line @data.")


def _attribute(line: str, number: int, path: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise BadInput(f"{path!r} is no ARFF file: line {number} declares no attribute.")
    name = next(group for group in match.groups()[:3] if group is not None)
    kind = match[4].strip()
    if kind.startswith("{"):
        return _Attribute(name, "nominal", tuple(_cells(kind.strip("{} \t"))))
    return _Attribute(name, kind.split()[0].lower())


def _cells(line: str) -> list[str]:
    """Return the values of a line, in single or double quotes or in none."""
    quote = "'" if "'" in line else '"'
    reader = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True)
    return [cell.strip() for cell in next(reader)]


def _rows(content: str, begin: int, attributes: list[_Attribute], path: str) -> list[list[str]]:
    rows = []
    for number, raw in enumerate(io.StringIO(content), start=1):
        line = raw.strip()
        if number <= begin or not line or line.startswith("%"):
            continue
        try:
            row = _sparse(line, attributes) if line.startswith("{") else _cells(line)
        except (ValueError, IndexError, csv.Error, StopIteration):
            row = []
        if len(row) != len(attributes):
            raise BadInput(
                f"{path!r}, line {number}, does not hold the {len(attributes)} values that the "
                "attributes declare: mend that line."
            )
        rows.append(row)
    return rows


def _sparse(line: str, attributes: list[_Attribute]) -> list[str]:
    """Return the values of a sparse row; what is not listed is zero, or the first level."""
    row = [a.levels[0] if a.levels else "0" for a in attributes]
    for pair in _cells(line.strip("{} \t")):
        index, value = pair.split(maxsplit=1)
        row[int(index)] = value.strip("'\"")
    return row


def _column(attribute: _Attribute, cells: list[str], path: str) -> Any:
    import pandas as pd

    values = pd.Series(cells, dtype=object)
    values = values.where(values != "?", None)
    if attribute.kind not in _NUMBERS:
        return values
    numbers = pd.to_numeric(values, errors="coerce")
    wrong = values[numbers.isna() & values.notna()]
    if len(wrong):
        raise BadInput(
            f"{path!r} has the text {wrong.iloc[0]!r} in the numeric attribute "
            f"{attribute.name!r}: mend it, or declare the attribute as nominal."
        )
    return numbers.astype(float)
