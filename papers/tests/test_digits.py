"""The arithmetic behind the printed digits, against enumeration."""

import itertools
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from functools import cache

import numpy as np
import pytest

from kernelwise_papers import publications
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Job
from kernelwise_papers.papers.digits import counting, experiment
from kernelwise_papers.papers.digits.counting import NEAREST, WAYS, Printed


@cache
def attained(rows, decimals):
    """All texts that a count of rows in percent can print as, ties either way."""
    unit = Decimal(1).scaleb(-decimals)
    exact = [Decimal(100 * k) / rows for k in range(rows + 1)]
    return {x.quantize(unit, way) for x in exact for way in (ROUND_HALF_UP, ROUND_HALF_DOWN)}


@pytest.mark.parametrize("rows", [1, 7, 40, 81, 405])
@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_what_fits_is_what_a_count_prints_as(rows, decimals):
    known = attained(rows, decimals)
    unit = Decimal(1).scaleb(-decimals)
    for k in range(0, 100 * 10**decimals + 1, 1 if decimals < 2 else 7):
        text = str(k * unit)
        assert counting.fits(Printed.of(text), rows) == (Decimal(text) in known), text


def test_zeros_at_the_end_are_digits():
    assert Printed.of("18.50") == (18.5, 2) and Printed.of("22.6") == (22.6, 1)
    assert counting.fits(Printed.of("18.52"), 405) and not counting.fits(Printed.of("18.50"), 405)
    assert counting.fits(Printed.of("18.5"), 405)


@pytest.mark.parametrize("rows", [3, 81, 405, 2500, 9999, 10_000, 50_000])
def test_the_chance_is_the_share_of_numbers_that_fit(rows):
    numbers = [f"{k / 100:.2f}" for k in range(0, 10_001, 1)]
    share = np.mean([counting.fits(Printed.of(text), rows) for text in numbers])
    assert counting.chance(2, rows) == pytest.approx(share, abs=1e-2 if rows > 9000 else 1e-12)


def test_the_tail_is_that_of_all_outcomes():
    chances = [0.1, 0.5, 0.9, 0.25]
    for least in range(5):
        total = 0.0
        for outcome in itertools.product([0, 1], repeat=4):
            if sum(outcome) >= least:
                both = zip(chances, outcome, strict=True)
                total += np.prod([p if hit else 1 - p for p, hit in both])
        assert counting.tail(chances, least) == pytest.approx(total)


def test_ways_to_split():
    assert [counting.test_rows(351, 0.7, way) for way in WAYS] == [106, 105, 105]
    assert [counting.test_rows(345, 0.7, way) for way in WAYS] == [104, 103, 104]
    assert [counting.test_rows(690, 0.7, way) for way in WAYS] == [207, 207, 207]
    assert counting.near(345, 0.7) == [102, 103, 104, 105]
    assert counting.near(690, 0.7) == [206, 207, 208]


@pytest.mark.parametrize("splits", [5, 30])
def test_the_number_of_splits_is_found_again(splits):
    rng = np.random.default_rng(splits)
    cells = []
    for rows in (81, 105, 62, 104):
        for _ in range(10):
            errors = rng.binomial(rows, 0.2, size=splits) / rows
            cells.append((Printed.of(f"{100 * errors.mean():.2f}"), rows))
    tails = {s: counting.count(cells, s).tail for s in range(1, 61)}
    assert min(tails, key=tails.get) == splits and counting.count(cells, splits).fits == 40


@pytest.fixture(scope="module")
def lines():
    digits = EXPERIMENTS["digits"]
    return {
        table: digits.work(Job("digits", table, 0)) for table in ("er2015_table1", "ks2019_table2")
    }


def test_what_the_papers_print(lines):
    def whole(table, splits):
        [line] = [
            x
            for x in lines[table]
            if (x["part"], x["way"], x["splits"]) == ("table", NEAREST, splits)
        ]
        return line["fits"], line["cells"], float(line["tail"])

    assert whole("er2015_table1", 30)[:2] == (192, 192)
    fits, cells, tail = whole("ks2019_table2", 5)
    assert (fits, cells) == (218, 287) and tail < 1e-100
    best = min(lines["ks2019_table2"], key=lambda x: float(x["tail"]))
    assert best["splits"] == 5


def test_every_legible_cell_is_counted(lines):
    for table, found in lines.items():
        legible = sum(cell.legible for cell in publications.load(table))
        assert {x["cells"] for x in found if x["part"] == "table"} == {legible}


def test_cells_that_fit_nothing(lines):
    """By hand: no count of 5 splits of any number of test rows around the share prints as they."""
    told = {x["name"] for x in lines["ks2019_table2"] if x["part"] == "cell"}
    assert [x for x in lines["er2015_table1"] if x["part"] == "cell"] == []
    expected = set()
    for cell in publications.load("ks2019_table2"):
        if cell.legible:
            rows = [5 * m for m in counting.near(experiment.rows_of(cell.dataset), 0.7)]
            unit = len(cell.text.partition(".")[2])
            if not any(Decimal(cell.text) in attained(n, unit) for n in rows):
                expected.add(f"{cell.dataset}: {cell.criterion} at {cell.lam:g}")
    assert told == expected and 0 < len(told) < 69


def test_every_set_with_the_test_rows_that_fit_it_best(lines):
    """a2a fits 679 test rows, where its share is 679.5: then 224 cells fit five splits."""
    texts = [
        {"dataset": table} | {name: str(value) for name, value in line.items()}
        for table, found in lines.items()
        for line in found
    ]
    text = EXPERIMENTS["digits"].page(texts)
    assert "ER 2015, Table 1: 192 of 192 cells; KS 2019, Table II: 224 of 287 cells." in text
    assert "- ER 2015, Table 1, 30 splits, 0 of 192: none." in text
