"""The tables as runs: splits, picks, resuming."""

import csv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import SVC

import kernelwise as kw
from inside import Targets, Task, make_splits
from kernelwise import criteria as c
from kernelwise_papers import datasets, publications, runner
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort, Job
from kernelwise_papers.papers.tables import TABLES
from kernelwise_papers.tables.split import Part, draw, outcomes, pick


def small(key, **changes):
    kernels = sorted(kw.grids.gaussian(-1, 5), key=lambda k: k.roughness)
    return replace(TABLES[key], kernels=kernels, **changes)


def part(key, name="heart"):
    table = TABLES[key]
    data = datasets.load(name, task=table.task)
    return draw(data.X, Targets.of(data.y, table.task), table.train_share, 7)


class TestDatasets:
    def test_gaps_are_kept_and_told(self, folder):
        data = datasets.load("heart")
        assert np.isnan(data.X[3, 2]) and data.n == 90
        assert data.remarks == ("1 missing values set to the median of the training rows",)

    def test_rows_can_be_capped(self, folder):
        capped = datasets.load("heart").head(40)
        assert capped.n == 40 and "40 of 90 rows" in capped.remarks
        np.testing.assert_array_equal(capped.X, datasets.load("heart").head(40).X)

    def test_what_is_not_there(self, folder, monkeypatch, tmp_path):
        with pytest.raises(datasets.NoData, match=r"sonar.csv.gz does not exist"):
            datasets.load("sonar")
        monkeypatch.setenv(datasets.VARIABLE, str(tmp_path / "nowhere"))
        with pytest.raises(datasets.NoData, match="set KERNELWISE_DATA to the folder"):
            datasets.load("heart")

    def test_pairs_of_classes(self):
        y = np.array(["1", "2", "3", "2", "U"])
        data = datasets._two_classes("anneal", np.arange(10.0).reshape(5, 2), y)
        assert data.y.tolist() == ["1", "2", "2"] and "of 4" in data.remarks[0]


