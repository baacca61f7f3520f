"""Kernels, criteria and numbers as plain data that JSON can hold, and back."""

import dataclasses
import math
from typing import Any

import numpy as np

from kernelwise._registry import members, unknown
from kernelwise.criteria import Criterion, get
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import Array

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def from_kernel(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as its class name and parameters."""
    return {"kernel": type(kernel).__name__, **_parameters(kernel)}


def to_kernel(plain: dict[str, Any]) -> Kernel:
    """Return the kernel that plain data describes; it must be a known one."""
    known = {cls.__name__: cls for cls in members(Kernel)}
    parameters = dict(plain)
    name = str(parameters.pop("kernel", None))
    if name not in known:
        raise ValueError(unknown("kernel", name, sorted(known)))
    kernel = known[name](**{field: _restored(value) for field, value in parameters.items()})
    assert isinstance(kernel, Kernel)
    return kernel


def from_criterion(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion as its name and parameters; a splitter of folds is left out."""
    kept = {k: v for k, v in _parameters(criterion).items() if _is_plain(v)}
    return {"criterion": criterion.name, **kept}


def to_criterion(plain: dict[str, Any]) -> Criterion:
    """Return the criterion that plain data describes."""
    parameters = dict(plain)
    return get(str(parameters.pop("criterion", None)), **parameters)


def from_numbers(values: Array) -> list[Any]:
    """Return numbers as JSON knows them: null for NaN, text for infinities."""
    return [_plain_number(value) for value in np.asarray(values, dtype=float).tolist()]


def to_numbers(plain: list[Any]) -> Array:
    """Return numbers that were written as JSON."""
    return np.array([to_number(value) for value in plain], dtype=float)


def to_number(value: Any) -> float:
    """Return one number that was written as JSON."""
    return math.nan if value is None else float(_INFINITE.get(value, value))


def from_number(value: float) -> Any:
    """Return one number as JSON knows it."""
    return _plain_number(float(value))


def _plain_number(value: float) -> Any:
    if math.isnan(value):
        return None
    return ("inf" if value > 0.0 else "-inf") if math.isinf(value) else value


def _parameters(owner: Any) -> dict[str, Any]:
    return {f.name: _plain(getattr(owner, f.name)) for f in dataclasses.fields(owner) if f.init}


def _plain(value: Any) -> Any:
    if isinstance(value, Kernel):
        return from_kernel(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        return to_kernel(value)
    return tuple(map(_restored, value)) if isinstance(value, list) else value


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
