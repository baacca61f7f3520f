"""The papers, element by element: where each is here, and how it was checked.

``python -m kernelwise_papers.elements`` prints ``docs/papers/elements.md`` from
``published/elements.csv``; a test compares the two, and looks for everything that they name.
"""

import re
from typing import Final

from kernelwise_papers import publications
from kernelwise_papers.markdown import table

INTRODUCTION: Final = """\
# The papers, element by element

Printed by `python -m kernelwise_papers.elements`; a test compares this page with it, imports every
object, and looks for every page and every test that it names.

All definitions, theorems, remarks, algorithms, tables, figures and promises of the five papers:
what each is, where it is here, and how it was checked. Tests compare with a naive form written from
the paper; pages show our numbers beside the published ones.
"""
_LINKS: Final = {"pages/": "../../papers/pages/", "docs/": "../"}  # as seen from docs/papers
_TEST: Final = re.compile(r"((?:papers/)?tests/[\w/]+\.py)(?:::(\w+))?")


def text() -> str:
    """Return the page."""
    rows = [
        [e["paper"], e["place"], e["what"], _shown(e["where"]), _checked(e["check"])]
        for e in publications.records("elements")
    ]
    heads = ["paper", "place", "what it is", "where it is here", "how it was checked"]
    return "\n".join([INTRODUCTION, *table(heads, rows), ""])


def parts(cell: str) -> list[str]:
    """Return what a cell names."""
    return [part for part in cell.split("; ") if part]


def _shown(cell: str) -> str:
    shown = []
    for part in parts(cell):
        folder = next((name for name in _LINKS if part.startswith(name)), None)
        if folder is not None:
            shown.append(f"[{part.removeprefix(folder)}]({_LINKS[folder]}{part[len(folder) :]})")
        elif part.startswith("kernelwise"):
            shown.append(f"`{part}`")
        else:
            shown.append(part)
    return ", ".join(shown)


def _checked(cell: str) -> str:
    found = []
    for part in parts(cell):
        match = _TEST.fullmatch(part)
        if match is None:
            raise ValueError(f"{part!r} is not a test.")
        path, name = match.groups()
        link = f"[{path.rpartition('/')[2]}](../../{path})"
        found.append(link if name is None else f"{link}: {name.removeprefix('test_')}")
    return "; ".join(found) or "–"


if __name__ == "__main__":
    print(text(), end="")
