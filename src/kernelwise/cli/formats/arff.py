"""Weka's ARFF files."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from kernelwise._written import to_numeric
from kernelwise.cli.formats.base import Format, Source, Table
from kernelwise.cli.formats.delimited import MOST_COLUMNS, check_cells, read_regular
from kernelwise.cli.screen import BadInput

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_NUMBERS = ("numeric", "real", "integer")
_SPECIAL = re.compile(r"""['"\\{%]""")  # what a plain table of values has not
_MOST_ROWS = 10**6  # that are read one by one, a few microseconds each


class Arff(Format):
    """Weka's ARFF: the attributes are declared, the rows are dense or sparse."""

    name, extensions = "arff", (".arff",)
    opening = r"(?im)^\s*@relation\b"

    def read(self, source: Source) -> Table:
        """Return the table, of dense or sparse rows."""
        content, notes = source.decoded
        return Table(source.path, read_arff(content, source.path, source.most), notes=notes)


@dataclass(frozen=True)
class _Attribute:
    name: str
    kind: str
    levels: tuple[str, ...] = ()


def read_arff(content: str, path: str, most: float) -> Any:
    """Return the frame; ``most`` limits rows that are much longer than they are written."""
    attributes, begin, body = _header(content, path)
    names = [attribute.name for attribute in attributes]
    if len(set(names)) < len(names):
        raise BadInput(f"{path!r} declares an attribute twice: rename one.")
    check_cells(len(attributes) * (body.count("\n") + 1), len(body), path, most)
    columns = _plain(body, len(attributes)) or _one_by_one(body, begin, attributes, path)
    return pd.DataFrame(
        {a.name: _column(a, cells, path) for a, cells in zip(attributes, columns, strict=True)}
    )


def _header(content: str, path: str) -> tuple[list[_Attribute], int, str]:
    """Return the attributes, the number of the line @data, and all that follows it."""
    attributes, lines = [], io.StringIO(content)
    for number, line in enumerate(lines, start=1):
        word = line.strip().lower()
        if word.startswith("@attribute"):
            attributes.append(_attribute(line.strip(), number, path))
            if len(attributes) > MOST_COLUMNS:
                raise BadInput(f"{path!r} has more than {MOST_COLUMNS:,} attributes: drop some.")
        elif word.startswith("@data"):
            if len(attributes) < 2:
                raise BadInput(f"{path!r} declares fewer than two attributes: one is the target.")
            return attributes, number, lines.read()
    raise BadInput(f"{path!r} is no ARFF file: it has no line @data.")


def _attribute(line: str, number: int, path: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise BadInput(f"{path!r} is no ARFF file: line {number} declares no attribute.")
    name = next(group for group in match.groups()[:3] if group is not None)
    kind = match[4].strip()
    if not kind.startswith("{"):
        return _Attribute(name, kind.split()[0].lower())
    try:
        return _Attribute(name, "nominal", tuple(_cells(kind.strip("{} \t"))))
    except csv.Error:
        raise BadInput(f"{path!r}: the values of line {number} cannot be read.") from None


def _plain(body: str, columns: int) -> list[list[str]] | None:
    """Return the columns of dense rows without quotes, quickly; None where there are others."""
    if not body.strip() or _SPECIAL.search(body):
        return None
    try:
        frame = read_regular(body, header=None, names=range(columns), dtype=str)
    except (ValueError, pd.errors.ParserWarning):
        return None
    if body.count(",") != len(frame) * (columns - 1):  # a row is short
        return None
    return [[cell.strip() for cell in frame[name].tolist()] for name in frame]


def _one_by_one(
    body: str, begin: int, attributes: list[_Attribute], path: str
) -> list[tuple[str, ...]]:
    """Return the columns of rows of any form."""
    rows = []
    for number, raw in enumerate(io.StringIO(body), start=begin + 1):
        line = raw.strip()
        if not line or line.startswith("%"):
            continue
        rows.append(_row(line, attributes))
        if len(rows[-1]) != len(attributes):
            raise BadInput(
                f"{path!r}, line {number}, does not hold the {len(attributes)} values that the "
                "attributes declare: fix that line."
            )
        if len(rows) > _MOST_ROWS:
            raise BadInput(
                f"{path!r} has more than {_MOST_ROWS:,} rows with quotes or in sparse form: give "
                "fewer, or another format."
            )
    if not rows:
        raise BadInput(f"{path!r} has attributes but no rows after @data: give a file with data.")
    return list(zip(*rows, strict=True))


def _row(line: str, attributes: list[_Attribute]) -> list[str]:
    """Return the values of a line; none where it cannot be read."""
    try:
        return _sparse(line, attributes) if line.startswith("{") else _cells(line)
    except (ValueError, IndexError, csv.Error, StopIteration):
        return []


def _cells(line: str) -> list[str]:
    """Return the values of a line, in single or double quotes or in none."""
    quote = "'" if "'" in line else '"'
    reader = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True)
    return [cell.strip() for cell in next(reader)]


def _sparse(line: str, attributes: list[_Attribute]) -> list[str]:
    """Return the values of a sparse row; what is not listed is zero, or the first level."""
    row = [a.levels[0] if a.levels else "0" for a in attributes]
    for pair in _cells(line.strip("{} \t")):
        index, value = pair.split(maxsplit=1)
        if not index.isdecimal():
            raise ValueError(f"{index!r} is no index")
        row[int(index)] = value.strip("'\"")
    return row


def _column(attribute: _Attribute, cells: Sequence[str], path: str) -> Any:
    values = pd.Series(list(cells), dtype=object)
    values = values.where(values != "?", None)
    if attribute.kind not in _NUMBERS:
        return values
    numbers = to_numeric(values)
    wrong = values[numbers.isna() & values.notna()]
    if len(wrong):
        raise BadInput(
            f"{path!r} has the text {str(wrong.iloc[0])[:40]!r} in the numeric attribute "
            f"{attribute.name!r}: fix it, or declare the attribute as nominal."
        )
    return numbers.astype(float)
