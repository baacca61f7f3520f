import math
from dataclasses import replace
from importlib.resources import files

import pytest

from kernelwise_papers import publications
from kernelwise_papers.publications import MARKS, available, load, protocol, records

SHAPES = {  # data sets, regularisations, criteria
    "sm2017_table2": (25, 1, 6),
    "sm2017_table3": (25, 1, 6),
    "er2015_table1": (8, 4, 6),
    "ks2019_table2": (9, 4, 8),
    "ks2019_table3": (9, 4, 8),
    "sps2014_table1": (10, 4, 5),
}
ILLEGIBLE = {"ks2019_table2": 1, "sps2014_table1": 21}
RANGES = {
    "sm2017_table2": (0.01, 60.0),
    "sm2017_table3": (0.1, 2000.0),
    "er2015_table1": (3.0, 46.0),
    "ks2019_table2": (3.0, 39.0),
    "ks2019_table3": (7e-6, 940.0),
    "sps2014_table1": (50.0, 98.0),
    "fsm2007_text": (0.0, 4.0),
}
KNOWN = set(
    """a1a a2a anneal australian autos bodyfat breast-cancer breast-w bupa colic cpusmall diabetes
    eunite2001 german.numer glass heart hepatitis housing ionosphere labor liver-disorders mg mpg
    pima pyrim segment sonar space_ga splice svmguide3 tic-tac-toe triazines vehicle vote wdbc wpbc
    """.split()
) | {"synthetic", "eight UCI sets"}

# The literal text of the papers: row and column of the table, then what is printed there.
PRINTED = {
    "sm2017_table2": [
        (None, "a1a", "SM", "16.84±1.39"),
        (None, "autos", "ELOO", "12.75±11.06"),
        (None, "heart", "FSM", "44.37±5.50"),
        (None, "segment", "CV", "0.06±0.24"),
        (None, "tic-tac-toe", "CKTA", "33.62±5.31"),
        (None, "wdbc", "ER", "4.75±1.66"),
        (None, "ionosphere", "SM", "4.88±2.10"),
    ],
    "sm2017_table3": [
        (None, "a2a", "CV", "1995.76"),
        (None, "anneal", "SM", "0.28"),
        (None, "breast-w", "FSM", "10.11"),
        (None, "german.numer", "ER", "127.51"),
        (None, "vote", "CKTA", "2.79"),
        (None, "bupa", "ELOO", "5.34"),
    ],
    "er2015_table1": [
        (0.01, "australian", "CKTA", "13.98±2.10"),
        (0.01, "a2a", "LOO", "17.67±0.90"),
        (0.1, "heart", "CKTA", "40.29±10.03"),
        (1.0, "diabetes", "ER", "22.39±2.53"),
        (1.0, "ionosphere", "EP", "11.02±3.13"),
        (10.0, "liver-disorders", "ER", "34.97±4.47"),
        (10.0, "breast-cancer", "FSM", "3.61±0.88"),
    ],
    "ks2019_table2": [
        (0.1, "australian", "RKS", "12.52(1.4)"),
        (0.1, "diabetes", "SPS", "30.26(5.6)"),
        (1.0, "heart", "BR", "14.07(6.3)"),
        (1.0, "diabetes", "SPS", "26.52(0.4)"),
        (10.0, "liver-disorders", "5-CVKS", "25.27(2.1)"),
        (100.0, "sonar", "10-CV", "26.06(6.3)"),
        (100.0, "a2a", "ELOO", "24.68(2.1)"),
    ],
    "ks2019_table3": [
        (0.1, "bodyfat", "5-CVKS", "8.46(1.1)e-6"),
        (0.1, "eunite2001", "SPS", "438.05(112.4)"),
        (1.0, "housing", "RKS", "8.03(1.1)"),
        (1.0, "pyrim", "10-CV", "1.55(0.1)e-2"),
        (10.0, "bodyfat", "RKS", "1.32(0.35)e-5"),
        (100.0, "cpusmall", "10-CVKS", "34.73(6.7)"),
        (100.0, "pyrim", "10-CVKS", "1.26(0.0)e-3"),
    ],
    "sps2014_table1": [
        (0.01, "australian", "CV", "83.77±1.30"),
        (0.01, "sonar", "CV", "85.06±9.64"),
        (0.1, "german.numer", "FSM", "64.15±4.79"),
        (1.0, "svmguide3", "CV", "72.89±1.79"),
        (1.0, "heart", "CKTA", "72.32±5.15"),
        (10.0, "splice", "SPS", "64.57±2.24"),
    ],
    "fsm2007_text": [
        (None, "synthetic", "1-KTA, highest", "0.936"),
        (None, "synthetic", "1-KTA, lowest", "0.395"),
        (None, "eight UCI sets", "rank of the best kernel by KTA", "2.63±1.061"),
        (None, "eight UCI sets", "rank of the best kernel by FSM", "1.63±0.518"),
    ],
}


def read(printed):
    """Value and spread of a printed cell."""
    body, _, exponent = printed.partition("e")
    value, _, spread = body.replace("(", "±").rstrip(")").partition("±")
    scale = f"e{exponent}" if exponent else ""
    return float(value + scale), float(spread + scale) if spread else None


def test_every_table_has_a_file_and_every_file_a_name():
    folder = files("kernelwise_papers") / "published"
    names = {path.name[:-4] for path in folder.iterdir() if path.name.endswith(".csv")}
    assert names == set(available()) | set(publications.RECORDS)


