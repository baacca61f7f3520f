"""What the largest sets would cost, from two sizes."""

from types import SimpleNamespace

import pytest

from kernelwise_papers import timing
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort
from kernelwise_papers.papers import cost
from kernelwise_papers.papers.tables import TABLES

COST = EXPERIMENTS["cost"]


def line(rows, seconds, name="er-table1 a2a"):
    return {"dataset": name, "rows": str(rows), "seconds": str(seconds), "all rows": "2000"}


def test_the_power_carries_on():
    """Doubling the rows takes four times as long: 2,000 rows take 16 s a split, or 32 by n³."""
    found = [line(500, 1.0), line(1000, 4.0)]
    low, high = (seconds * 30 / 2 / 3600 for seconds in (16.0, 32.0))
    assert COST.summary(found) == f"er-table1 a2a: {low:.2g} to {high:.2g} h on 2 cores"
    page = COST.page(found)
    assert "| er-table1 a2a | 500, 1000 | 1.0, 4.0 | 2.00 | 2000 | 30 |" in page
    assert COST.figure(found).axes


def test_one_size_is_carried_on_by_the_cube():
    assert "0.27 h" in COST.summary([line(1000, 8.0)])


@pytest.mark.parametrize("rows", [None, 200])
def test_every_job_times_both_sizes(monkeypatch, rows):
    """Whatever the number of repetitions that is asked for."""
    asked = []
    monkeypatch.setattr(cost, "split_lines", lambda table, job: asked.append(job.rows))
    data = SimpleNamespace(n=2265)
    monkeypatch.setattr(type(TABLES["er-table1"]), "load", lambda self, name: data)
    jobs = COST.jobs(Effort(3, rows, ("er-table1 a2a",)))
    for job in jobs:
        lines = COST.work(job)
        assert [line["all rows"] for line in lines] == [2265, 2265]
        assert lines[1]["rows"] == 2 * lines[0]["rows"] == (rows or 2000)
    assert len(jobs) == 3 and len(asked) == 9


def test_a_figure_is_timed_on_all_its_sets(monkeypatch):
    """0.25 s a set, 24 sets: 40 more splits are 240 s, on two cores 120."""
    asked = []
    monkeypatch.setattr(cost, "split_lines", lambda table, job: asked.append(job))
    monkeypatch.setattr(cost, "cpu_seconds", lambda run: run() or 0.25)
    data = SimpleNamespace(n=100)
    monkeypatch.setattr(type(TABLES["er-table1"]), "load", lambda self, name: data)
    [job] = COST.jobs(Effort(1, None, ("sm-figure1 all-sets",)))
    [found] = COST.work(job)
    assert found == {"rows": 2400, "seconds": "6", "all rows": 2400}
    assert [job.rows for job in asked] == [60, *[None] * 24] and "a2a" not in str(asked)
    lines = [{"dataset": job.dataset} | {name: str(value) for name, value in found.items()}]
    assert COST.summary(lines) == "sm-figure1 all-sets: 0.033 h on 2 cores"
    assert "| sm-figure1 | 6 | 10 | 50 | 0.033 |" in COST.page(lines) and COST.figure(lines).axes


@pytest.mark.parametrize("name", COST.datasets)
def test_the_sets_are_those_left_out(name):
    key, dataset = name.split()
    if dataset == "all-sets":
        assert EXPERIMENTS[key].repetitions < EXPERIMENTS[key].table.repetitions
    else:
        assert dataset in EXPERIMENTS[key].datasets and dataset in ("a2a", "cpusmall")
    assert COST.takes_time


def test_time_is_the_least_of_short_runs():
    calls = []
    seconds = timing.cpu_seconds(lambda: calls.append(sum(range(1000))), enough=0.3, most=3)
    assert len(calls) == 3 and 0.0 <= seconds < 0.1
    timing.cpu_seconds(lambda: calls.append(0))
    assert len(calls) == 4
