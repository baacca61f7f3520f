"""What kind of column each column is, and which are of no use."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from kernelwise.cli import values as cells
from kernelwise.cli.screen import BadInput, counted, listed, some

_MOSTLY = 0.9  # the share of numbers from which on other texts are slips
_FEW_SLIPS = 5
MANY_LEVELS = 50  # columns that one text column may become
_ISO_DATE = r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?"
_ID_NAMES = ("id", "index", "row", "rowid", "row_id", "uid", "uuid")

_REASONS = {
    "nested": "lists or other values with parts, left out: {}.",
    "empty": "without any value, left out: {}.",
    "constant": "constant, left out: {}.",
    "id": "a different value in every row, as an identifier has, left out: {}.",
    "free": "texts that hardly ever repeat, left out: {}.",
}


@dataclass
class ColumnRoles:
    """What every column is used for."""

    frame: Any  # the columns, made uniform: numbers as floats, texts as objects, NaN for gaps
    numbers: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    useless: dict[str, list[str]] = field(default_factory=dict)  # by reason
    slips: dict[str, list[str]] = field(default_factory=dict)  # texts among numbers, by column
    levels: dict[str, int] = field(default_factory=dict)  # how many different texts, by column

    @property
    def used(self) -> list[str]:
        """The columns that are used."""
        return self.numbers + self.dates + self.texts

    @property
    def width(self) -> int:
        """How many columns they become."""
        indicators = sum(min(self.levels[name], MANY_LEVELS) for name in self.texts)
        return len(self.numbers) + len(self.dates) + indicators

    @property
    def sentences(self) -> list[str]:
        """What is done, for a person."""
        said = [_REASONS[reason].format(listed(names)) for reason, names in self.useless.items()]
        for name, texts in self.slips.items():
            said.append(f"{name!r} holds numbers but for {listed(texts)}, taken for missing.")
        if self.texts:
            shown = some([f"{name!r} ({self.levels[name]})" for name in self.texts])
            said.append(f"texts, a 0/1 column for every value: {shown}.")
        many = [name for name in self.texts if self.levels[name] > MANY_LEVELS]
        if many:
            said.append(f"beyond {MANY_LEVELS} values the rarer ones are pooled: {listed(many)}.")
        if self.dates:
            said.append(f"dates, as numbers of days: {listed(self.dates)}.")
        return said + self._filled()

    def _filled(self) -> list[str]:
        gaps = self.frame[self.used].isna().sum()
        gaps = gaps[gaps > 0]
        among_texts = gaps.index.isin(self.texts)
        means = [] if among_texts.all() else ["the median"]
        means += ["the most frequent text"] if among_texts.any() else []
        amount = counted(int(gaps.sum()), "missing value")
        told = f"{amount} in {counted(len(gaps), 'column')} filled in by {' or '.join(means)}."
        return [told] if len(gaps) else []


def assign_roles(frame: Any) -> ColumnRoles:
    """Return what is to be done with the columns of a table, the target left out."""
    roles = ColumnRoles(frame)
    numeric, others = cells.split_numeric(frame)
    kinds = _kinds_of_numbers(numeric)
    columns: dict[str, Any] = {}
    for name in others:
        kinds[name], columns[name] = _kind(roles, name, frame[name])
    for name in frame.columns:
        kind = kinds[name]
        known = roles.useless.setdefault(kind, []) if kind in _REASONS else getattr(roles, kind)
        known.append(name)
    roles.frame = cells.side_by_side(numeric, columns)[roles.used]
    return roles


def _kinds_of_numbers(numeric: Any) -> dict[str, str]:
    """Return "numbers", or why it is of no use, for every column of numbers: all at once."""
    values = numeric.to_numpy()
    cells.check_sizes(numeric)
    lowest = np.fmin.reduce(values, axis=0, initial=np.inf)
    highest = np.fmax.reduce(values, axis=0, initial=-np.inf)
    found = np.where(lowest > highest, "empty", np.where(lowest == highest, "constant", "numbers"))
    kinds = dict(zip(numeric.columns, found.tolist(), strict=True))
    for name in numeric.columns:
        if kinds[name] == "numbers" and _is_id_name(name) and _counts(numeric[name]):
            kinds[name] = "id"
    return kinds


def _kind(roles: ColumnRoles, name: str, raw: Any) -> tuple[str, Any]:
    """Return the kind of a column that was not read as numbers, and its values made uniform."""
    if cells.is_nested(raw):
        return "nested", raw
    values = cells.without_blanks(raw)
    if values.isna().all():
        return "empty", values
    if values.nunique() == 1:
        return "constant", values
    if pd.api.types.is_datetime64_any_dtype(values):
        return "dates", values
    if _holds_numbers(roles, name, values):
        numbers = cells.as_numbers(values)
        cells.check_size(numbers, f"column {name!r}")
        return "id" if _is_id_name(name) and _counts(numbers) else "numbers", numbers
    texts = cells.as_texts(values)
    return _kind_of_texts(roles, name, texts), texts


def of_kinds(frame: Any, numbers: list[str], texts: list[str]) -> tuple[Any, list[str]]:
    """Return a frame whose columns have the kinds that a model knows, and sentences on slips."""
    numeric, others = cells.split_numeric(frame)
    cells.check_sizes(numeric[[name for name in numbers if name in numeric]])
    columns, sentences = {}, []
    for name in others:
        if cells.is_nested(frame[name]):
            raise BadInput(f"column {name!r} holds lists or other values with parts: fix it.")
        columns[name] = frame[name]
    for name in [name for name in numbers if name in columns]:
        values = cells.without_blanks(columns[name])
        columns[name] = cells.as_numbers(values)
        cells.check_size(columns[name], f"column {name!r}")
        sentences += _slips(name, values, columns[name])
    columns |= {name: cells.as_texts(frame[name]) for name in texts}
    numeric = numeric[[name for name in numeric if name not in columns]]
    return cells.side_by_side(numeric, columns)[list(frame.columns)], sentences


def _slips(name: str, values: Any, numbers: Any) -> list[str]:
    """Return what to say of texts in a column of numbers; most of them must be numbers."""
    wrong = values[numbers.isna() & values.notna()]
    if 2 * len(wrong) > values.notna().sum():
        raise BadInput(
            f"column {name!r} is to hold numbers but has {str(wrong.iloc[0])[:40]!r} in data "
            f"row {wrong.index[0] + 1}: fix it, or leave it empty."
        )
    slips = listed(sorted(set(map(str, wrong))))
    return [f"{name!r} holds numbers but for {slips}, taken for missing."] if slips else []


def _is_id_name(name: str) -> bool:
    return name.lower() in _ID_NAMES or name.startswith("Unnamed: ")


def _counts(values: Any) -> bool:
    """Say whether numbers could be those of the rows: integers, all different."""
    return bool(values.is_unique and (values == values.round()).all())


def _kind_of_texts(roles: ColumnRoles, name: str, values: Any) -> str:
    present = values.dropna()
    levels = int(present.nunique())
    if present.str.fullmatch(_ISO_DATE).all():
        return "dates"
    if levels == len(present) and levels > 2:
        return "id"
    if levels > MANY_LEVELS and levels > len(present) / 2:
        return "free"
    roles.levels[name] = levels
    return "texts"


def _holds_numbers(roles: ColumnRoles, name: str, values: Any) -> bool:
    """Say whether a column of texts is one of numbers but for a few slips, which are noted."""
    present = values.dropna()
    numbers = cells.as_numbers(present)
    if numbers.notna().mean() < _MOSTLY:
        return False
    slips = sorted({str(text) for text in present[numbers.isna()]})
    if len(slips) > _FEW_SLIPS:
        return False
    if slips:
        roles.slips[name] = slips
    return True