class TestSplits:
    def test_scaled_by_the_training_rows(self, folder):
        found = part("sm-table2")
        assert found.X.shape == (63, 5) and found.X_test.shape == (27, 5)
        np.testing.assert_allclose(found.X.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(found.X.std(axis=0), 1.0)
        assert np.isfinite(found.X_test).all()
        np.testing.assert_array_equal(found.X, part("sm-table2").X)

    @pytest.mark.parametrize("key", ["sm-table2", "sps-table1"])
    def test_picks_are_those_of_a_loop(self, folder, key):
        table, found = small(key), part(key)
        for outcome in outcomes(found, table):
            ridge = table.ridge(outcome.lam, found.targets.n)
            machines = [
                kw.LSSVC(k, ridge, fit_intercept=table.fit_intercept).fit(found.X, found.targets.y)
                for k in table.kernels
            ]
            errors = [1 - m.score(found.X_test, found.test_targets.y) for m in machines]
            if outcome.column == "best possible":
                assert outcome.error == pytest.approx(min(errors))
                continue
            values = kw.score_kernels(
                found.X,
                found.targets.y,
                table.kernels,
                table.columns[outcome.column],
                ridge=ridge,
                fit_intercept=table.fit_intercept,
                engine="dense",
            ).table
            expected = pick(next(iter(values.values())), table.columns[outcome.column])
            assert outcome.kernel == expected
            assert outcome.error == pytest.approx(errors[expected])

    def test_balanced_errors_are_means_over_the_classes(self, folder):
        table, found = small("sps-table1-balanced"), part("sps-table1-balanced")
        for outcome in outcomes(found, table):
            ridge = table.ridge(outcome.lam, found.targets.n)
            kernel = table.kernels[outcome.kernel]
            machine = kw.LSSVC(kernel, ridge, fit_intercept=False).fit(found.X, found.targets.y)
            right = machine.predict(found.X_test) == found.test_targets.y
            shares = [right[found.test_targets.y == label].mean() for label in (0, 1)]
            assert outcome.error == pytest.approx(1.0 - np.mean(shares))

    def test_readings_take_splits_that_no_other_table_has_seen(self):
        seen = [t.first_split + (t.splits or t.repetitions) for t in TABLES.values()]
        fresh = [t for t in TABLES.values() if t.first_split]
        assert len(fresh) == 5
        assert min(t.first_split for t in fresh) >= max(s for s in seen if s < fresh[0].first_split)
        jobs = EXPERIMENTS["sps-table1-balanced"].jobs(Effort(2, 40, ("heart",)))
        assert [job.repetition for job in jobs] == [1000, 1001]

    def test_support_vector_machines(self, folder):
        columns = {"5-CV": c.KFold(5), "RKS": c.RKS()}
        table, found = small("ks-table2", columns=columns), part("ks-table2")
        for outcome in outcomes(found, table):
            svc = SVC(kernel=table.kernels[outcome.kernel], C=0.5 / outcome.lam)
            svc.fit(found.X, found.targets.y)
            expected = 1 - svc.score(found.X_test, found.test_targets.y)
            assert outcome.error == pytest.approx(expected)

    def test_regression(self, folder):
        columns = {"ELOO": c.ELOO(), "RKS": c.RKS()}
        table, found = small("ks-table3", columns=columns), part("ks-table3", "mpg")
        for outcome in outcomes(found, table):
            machine = kw.KRR(table.kernels[outcome.kernel], outcome.lam)
            machine.fit(found.X, found.targets.y)
            expected = np.mean((machine.predict(found.X_test) - found.test_targets.y) ** 2)
            assert outcome.error == pytest.approx(expected)

    def test_open_parameters_are_chosen_by_three_folds(self, folder):
        table = small("er-table1", columns={"ER": c.ER(t=4, eta="cv")})
        found = part("er-table1")
        errors = np.zeros((3, 4))
        for split in make_splits(found.targets, None, 3, 1, 0):
            inner = Part(
                found.X[split.train],
                found.targets.part(split.train),
                found.X[split.test],
                found.targets.part(split.test),
            )
            for i, eta in enumerate((0.2, 0.6, 1.0)):
                fixed = replace(table, columns={"ER": c.ER(t=4, eta=eta)})
                picked = [o for o in outcomes(inner, fixed) if o.column == "ER"]
                errors[i] += [o.error for o in picked]
        best = errors.argmin(axis=0)
        ours = [o for o in outcomes(found, table) if o.column == "ER"]
        for r, outcome in enumerate(ours):
            fixed = replace(table, columns={"ER": c.ER(t=4, eta=(0.2, 0.6, 1.0)[best[r]])})
            expected = [o for o in outcomes(found, fixed) if o.column == "ER"][r]
            assert outcome == expected

    def test_undefined_everywhere_picks_nothing(self):
        assert pick(np.full(3, np.nan), c.SM()) == -1
        assert pick(np.array([np.nan, 1.0, 2.0]), c.SM()) == 2
        assert pick(np.array([2.0, 1.0, 1.0]), c.ELOO()) == 1


@pytest.mark.parametrize("key", sorted(TABLES))
def test_tables_cover_what_was_published(key):
    table = TABLES[key]
    cells = publications.load(table.published)
    assert {cell.criterion for cell in cells} - set(table.columns) <= {"EP"}
    protocol = publications.protocol(table.published)
    assert table.repetitions == int(protocol["repetitions"])
    assert table.train_share == float(protocol["train_share"])
    assert len(table.lambdas) == len({cell.lam for cell in cells})
    roughness = [k.roughness for k in table.kernels]
    assert roughness == sorted(roughness)


class Counting(Task):
    """Count what is told."""

    done = of = 0

    def part(self, name="", parts=0):
        self.of = parts
        return self

    def advance(self):
        self.done += 1


class TestRuns:
    def test_a_run_is_resumed(self, folder, tmp_path, in_this_process):
        out = tmp_path / "results"
        experiment = EXPERIMENTS["sm-table2"]
        once = Effort(1, rows=50, datasets=("heart",))
        path = runner.run(experiment, out, once)
        text = path.read_text()
        task = Counting()
        again = runner.run(experiment, out, replace(once, repetitions=2), task)
        assert (task.done, task.of) == (2, 2)
        assert again.read_text().startswith(text)
        with path.open(newline="") as file:
            lines = list(csv.DictReader(file))
        assert [line["repetition"] for line in lines] == ["0", "1"]
        assert list(runner.finished(path)) == [("heart", 0), ("heart", 1)]
        [expected] = runner.do(Job("sm-table2", "heart", 0, 50))
        for name in TABLES["sm-table2"].columns:
            assert lines[0][name] == expected[name]
            assert int(lines[0][f"{name} kernel"]) == expected[f"{name} kernel"]

    def test_a_run_that_was_interrupted_goes_on(self, folder, tmp_path, monkeypatch):
        experiment, effort = EXPERIMENTS["sm-table2"], Effort(2, rows=50, datasets=("heart",))
        monkeypatch.setattr(runner, "workers", lambda: 1)
        monkeypatch.setattr(runner, "ProcessPoolExecutor", lambda n, **_: ThreadPoolExecutor(n))
        path = runner.run(experiment, tmp_path / "whole", effort)
        stopped = runner.results_path(experiment, tmp_path / "stopped", effort)
        append, written = runner._append, []

        def once(path, lines):
            if written:
                raise KeyboardInterrupt
            written.append(path)
            append(path, lines)

        monkeypatch.setattr(runner, "_append", once)
        with pytest.raises(KeyboardInterrupt):
            runner.run(experiment, tmp_path / "stopped", effort)
        assert len(runner.read(stopped)) == 1
        monkeypatch.setattr(runner, "_append", append)
        do, done = runner.do, []
        monkeypatch.setattr(runner, "do", lambda job, known: done.append(job) or do(job, known))
        runner.run(experiment, tmp_path / "stopped", effort)
        assert stopped.read_text() == path.read_text()
        assert [job.repetition for job in done] == [1]

    @pytest.mark.parametrize("left, again", [(0.1, [0, 1, 2]), (0.7, [1, 2]), (0.97, [2])])
    def test_a_damaged_tail_is_dropped(self, left, again, tmp_path, monkeypatch):
        def work(self, job):
            done.append(job)
            return [{"setting": name, "error": 0.1 + 0.2 * job.repetition} for name in "abc"]

        experiment, done = EXPERIMENTS["sm-table2"], []
        monkeypatch.setattr(type(experiment), "work", work)
        monkeypatch.setattr(type(experiment), "lacks", lambda self, lines: False)
        monkeypatch.setattr(runner, "workers", lambda: 1)
        monkeypatch.setattr(runner, "ProcessPoolExecutor", lambda n, **_: ThreadPoolExecutor(n))
        effort = Effort(3, rows=50, datasets=("heart",))
        path = runner.run(experiment, tmp_path, effort)
        text = path.read_text()
        path.write_text(text[: int(left * len(text))])
        done.clear()
        assert runner.run(experiment, tmp_path, effort).read_text() == text
        assert [job.repetition for job in done] == again

    def test_results_with_other_columns_are_not_mixed(self, tmp_path):
        path = tmp_path / "results.csv"
        runner._append(path, [{"dataset": "heart", "repetition": 0, "SM": 0.2}])
        runner._append(path, [{"dataset": "heart", "repetition": 1, "SM": 0.2}])
        with pytest.raises(ValueError, match="move it away"):
            runner._append(path, [{"dataset": "heart", "repetition": 2, "SM": 0.2, "CV": 0.1}])
        assert len(runner.read(path)) == 2

    def test_a_file_keeps_the_order_of_its_columns(self, tmp_path):
        """Completed lines have what was added last, lines of a new job do not."""
        path = tmp_path / "results.csv"
        runner._append(path, [{"dataset": "heart", "repetition": 0, "best": 0.1, "SM": 0.2}])
        runner._append(path, [{"dataset": "heart", "repetition": 1, "SM": 0.3, "best": 0.0}])
        assert path.read_text().split("\n")[2] == "heart,1,0.0,0.3"

    def test_capped_sets_have_a_file_of_their_own(self, tmp_path):
        experiment = EXPERIMENTS["sm-table2"]
        whole, capped = (
            runner.results_path(experiment, tmp_path, effort) for effort in (Effort(), Effort(1, 9))
        )
        assert whole.name == "sm-table2.csv" and capped.name == "sm-table2-9-rows.csv"

    def test_jobs_go_through_all_sets_first(self):
        jobs = EXPERIMENTS["er-table1"].jobs(Effort(2, datasets=("heart", "sonar")))
        assert [(j.dataset, j.repetition) for j in jobs] == [
            ("heart", 0),
            ("sonar", 0),
            ("heart", 1),
            ("sonar", 1),
        ]
        assert len({job.seed for job in jobs}) == 4


@pytest.mark.parametrize(("rows", "share"), [([9, 1], 0.7), ([1, 1], 0.9), ([2, 2], 0.5)])
def test_too_few_rows_for_a_split(rows, share):
    """It would be drawn for ever."""
    targets = Targets.of(np.repeat([0, 1, 1], [*rows, 1])[: max(3, sum(rows))], "classification")
    with pytest.raises(ValueError, match="too few for a split"):
        draw(np.zeros((targets.n, 1)), targets, share, 0)


def test_a_fold_without_a_class_picks_nothing():
    """An inner fold of the support vector machine may lack a class: its kernels are undefined."""
    from inside import RKS

    table = replace(
        TABLES["ks-table2"], kernels=TABLES["ks-table2"].kernels[::10], columns={"RKS": RKS("cv")}
    )
    for seed in range(7):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.repeat([0, 1], [10, 2]))
        targets = Targets.of(y, "classification")
        part = Part(
            rng.normal(size=(12, 2)), targets, rng.normal(size=(4, 2)), targets.part([0, 1, 2, 3])
        )
        found = outcomes(part, table)
        assert {o.column for o in found} == {"RKS", "best possible"}
