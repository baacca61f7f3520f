"""What users pass as arguments, of whatever type and size."""

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

_LONGEST = 60  # characters of a value in a message


def as_real(value: Any) -> float | None:
    """Return a real number as a float, None for anything else; a boolean is no number here.

    A number beyond float64, such as the integer 10**400, comes out infinite.
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if abs(value) == value else -math.inf


def as_integer(value: Any) -> int | None:
    """Return an integer, None for anything else; a boolean is none here."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        return None
    return int(value)


def is_list(value: Any) -> bool:
    """Say whether a value holds others to go through; text does not, nor does an array of one."""
    if isinstance(value, str | bytes) or getattr(value, "ndim", 1) == 0:
        return False
    return isinstance(value, Iterable)


def is_one_of(value: Any, choices: Sequence[Any]) -> bool:
    """Say whether a value is one of the choices; an array, which compares by entries, is none."""
    return bool(np.isscalar(value)) and value in choices


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, and short."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not print integers of thousands of digits
        text = f"a {type(value).__name__} too long to print"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
