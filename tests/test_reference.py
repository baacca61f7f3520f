"""The reference has a page for every public name, and names nothing that does not exist."""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import kernelwise as kw
from kernelwise import figures, report, targets
from kernelwise.cli.formats import base as formats

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
    assert {targets.IntegerTargetWarning, formats.Format} <= set(map(resolved, LISTED))


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
