"""Kernels, criteria, numbers and dataclasses of them as plain data that JSON can hold, and back.

The data may come from anybody, so anything of the wrong type raises a ValueError.
"""

import json
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, get_args, get_origin

import numpy as np

from kernelwise._registry import members, unknown
from kernelwise._types import Array
from kernelwise.criteria import Criterion, get
from kernelwise.kernels import Function, Kernel

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_MOST_DIGITS = 19  # of an integer: those of a count
_LONGEST = 200  # characters of a reason
_SHOWN = 40  # characters of what is wrong
_INNER = "inner"  # a kernel's parameter "kernel": that name is for the class


# What the functions below, and the constructors they call, raise on damaged data.
WRONG = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError)


def reason(error: Exception) -> str:
    """Return what is wrong with data, in a few words."""
    text = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
    return " ".join(text.split())[:_LONGEST]


def parse(text: str) -> Any:
    """Parse JSON, refusing duplicate names and numbers that are huge or not finite."""
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


def to_plain(value: Any) -> Any:
    """Return a value as JSON knows it: null for NaN, text for infinities, lists for arrays."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if is_dataclass(value):
        return _dataclass_to_plain(value)
    if isinstance(value, dict):
        return {name: to_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _dataclass_to_plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Kernel):
        return kernel_to_dict(value)
    if isinstance(value, Criterion):
        return _criterion_to_dict(value)
    own = getattr(value, "to_dict", None)
    return fields_to_plain(value) if own is None else dict(own())


def kernel_to_dict(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as its class name and parameters."""
    parameters = fields_to_plain(kernel)
    if isinstance(kernel, Function):
        parameters["function"] = kernel.name
    if "kernel" in parameters:
        parameters[_INNER] = parameters.pop("kernel")
    return {"kernel": type(kernel).__name__, **parameters}


def _criterion_to_dict(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion as its name and parameters; a splitter of folds is left out."""
    plain = (bool, int, float, str, type(None))
    kept = {k: v for k, v in fields_to_plain(criterion).items() if isinstance(v, plain)}
    return {"criterion": criterion.name, **kept}


def fields_to_plain(owner: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, as plain data."""
    return {f.name: to_plain(getattr(owner, f.name)) for f in fields(owner) if f.init}


def from_plain(kind: Any, plain: Any, what: str) -> Any:
    """Return the value of a type that plain data describes; ``what`` names it in messages."""
    if kind in _READERS:
        return _READERS[kind](plain, what)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is UnionType:  # with None
        return None if plain is None else from_plain(parts[0], plain, what)
    if origin is dict:
        _require(isinstance(plain, dict), "mapping", plain, what)
        return {name: from_plain(parts[1], value, what) for name, value in plain.items()}
    if origin in (tuple, list):
        _require(isinstance(plain, list), "list", plain, what)
        return origin(from_plain(parts[0], value, what) for value in plain)
    own = getattr(kind, "from_dict", None)
    return kind(**fields_from_plain(kind, plain)) if own is None else own(plain)


def fields_from_plain(cls: Any, plain: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that plain data describes."""
    return {f.name: from_plain(f.type, plain[f.name], f.name) for f in fields(cls)}


def _require(holds: bool, kind: str, plain: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} is no {kind} but {str(plain)[:_SHOWN]}")


def kernel_from_dict(plain: Any, what: str = "kernel") -> Kernel:
    """Return the kernel that plain data describes; it must be a known one."""
    known = {cls.__name__: cls for cls in members(Kernel)}
    parameters = from_plain(dict[str, Any], plain, what)
    name = str(parameters.pop("kernel", None))
    if name == "Scaled" and "factor" in parameters:
        name = "Multiple"  # which earlier versions called so
    if _INNER in parameters:
        parameters["kernel"] = parameters.pop(_INNER)
    if name not in known:
        raise ValueError(unknown("kernel", name, sorted(known)))
    kernel = known[name](**{field: _restored(value) for field, value in parameters.items()})
    assert isinstance(kernel, Kernel)
    return kernel


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return kernel_from_dict(value)
    return tuple(map(_restored, value)) if isinstance(value, list) else value


def _criterion_from_dict(plain: Any, what: str) -> Criterion:
    parameters = from_plain(dict[str, Any], plain, what)
    return get(str(parameters.pop("criterion", None)), **parameters)


def _text(plain: Any, what: str) -> str:
    _require(isinstance(plain, str), "text", plain, what)
    return str(plain)


def _count(plain: Any, what: str) -> int:
    is_integer = isinstance(plain, int) and not isinstance(plain, bool)
    _require(is_integer and plain >= 0, "count", plain, what)
    return int(plain)


def _number(plain: Any, what: str) -> float:
    if plain is None:
        return math.nan
    if isinstance(plain, str) and plain in _INFINITE:
        return _INFINITE[plain]
    is_number = isinstance(plain, int | float) and not isinstance(plain, bool)
    _require(is_number, "number", plain, what)
    return float(plain)


_READERS: dict[Any, Callable[[Any, str], Any]] = {
    Any: lambda plain, what: plain,
    str: _text,
    int: _count,
    float: _number,
    Array: lambda plain, what: np.array(from_plain(list[float], plain, what), dtype=float),
    Kernel: kernel_from_dict,
    Criterion: _criterion_from_dict,
}
