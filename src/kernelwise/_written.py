"""Numbers and dates as people write them: ``62,374.96``, ``€ 1.200,50``, ``31/12/2023``.

A column is read by a rule: the decimal mark of its numbers, or the order of day, month and year in
its dates. All values of a column decide on its rule, once, and a saved model keeps it. The model
refers to :func:`numbers` and :func:`~kernelwise._dates.days`: so they stand below whatever reads
models.
"""

import datetime
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kernelwise._arguments import some
from kernelwise._texts import as_pandas, as_texts

MARKS = (".", ",")
ORDERS = ("ymd", "dmy", "mdy")
_CODES = "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD INR JPY KRW MXN NOK NZD PLN RUB SEK USD ZAR"
_MONEY = rf"(?:[A-Z]{{0,2}}[$¢£¥₠-₿]|{_CODES.replace(' ', '|')}|kr|zł)"
_AS_TYPED = str.maketrans("−’\u00a0\u2009\u202f", "-'   ")  # what typesetters use instead
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}"
_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}.*)?", re.ASCII)
_DATE = re.compile(
    rf"(\d{{1,4}}|{_MONTH})[-/., ]+(\d{{1,2}}|{_MONTH})[-/., ]+(\d{{1,4}})"
    r"(?:[T, ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(?: ?([ap])\.?m\.?)?)?",
    re.ASCII | re.IGNORECASE,
)
_TWO_DIGITS_FROM = 69  # of a year: 69 is 1969 and 68 is 2068, as POSIX has it


@dataclass(frozen=True, eq=False)
class Reading:
    """A column of texts as numbers or dates."""

    values: Any  # floats or dates, with a gap for what is neither
    rule: str  # one of MARKS or of ORDERS; "" where nothing had to be decided
    example: str = ""  # what the rule makes of a text
    is_ambiguous: bool = False  # whether another rule reads as many values, in another way
    currencies: tuple[str, ...] = ()  # that occur


def guess_numbers(values: Any, usual: str) -> Reading:
    """Read a column by the decimal mark that makes most sense of it; in doubt by the usual one."""
    counts = Counter(values.dropna())
    plain = _plain(counts)
    read = {mark: _numbers(plain, mark) for mark in sorted(MARKS, key=usual.__ne__)}
    mark, is_ambiguous = _best(read, counts)
    numbers = _floats(values, read[mark])
    known = {text: x for text, x in read[mark].items() if x is not None and isinstance(text, str)}
    # Another mark than the usual one is to be remembered even where the texts are plain numbers.
    decided = [text for text, x in known.items() if mark != usual or x != plain[text]]
    if not decided:
        return Reading(numbers, "")
    text = max(decided, key=len)
    example = f"{text[:40]!r} is {known[text]:.15g}"
    money = {sign for text in decided for sign in re.findall(_MONEY, text)}
    return Reading(numbers, mark, example, is_ambiguous, tuple(sorted(money)))


def guess_dates(texts: Any, usual: str) -> Reading:
    """Read a column by the order that makes most sense of it; in doubt by the usual one."""
    counts = Counter(texts.dropna())
    read = {
        order: {text: _iso(text, order) for text in counts}
        for order in sorted(ORDERS, key=usual.__ne__)
    }
    order, is_ambiguous = _best(read, counts)
    dates = _timestamps(texts, read[order])
    if read["ymd"] == read[order]:  # nothing had to be decided
        return Reading(dates, "")
    text = max((text for text in counts if read[order][text]), key=len)
    example = f"{text[:40]!r} is {read[order][text]}".removesuffix("T00:00:00")
    return Reading(dates, order, example, is_ambiguous)


def _best(read: Mapping[str, Mapping[Any, Any]], counts: Mapping[Any, int]) -> tuple[str, bool]:
    """Return the rule that reads most values, the first of equals, and whether one is as good."""
    found = {
        rule: sum(counts[cell] for cell, value in known.items() if value is not None)
        for rule, known in read.items()
    }
    best = max(found, key=lambda rule: found[rule])
    return best, any(found[rule] == found[best] and read[rule] != read[best] for rule in read)


