"""The reference has a page for every public name, and names nothing that does not exist."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import kernelwise as kw
from inside import figures, report, targets

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "api.md").read_text()
# A bound is added to the package itself, not from outside.
UNLISTED = {("bounds.md", name) for name in ("Learner", "Paper", "Quantity", "Theorem", "states")}
LISTED = re.findall(r"(?m)^   ([A-Za-z_][\w.]*)$", PAGE)


def public_names():
    """The names of the package and of its public modules, by the shortest path to each."""
    found = [name for name in kw.__all__ if not isinstance(getattr(kw, name), ModuleType)]
    parts = {"criteria": kw.criteria, "bounds": kw.bounds, "figures": figures, "gram": kw.gram}
    parts |= {"kernels": kw.kernels, "machines": kw.machines, "selection": kw.selection}
    parts["report"] = report
    for part, module in parts.items():
        for name, value in vars(module).items():
            is_own = getattr(value, "__module__", "").startswith("kernelwise.")
            if not name.startswith("_") and is_own and name != "load_modules":
                found.append(f"{part}.{name}")
    return [*found, *(f"kernels.grids.{name}" for name in dir(kw.grids) if name[0] != "_")]


def resolved(name):
    value = kw
    for part in name.split("."):
        value = getattr(value, part)
    return value


def test_every_public_name_has_a_page():
    pages = [resolved(name) for name in LISTED]
    missing = [n for n in public_names() if not any(resolved(n) is page for page in pages)]
    assert not missing


def test_every_page_is_of_something_once():
    assert len(set(LISTED)) == len(LISTED) > 100
    for name in LISTED:
        assert resolved(name) is not None
    assert targets.IntegerTargetWarning in set(map(resolved, LISTED))


def test_pages_import_what_is_listed():
    """An example in the documentation uses no name of ours that may change without notice."""
    pages = [resolved(name) for name in LISTED]
    for path in sorted((ROOT / "docs").glob("*.md")):
        found = re.findall(r"(?m)^(?:>>> )?from (kernelwise[\w.]*) import (.+)$", path.read_text())
        for module, names in found:
            for name in re.findall(r"\b(?!as\b)\w+", re.sub(r" as \w+", "", names)):
                value = getattr(import_module(module), name)
                is_listed = isinstance(value, ModuleType) or any(value is page for page in pages)
                assert is_listed or (path.name, name) in UNLISTED, f"{path.name}: {name}"


def test_what_is_listed_says_what_it_is():
    for name in LISTED:
        value = resolved(name)
        assert isinstance(value.__doc__, str) and len(value.__doc__) > 20, name


def sections_of(function: Callable) -> dict[str, str]:
    """The sections of a docstring, by their titles."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-+\n", f"{inspect.getdoc(function)}\n")
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def undocumented(function: Callable) -> list[str]:
    """Parameters that are in either the signature or the docstring, and a result not described."""
    sections = sections_of(function)
    entries = re.findall(r"(?m)^(\S.*)$", sections.get("Parameters", ""))
    named = {name.strip(" *") for entry in entries for name in entry.split(" : ")[0].split(",")}
    signature = inspect.signature(function)
    missing = sorted(set(signature.parameters) ^ named)
    has_result = signature.return_annotation not in (None, "None")
    if has_result and {"Returns", "Yields"}.isdisjoint(sections):
        missing.append("Returns")
    return missing


def public_functions() -> dict[str, Callable]:
    """Plain functions with parameters, and what is made of them, among all public names."""
    found = {name: resolved(name) for name in [*LISTED, *public_names()]}
    functions = {n: v for n, v in found.items() if callable(v) and not isinstance(v, type)}
    return {n: v for n, v in functions.items() if inspect.signature(v).parameters}


def test_every_function_documents_its_parameters_and_its_result():
    functions = public_functions()
    assert len({id(function) for function in functions.values()}) > 40
    gaps = {name: undocumented(function) for name, function in functions.items()}
    assert {name: gap for name, gap in gaps.items() if gap} == {}


def test_gaps_of_a_docstring_are_found():
    def function(a, *rest, b=1, **others) -> int:
        """Do something with a, b and others.

        Parameters
        ----------
        a, gone
            Numbers.
        *rest : int

        Notes
        -----
        b : int
        """

    assert undocumented(function) == ["b", "gone", "others", "Returns"]
    function.__annotations__["return"] = None
    assert undocumented(function) == ["b", "gone", "others"]
