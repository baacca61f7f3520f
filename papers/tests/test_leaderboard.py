"""Ranks and their tests, the entrants of the leaderboard, its run and its page."""

import itertools
import warnings
from functools import cache

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes

import kernelwise as kw
from inside import AUTO_RIDGES, Targets
from kernelwise import criteria as c
from kernelwise_papers import datasets, runner
from kernelwise_papers.experiment import Effort, Job
from kernelwise_papers.leaderboard import lines as leaderboard_lines
from kernelwise_papers.leaderboard import ranks
from kernelwise_papers.leaderboard import trial as leaderboard_trial
from kernelwise_papers.leaderboard.entrants import (
    BEST,
    CHOSEN,
    CONSTANT,
    CRITERIA,
    DEFAULT,
    DESIGNED_ON,
    DUPLICATES,
    ENTRANTS,
    FIXED,
    GRID,
    LEFT_OUT,
    LIGHTGBM,
    MEDIAN,
    MODELS,
    RELATIVE,
    RKS,
    SAME_WIDTHS,
    SCALE,
    STACK,
    entrants,
    sets,
)
from kernelwise_papers.leaderboard.experiment import Leaderboard
from kernelwise_papers.leaderboard.figure import _levels, diagram
from kernelwise_papers.leaderboard.models import can_run, model
from kernelwise_papers.leaderboard.panel import panels
from kernelwise_papers.leaderboard.trial import Trial, gamma_scale, median_heuristic, split_of
from kernelwise_papers.tables.split import draw

LEADERBOARD = Leaderboard()
SETTINGS = (FIXED, CHOSEN)
TASKS = ("classification", "regression")

# Demšar 2006, Table 2: AUC of C4.5 and of C4.5 with the parameter m on 14 sets.
PLAIN = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619]
PLAIN += [0.972, 0.957]
TUNED = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666]
TUNED += [0.981, 0.978]


