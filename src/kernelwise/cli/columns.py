"""What kind of column each column is, and which are of no use."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.cli.delimited import MISSING
from kernelwise.cli.screen import BadInput, counted, listed, some
from kernelwise.gram.targets import LARGEST

_MOSTLY = 0.9  # the share of numbers from which on other texts are slips
_FEW_SLIPS = 5
_MANY_LEVELS = 50
_ISO_DATE = r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?"
_NESTED = (list, tuple, set, dict, np.ndarray)
_ID_NAMES = ("id", "index", "row", "rowid", "row_id", "uid", "uuid")

_REASONS = {
    "nested": "lists or other values with parts, left out: {}.",
    "empty": "without any value, left out: {}.",
    "constant": "constant, left out: {}.",
    "id": "a different value in every row, as an identifier has, left out: {}.",
    "free": "texts that hardly ever repeat, left out: {}.",
}


@dataclass
class Plan:
    """What is done with every column.

    Attributes
    ----------
    frame : pandas.DataFrame
        The columns, made uniform: numbers as floats, texts as objects, NaN for what is missing.
    numbers, dates, texts : list of str
        The columns that are used, by what they become.
    useless : dict of str to list of str
        The columns that are not, by reason.
    slips : dict of str to list of str
        The texts in columns of numbers, taken for missing.
    levels : dict of str to int
        The number of different texts, by column.
    """

    frame: Any
    numbers: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    useless: dict[str, list[str]] = field(default_factory=dict)
    slips: dict[str, list[str]] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)

    @property
    def used(self) -> list[str]:
        """The columns that are used."""
        return self.numbers + self.dates + self.texts

    @property
    def sentences(self) -> list[str]:
        """What is done, for a person."""
        said = [_REASONS[reason].format(listed(names)) for reason, names in self.useless.items()]
        for name, texts in self.slips.items():
            said.append(f"{name!r} holds numbers but for {listed(texts)}, taken for missing.")
        if self.texts:
            shown = some([f"{name!r} ({self.levels[name]})" for name in self.texts])
            said.append(f"texts, a 0/1 column for every value: {shown}.")
        many = [name for name in self.texts if self.levels[name] > _MANY_LEVELS]
        if many:
            said.append(f"beyond {_MANY_LEVELS} values the rarer ones are pooled: {listed(many)}.")
        if self.dates:
            said.append(f"dates, as numbers of days: {listed(self.dates)}.")
        return said + self._filled()

    def _filled(self) -> list[str]:
        gaps = self.frame[self.used].isna().sum()
        gaps = gaps[gaps > 0]
        if not len(gaps):
            return []
        means = [
            *(["the median"] if set(gaps.index) - set(self.texts) else []),
            *(["the most frequent text"] if set(gaps.index) & set(self.texts) else []),
        ]
        amount = counted(int(gaps.sum()), "missing value")
        return [f"{amount} in {counted(len(gaps), 'column')} filled in by {' or '.join(means)}."]


def plan_columns(frame: Any) -> Plan:
    """Return what is to be done with the columns of a table, the target left out."""
    import pandas as pd

    plan, columns = Plan(frame), {}
    for name in frame.columns:
        if is_nested(frame[name]):
            plan.useless.setdefault("nested", []).append(name)
            continue
        values = _without_blanks(frame[name])
        if values.isna().all():
            plan.useless.setdefault("empty", []).append(name)
        elif values.nunique() == 1:
            plan.useless.setdefault("constant", []).append(name)
        elif pd.api.types.is_datetime64_any_dtype(values):
            plan.dates.append(name)
        elif pd.api.types.is_numeric_dtype(values) or _mend(plan, name, values):
            columns[name] = _as_numbers(values)
            check_size(columns[name], f"column {name!r}")
            _plan_numbers(plan, name, columns[name])
        else:
            columns[name] = _as_texts(values)
            _plan_texts(plan, name, columns[name])
    plan.frame = frame.assign(**columns)
    return plan


def of_kinds(frame: Any, numbers: list[str], texts: list[str]) -> tuple[Any, list[str]]:
    """Return a frame whose columns have the kinds that a model knows, and sentences on slips."""
    columns, sentences = {}, []
    for name in frame.columns:
        if is_nested(frame[name]):
            raise BadInput(f"column {name!r} holds lists or other values with parts: mend it.")
    for name in numbers:
        values = _without_blanks(frame[name])
        columns[name] = _as_numbers(values)
        check_size(columns[name], f"column {name!r}")
        wrong = values[columns[name].isna() & values.notna()]
        if 2 * len(wrong) > values.notna().sum():
            raise BadInput(
                f"column {name!r} is to hold numbers but has {str(wrong.iloc[0])[:40]!r} in data "
                f"row {wrong.index[0] + 1}: mend it, or leave it empty."
            )
        if len(wrong):
            slips = listed(sorted(set(map(str, wrong))))
            sentences.append(f"{name!r} holds numbers but for {slips}, taken for missing.")
    columns |= {name: _as_texts(frame[name]) for name in texts}
    return frame.assign(**columns), sentences


def is_nested(values: Any) -> bool:
    """Say whether a column holds lists, dicts or arrays."""
    return values.dtype == object and any(isinstance(value, _NESTED) for value in values)


def check_size(values: Any, what: str) -> None:
    """Refuse infinity, and numbers that cannot be computed with."""
    sizes = np.abs(np.asarray(values, dtype=float))
    wrong = np.flatnonzero(sizes > LARGEST)
    if wrong.size == 0:
        return
    row, size = int(values.index[wrong[0]]) + 1, float(sizes[wrong[0]])
    if np.isinf(size):
        raise BadInput(f"{what} holds infinity (data row {row}): mend it, or leave it empty.")
    raise BadInput(
        f"{what} holds a number of size {size:g} (data row {row}), whose square is too large to "
        "compute with: mend it, leave it empty, or give the column in a larger unit."
    )


def _plan_numbers(plan: Plan, name: str, values: Any) -> None:
    """Use a column of numbers unless it is a row's name."""
    identifies = name.lower() in _ID_NAMES or name.startswith("Unnamed: ")
    if identifies and values.is_unique and bool((values == values.round()).all()):
        plan.useless.setdefault("id", []).append(name)
    else:
        plan.numbers.append(name)


