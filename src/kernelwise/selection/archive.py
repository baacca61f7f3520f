"""Kernels, criteria, numbers and dataclasses of them as plain data that JSON can hold."""

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from kernelwise.criteria import Criterion
from kernelwise.kernels import Function, Kernel

_INNER = "inner"  # a kernel's parameter "kernel": that name is for the class


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
