"""The table of the papers' elements names nothing that is not there."""

import importlib
import re
from pathlib import Path

import pytest

from kernelwise import bounds, criteria
from kernelwise_papers import criteria as criteria_of_papers
from kernelwise_papers import elements, publications
from kernelwise_papers.catalog import EXPERIMENTS

ROOT = Path(__file__).parents[2]
ELEMENTS = publications.records("elements")


def test_the_page_is_printed_by_the_command():
    assert (ROOT / "docs" / "papers" / "elements.md").read_text() == elements.text()


def named(start):
    cells = [part for e in ELEMENTS for part in elements.parts(e["where"])]
    return sorted({part for part in cells if part.startswith(start)})


@pytest.mark.parametrize("path", named("kernelwise"))
def test_every_object_is_there(path):
    module, rest = path, []
    while True:
        try:
            found = importlib.import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
    for name in rest:
        found = getattr(found, name)


@pytest.mark.parametrize("path", named("pages/"))
def test_every_page_belongs_to_an_experiment_or_the_data(path):
    key = path.removeprefix("pages/").removesuffix(".md")
    assert key in EXPERIMENTS or key == "data"
    assert (ROOT / "papers" / path).is_file()


def test_every_test_is_there():
    for element in ELEMENTS:
        for part in elements.parts(element["check"]):
            path, _, name = part.partition("::")
            text = (ROOT / path).read_text()
            assert not name or re.search(rf"def {name}\(", text), part


def test_what_is_there_to_compute_is_checked():
    for element in ELEMENTS:
        if any(
            part.startswith(("kernelwise", "pages/")) for part in elements.parts(element["where"])
        ):
            assert element["check"], element["what"]


def test_all_bounds_and_criteria_of_the_papers_have_a_line():
    where = " ".join(element["where"] for element in ELEMENTS)
    told = {name for name in bounds.__all__ if name[0].islower() and name != "all_bounds"}
    assert {name for name in told if f"bounds.{name}" not in where} == set()
    of_papers = "SM SMHinge KTA FSM FSMError MD Ncut KS RKS CVKS ER SPS BIF".split()
    assert {name for name in of_papers if f"kernelwise.criteria.{name}" not in where} == set()
    assert set(of_papers) <= set(criteria.__all__)
    beside = {f"kernelwise_papers.criteria.{name}" for name in criteria_of_papers.__all__}
    assert {path for path in beside if path not in where} == set()


def test_every_table_and_figure_page_has_a_line():
    where = " ".join(element["where"] for element in ELEMENTS)
    papers = [
        key for key in EXPERIMENTS if key.partition("-")[0] in ("sm", "fsm", "er", "ks", "sps")
    ]
    assert [key for key in papers if f"pages/{key}.md" not in where] == []


# How far the numbers of every paper go: what has a number has a line.
LAST = {
    "SM 2017": {
        "Definition": 1,
        "Remark": 3,
        "Theorem": 3,
        "Lemma": 2,
        "Table": 3,
        "Figure": 1,
        "eq.": 11,
    },
    "FSM 2007": {"Example": 3, "Theorem": 2, "Figure": 3, "eq.": 18},
    "ER 2015": {
        "Definition": 1,
        "Theorem": 3,
        "Corollary": 1,
        "Remark": 1,
        "Table": 1,
        "Figure": 2,
        "eq.": 4,
    },
    "KS 2019": {
        "Definition": 3,
        "Theorem": 8,
        "Remark": 9,
        "Table": 3,
        "Figure": 2,
        "eq.": 19,
    },
    "SPS 2014": {
        "Definition": 2,
        "Theorem": 3,
        "Remark": 1,
        "Table": 1,
        "Figure": 1,
        "eq.": 6,
    },
}
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}


def number(text):
    return ROMAN[text] if text in ROMAN else int(float(text))


def numbers(place):
    """The numbered elements of a place: "eq. 3 to 5" are three, "Remarks 5, 6" are two."""
    found = set()
    for kind, listed in re.findall(r"([A-Za-z]+\.?) ((?:[\dIVX.]+(?:, | to )?)+)", place):
        for first, last in re.findall(r"([\dIVX.]+)(?: to (\d+))?", listed):
            several = range(number(first), number(last or first) + 1)
            found |= {(kind.removesuffix("s"), each) for each in several}
    return found


def test_numbers_of_a_place():
    assert numbers("eq. 3 to 5") == {("eq.", 3), ("eq.", 4), ("eq.", 5)}
    assert numbers("Theorem 3, Remarks 5, 6") == {("Theorem", 3), ("Remark", 5), ("Remark", 6)}
    assert numbers("Table III") == {("Table", 3)} and numbers("Section 3.4") == {("Section", 3)}


@pytest.mark.parametrize("paper", LAST)
def test_every_numbered_element_has_a_line(paper):
    told = set().union(*(numbers(e["place"]) for e in ELEMENTS if e["paper"] == paper))
    wanted = {(kind, i) for kind, last in LAST[paper].items() for i in range(1, last + 1)}
    assert sorted(wanted - told) == []