class TestRanks:
    def test_equals_share_their_ranks(self):
        errors = np.array([[3.0, 1.0, 2.0, 1.0], [5.0, 5.0, 5.0, 5.0], [0.0, 0.0, 2.0, 1e-5]])
        expected = [[4, 1.5, 3, 1.5], [2.5] * 4, [1.5, 1.5, 4, 3]]
        np.testing.assert_array_equal(ranks.ranks(errors), expected)

    def test_rounding_is_no_difference(self):
        third = (0.1 + 0.2) / 3.0, 0.3 / 3.0
        assert third[0] != third[1]
        np.testing.assert_array_equal(ranks.ranks(np.array([third])), [[1.5, 1.5]])
        np.testing.assert_array_equal(ranks.ranks(np.array([[1e-7, 1.001e-7]])), [[1, 2]])

    @pytest.mark.parametrize("values", [1000, 3])
    def test_friedman_is_that_of_scipy(self, values):
        errors = np.random.default_rng(values).integers(0, values, size=(12, 5)).astype(float)
        ours, theirs = ranks.friedman(ranks.ranks(errors)), stats.friedmanchisquare(*errors.T)
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.p == pytest.approx(theirs.pvalue)

    def test_all_alike(self):
        assert ranks.friedman(np.full((4, 3), 2.0)) == (0.0, 1.0, 0.0, 1.0)
        assert ranks.wilcoxon(np.ones(5), np.ones(5)) == (1.0, False)

    def test_iman_and_davenport(self):
        # Demšar 2006, section 3.2.2
        assert ranks.iman_davenport(9.28, 14, 4) == pytest.approx(3.69, abs=5e-3)
        assert ranks.iman_davenport(10.0, 5, 3) == np.inf

    @pytest.mark.parametrize(
        ("level", "published"),
        [
            (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
            (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
        ],
    )
    def test_critical_values_are_the_published_ones(self, level, published):
        # Demšar 2006, Table 5 (a)
        for k, q in enumerate(published, start=2):
            found = ranks.critical_difference(k, 14, level)
            assert found / np.sqrt(k * (k + 1) / (6 * 14)) == pytest.approx(q, abs=1.5e-3)

    def test_critical_difference_of_the_example(self):
        assert ranks.critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
        assert ranks.critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=5e-3)

    def test_wilcoxon_without_ties_is_that_of_scipy(self):
        a, b = np.random.default_rng(2).random((2, 20))
        expected = stats.wilcoxon(a, b, method="exact").pvalue
        assert ranks.wilcoxon(a, b) == (
            pytest.approx(expected),
            bool(stats.wilcoxon(b, a, alternative="greater").pvalue < 0.5),
        )

    def test_wilcoxon_counts_all_signs(self):
        a, b = np.array([3.0, 1.0, 4.5, 9.0, 2.0, 6.0, 1.0]), np.array([1.0, 1.5, 4, 2, 4, 2, 1])
        d = a - b  # with two ties and a zero
        size = stats.rankdata(np.abs(d))
        signs = list(itertools.product((0, 1), repeat=d.size - 1))
        sums = np.array([np.dot(s, size[:-1]) for s in signs])
        tail = min(np.mean(sums >= size[d > 0].sum()), np.mean(sums <= size[d > 0].sum()))
        assert ranks.wilcoxon(a, b) == (pytest.approx(2 * tail), False)
        assert ranks.wilcoxon(b, a) == (pytest.approx(2 * tail), True)

    def test_wilcoxon_of_the_published_example(self):
        # Demšar finds sums of ranks 12 and 93; on 14 sets 21 is significant at 5 %, 12 at 1 %.
        p, lower = ranks.wilcoxon(np.array(PLAIN), np.array(TUNED))
        assert lower and 0.005 < p < 0.01

    def test_holm(self):
        np.testing.assert_allclose(ranks.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
        np.testing.assert_allclose(ranks.holm([0.9, 0.8]), [1.0, 1.0])

    def test_runs_of_what_is_alike(self):
        means = np.array([1.0, 1.5, 3.0, 4.0, 9.0])
        assert ranks.alike(means, 2.6) == [(0, 2), (1, 3)]
        assert ranks.alike(means, 0.4) == []
        assert ranks.alike(means, 1.5) == [(0, 1), (2, 3)]  # a difference of 1.5 is significant
        assert ranks.alike(means, 20.0) == [(0, 4)]


class TestContests:
    errors = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 2.0], [2.0, 1.0, 3.0], [1.0, 2.0, 4.0]])

    def test_rows_stand_by_mean_rank(self):
        contest = ranks.Contest(("a", "b", "c"), self.errors, "b")
        assert [row.name for row in contest.rows] == ["a", "b", "c"]
        a, b, last = contest.rows
        assert (a.rank, b.rank, last.rank) == (1.25, 1.875, 2.875)
        assert (a.wins, a.ties, a.losses) == (3, 0, 1)
        assert (last.wins, last.ties, last.losses) == (0, 1, 3)
        assert a.error == 1.25 and np.isnan(b.p) and contest.place("c") == 3
        np.testing.assert_allclose([a.adjusted, last.adjusted], ranks.holm([a.p, last.p]))

    def test_a_reference_that_loses_everywhere_is_found_worse(self):
        rng = np.random.default_rng(0)
        errors = np.column_stack([rng.uniform(10, 12, 20), rng.uniform(10, 12, 20)])
        errors = np.column_stack([errors, errors.max(axis=1) + 1.0])
        bad = ranks.Contest(("a", "b", "c"), errors, "c")
        assert ranks.is_beaten(bad)
        assert "finds it worse than the best" in " ".join(ranks.verdict(bad))
        good = ranks.Contest(("a", "b", "c"), errors, "a")
        assert not ranks.is_beaten(good)
        assert "significantly worse: c." in " ".join(ranks.verdict(good))

    def test_few_sets_are_said_to_tell_nothing(self):
        contest = ranks.Contest(("a", "b", "c"), self.errors, "b")
        assert "lets no p be below 0.25" in " ".join(ranks.verdict(contest))
        many = ranks.Contest(("a", "b", "c"), np.tile(self.errors, (3, 1)), "b")
        assert "lets no p" not in " ".join(ranks.verdict(many))

    def test_wilcoxon_alone_can_find_it_worse(self):
        # Always second of many: near the best in rank, yet beaten on every set.
        errors = np.tile(np.arange(12.0), (10, 1))
        errors[:, 2:] = np.random.default_rng(1).permuted(errors[:, 2:], axis=1)
        contest = ranks.Contest(tuple("abcdefghijkl"), errors, "b")
        assert contest.row("b").is_near_best
        assert contest.row("a").adjusted < ranks.LEVEL and ranks.is_beaten(contest)


