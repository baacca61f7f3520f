"""Pages, figures and the index of what was run; tables of splits as experiments."""

import pytest

from kernelwise_papers import publications, runner
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.publish import publish, write_index

ASKED = (
    "sm-table2 sm-table3 sm-figure1 fsm-figure2 fsm-figure3 er-table1 er-figure1 er-figure2 "
    "ks-table2 ks-table3 ks-figure2 sps-table1 sps-figure1 leaderboard"
).split()


def lines(key, dataset, lam, splits=4):
    """Results of one row in which every column errs by 20 percent or so."""
    columns = [*TABLES[key].columns, "best possible"]
    return [
        {"dataset": dataset, "repetition": str(i), "lambda": str(lam)}
        | {name: str(0.2 + 0.01 * (i % 2) + 0.001 * j) for j, name in enumerate(columns)}
        for i in range(splits)
    ]


def test_every_table_and_figure_has_its_key():
    assert set(ASKED) <= set(EXPERIMENTS)
    assert all(key == experiment.key for key, experiment in EXPERIMENTS.items())


@pytest.mark.parametrize("key", ["sm-table2", "er-table1", "ks-table2"])
def test_a_quick_version_of_a_table(key, folder, tmp_path):
    experiment = EXPERIMENTS[key]
    effort = Effort(2, 40, ("heart",))
    path = tmp_path / "out" / "results" / f"{key}-40-rows.csv"
    path.parent.mkdir(parents=True)
    for job in experiment.jobs(effort):
        runner._append(path, runner.do(job))
    published = publish(experiment, tmp_path / "out", effort)
    text = published.page.read_text()
    assert "A quick look: at most 40 rows" in text
    assert f"({key}-40-rows.svg)" in text and f"results/{key}-40-rows.csv" in text
    assert published.figure.read_text().lstrip().startswith("<?xml")
    assert "loose" in published.summary


def test_figures_depend_on_the_results_only(tmp_path):
    experiment = EXPERIMENTS["sm-table2"]
    path = tmp_path / "results" / "sm-table2.csv"
    path.parent.mkdir()
    runner._append(path, lines("sm-table2", "heart", 1.0))
    first = publish(experiment, tmp_path, Effort()).figure.read_bytes()
    assert publish(experiment, tmp_path, Effort()).figure.read_bytes() == first


def test_the_index_lists_what_there_is(tmp_path):
    path = tmp_path / "results" / "sm-table2.csv"
    path.parent.mkdir()
    runner._append(path, lines("sm-table2", "heart", 1.0))
    publish(EXPERIMENTS["sm-table2"], tmp_path, Effort())
    text = write_index(list(EXPERIMENTS.values()), tmp_path).read_text()
    assert "(sm-table2.md)" in text and "er-table1" not in text
    assert "within one published standard deviation (within two standard errors): SM " in text


def test_figure_and_table_share_their_results(tmp_path):
    figure, table = EXPERIMENTS["sps-figure1"], EXPERIMENTS["sps-table1"]
    assert runner.results_path(figure, tmp_path, Effort()) == runner.results_path(
        table, tmp_path, Effort()
    )
    assert figure.jobs(Effort(1, 50)) == table.jobs(Effort(1, 50))
    found = lines("sps-table1", "heart", 0.1) + lines("sps-table1", "sonar", 1.0)
    page = figure.page(found)
    assert "SPS above KTA on all sets: holds (2 of 2)" in page  # each column errs a little more
    assert "(sps-figure1.svg)" in page and figure.figure(found).axes


def test_published_cells_that_no_choice_can_reach(tmp_path):
    """All errors are 20 percent: what is published below that was out of reach."""
    found = lines("sm-table2", "heart", 1.0)
    cells = [c for c in publications.load("sm2017_table2") if c.dataset == "heart"]
    below = sum(c.value < 20.5 + 1.0 for c in cells)
    page = EXPERIMENTS["sm-table2"].page(found)
    assert f"Of {len(cells)} published cells {below} are better than the mean" in page
    assert "data, scaling, kernels, machine or ridge were others" in page


def test_claims_are_counted_on_our_splits():
    found = lines("sm-table2", "heart", 1.0) + lines("sm-table2", "sonar", 1.0)
    page = EXPERIMENTS["sm-table2"].page(found)
    assert "| 1 | SM better than ER | 15 | 2 | 2 |" in page
    assert "| 1 | SM worse than ER | 4 | 0 | 2 |" in page


def test_costly_columns_stay_empty(folder, monkeypatch):
    from dataclasses import replace

    from kernelwise_papers.experiment import Job
    from kernelwise_papers.tables.run import split_lines

    table = replace(
        TABLES["sm-table2"], up_to={"CV": 10}, kernels=TABLES["sm-table2"].kernels[10:14]
    )
    [line] = split_lines(table, Job("sm-table2", "heart", 0, 40))
    assert line["CV"] == "nan" and line["CV kernel"] == -1
    assert float(line["ELOO"]) >= 0.0


def test_columns_that_are_constant_but_for_rounding():
    """The mean of 0.1 many times is not 0.1: a test row with another value must stay in sight."""
    import numpy as np

    from inside import Targets
    from kernelwise_papers.tables.split import draw

    X = np.random.default_rng(0).normal(size=(74, 2))
    X[:, 0] = 0.1
    X[5, 0] = 0.9  # among the test rows of some of these splits
    y = X[:, 1] + 1.0
    parts = [draw(X, Targets.of(y, "regression"), 0.7, seed) for seed in range(6)]
    assert any(np.ptp(part.X[:, 0]) == 0.0 for part in parts)
    assert all(np.abs(part.X_test).max() < 100.0 for part in parts)


def test_features_between_minus_one_and_one(folder):
    import numpy as np

    from inside import Targets
    from kernelwise_papers import datasets
    from kernelwise_papers.tables.split import draw

    data = datasets.load("heart")
    part = draw(data.X, Targets.of(data.y), 0.7, 3, "unit")
    np.testing.assert_allclose(part.X.min(axis=0), -1.0)
    np.testing.assert_allclose(part.X.max(axis=0), 1.0)
    assert np.abs(part.X_test).max() < 3.0