def is_written(text: str) -> bool:
    """Say whether a text is a number or a date by any rule."""
    marks = (_value(text, mark) is not None for mark in MARKS)
    return any(marks) or any(_iso(text, order) is not None for order in ORDERS)


def numbers(frame: Any, rules: Mapping[str, str] | None = None) -> Any:
    """Return a frame whose columns of texts are numbers, plain ones or by a rule: a decimal mark.

    What has no names of columns has no texts, and stays as it is.
    """
    if not hasattr(frame, "columns"):
        return frame
    frame = as_pandas(frame)
    texts = [name for name in frame if not _is_plain(frame[name].dtype)]
    return frame.assign(**{name: _column(frame[name], (rules or {}).get(name)) for name in texts})


def _is_plain(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iufb"


def _column(values: Any, mark: str | None) -> Any:
    """Return a column as floats; of texts that are no numbers it warns, and refuses many."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    texts = as_texts(values)
    read = to_numeric(texts).astype(float) if mark is None else read_numbers(texts, mark)
    if said := told_slips(values.name, "numbers", texts, read):
        warnings.warn(said, stacklevel=2)
    return read


def told_slips(name: str, kind: str, values: Any, read: Any) -> str:
    """Return a sentence on texts among numbers or dates, if any; most must be what they are."""
    is_wrong = (read.isna() & values.notna()).to_numpy()
    wrong = values[is_wrong]
    if 2 * len(wrong) > values.notna().sum():
        raise ValueError(
            f"column {name!r} is to hold {kind} but has {str(wrong.iloc[0])[:40]!r} in data "
            f"row {is_wrong.argmax() + 1}: fix it, or leave it empty."
        )
    slips = some([repr(text) for text in sorted(set(map(str, wrong)))])
    return f"{name!r} holds {kind} but for {slips}, taken for missing." if slips else ""


def read_numbers(values: Any, mark: str) -> Any:
    """Return a column as floats, with NaN for what is not a number; numbers stay as they are."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    return _floats(values, _numbers(_plain(values.dropna().unique()), mark))


def _plain(cells: Iterable[Any]) -> dict[Any, float | None]:
    """Return the plain numbers among different cells."""
    import pandas as pd

    known = pd.Series(list(cells), dtype=object)
    found = to_numeric(known).astype(float).tolist()
    return {c: None if math.isnan(x) else x for c, x in zip(known, found, strict=True)}


def _numbers(plain: Mapping[Any, float | None], mark: str) -> dict[Any, float | None]:
    """Return the numbers among different cells, of which the plain ones are known."""
    return {
        cell: _value(cell, mark)
        if isinstance(cell, str) and (number is None or (mark == "," and "." in cell))
        else number
        for cell, number in plain.items()
    }


def _floats(values: Any, read: Mapping[Any, float | None]) -> Any:
    import pandas as pd

    return pd.Series([read.get(cell) for cell in values], index=values.index, dtype=float)


@cache
def _number(mark: str) -> re.Pattern[str]:
    """Return what a number looks like, alone or with a sign for money or per cent."""
    other = MARKS[1 - MARKS.index(mark)]
    # The last group has three digits; the others have two in India.
    grouped = rf"[1-9]\d{{0,2}}(?P<gap>[{other}' ])(?:\d{{2,3}}(?P=gap))*\d{{3}}"
    digits = rf"(?=\{mark}?\d)(?:{grouped}|\d*)(?:\{mark}\d*)?(?:[eE][+-]?\d+)?"
    before = rf"(?P<first>[-+(]?)\s*(?:{_MONEY})?\s*(?P<second>[-+]?)\s*"
    after = rf"\s*(?:{_MONEY}|%)?\s*(?P<last>[-)]?)"
    return re.compile(f"{before}(?P<digits>{digits}){after}", re.ASCII)


def _value(text: str, mark: str) -> float | None:
    match = _number(mark).fullmatch(text.translate(_AS_TYPED).strip())
    signs = match["first"] + match["second"] + match["last"] if match else "?"
    if match is None or signs not in ("", "+", "-", "()"):
        return None
    digits = match["digits"].replace(match["gap"], "") if match["gap"] else match["digits"]
    return float(digits.replace(mark, ".")) * (-1.0 if signs in ("-", "()") else 1.0)


def to_numeric(values: Any) -> Any:
    """Return a column as integers or floats, with NaN for what is not a plain number."""
    import pandas as pd

    return pd.to_numeric(values, errors="coerce")


def read_dates(values: Any, order: str) -> Any:
    """Return a column as dates in UTC, without saying so, with NaT for what is not a date."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(values):
        return pd.to_datetime(values, utc=True).dt.tz_localize(None)
    return _timestamps(
        values, {cell: _iso(str(cell).strip(), order) for cell in values.dropna().unique()}
    )


def _timestamps(values: Any, read: Mapping[Any, str | None]) -> Any:
    import pandas as pd

    texts = pd.Series([read.get(cell) for cell in values], index=values.index, dtype=object)
    if not any(read.values()):
        return texts.astype("datetime64[us]")
    dates = pd.to_datetime(texts, errors="coerce", format="ISO8601", utc=True).dt.tz_localize(None)
    lost = (dates.isna() & texts.notna()).to_numpy()
    if not lost.any():
        return dates
    # pandas before 3 reads dates as nanoseconds, of which there are none before 1677 or after 2262.
    moments = dates.to_numpy().astype("datetime64[us]")
    moments[lost] = [_moment(text) for text in texts[lost]]
    return pd.Series(moments, index=values.index)


def _moment(text: str) -> np.datetime64:
    """Return a date of ISO 8601 in UTC, by the calendar of Python; NaT for what is none."""
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return np.datetime64("NaT", "us")
    zone = moment.utcoffset() or datetime.timedelta()
    return np.datetime64(moment.replace(tzinfo=None), "us") - np.timedelta64(zone)


def _iso(text: str, order: str) -> str | None:
    """Return a date as ISO 8601 has it; None for what is no date."""
    match = _DATE.fullmatch(text)
    if match is None:
        return text if _ISO.fullmatch(text) else None  # one with a time zone, say
    first, second, third, *time = match.groups()
    if re.fullmatch(r"\d{4}", first):  # nobody writes the year before the day and then the month
        order = "ymd"
    elif order == "ymd":
        return None
    parts = dict(zip(order, (first, second, third), strict=True))
    try:
        day = datetime.date(_year(parts["y"]), _month(parts["m"]), int(parts["d"]))
        return datetime.datetime.combine(day, _time(*time)).isoformat()
    except ValueError:
        return None


def _year(text: str) -> int:
    if len(text) == 4:
        return int(text)
    if len(text) != 2:
        raise ValueError("a year has two or four digits")
    return int(text) + (1900 if int(text) >= _TWO_DIGITS_FROM else 2000)


def _month(text: str) -> int:
    return int(text) if text.isdecimal() else _MONTHS.index(text[:3].lower()) + 1


def _time(
    hour: str | None, minute: str | None, second: str | None, part: str | None, half: str | None
) -> datetime.time:
    """Return a time of the day; "half" is a or p, before or after noon."""
    if hour is None or minute is None:
        return datetime.time()
    hours = int(hour)
    if half is not None:
        if not 1 <= hours <= 12:
            raise ValueError("a clock of two halves has twelve hours")
        hours = hours % 12 + (12 if half in "pP" else 0)
    return datetime.time(hours, int(minute), int(second or 0), int((part or "").ljust(6, "0")))
