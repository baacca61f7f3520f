"""What the largest sets would cost, from two sizes."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from kernelwise_papers import runner, timing
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort
from kernelwise_papers.papers import cost
from kernelwise_papers.papers.curves import CURVES
from kernelwise_papers.papers.tables import TABLES

COST = EXPERIMENTS["cost"]
PAGES = Path(__file__).parents[1] / "pages"


def found(key):
    return runner.read(runner.results_path(EXPERIMENTS[key], PAGES, Effort()))


def line(rows, seconds, name="er-table1 a2a"):
    return {"dataset": name, "rows": str(rows), "seconds": str(seconds), "all rows": "2000"}


def test_the_power_carries_on():
    """Doubling the rows takes four times as long: 2,000 rows take 16 s a split, or 32 by n³."""
    lines = [line(500, 1.0), line(1000, 4.0)]
    low, high = (seconds * 30 / 2 / 3600 for seconds in (16.0, 32.0))
    assert COST.summary(lines) == f"er-table1 a2a: {low:.2g} to {high:.2g} h on 2 cores"
    page = COST.page(lines)
    assert "| er-table1 a2a | 500, 1000 | 1.0, 4.0 | 2.00 | 2000 | 30 |" in page
    assert COST.figure(lines).axes


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


def test_the_sets_are_those_left_out():
    """Of the papers' own protocols; variants say themselves what they leave out."""
    own = [table for table in TABLES.values() if table.of is None] + [c.table for c in CURVES]
    left_out = []
    for table in own:
        done = {line["dataset"] for line in found(table.key)}
        left_out += [f"{table.key} {name}" for name in table.datasets if name not in done]
    assert sorted(COST.datasets) == sorted(left_out)
    assert {line["dataset"] for line in found("cost")} == set(left_out)
    assert COST.takes_time


def test_time_is_the_least_of_short_runs():
    calls = []
    seconds = timing.cpu_seconds(lambda: calls.append(sum(range(1000))), enough=0.3, most=3)
    assert len(calls) == 3 and 0.0 <= seconds < 0.1
    timing.cpu_seconds(lambda: calls.append(0))
    assert len(calls) == 4
