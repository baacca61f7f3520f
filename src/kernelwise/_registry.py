"""Kernels and criteria by name: the registry is Python's own list of subclasses."""

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Sequence
from typing import Any

from kernelwise._arguments import shown

PACKAGE = "kernelwise."


def members(base: Any) -> list[Any]:
    """Return every class derived from a base that can be instantiated; ours last, to win names."""
    ours: list[Any] = []
    others: list[Any] = []
    for cls in base.__subclasses__():
        for member in members(cls) if inspect.isabstract(cls) else [cls]:
            (ours if member.__module__.startswith(PACKAGE) else others).append(member)
    return others + ours


def load_modules(package: str, path: Sequence[str]) -> None:
    """Import every public module of a package: a new file is found without being listed."""
    for module in pkgutil.iter_modules(path):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")


def unknown(what: str, name: object, known: Sequence[str], alike: float = 0.6) -> str:
    """Return one sentence for a name that does not exist, with another if one is so alike."""
    near = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=alike)
    hint = f": did you mean {near[0]!r}?" if near else f": choose from {', '.join(known)}."
    return f"unknown {what} {shown(name)}{hint}"