def _plan_texts(plan: Plan, name: str, values: Any) -> None:
    present = values.dropna()
    levels = int(present.nunique())
    if present.str.fullmatch(_ISO_DATE).all():
        plan.dates.append(name)
    elif levels == len(present) and levels > 2:
        plan.useless.setdefault("id", []).append(name)
    elif levels > _MANY_LEVELS and levels > len(present) / 2:
        plan.useless.setdefault("free", []).append(name)
    else:
        plan.texts.append(name)
        plan.levels[name] = levels


def _mend(plan: Plan, name: str, values: Any) -> bool:
    """Say whether a column of texts is one of numbers, with a few slips that are noted."""
    present = values.dropna()
    numbers = _as_numbers(present)
    if numbers.notna().mean() < _MOSTLY:
        return False
    slips = sorted({str(text) for text in present[numbers.isna()]})
    if len(slips) > _FEW_SLIPS:
        return False
    if slips:
        plan.slips[name] = slips
    return True


def _without_blanks(values: Any) -> Any:
    """Return a column with NaN for the texts that stand for nothing."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
        return values
    texts = values.astype(object)
    blank = texts.isna() | texts.astype(str).str.strip().isin(MISSING)
    return texts.mask(blank, np.nan)


def _as_numbers(values: Any) -> Any:
    import pandas as pd

    return pd.to_numeric(values, errors="coerce").astype(float)


def _as_texts(values: Any) -> Any:
    """Return a column as texts with NaN for what is missing, whatever pandas made of it."""
    values = _without_blanks(values).astype(object)
    return values.where(values.isna(), values.astype(str).str.strip()).mask(values.isna(), np.nan)
