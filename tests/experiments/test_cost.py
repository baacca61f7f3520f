"""What the largest sets would cost, from two sizes."""

import pytest

from kernelwise.experiments.catalog import EXPERIMENTS

COST = EXPERIMENTS["cost"]


def line(rows, seconds, name="er-table1 a2a"):
    return {"dataset": name, "rows": str(rows), "seconds": str(seconds), "all rows": "2000"}


def test_the_power_carries_on():
    """Doubling the rows takes eight times as long, so 2,000 rows take 64 s a split."""
    found = [line(500, 1.0), line(1000, 8.0)]
    hours = 64.0 * 30 / 2 / 3600
    assert COST.summary(found) == f"er-table1 a2a: about {hours:.2g} h on 2 cores"
    page = COST.page(found)
    assert "| er-table1 a2a | 500, 1000 | 1.0, 8.0 | 3.00 | 2000 | 30 |" in page
    assert COST.figure(found).axes


def test_one_size_is_carried_on_by_the_cube():
    assert "0.27 h" in COST.summary([line(1000, 8.0)])


def test_jobs_are_tables_and_their_sets():
    for name in COST.datasets:
        key, dataset = name.split()
        assert dataset in EXPERIMENTS[key].datasets
    assert COST.takes_time and COST.repetitions == 2


@pytest.mark.parametrize("name", COST.datasets)
def test_the_sets_are_those_left_out(name):
    assert name.split()[1] in ("a2a", "cpusmall")