class TestFigure:
    def test_bars_of_one_height_do_not_touch(self):
        runs = [(0, 3), (2, 5), (4, 7), (6, 9)]
        assert _levels(runs) == [0, 1, 0, 1]

    def test_all_names_are_written(self):
        rng = np.random.default_rng(0)
        names = tuple(f"entrant {i}" for i in range(25))
        contests = {
            "one": ranks.Contest(names, rng.random((9, 25)), "entrant 3"),
            "two": ranks.Contest(names[:7], rng.random((9, 7)), "entrant 3"),
        }
        figure = diagram(contests)
        for ax, (title, contest) in zip(figure.axes, contests.items(), strict=True):
            texts = [text.get_text() for text in ax.texts]
            assert title in texts
            for row in contest.rows:
                assert any(row.name in t and f"{row.rank:.1f}" in t for t in texts)


@cache
def small(task):
    """Return a trial on few rows."""
    if task == "classification":
        X, y = load_breast_cancer(return_X_y=True)
        X, y = X[:60, :6], np.array(["no", "yes"])[y[:60]]
    else:
        X, y = load_diabetes(return_X_y=True)
        X, y = X[:60], (y[:60] - 150.0) / 70.0
    return Trial(draw(X, Targets.of(y, task), 0.7, 3))


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def few_widths(monkeypatch):
    """A third of the candidates: every entrant tries them all."""
    monkeypatch.setattr(leaderboard_trial, "WIDTHS", leaderboard_trial.WIDTHS[::3])


