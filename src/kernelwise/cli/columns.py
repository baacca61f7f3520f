"""What kind of column each column is, and which are of no use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from kernelwise._arguments import some
from kernelwise._texts import as_texts
from kernelwise._words import frequent_words
from kernelwise._written import (
    Reading,
    guess_dates,
    guess_numbers,
    read_dates,
    read_numbers,
    to_numeric,
    told_slips,
)
from kernelwise.cli import values as cells
from kernelwise.cli.formats.base import look_of
from kernelwise.cli.identifiers import is_id
from kernelwise.cli.screen import BadInput, counted, listed
from kernelwise.selection.diagnostics import Code, Diagnostic

_MOSTLY = 0.9  # the share of numbers or dates from which on other texts are slips
_FEW_SLIPS = 5
MANY_LEVELS = 50  # columns that one text column may become
_UNIT = r"^[-+]?\d[\d.,]*\s*((?:[^\W\d_]|°)[^\s\d]{0,9}\d?)$"  # 8.1 mg/L, 20 °C, 12 m2
_MANY_READ = 20  # columns whose conversion is told

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
    decimal: str  # the decimal mark where a column does not tell
    total: int  # rows of the file
    numbers: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # texts that hardly repeat, but words in them do
    useless: dict[str, list[str]] = field(default_factory=dict)  # by reason
    slips: dict[str, list[str]] = field(default_factory=dict)  # texts among others, by column
    levels: dict[str, int] = field(default_factory=dict)  # how many different texts, by column
    readings: dict[str, Reading] = field(default_factory=dict)  # where texts are something else
    vocabularies: dict[str, list[str]] = field(default_factory=dict)  # frequent words, by column
    twins: dict[str, list[str]] = field(default_factory=dict)  # texts that differ in case alone
    units: dict[str, str] = field(default_factory=dict)  # a text, where most end in the same unit

    @property
    def used(self) -> list[str]:
        """The columns that are used."""
        return self.numbers + self.dates + self.texts + self.words

    @property
    def width(self) -> int:
        """How many columns they become."""
        indicators = sum(min(self.levels[name], MANY_LEVELS) for name in self.texts)
        indicators += sum(map(len, self.vocabularies.values()))
        return len(self.numbers) + len(self.dates) + indicators

    def rules(self, names: list[str]) -> dict[str, str]:
        """Return how columns are to be read, of those where that had to be decided."""
        usual = {
            name: self.decimal for name in names if name in self.slips and name in self.numbers
        }
        return usual | {name: self.readings[name].rule for name in names if name in self.readings}

    @property
    def sentences(self) -> list[str]:
        """What is done, for a person; what is left out is a warning."""
        said: list[str] = [
            Diagnostic(_REASONS[reason].format(listed(names)), Code.LEFT_OUT)
            for reason, names in self.useless.items()
        ]
        for name, texts in self.slips.items():
            kind = "dates" if name in self.dates else "numbers"
            said.append(f"{name!r} holds {kind} but for {listed(texts)}, taken for missing.")
        said += self._read()
        if self.texts:
            shown = some([f"{name!r} ({self.levels[name]})" for name in self.texts])
            said.append(f"texts, a 0/1 column for every value: {shown}.")
        if self.units:
            shown = some([f"{name!r} ({text!r})" for name, text in self.units.items()])
            said.append(f"these look like numbers with a unit, so remove the unit: {shown}.")
        if self.twins:
            shown = some([f"{name!r} ({listed(texts)})" for name, texts in self.twins.items()])
            said.append(f"texts that differ only in case or blanks count as different: {shown}.")
        many = [name for name in self.texts if self.levels[name] > MANY_LEVELS]
        if many:
            said.append(f"beyond {MANY_LEVELS} values the rarer ones are pooled: {listed(many)}.")
        if self.words:
            shown = some([f"{name!r} ({len(self.vocabularies[name])})" for name in self.words])
            said.append(f"texts that hardly ever repeat, by their frequent words: {shown}.")
        if self.dates:
            said.append(f"dates, as numbers of days: {listed(self.dates)}.")
        return said + self._filled()

    def _read(self) -> list[str]:
        """Return what is to be said of texts that are numbers or dates."""
        shown = {name: f"{name!r} ({read.example})" for name, read in self.readings.items()}
        doubtful = [shown[name] for name, read in self.readings.items() if read.is_ambiguous]
        said = [f"read as numbers or dates: {some(list(shown.values()), _MANY_READ)}."]
        if doubtful:
            said.append(
                f"these could be read otherwise: {some(doubtful, _MANY_READ)}; to be sure, write "
                "numbers without marks for thousands, and dates as 2023-12-31."
            )
        for name, read in self.readings.items():
            if len(read.currencies) > 1:
                signs = ", ".join(read.currencies)
                said.append(f"{name!r} has several currencies, taken for one: {signs}.")
        return said if shown else []

    def _filled(self) -> list[str]:
        gaps = self.frame[self.numbers + self.dates + self.texts].isna().sum()
        gaps = gaps[gaps > 0].sort_values(ascending=False, kind="stable")
        if gaps.empty:
            return []
        among_texts = gaps.index.isin(self.texts)
        means = [] if among_texts.all() else ["the median"]
        means += ["the most frequent text"] if among_texts.any() else []
        amount = counted(int(gaps.sum()), "missing value")
        where = some([f"{name!r} ({number:,})" for name, number in gaps.items()])
        told = [f"{amount} filled in by {' or '.join(means)}: {where}."]
        mostly = [name for name, number in gaps.items() if 2 * number > len(self.frame)]
        if mostly:
            text = f"more than half empty, and filled in all the same: {listed(mostly)}."
            told.append(Diagnostic(text, Code.MOSTLY_EMPTY))
        return told


def assign_roles(frame: Any, decimal: str = ".", total: int | None = None) -> ColumnRoles:
    """Return what is to be done with the columns of a table, the target left out.

    ``decimal`` is the mark that the file's numbers have, ``total`` how many rows it has.
    """
    roles = ColumnRoles(frame, decimal, len(frame) if total is None else total)
    numeric, others = cells.split_numeric(frame)
    kinds = _kinds_of_numbers(numeric, roles.total)
    columns: dict[str, Any] = {}
    for name in others:
        kinds[name], columns[name] = _kind(roles, name, frame[name])
    for name in frame.columns:
        kind = kinds[name]
        known = roles.useless.setdefault(kind, []) if kind in _REASONS else getattr(roles, kind)
        known.append(name)
    columns |= _settled(roles)
    roles.frame = cells.side_by_side(numeric, columns)[roles.used]
    return roles


def _kinds_of_numbers(numeric: Any, total: int) -> dict[str, str]:
    """Return "numbers", or why it is of no use, for every column of numbers: all at once."""
    values = numeric.to_numpy()
    cells.check_sizes(numeric)
    lowest = np.fmin.reduce(values, axis=0, initial=np.inf)
    highest = np.fmax.reduce(values, axis=0, initial=-np.inf)
    found = np.where(lowest > highest, "empty", np.where(lowest == highest, "constant", "numbers"))
    kinds = dict(zip(numeric.columns, found.tolist(), strict=True))
    for name in numeric.columns:
        if kinds[name] == "numbers" and is_id(name, numeric[name], total):
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
    return _kind_of_texts(roles, name, values)


def _kind_of_texts(roles: ColumnRoles, name: str, values: Any) -> tuple[str, Any]:
    """Return the kind of a column of texts, and the numbers or dates that they are, or texts."""
    numbers = guess_numbers(values, roles.decimal)
    if _agree(values, numbers.values):
        return _as_read(roles, name, "numbers", values, numbers)
    texts = as_texts(values)
    dates = guess_dates(texts, _usual_order(texts, roles.decimal))
    read = {"numbers": numbers, "dates": dates}
    kind = "dates" if _agree(values, dates.values) else _kind_by_levels(texts)
    if kind in _REASONS:  # most of a column is better than nothing of it
        kind = next((other for other in read if _mostly(values, other, read[other].values)), kind)
    if kind in read:
        return _as_read(roles, name, kind, values, read[kind])
    found = frequent_words(texts) if kind in _REASONS else []
    if found:
        roles.vocabularies[name] = found
        return "words", texts
    roles.levels[name] = int(texts.nunique())
    if example := _with_unit(texts):
        roles.units[name] = example
    if kind == "texts" and (twins := _twins(texts)):
        roles.twins[name] = twins
    return kind, texts


def _with_unit(texts: Any) -> str:
    """Return a text of a column whose texts are mostly numbers with one unit; "" for others."""
    found = texts.dropna().astype(str).str.extract(_UNIT)[0].dropna()
    is_unit = len(found) >= _MOSTLY * texts.notna().sum() and found.nunique() == 1
    return str(texts[found.index[0]])[:40] if is_unit and texts.nunique() > _FEW_SLIPS else ""


def _twins(texts: Any) -> list[str]:
    """Return the first texts that differ in case or blanks alone, none if there are no such."""
    looks: dict[str, list[str]] = {}
    for text in sorted(set(map(str, texts.dropna()))):
        looks.setdefault(look_of(text), []).append(text)
    return next((alike for alike in looks.values() if len(alike) > 1), [])


def _kind_by_levels(texts: Any) -> str:
    rows, levels = int(texts.notna().sum()), int(texts.nunique())
    if levels == rows and levels > 2:
        return "id"
    return "free" if levels > MANY_LEVELS and levels > rows / 2 else "texts"


def _agree(values: Any, read: Any) -> bool:
    """Say whether all values are what they were read as, but for a few slips.

    Where most of them differ, or very many do, they are no codes, and the other texts no more than
    words for missing ones, however often they occur.
    """
    is_wrong = read.isna() & values.notna()
    is_few = values[is_wrong].nunique() <= _FEW_SLIPS
    found, different = int(read.notna().sum()), int(read.nunique())
    is_measured = different > MANY_LEVELS or (different > _FEW_SLIPS and 2 * different > found)
    share = 0.5 if is_measured else _MOSTLY
    return is_few and bool(found >= share * values.notna().sum())


def _mostly(values: Any, kind: str, read: Any) -> bool:
    """Say whether more than half are dates, or numbers that are no codes: some have fractions."""
    are_codes = kind == "numbers" and not (read % 1 > 0).any()
    return not are_codes and bool(2 * read.notna().sum() > values.notna().sum())


def _usual_order(texts: Any, decimal: str) -> str:
    """Return the order of dates that do not tell: the American one if they have its marks."""
    slashes = sum("/" in str(text) for text in texts)
    return "mdy" if decimal == "." and 2 * slashes > texts.notna().sum() else "dmy"


def _as_read(
    roles: ColumnRoles, name: str, kind: str, values: Any, reading: Reading
) -> tuple[str, Any]:
    """Return the kind of a column of texts that are something else, and what they are."""
    read = reading.values
    if read.nunique() == 1:
        return "constant", read
    if kind == "numbers":
        cells.check_size(read, f"column {name!r}")
        if is_id(name, read, roles.total):
            return "id", read
    wrong = values[read.isna() & values.notna()]
    if len(wrong):
        roles.slips[name] = sorted(set(map(str, wrong)))
    if reading.rule:
        roles.readings[name] = reading
    return kind, read


def _settled(roles: ColumnRoles) -> dict[str, Any]:
    """Return the dates that could be read otherwise, read as the other dates of the table are."""
    dates = {name: roles.readings[name] for name in roles.dates if name in roles.readings}
    orders = {read.rule for read in dates.values() if not read.is_ambiguous}
    if len(orders) != 1:
        return {}
    [order] = orders
    doubtful = [name for name, read in dates.items() if read.is_ambiguous and read.rule != order]
    for name in doubtful:
        roles.readings[name] = guess_dates(as_texts(roles.frame[name]), order)
    return {name: roles.readings[name].values for name in doubtful}


def of_kinds(
    frame: Any, kinds: Mapping[str, list[str]], rules: Mapping[str, str], decimal: str
) -> tuple[Any, list[str]]:
    """Return a frame whose columns have the kinds that a model knows, and sentences on slips.

    ``rules`` say how the model reads columns; numbers without one have the file's decimal mark.
    """
    numeric, others = cells.split_numeric(frame)
    numbers, dates = kinds.get("numbers", []), kinds.get("dates", [])
    cells.check_sizes(numeric[[name for name in numbers if name in numeric]])
    columns, sentences = {}, []
    for name in others:
        if cells.is_nested(frame[name]):
            raise BadInput(f"column {name!r} holds lists or other values with parts: fix it.")
        columns[name] = frame[name]
    for name in [name for name in numbers if name in columns]:
        values = cells.without_blanks(columns[name])
        columns[name] = read_numbers(values, rules.get(name, decimal))
        cells.check_size(columns[name], f"column {name!r}")
        sentences += _slips(name, "numbers", values, columns[name])
        sentences += [] if name in rules else _news(name, values, columns[name])
    for name in dates:
        values = cells.without_blanks(frame[name])
        columns[name] = read_dates(values, rules.get(name, "ymd"))
        sentences += _slips(name, "dates", values, columns[name])
    texts = [*kinds.get("texts", []), *kinds.get("words", [])]
    columns |= {name: as_texts(frame[name]) for name in texts}
    numeric = numeric[[name for name in numeric if name not in columns]]
    return cells.side_by_side(numeric, columns)[list(frame.columns)], sentences


def _slips(name: str, kind: str, values: Any, read: Any) -> list[str]:
    """Return what to say of texts among numbers or dates; most of them must be what they are."""
    try:
        said = told_slips(name, kind, values, read)
    except ValueError as error:
        raise BadInput(str(error)) from None
    return [said] if said else []


def _news(name: str, values: Any, read: Any) -> list[str]:
    """Return what to say of numbers that are written otherwise than those the model knows."""
    changed = values[read.notna() & (read != to_numeric(values))]
    if changed.empty:
        return []
    example = f"{str(changed.iloc[0])[:40]!r} is {read[changed.index[0]]:.15g}"
    return [f"read as numbers: {name!r} ({example})."]
