"""Kernels, criteria and numbers as plain data that JSON can hold, and back.

What comes back may have been written by anybody: whatever is not of its kind is a ValueError.
"""

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kernelwise._registry import members, unknown
from kernelwise._types import Array
from kernelwise.criteria import Criterion, get
from kernelwise.kernels import Kernel

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_MOST_DIGITS = 19  # of an integer: those of a count
_LONGEST = 200  # characters of a reason
_SHOWN = 40  # characters of what is wrong


# What damaged data make of the functions below, and of the constructors that they call.
WRONG = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)


def reason(error: Exception) -> str:
    """Return what is wrong with data, in a few words."""
    text = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
    return " ".join(text.split())[:_LONGEST]


def parse(text: str) -> Any:
    """Return the plain data of a JSON text that says one thing: no name twice, no huge numbers."""
    readers: dict[str, Any] = {"parse_int": _integer, "parse_float": _real, "parse_constant": _real}
    try:
        return json.loads(text, object_pairs_hook=_unique, **readers)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) < len(pairs):
        raise ValueError("it has a name twice")
    return plain


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"it has an integer of {len(digits)} digits")
    return int(digits)


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"it has the number {text[:_SHOWN]}, which is not finite")
    return value


def to_text(plain: Any, what: str) -> str:
    """Return a text that was written as JSON."""
    if not isinstance(plain, str):
        raise ValueError(f"{what} is no text but {str(plain)[:_SHOWN]}")
    return plain


def to_list(plain: Any, what: str, item: Callable[[Any, str], Any]) -> list[Any]:
    """Return a list that was written as JSON, every item of the same kind."""
    if not isinstance(plain, list):
        raise ValueError(f"{what} is no list but {str(plain)[:_SHOWN]}")
    return [item(value, what) for value in plain]


def to_mapping(plain: Any, what: str, item: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Return names and what they stand for, as they were written as JSON."""
    if not isinstance(plain, dict):
        raise ValueError(f"{what} is no mapping but {str(plain)[:_SHOWN]}")
    return {name: item(value, what) for name, value in plain.items()}


def to_count(plain: Any, what: str) -> int:
    """Return how many there are of something, as it was written as JSON."""
    if not isinstance(plain, int) or isinstance(plain, bool) or plain < 0:
        raise ValueError(f"{what} is no count but {str(plain)[:_SHOWN]}")
    return plain


def kernel_to_dict(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as its class name and parameters."""
    return {"kernel": type(kernel).__name__, **_parameters(kernel)}


def kernel_from_dict(plain: Any, what: str = "kernel") -> Kernel:
    """Return the kernel that plain data describes; it must be a known one."""
    known = {cls.__name__: cls for cls in members(Kernel)}
    parameters = to_mapping(plain, what, lambda value, _: value)
    name = str(parameters.pop("kernel", None))
    if name not in known:
        raise ValueError(unknown("kernel", name, sorted(known)))
    kernel = known[name](**{field: _restored(value) for field, value in parameters.items()})
    assert isinstance(kernel, Kernel)
    return kernel


def criterion_to_dict(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion as its name and parameters; a splitter of folds is left out."""
    plain = (bool, int, float, str, type(None))
    kept = {k: v for k, v in _parameters(criterion).items() if isinstance(v, plain)}
    return {"criterion": criterion.name, **kept}


def criterion_from_dict(plain: Any, what: str = "criterion") -> Criterion:
    """Return the criterion that plain data describes."""
    parameters = to_mapping(plain, what, lambda value, _: value)
    return get(str(parameters.pop("criterion", None)), **parameters)


def numbers_to_list(values: Array) -> list[Any]:
    """Return numbers as JSON knows them."""
    return [number_to_plain(value) for value in np.asarray(values, dtype=float).tolist()]


def to_numbers(plain: Any, what: str) -> Array:
    """Return numbers that were written as JSON."""
    return np.array(to_list(plain, what, to_number), dtype=float)


def to_number(plain: Any, what: str) -> float:
    """Return one number that was written as JSON."""
    if plain is None:
        return math.nan
    if isinstance(plain, str) and plain in _INFINITE:
        return _INFINITE[plain]
    if not isinstance(plain, int | float) or isinstance(plain, bool):
        raise ValueError(f"{what} is no number but {str(plain)[:_SHOWN]}")
    return float(plain)


def number_to_plain(value: float) -> Any:
    """Return one number as JSON knows it: null for NaN, text for infinities."""
    value = float(value)
    if math.isnan(value):
        return None
    return ("inf" if value > 0.0 else "-inf") if math.isinf(value) else value


def _parameters(owner: Any) -> dict[str, Any]:
    return {f.name: _plain(getattr(owner, f.name)) for f in dataclasses.fields(owner) if f.init}


def _plain(value: Any) -> Any:
    if isinstance(value, Kernel):
        return kernel_to_dict(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return kernel_from_dict(value)
    return tuple(map(_restored, value)) if isinstance(value, list) else value
