"""Kernels, criteria and engines by name: the registry is Python's own list of subclasses."""

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Sequence
from typing import Any

from kernelwise._arguments import shown

PACKAGE = "kernelwise."


def members(base: Any) -> list[Any]:
    """Return every class derived from a base that can be instantiated, ours last.

    A dictionary made from the list therefore prefers ours where somebody else took a name.
    """
    return sorted(_final_subclasses(base), key=_is_ours)


def _final_subclasses(base: Any) -> Iterator[Any]:
    for cls in base.__subclasses__():
        if inspect.isabstract(cls):
            yield from _final_subclasses(cls)
        else:
            yield cls


def _is_ours(cls: Any) -> bool:
    return str(cls.__module__).startswith(PACKAGE)


def load_modules(package: str, path: Sequence[str]) -> None:
    """Import every public module of a package: a new file is found without being listed."""
    for module in pkgutil.iter_modules(path):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package}.{module.name}")


def check_new_name(cls: Any, base: Any) -> None:
    """Keep a class from outside the package from taking the name of one of ours."""
    name = cls.__dict__.get("name")
    for other in members(base):
        if _is_ours(other) and not _is_ours(cls) and other.name == name:
            raise ValueError(f"the name {name!r} is taken by {other.__name__}: choose another.")


def unknown(what: str, name: object, known: Sequence[str]) -> str:
    """Return one sentence for a name that does not exist, with the nearest one that does."""
    near = difflib.get_close_matches(str(name).lower(), known, n=1)
    hint = f": did you mean {near[0]!r}?" if near else f": choose from {', '.join(known)}."
    return f"unknown {what} {shown(name)}{hint}"