@pytest.mark.usefixtures("quiet", "few_widths")
class TestChoices:
    @pytest.mark.parametrize("setting", SETTINGS)
    @pytest.mark.parametrize("task", TASKS)
    def test_criteria_pick_what_the_library_picks(self, task, setting):
        trial = small(task)
        for name in entrants(task, setting):
            if name in CRITERIA:
                kernel, ridge = trial.pick(name, setting)
                chosen = trial.choose(name, setting)
                assert chosen.best_kernel_ == trial.kernels[kernel], name
                assert chosen.best_ridge_ == pytest.approx(AUTO_RIDGES[ridge]), name

    @pytest.mark.parametrize("task", TASKS)
    def test_grid_search_picks_what_scikit_learn_picks(self, task, monkeypatch):
        widths = leaderboard_trial.WIDTHS[3:8:2]  # a refit for every fold takes its time
        monkeypatch.setattr(leaderboard_trial, "WIDTHS", widths)
        trial = Trial(small(task).part)
        for setting in SETTINGS:
            kernel, ridge = trial.pick(GRID, setting)
            found = trial.choose(GRID, setting).best_params_
            assert found["kernel"] == widths[kernel]
            assert found["ridge"] == pytest.approx(AUTO_RIDGES[ridge])

    @pytest.mark.parametrize("setting", SETTINGS)
    @pytest.mark.parametrize("task", TASKS)
    def test_errors_are_those_of_the_fitted_machines(self, task, setting):
        trial = small(task)
        part = trial.part
        X, y, X_test, y_test = part.X, part.targets.labels, part.X_test, part.test_targets.labels
        machine = kw.LSSVC() if task == "classification" else kw.KRR(fit_intercept=True)
        for name in ("CKTA", "LOO (press)", MEDIAN, SCALE, GRID):
            kernel, ridge = trial.pick(name, setting)
            machine.set_params(kernel=trial.kernels[kernel], ridge=float(AUTO_RIDGES[ridge]))
            expected = 100 * (1 - machine.fit(X, y).score(X_test, y_test))
            assert trial.error(name, setting) == pytest.approx(expected), name
        chosen = kw.KernelSelector(kernels=leaderboard_trial.WIDTHS, ridge=1.0).fit(X, y)
        expected = 100 * (1 - chosen.score(X_test, y_test))
        assert trial.error(SAME_WIDTHS, FIXED) == pytest.approx(expected)
        chosen = kw.KernelSelector().fit(X, y)
        assert trial.error(DEFAULT, CHOSEN) == pytest.approx(
            100 * (1 - chosen.score(X_test, y_test))
        )

    @pytest.mark.parametrize("task", TASKS)
    def test_models_take_part_as_they_are(self, task):
        trial = small(task)
        part, is_real = trial.part, task == "regression"
        for name in filter(can_run, MODELS):
            fitted = model(name, is_real=is_real).fit(part.X, part.targets.labels)
            expected = 100 * (1 - fitted.score(part.X_test, part.test_targets.labels))
            assert trial.error(name, CHOSEN) == pytest.approx(expected), name
        assert isinstance(model(STACK, is_real=is_real), kw.KernelStack)

    @pytest.mark.parametrize("task", TASKS)
    def test_nobody_beats_the_best_possible(self, task):
        trial = small(task)
        for setting in SETTINGS:
            names = set(entrants(task, setting)) - {MEDIAN, SCALE, DEFAULT, *MODELS}
            assert min(trial.error(n, setting) for n in names) >= trial.best(setting) - 1e-9
        assert trial.best(CHOSEN) <= trial.best(FIXED)

    def test_the_two_rules_of_thumb(self):
        X = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 3.0], [0.0, 3.0]])  # squares 0 1 4 4 9 9
        assert median_heuristic(X) == kw.Gaussian(4.0)
        gamma = 1.0 / (2 * X.var())
        Z = np.random.default_rng(0).normal(size=(3, 2))
        d = ((Z[:, None] - Z) ** 2).sum(axis=2)
        np.testing.assert_allclose(gamma_scale(X)(Z, Z), np.exp(-gamma * d))

    def test_undefined_for_every_kernel(self, monkeypatch):
        trial = small("classification")
        nothing = np.full_like(trial.scores.values["Span"], np.nan)
        monkeypatch.setitem(trial.scores.values, "Span", nothing)
        assert trial.pick("Span", CHOSEN) is None and np.isnan(trial.error("Span", FIXED))


def test_every_criterion_takes_part_or_is_said_not_to():
    ours = {criterion.name for criterion in CRITERIA.values()} | set(LEFT_OUT)
    packages = ("kernelwise.criteria.", "kernelwise_papers.criteria.")
    defined = {
        information.name
        for information in c.available()
        if type(c.get(information.name)).__module__.startswith(packages)
    }
    assert ours == defined
    assert all(criterion.greater_is_better is not None for criterion in CRITERIA.values())


def test_feature_space_error_rises_with_the_measure():
    part = small("classification").part
    names = ["fsm", "fsm_error"]
    fsm, error = kw.score_kernels(
        part.X, part.targets.y, leaderboard_trial.WIDTHS, names
    ).table.values()
    assert np.all(np.diff(error[np.argsort(fsm)]) >= -1e-15)


def test_each_set_once():
    found = sets()
    assert {"a2a", "cpusmall", "fourclass", "svmguide3"} <= set(found)
    assert not set(DUPLICATES) & set(found)
    assert found["heart"] == "classification" and found["mpg"] == "regression"
    assert set(found) >= DESIGNED_ON


@pytest.fixture
def folder(data_folder):
    """A folder with two small sets: heart, of two classes, and mpg, to regress on."""
    loaders = {"heart": load_breast_cancer, "mpg": load_diabetes}
    sets = {name: load(return_X_y=True) for name, load in loaders.items()}
    return data_folder({name: (X[:70, :5], y[:70]) for name, (X, y) in sets.items()})


