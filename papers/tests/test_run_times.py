"""Run times: both ways compute the criteria, and the page compares ratios."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import kernelwise as kw
from inside import Targets
from kernelwise_papers import datasets, publications
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort, Job
from kernelwise_papers.papers.run_times.by_hand import _FORMULAS, _TAUS, by_hand
from kernelwise_papers.papers.run_times.experiment import by_library
from kernelwise_papers.papers.run_times.times import BY_HAND, LIBRARY
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import draw

EXPERIMENT = EXPERIMENTS["sm-table3"]
CRITERIA = ("SM", "CV", "ELOO", "CKTA", "FSM", "ER")


@pytest.fixture
def folder(data_folder):
    """A folder with one small set."""
    X, y = load_breast_cancer(return_X_y=True)
    return data_folder({"heart": (X[:90, :5], y[:90])})


@pytest.fixture
def part(folder):
    data = datasets.load("heart")
    return draw(data.X, Targets.of(data.y, "classification"), 0.7, 3)


def published_lines(factors=None, repetitions=1):
    """Lines with the published times, a hundred times quicker, but for factors by criterion."""
    times = {}
    for cell in publications.load("sm2017_table3"):
        times.setdefault(cell.dataset, {})[cell.criterion] = cell.value
    factors = factors or {}
    lines = []
    for repetition in range(repetitions):
        for kind in (BY_HAND, LIBRARY):
            for i, (name, row) in enumerate(times.items()):
                line = {"dataset": name, "repetition": f"{repetition}", "kind": kind}
                line |= {"rows": f"{20 + 50 * i}"}
                for c in CRITERIA:
                    changed = factors.get(c, 1.0) if kind == LIBRARY else 1.0
                    line |= {c: f"{row[c] * changed / 100:.8g}", f"{c} kernel": "7"}
                lines.append(line)
    return lines


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("tau", [0.5, 8.0])
def test_formulas_by_hand_are_the_criteria(part, name, tau):
    K = kw.Gaussian(tau)(part.X)
    criterion = SM_TABLE2.columns[name]
    [expected] = kw.score_matrix(K, part.targets.y, criterion).values()
    assert _FORMULAS[name](K, part.targets) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["SM", "CV", "ELOO", "CKTA", "ER"])
def test_both_ways_choose_the_same(part, name):
    chosen = by_library(name, part)
    assert by_hand(name, part) == chosen
    assert 0 <= chosen < len(_TAUS)


def test_widths_are_in_the_order_of_the_table():
    assert [kernel.tau for kernel in SM_TABLE2.kernels] == _TAUS


def test_a_job_times_all_criteria_both_ways(folder):
    lines = EXPERIMENT.work(Job("sm-table3", "heart", 0, 60))
    assert [line["kind"] for line in lines] == [BY_HAND, LIBRARY]
    for line in lines:
        assert list(line) == list(lines[0]) and line["rows"] == 42
        assert all(float(line[name]) > 0.0 for name in CRITERIA)


def test_jobs_run_one_after_the_other():
    assert EXPERIMENT.takes_time
    assert len(EXPERIMENT.jobs(Effort())) == 5 * 25


def test_what_was_published_agrees_with_itself():
    page = EXPERIMENT.page(published_lines())
    assert "**no**" not in page and page.count("1.00 (1.00 to 1.00)") == 10
    assert "| sets on which SM is the quickest | 25 of 25 | 25 of 25 | 25 of 25 |" in page
    assert "| rank correlation with the published order | 1.00 | 1.00 | 1.00 |" in page


def test_other_times_are_told():
    page = EXPERIMENT.page(published_lines({"CV": 0.1, "FSM": 0.25}))
    assert "| SM is much faster than CV | yes | yes | **no** |" in page
    assert "| SM is comparable with FSM | yes | yes | **no** |" in page
    assert "0.10 (0.10 to 0.10)" in page and "0.25 (0.25 to 0.25)" in page
    assert "| CV, ELOO, CKTA, FSM, ER | CV, ELOO, CKTA, FSM, ER | ELOO, CKTA, ER |" in page
    assert "FSM, SM, CKTA, CV, ELOO, ER" in page


def test_the_median_counts():
    lines = published_lines(repetitions=3)
    for line in lines:
        if line["repetition"] == "2":  # a machine that stumbled once
            line["SM"] = "1e6"
    assert EXPERIMENT.page(lines).count("1.00 (1.00 to 1.00)") == 10


def test_summary_and_missing_sets():
    lines = [line for line in published_lines({"ER": 2.0}) if line["dataset"] != "a2a"]
    assert "- Not run: a2a." in EXPERIMENT.page(lines)
    [row] = [row for row in EXPERIMENT.summary(lines).splitlines() if row.startswith("ER")]
    theirs, by_hand, library = map(float, row.split()[1:])
    assert by_hand == theirs and library == pytest.approx(2.0 * theirs, rel=0.01)


def test_headline():
    headline = EXPERIMENT.headline(published_lines({"CV": 0.5}))
    assert "published / by hand / library: CV 14.7 / 14.7 / 7.36, ELOO" in headline


def test_figure():
    pytest.importorskip("matplotlib")
    figure = EXPERIMENT.figure(published_lines())
    assert [ax.get_title() for ax in figure.axes] == ["published", "by hand", "library"]
    curves = figure.axes[0].get_lines()[:5]
    for curve, same in zip(curves, figure.axes[1].get_lines(), strict=False):
        assert np.all(np.diff(curve.get_xdata()) > 0)
        np.testing.assert_allclose(curve.get_ydata(), same.get_ydata(), rtol=1e-6)
