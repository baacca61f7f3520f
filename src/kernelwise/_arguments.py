"""What users pass as arguments, of whatever type and size."""

import os
import re
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

_LONGEST = 60  # characters of a value in a message
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SHARE = 0.8  # of the free memory, by default


def is_list(value: Any) -> bool:
    """Say whether a value holds others to go through; text does not, nor does an array of one."""
    if isinstance(value, str | bytes) or getattr(value, "ndim", 1) == 0:
        return False
    return isinstance(value, Iterable)


def is_one_of(value: Any, names: Sequence[str | None]) -> bool:
    """Say whether a value is one of the names; an array, which compares by entries, is none."""
    return (value is None or isinstance(value, str)) and value in names


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and short."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def some(items: Sequence[str], most: int = 5) -> str:
    """Return the first few, and how many more there are."""
    first = ", ".join(items[:most])
    return first if len(items) <= most else f"{first} and {len(items) - most} more"


def as_bytes(memory: Any) -> float:
    """Return a budget in bytes.

    A string is an amount ("4GB", "500 MB"), a number up to 1 a share of the free memory, a larger
    one bytes; None stands for most of the free memory.
    """
    if memory is None:
        return _SHARE * free()
    amount = _parse(memory) if isinstance(memory, str) else memory
    if not isinstance(amount, Real) or not float(amount) > 0.0:
        raise ValueError(
            f"memory must be an amount such as '4GB', a share of what is free such as 0.5, or "
            f"None, got {shown(memory)}."
        )
    is_share = amount <= 1.0 and not isinstance(memory, str)
    return float(amount) * (free() if is_share else 1.0)


def _parse(text: str) -> float | None:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?\s*", text.upper())
    return None if match is None else float(match[1]) * _UNITS[match[2]]


def free() -> float:
    """Return the free bytes, infinity where the platform does not tell."""
    try:
        with open("/proc/meminfo") as info:
            return 1024.0 * float(info.read().split("MemAvailable:")[1].split()[0])
    except (OSError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def in_words(amount: float) -> str:
    """Return bytes in readable units."""
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if amount >= size:
            return f"{amount / size:.3g} {unit}"
    return f"{amount / 1000:.3g} kB"