class TestRuns:
    @pytest.mark.parametrize("name", ["heart", "mpg"])
    def test_lines_of_a_job(self, folder, monkeypatch, name):
        monkeypatch.setattr(leaderboard_lines, "cpu_seconds", lambda run, **often: 0.25)
        monkeypatch.setattr(leaderboard_lines, "_warm_up", lambda task: None)
        lines = LEADERBOARD.work(Job("leaderboard", name, 0, 40))
        assert [(li["setting"], li["quantity"]) for li in lines] == [
            (FIXED, "error"),
            (CHOSEN, "error"),
            (FIXED, "seconds"),
            (CHOSEN, "seconds"),
        ]
        task = sets()[name]
        for line in lines:
            assert (line["task"], line["available"], line["train"], line["test"]) == (
                task,
                70,
                28,
                12,
            )
            filled = {n for n in (*ENTRANTS,) if line[n] != ""}
            assert filled == set(filter(can_run, entrants(task, line["setting"])))
            assert (line[BEST] == "") == (line["quantity"] == "seconds")
        assert float(lines[0][CONSTANT]) == float(lines[1][CONSTANT])
        assert {lines[3][n] for n in filter(can_run, entrants(task, CHOSEN))} == {"0.25"}

    def test_real_targets_are_standardised(self, folder):
        part, rows = split_of("mpg", None, 5)
        assert rows == 70 and part.targets.n == 49
        assert part.targets.y.mean() == pytest.approx(0.0, abs=1e-12)
        assert part.targets.y.std() == pytest.approx(1.0)
        raw = datasets.load("mpg", task="regression").y
        both = np.concatenate([part.targets.y, part.test_targets.y])
        slope = np.polyfit(np.sort(both), np.sort(raw), 1)
        np.testing.assert_allclose(np.polyval(slope, np.sort(both)), np.sort(raw))

    def test_a_run_is_resumed(self, folder, tmp_path):
        effort = Effort(repetitions=2, rows=40, datasets=("heart",))
        path = runner.results_path(LEADERBOARD, tmp_path, effort)
        path.parent.mkdir()
        # The first split, whose times take long, is there already.
        done = LEADERBOARD.work(Job("leaderboard", "heart", 1, 40))
        runner._append(path, [{"dataset": "heart", "repetition": 0} | line for line in done])
        before = path.read_text()
        runner.run(LEADERBOARD, tmp_path, effort)
        assert path.read_text().startswith(before)
        lines = runner.read(path)
        assert [line["repetition"] for line in lines] == ["0", "0", "1", "1"]
        # The same split in another process: as many of the test rows are wrong. Rounding there may
        # not be that of here, but half a row it is not.
        row = 100.0 / int(lines[0]["test"])
        for name in (*entrants("classification", FIXED), BEST, CONSTANT):
            first, again = (float(line[name]) for line in lines[::2])
            assert again == pytest.approx(first, abs=row / 2), name