@pytest.mark.parametrize("table", SHAPES)
def test_tables_are_complete(table):
    cells = load(table)
    axes = zip(*(cell.place for cell in cells), strict=True)
    lams, sets, criteria = (len(set(axis)) for axis in axes)
    assert (sets, lams, criteria) == SHAPES[table]
    assert len(cells) == math.prod(SHAPES[table])
    assert sum(not cell.legible for cell in cells) == ILLEGIBLE.get(table, 0)


@pytest.mark.parametrize("table", available())
def test_values_are_sane(table):
    low, high = RANGES[table]
    for cell in load(table):
        assert cell.dataset in KNOWN
        assert cell.mark in MARKS
        assert cell.value is None or low <= cell.value <= high
        assert cell.spread is None or 0.0 <= cell.spread <= 0.5 * high


@pytest.mark.parametrize("table", ["er2015_table1", "ks2019_table2", "sps2014_table1"])
def test_every_legible_mean_has_a_spread(table):
    assert all((cell.spread is None) is not cell.legible for cell in load(table))


def test_two_spreads_of_the_regression_table_are_ambiguous():
    missing = [cell for cell in load("ks2019_table3") if cell.spread is None]
    assert [cell.place for cell in missing] == [
        (1.0, "triazines", "10-CVKS"),
        (100.0, "space_ga", "SPS"),
    ]
    assert all(cell.note for cell in missing)


@pytest.mark.parametrize(
    ("table", "lam", "dataset", "criterion", "printed"),
    [(table, *cell) for table, cells in PRINTED.items() for cell in cells],
)
def test_cells_are_what_the_paper_prints(table, lam, dataset, criterion, printed):
    (cell,) = [c for c in load(table) if c.place == (lam, dataset, criterion)]
    assert (cell.value, cell.spread) == read(printed)


@pytest.mark.parametrize(
    ("table", "mark", "count"),
    [
        ("er2015_table1", "best", 1),
        ("ks2019_table2", "best", 37),
        ("ks2019_table2", "not_worse", 36),
        ("ks2019_table3", "best", 36),
        ("sps2014_table1", "best", 12),
    ],
)
def test_marks_are_those_of_the_text(table, mark, count):
    assert sum(cell.mark == mark for cell in load(table)) == count


def test_names_in_the_paper_are_kept():
    assert {c.paper_dataset for c in load("sps2014_table1") if c.dataset == "svmguide3"} == {
        "Guide"
    }
    assert all(c.paper_dataset == c.dataset for c in load("sm2017_table2"))


def test_highest_accuracies_agree_with_what_the_paper_says_of_its_figure():
    """SPS 2014, Section 5.1: SPS is above 10-CV on these sets, and above the rest on all."""
    best: dict[tuple[str, str], float] = {}
    for cell in load("sps2014_table1"):
        if cell.value is not None:
            key = cell.dataset, cell.criterion
            best[key] = max(best.get(key, 0.0), cell.value)
    for dataset in ("breast-cancer", "diabetes", "svmguide3", "heart", "sonar", "ionosphere"):
        assert best[dataset, "SPS"] > best[dataset, "CV"]
    for dataset in {dataset for dataset, _ in best}:
        assert all(best[dataset, "SPS"] > best[dataset, c] for c in ("KTA", "CKTA", "FSM"))


def test_fixed_choices_repeat_over_the_regularisations():
    """ER 2015, Table 1: CKTA and FSM do not see lambda; on diabetes nor does their error."""
    cells = [c for c in load("er2015_table1") if c.dataset == "diabetes"]
    assert {c.value for c in cells if c.criterion in {"CKTA", "FSM"}} == {35.09}


@pytest.mark.parametrize("table", available())
def test_every_table_has_its_protocol(table):
    items = protocol(table)
    assert {"repetitions", "train_share", "ridge_on_K", "kernels", "significance"} <= items.keys()
    assert float(items["train_share"]) + float(items["test_share"]) == pytest.approx(1.0)


def test_claims_are_about_cells_that_exist():
    for said in records("claims"):
        lam = float(said["lambda"]) if said["lambda"] else None
        cells = [cell for cell in load(said["table"]) if cell.lam == lam]
        assert {said["first"], said["second"]} <= {cell.criterion for cell in cells}
        assert set(said["datasets"].split()) <= {cell.dataset for cell in cells}
        assert not said["datasets"] or len(said["datasets"].split()) == int(said["count"])
        assert said["claim"] in {"better", "worse"}
        assert said["relation"] in {"exactly", "at least"}


def test_figures_are_quoted_with_their_place():
    assert all(all(row.values()) for row in records("figures"))


@pytest.mark.parametrize("ask", [load, protocol, records])
def test_unknown_names_are_refused(ask):
    with pytest.raises(ValueError, match="unknown"):
        ask("table9")


@pytest.mark.parametrize(
    "damage",
    [
        {"mark": "bullet"},
        {"value": None},
        {"legible": False},
        {"value": None, "legible": False, "note": ""},
        {"value": -1.0},
        {"value": math.nan},
        {"spread": -0.1},
    ],
)
def test_damaged_cells_are_refused(damage):
    cell = load("sm2017_table2")[0]
    with pytest.raises(ValueError, match="a1a"):
        replace(cell, **damage)


def damaged(change):
    """Read the rows of a table with a change to them."""
    rows = publications._rows("er2015_table1")
    return lambda name: change(rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[:-1], "do not fill a grid"),
        (lambda rows: [*rows, rows[0]], "twice"),
        (lambda rows: [rows[0] | {"table": "other"}, *rows[1:]], "another table"),
    ],
)
def test_damaged_tables_are_refused(monkeypatch, change, message):
    monkeypatch.setattr(publications, "_rows", damaged(change))
    with pytest.raises(ValueError, match=message):
        load.__wrapped__("er2015_table1")
