"""A hash of what a piece of work depends on: arrays, kernels, criteria, settings.

Equal values have equal hashes in every process, however they came about: arrays count by their
numbers, kernels, criteria and other values by their fields. Functions and classes of the user's
have none: the same name may stand for something else tomorrow.
"""

import hashlib
import struct
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp

from kernelwise._registry import PACKAGE
from kernelwise.gram.families import Family

_SIZE = 32  # bytes
_PLAIN = (type(None), str, bool, int, float, np.generic, np.dtype, Enum, slice)


class NotHashable(TypeError):
    """Something of which no hash can tell whether it is the same in another process."""


def fingerprint(*parts: Any) -> bytes:
    """Return the hash of some values."""
    digest = hashlib.blake2b(digest_size=_SIZE)
    for part in parts:
        _add(digest, part)
    return digest.digest()


def _add(digest: Any, value: Any) -> None:
    """Add a value, with its type, so that no two lists of values look alike."""
    if isinstance(value, np.ndarray):
        _add_array(digest, value)
    elif sp.issparse(value):
        _sequence(digest, "sparse", [value.shape, value.indptr, value.indices, value.data])
    elif isinstance(value, bytes):
        _text(digest, "bytes", value)
    elif value is None or isinstance(
        value, str | bool | int | float | np.generic | np.dtype | Enum | slice
    ):
        plain = value.item() if isinstance(value, np.generic) else value
        _text(digest, type(plain).__name__, repr(plain).encode())
    elif isinstance(value, Mapping):
        _sequence(digest, "mapping", [item for pair in value.items() for item in pair])
    elif isinstance(value, Set):
        _sequence(digest, "set", sorted(fingerprint(item) for item in value))
    elif isinstance(value, Sequence):
        _sequence(digest, "sequence", value)
    else:
        _add_object(digest, value)


def _add_object(digest: Any, value: Any) -> None:
    cls = value if isinstance(value, type) else type(value)
    if not cls.__module__.startswith(PACKAGE):  # tomorrow its name may stand for something else
        raise NotHashable(f"{cls.__name__} has no fingerprint.")
    name = f"{cls.__module__}.{cls.__qualname__}"
    if isinstance(value, type):
        _text(digest, "type", name.encode())
        return
    if is_dataclass(value):
        names = [f.name for f in fields(value) if f.init]
    elif isinstance(value, Family):
        names = sorted(vars(value))
    else:
        raise NotHashable(f"{cls.__name__} has no fingerprint.")
    _sequence(digest, name, [item for field in names for item in (field, getattr(value, field))])


def _add_array(digest: Any, array: Any) -> None:
    if array.dtype.hasobject:
        _sequence(digest, "objects", [array.shape, *map(str, array.ravel().tolist())])
        return
    _text(digest, "array", repr((array.dtype.str, array.shape)).encode())
    digest.update(np.ascontiguousarray(array).data)


def _sequence(digest: Any, name: str, values: Sequence[Any]) -> None:
    _text(digest, name, struct.pack("<Q", len(values)))
    for value in values:
        _add(digest, value)


def _text(digest: Any, name: str, content: bytes) -> None:
    digest.update(struct.pack("<II", len(name), len(content)) + name.encode() + content)