class TestCompletion:
    """Entrants that have joined since are added to the lines of an earlier run."""

    @pytest.fixture
    def earlier(self, folder, monkeypatch, tmp_path):
        """A file as it was before the models joined, with the times of the first split."""
        clock = iter(np.arange(1.0, 1000.0))
        monkeypatch.setattr(leaderboard_lines, "cpu_seconds", lambda run, **often: next(clock))
        monkeypatch.setattr(leaderboard_lines, "_warm_up", lambda task: None)
        effort = Effort(repetitions=1, rows=40, datasets=("heart",))
        path = runner.results_path(LEADERBOARD, tmp_path, effort)
        path.parent.mkdir()
        for line in runner.do(Job("leaderboard", "heart", 0, 40)):
            text = {name: str(value) for name, value in line.items() if name not in MODELS}
            runner._append(path, [text])
        return path, effort

    def test_only_who_is_missing_is_run(self, earlier, monkeypatch, tmp_path):
        path, effort = earlier
        before, ran = runner.read(path), []
        error = Trial.error
        monkeypatch.setattr(
            Trial, "error", lambda self, *asked: ran.append(asked) or error(self, *asked)
        )
        monkeypatch.setattr(runner, "_results", lambda jobs, *_: [runner.do(*job) for job in jobs])
        runner.run(LEADERBOARD, tmp_path, effort)
        joined = [name for name in MODELS if can_run(name)]
        assert ran == [(name, CHOSEN) for name in joined]
        after = runner.read(path)
        for old, new in zip(before, after, strict=True):
            assert new | old == new  # nothing that was there is changed
            filled = {name for name in MODELS if new[name]}
            assert filled == (set(joined) if new["setting"] == CHOSEN else set())
        ran.clear()
        runner.run(LEADERBOARD, tmp_path, effort)
        assert not ran and runner.read(path) == after

    def test_times_are_in_units_of_the_earlier_run(self, earlier):
        path, _ = earlier
        known = runner.read(path)
        times = leaderboard_lines.completed(Job("leaderboard", "heart", 0, 40), known)[3]
        joined = [name for name in MODELS if can_run(name)]
        seconds = [float(times[name]) for name in joined]
        # The clock goes up by one: the models one after the other, then the default again.
        first = seconds[0] / (seconds[1] - seconds[0])
        again = first + len(joined)
        unit = float(known[3][DEFAULT]) / again
        np.testing.assert_allclose(seconds, unit * (first + np.arange(len(joined))), rtol=1e-4)

    def test_a_criterion_that_joins(self, earlier, monkeypatch):
        """It chooses what it would have chosen at first; its times are in units of RKS."""
        path, _ = earlier
        times = {RELATIVE: 6.0, RKS: 2.0}
        monkeypatch.setattr(leaderboard_lines, "_time", lambda trial, name, _: times.get(name, 1.0))
        whole = runner.read(path)
        known = [{n: v for n, v in line.items() if n != RELATIVE} for line in whole]
        lines = leaderboard_lines.completed(Job("leaderboard", "heart", 0, 40), known)
        for new, old in zip(lines, whole, strict=True):
            if old["quantity"] == "error":
                assert new[RELATIVE] == old[RELATIVE]
            else:
                assert float(new[RELATIVE]) == pytest.approx(3.0 * float(old[RKS]), rel=1e-4)

    def test_without_an_optional_package(self, earlier, monkeypatch):
        path, _ = earlier
        monkeypatch.setattr(leaderboard_lines, "can_run", lambda name: name != LIGHTGBM)
        known = runner.read(path)
        assert LEADERBOARD.lacks(known)
        lines = leaderboard_lines.completed(Job("leaderboard", "heart", 0, 40), known)
        assert not LEADERBOARD.lacks(lines)
        assert lines[1][LIGHTGBM] == "" and lines[1][STACK] != ""

    def test_who_is_not_on_every_line_has_no_rank(self):
        lines = lines_of(lambda name: 10.0)
        for line in lines:
            if line["dataset"] == "heart":
                del line[LIGHTGBM]
        by_title = {panel.title: panel for panel in panels(lines)}
        names = by_title["Two classes, ridge chosen"].contest.names
        assert LIGHTGBM not in names and STACK in names
        assert LIGHTGBM in by_title["Real targets, ridge chosen"].contest.names
        assert f"- _{LIGHTGBM}_ has no rank yet: 18 of its 20 errors" in LEADERBOARD.page(lines)


def lines_of(errors, splits=2):
    """Return lines of two-class and real sets whose errors a function gives by entrant."""
    found = []
    names = ["a2a", "heart", "sonar", "wpbc", "vote", "splice", "glass", "mpg", "housing", "mg"]
    rng = np.random.default_rng(4)
    for name, repetition, setting, quantity in itertools.product(
        names, range(splits), SETTINGS, ("error", "seconds")
    ):
        task = sets()[name]
        facts = {"task": task, "available": 2265, "train": 700, "test": 300}
        values = {n: errors(n) + rng.random() for n in entrants(task, setting)}
        if quantity == "seconds":
            values = {n: 2.0 if n == GRID else 0.5 for n in values}
        else:
            values |= {BEST: 1.0, CONSTANT: 40.0}
        if quantity == "error" or repetition == 0:
            line = facts | leaderboard_lines._line(setting, quantity, values)
            place = {"dataset": name, "repetition": repetition}
            found.append({k: str(v) for k, v in (place | line).items()})
    return found


