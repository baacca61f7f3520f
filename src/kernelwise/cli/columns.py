"""What kind of column each column is, and which are of no use."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.cli.delimited import MISSING
from kernelwise.cli.screen import BadInput, counted, listed, some
from kernelwise.gram.targets import LARGEST

_MOSTLY = 0.9  # the share of numbers from which on other texts are slips
_FEW_SLIPS = 5
MANY_LEVELS = 50  # columns that one text column may become
_MOST_TEXTS = 5000  # columns
_ISO_DATE = r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?"
_BLANK = frozenset(MISSING)
_NESTED = (list, tuple, set, dict, np.ndarray, bytes)
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
    plan = Plan(frame)
    numeric = _numeric(frame)
    kinds = _kinds_of_numbers(numeric)
    columns: dict[str, Any] = {}
    for name in _others(frame):
        kinds[name], columns[name] = _kind(plan, name, frame[name])
    for name in frame.columns:
        kind = kinds[name]
        if kind in _REASONS:
            plan.useless.setdefault(kind, []).append(name)
        else:
            getattr(plan, kind).append(name)
    plan.frame = _side_by_side(numeric, columns)[plan.used]
    return plan


def _kinds_of_numbers(numeric: Any) -> dict[str, str]:
    """Return "numbers", or why it is of no use, for every column of numbers: all at once."""
    values = numeric.to_numpy()
    check_sizes(numeric)
    lowest = np.fmin.reduce(values, axis=0, initial=np.inf)
    highest = np.fmax.reduce(values, axis=0, initial=-np.inf)
    found = np.where(lowest > highest, "empty", np.where(lowest == highest, "constant", "numbers"))
    kinds = dict(zip(numeric.columns, found.tolist(), strict=True))
    for name in numeric.columns:
        if kinds[name] == "numbers" and _is_id_name(name) and _counts(numeric[name]):
            kinds[name] = "id"
    return kinds


def _kind(plan: Plan, name: str, raw: Any) -> tuple[str, Any]:
    """Return the kind of a column that was not read as numbers, and its values made uniform."""
    import pandas as pd

    if is_nested(raw):
        return "nested", raw
    values = _without_blanks(raw)
    if values.isna().all():
        return "empty", values
    if values.nunique() == 1:
        return "constant", values
    if pd.api.types.is_datetime64_any_dtype(values):
        return "dates", values
    if _mend(plan, name, values):
        numbers = _as_numbers(values)
        check_size(numbers, f"column {name!r}")
        return "id" if _is_id_name(name) and _counts(numbers) else "numbers", numbers
    texts = _as_texts(values)
    return _kind_of_texts(plan, name, texts), texts


def of_kinds(frame: Any, numbers: list[str], texts: list[str]) -> tuple[Any, list[str]]:
    """Return a frame whose columns have the kinds that a model knows, and sentences on slips."""
    numeric, sentences = _numeric(frame), []
    check_sizes(numeric[[name for name in numbers if name in numeric]])
    columns = {}
    for name in _others(frame):
        if is_nested(frame[name]):
            raise BadInput(f"column {name!r} holds lists or other values with parts: mend it.")
        columns[name] = frame[name]
    for name in [name for name in numbers if name in columns]:
        values = _without_blanks(columns[name])
        columns[name] = _as_numbers(values)
        check_size(columns[name], f"column {name!r}")
        sentences += _slips(name, values, columns[name])
    columns |= {name: _as_texts(frame[name]) for name in texts}
    numeric = numeric[[name for name in numeric if name not in columns]]
    return _side_by_side(numeric, columns)[list(frame.columns)], sentences


def _slips(name: str, values: Any, numbers: Any) -> list[str]:
    """Return what to say of texts in a column of numbers; most of them must be numbers."""
    wrong = values[numbers.isna() & values.notna()]
    if 2 * len(wrong) > values.notna().sum():
        raise BadInput(
            f"column {name!r} is to hold numbers but has {str(wrong.iloc[0])[:40]!r} in data "
            f"row {wrong.index[0] + 1}: mend it, or leave it empty."
        )
    slips = listed(sorted(set(map(str, wrong))))
    return [f"{name!r} holds numbers but for {slips}, taken for missing."] if slips else []


def _numeric(frame: Any) -> Any:
    """Return the columns that were read as numbers or booleans, as floats in one piece."""
    import pandas as pd

    names = frame.columns[[pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]]
    values = frame[names].to_numpy(dtype=float, na_value=np.nan)
    return pd.DataFrame(values, columns=names, index=frame.index)


def _others(frame: Any) -> list[str]:
    """Return the columns that were not; each takes a millisecond."""
    import pandas as pd

    kinds = zip(frame.columns, frame.dtypes, strict=True)
    names = [name for name, kind in kinds if not pd.api.types.is_numeric_dtype(kind)]
    if len(names) > _MOST_TEXTS:
        raise BadInput(
            f"{len(names):,} columns hold something else than numbers, more than {_MOST_TEXTS:,}: "
            "leave some out, or turn them into numbers."
        )
    return names


def _side_by_side(numeric: Any, columns: dict[str, Any]) -> Any:
    """Return one frame; adding columns one by one takes time in proportion to their square."""
    import pandas as pd

    return pd.concat([numeric, pd.DataFrame(columns, index=numeric.index)], axis=1)


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


def check_sizes(numeric: Any) -> None:
    """Refuse them in any column of a frame."""
    wrong = (np.abs(numeric.to_numpy()) > LARGEST).any(axis=0)
    if wrong.any():
        name = numeric.columns[int(wrong.argmax())]
        check_size(numeric[name], f"column {name!r}")


def _is_id_name(name: str) -> bool:
    return name.lower() in _ID_NAMES or name.startswith("Unnamed: ")


def _counts(values: Any) -> bool:
    """Say whether numbers could be those of the rows: integers, all different."""
    return bool(values.is_unique and (values == values.round()).all())


def _kind_of_texts(plan: Plan, name: str, values: Any) -> str:
    present = values.dropna()
    levels = int(present.nunique())
    if present.str.fullmatch(_ISO_DATE).all():
        return "dates"
    if levels == len(present) and levels > 2:
        return "id"
    if levels > MANY_LEVELS and levels > len(present) / 2:
        return "free"
    plan.levels[name] = levels
    return "texts"


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
    cells, blank = _cells(values)
    return pd.Series(np.where(blank, np.nan, cells), index=values.index, dtype=object)


def _cells(values: Any) -> tuple[Any, Any]:
    """Return the values of a column as they are, and which of them stand for nothing."""
    import pandas as pd

    cells = values.to_numpy(dtype=object)
    texts = (str(cell).strip() in _BLANK for cell in cells)
    return cells, pd.isna(cells) | np.fromiter(texts, dtype=bool, count=len(cells))


def _as_numbers(values: Any) -> Any:
    import pandas as pd

    return pd.to_numeric(values, errors="coerce").astype(float)


def _as_texts(values: Any) -> Any:
    """Return a column as texts with NaN for what is missing, whatever pandas made of it."""
    import pandas as pd

    cells, blank = _cells(values)
    texts = [
        np.nan if is_blank else str(c).strip() for c, is_blank in zip(cells, blank, strict=True)
    ]
    return pd.Series(texts, index=values.index, dtype=object)