class TestPages:
    def test_a_default_that_wins(self):
        lines = lines_of(lambda name: 5.0 if name in (DEFAULT, SAME_WIDTHS) else 10.0)
        page = LEADERBOARD.page(lines)
        assert "not significantly worse than the best entrant in any contest" in page
        assert "10 data sets" in page and "- Random splits a set: 2, 70 %" in page
        assert "a2a 1,000 of 2,265" in page and "Not run: anneal" in page
        assert "On the others (a2a, splice) its mean rank" in page
        assert "nan" not in page.replace("(nan", "")
        for title in ("Two classes", "Real targets"):
            for setting in SETTINGS:
                assert f"### {title}, {setting}" in page
        row = next(line for line in page.splitlines() if line.startswith("| 1 |"))
        assert f"**`{SAME_WIDTHS}`**" in row and row.endswith("| 0.5 | 4 |")

    def test_one_set_is_no_contest(self):
        lines = [line for line in lines_of(lambda name: 5.0) if line["dataset"] == "heart"]
        assert "Nothing can be said" in LEADERBOARD.page(lines)
        assert "Nothing to compare" in LEADERBOARD.summary(lines)
        assert LEADERBOARD.figure(lines).axes == []

    def test_a_default_that_loses(self):
        lines = lines_of(lambda name: 20.0 if name in (DEFAULT, SAME_WIDTHS) else 10.0)
        page = LEADERBOARD.page(lines)
        assert "**The default is significantly worse than the best entrant" in page
        assert "in 2 of 4 contests: Two classes, ridge 1; Two classes, ridge chosen.**" in page
        assert "in any contest" not in page
        assert "significantly worse." in LEADERBOARD.summary(lines)
        assert "not significantly worse" not in LEADERBOARD.summary(lines).split("\n")[0]

    def test_a_criterion_without_a_choice_has_the_error_of_the_constant(self):
        lines = lines_of(lambda name: 10.0)
        for line in lines:
            if line["dataset"] == "heart" and line["quantity"] == "error":
                line["Span"] = "nan"
        panel = panels(lines)[0]
        at = panel.sets.index("heart"), panel.contest.names.index("Span")
        assert panel.contest.errors[at] == 40.0 and panel.undefined["Span"] == 2
        assert "on so many splits: Span 2." in LEADERBOARD.page(lines)

    def test_ranks_take_the_mean_over_splits(self):
        lines = lines_of(lambda name: 10.0, splits=3)
        panel = panels(lines)[1]
        theirs = [
            float(line["CKTA"])
            for line in lines
            if (line["dataset"], line["setting"], line["quantity"]) == ("vote", CHOSEN, "error")
        ]
        found = panel.contest.errors[panel.sets.index("vote"), panel.contest.names.index("CKTA")]
        shares = np.round(np.array(theirs) * 3.0) / 3.0  # 300 test rows
        assert len(theirs) == 3 and found == pytest.approx(shares.mean())

    def test_as_many_errors_are_a_tie(self):
        """The digits that are written differ, the rows do not."""
        lines = [line for line in lines_of(lambda name: 10.0) if line["quantity"] == "error"]
        for line in lines:
            second = line["repetition"] == "1"
            line |= {"KTA": ("10.667", "10.333")[second], "CKTA": ("10.33", "10.67")[second]}
        contest = panels(lines)[0].contest
        kta, ckta = (contest.errors[:, contest.names.index(name)] for name in ("KTA", "CKTA"))
        np.testing.assert_array_equal(kta, ckta)
        assert kta[0] == pytest.approx(10.5)

    def test_figure_has_a_panel_a_contest(self):
        lines = lines_of(lambda name: 10.0)
        assert len(LEADERBOARD.figure(lines).axes) == 4
        only = [line for line in lines if line["task"] == "regression"]
        assert len(LEADERBOARD.figure(only).axes) == 2
