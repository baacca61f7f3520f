"""The figures of the FSM paper: data, measures, verdicts, pages."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel
from sklearn.metrics.pairwise import (
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import oracles
from inside import FSMError, Undefined
from kernelwise_papers import runner
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.experiment import Effort, Job
from kernelwise_papers.papers.fsm.angles import ANGLES, READINGS, limits, synthetic
from kernelwise_papers.papers.fsm.grid import Grid, RankTest, figure3_verdicts
from kernelwise_papers.papers.fsm.measures import MEASURES
from kernelwise_papers.papers.fsm.sets import KERNELS, load, scaled
from kernelwise_papers.papers.fsm.synthetic import Curves, figure2_verdicts

DEVIATION, TOTAL, VARIANCE = READINGS
PAGES = Path(__file__).parents[1] / "pages"


def texts(job):
    """Return the lines of a job as they stand in a file."""
    return [{head: str(value) for head, value in line.items()} for line in runner.do(job)]


def run(key, effort):
    return [line for job in EXPERIMENTS[key].jobs(effort) for line in texts(job)]


def folds_error(machine, X, y, seed, times):
    """The share of wrong answers, by scikit-learn on the features themselves."""
    wrong = 0
    for i in range(times):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed + i).split(X, y):
            wrong += np.sum(machine.fit(X[train], y[train]).predict(X[test]) != y[test])
    return wrong / (times * y.size)


class TestSyntheticData:
    @pytest.mark.parametrize("angle", ANGLES)
    @pytest.mark.parametrize("reading", READINGS, ids=lambda reading: reading.name)
    def test_many_points_come_to_the_limits(self, angle, reading):
        X, targets = synthetic(angle, reading, 100_000, 1)
        signs = 1.0 - 2.0 * targets.y
        # K = X X': both norms from 2 x 2 matrices
        kta = np.sum((X.T @ signs) ** 2) / (np.linalg.norm(X.T @ X) * signs.size)
        fsm = oracles.fsm_from_features(X, signs)
        middles = np.array([[1, 0], [np.cos(np.pi * angle / 180), np.sin(np.pi * angle / 180)]])
        nearest = np.linalg.norm(X[:, None] - middles, axis=2).argmin(axis=1)
        found = {
            "error": np.mean(nearest != targets.y),
            "1-KTA": 1 - kta,
            "FSMerr": fsm**2 / (1 + fsm**2),
        }
        assert found == pytest.approx(limits(angle, reading), abs=0.006)

    def test_the_spread_is_what_the_reading_says(self):
        distance = math.sqrt(2.0)  # of the centres at a right angle
        expected = {
            DEVIATION: distance / 2,
            TOTAL: distance / 8**0.5,
            VARIANCE: (distance / 2) ** 0.5,
        }
        for reading, deviation in expected.items():
            X, targets = synthetic(90, reading, 50_000, 3)
            for code, centre in enumerate(([1.0, 0.0], [0.0, 1.0])):
                own = X[targets.y == code]
                np.testing.assert_allclose(own.mean(axis=0), centre, atol=0.02)
                np.testing.assert_allclose(own.std(axis=0), deviation, rtol=0.02)
                assert abs(np.corrcoef(own.T)[0, 1]) < 0.02

    def test_only_readings_that_scale_keep_error_and_bound(self):
        for name in ("error", "FSMerr"):
            for reading in (DEVIATION, TOTAL):
                assert np.ptp([limits(a, reading)[name] for a in ANGLES]) < 1e-12
            assert np.ptp([limits(a, VARIANCE)[name] for a in ANGLES]) > 0.1
        assert limits(180, DEVIATION)["1-KTA"] == pytest.approx(1 - 1 / math.sqrt(5))


class TestFigure2:
    def test_a_job_is_what_textbooks_say(self):
        job = Job("fsm-figure2", "90", 0, 60)
        lines = texts(job)
        assert [line["reading"] for line in lines] == ["deviation", "total", "variance"]
        for line, reading in zip(lines, READINGS, strict=True):
            X, targets = synthetic(90.0, reading, 30, job.seed)
            signs = (1 - 2 * targets.y).tolist()
            K = (X @ X.T).tolist()
            error = folds_error(SVC(kernel="linear"), X, targets.y, job.seed % 2**31, 10)
            assert float(line["error"]) == pytest.approx(error, abs=2 / 600)
            assert float(line["1-KTA"]) == pytest.approx(
                1 - oracles.kta(K, oracles.outer(signs)), rel=1e-4
            )
            assert float(line["FSMerr"]) == pytest.approx(oracles.fsm_error(K, signs), rel=1e-4)

    def test_all_there_is_to_do(self):
        jobs = EXPERIMENTS["fsm-figure2"].jobs(Effort())
        assert len(jobs) == 60 and {job.dataset for job in jobs} == {str(a) for a in ANGLES}

    def test_a_quick_run_has_page_and_figure(self):
        lines = run("fsm-figure2", Effort(2, 20, ("30", "180")))
        experiment = EXPERIMENTS["fsm-figure2"]
        page = experiment.page(lines)
        assert "](fsm-figure2.svg)" in page and "nan" not in page
        assert "2 draws a set" in page and "30, 180 degrees" in page
        assert page.count("| 0.936 |") == page.count("| 0.395 |") == 3
        assert "hold" in experiment.summary(lines) and "*" not in experiment.summary(lines)
        figure = experiment.figure(lines)
        assert [ax.get_title() for ax in figure.axes] == [
            f"spread read as {reading.name}" for reading in READINGS
        ]
        np.testing.assert_allclose(figure.axes[0].lines[-1].get_ydata(), [0.936, 0.395])

    def test_printed_numbers_stand_at_their_angles(self):
        lines = run("fsm-figure2", Effort(2, 20, ("30", "60")))
        page = EXPERIMENTS["fsm-figure2"].page(lines)
        assert page.count("| 0.936 |") == 3 and "| 0.395 |" not in page
        assert "Which reading" not in page and "for 0.395" not in page
        figure = EXPERIMENTS["fsm-figure2"].figure(lines)
        np.testing.assert_allclose(figure.axes[0].lines[-1].get_xydata(), [[30.0, 0.936]])

    def test_one_draw_is_enough_for_a_page(self):
        lines = run("fsm-figure2", Effort(1, 20, ("30", "180")))
        assert "1 draws a set" in EXPERIMENTS["fsm-figure2"].page(lines)

    def test_unfinished_draws_are_left_out(self):
        lines = made_up_curves(0.93, 0.40)
        lines += [dict(lines[0], repetition="9", error="0.9")]
        assert Curves.of(DEVIATION, lines).draws == 2


def made_up_curves(first, last, *, error=(0.10, 0.11), bound=(0.30, 0.31)):
    """Return two draws at 30 and 180 degrees around the given values."""
    return [
        {
            "dataset": angle,
            "repetition": str(draw),
            "reading": "deviation",
            "error": str(error[i]),
            "1-KTA": str((first, last)[i] + 0.01 * (2 * draw - 1)),
            "FSMerr": str(bound[i]),
        }
        for i, angle in enumerate(("30", "180"))
        for draw in (0, 1)
    ]


class TestFigure2Verdicts:
    @pytest.mark.parametrize(
        ("lines", "expected"),
        [
            (made_up_curves(0.93, 0.40), [True, True, True]),
            (made_up_curves(0.93, 0.55), [True, True, False]),
            (made_up_curves(0.80, 0.40), [True, True, False]),
            (made_up_curves(0.93, 0.40, error=(0.10, 0.16)), [False, True, True]),
            (made_up_curves(0.93, 0.40, bound=(0.3, 0.4)), [True, False, True]),
            (made_up_curves(0.93, 0.40, bound=(0.31, 0.30)), [True, False, True]),
        ],
    )
    def test_rules(self, lines, expected):
        verdicts = figure2_verdicts(Curves.of(DEVIATION, lines))
        assert [verdict.holds for verdict in verdicts] == expected
        assert ["does not hold" in str(verdict) for verdict in verdicts] == [
            not holds for holds in expected
        ]

    def test_it_must_fall(self):
        lines = made_up_curves(0.93, 0.40)
        lines += [dict(line, dataset="90") for line in lines if line["dataset"] == "30"]
        verdict = figure2_verdicts(Curves.of(DEVIATION, lines))[2]
        assert not verdict.holds and "does not fall" in verdict.found


@pytest.fixture
def folder(data_folder):
    """A folder with three small sets: two of two classes, and vehicle of four."""
    rng = np.random.default_rng(5)
    labels = {
        "heart": ["absent", "present"],
        "breast-cancer": ["2", "4"],
        "vehicle": ["opel", "bus", "saab", "van"],
    }
    sets = {}
    for name, classes in labels.items():
        codes = np.arange(60) % len(classes)
        X = rng.normal(size=(60, 4)) * [1, 10, 1, 1] + codes[:, None] * [1, 5, 0, 0]
        X[:, 3] = 7.0
        sets[name] = X, [classes[c] for c in codes]
    return data_folder(sets)


SKLEARN = {
    "linear": linear_kernel,
    "polynomial": lambda X: polynomial_kernel(X, degree=3, gamma=1.0, coef0=0.0),
    "RBF": lambda X: rbf_kernel(X, gamma=1 / X.shape[1]),
    "tanh": lambda X: sigmoid_kernel(X, gamma=1 / X.shape[1], coef0=0.0),
    "polynomial (offset 1)": lambda X: polynomial_kernel(X, degree=3, gamma=1.0, coef0=1.0),
    "tanh (slope 1)": lambda X: sigmoid_kernel(X, gamma=1.0, coef0=0.0),
}


class TestFigure3:
    def test_cars_against_the_rest(self, folder):
        data = load("vehicle")
        assert data.n == 60 and sorted(set(data.y)) == ["car", "other"]
        assert data.y[:4].tolist() == ["car", "other", "car", "other"]

    def test_features_from_minus_one_to_one(self, folder):
        X = scaled(load("heart").X)
        assert (X[:, :3].min(axis=0) == -1).all() and (X[:, :3].max(axis=0) == 1).all()
        assert (X[:, 3] == 0).all()

    @pytest.mark.parametrize("name", ["heart", "vehicle"])
    def test_a_job_is_what_textbooks_say(self, folder, name):
        job = Job("fsm-figure3", name, 0, 45)
        data = load(name).head(45)
        X, y = scaled(data.X), data.y
        signs = np.where(y == np.unique(y)[0], 1, -1)
        lines = texts(job)
        assert [line["kernel"] for line in lines] == list(SKLEARN)
        splits = list(StratifiedKFold(5, shuffle=True, random_state=job.seed).split(X, signs))
        for line in lines:
            K = SKLEARN[line["kernel"]](X)
            machine = SVC(kernel="precomputed")
            error = np.sum(
                [
                    np.sum(machine.fit(K[np.ix_(a, a)], y[a]).predict(K[np.ix_(b, a)]) != y[b])
                    for a, b in splits
                ]
            )
            assert float(line["error"]) == pytest.approx(error / 45, abs=1.5 / 45)
            for suffix, parts in (
                ("", [np.arange(45)]),
                (" (training rows)", [a for a, _ in splits]),
            ):
                found = np.mean([textbook(K[np.ix_(a, a)], signs[a]) for a in parts], axis=0)
                ours = [float(line[f"{head}{suffix}"]) for head in ("1-KTA", "FSMerr")]
                np.testing.assert_allclose(ours, found, rtol=1e-4)

    def test_all_there_is_to_do(self):
        jobs = EXPERIMENTS["fsm-figure3"].jobs(Effort())
        assert len(jobs) == 80 and len({job.dataset for job in jobs}) == 8

    def test_a_quick_run_has_page_and_figure(self, folder):
        lines = run("fsm-figure3", Effort(2, 40, ("heart", "breast-cancer", "vehicle")))
        experiment = EXPERIMENTS["fsm-figure3"]
        page = experiment.page(lines)
        assert "](fsm-figure3.svg)" in page and "nan" not in page
        assert "| published | 2.63 ± 1.061 | 1.63 ± 0.518 | 0.019 |" in page
        assert experiment.summary(lines).count("hold") == 4
        titles = [ax.get_title() for ax in experiment.figure(lines).axes]
        assert titles == ["breast-cancer", "heart", "vehicle"]

    def test_one_set_once_is_enough_for_a_page(self, folder):
        lines = run("fsm-figure3", Effort(1, 40, ("heart",)))
        assert "not run" in EXPERIMENTS["fsm-figure3"].page(lines)

    def test_what_is_undefined_is_written_so_and_ranks_last(self, monkeypatch, folder):
        def refuse(self, evidence, ridge):
            raise Undefined("no distance")

        monkeypatch.setattr(FSMError, "value", refuse)
        assert {line["FSMerr"] for line in texts(Job("fsm-figure3", "heart", 0, 40))} == {"nan"}
        lines = made_up_grid(heart=("1 2 3 4", "1 2 3 4", "nan 1 2 3"))
        grid = Grid.of(lines)
        assert grid.ranks("FSMerr").tolist() == [[4, 1, 2, 3]]
        assert grid.ranks_of_best("FSMerr").tolist() == [4]
        assert math.isnan(grid.correlations("FSMerr")[0])


def textbook(K, signs):
    K, signs = K.tolist(), signs.tolist()
    return 1 - oracles.kta(K, oracles.outer(signs)), oracles.fsm_error(K, signs)


def made_up_grid(**sets):
    """Return one line per kernel from error, 1-KTA and FSMerr of the four kernels of a set."""
    lines = []
    for name, rows in sets.items():
        columns = zip(KERNELS, *(row.split() for row in rows), strict=True)
        for kernel, *values in columns:
            place = {"dataset": name.replace("_", "-"), "repetition": "0", "kernel": kernel}
            lines.append(place | dict(zip(MEASURES, values, strict=True)))
    return lines


class TestFigure3Verdicts:
    def test_ranks_of_the_best_kernel(self):
        grid = Grid.of(
            made_up_grid(
                heart=(".3 .2 .1 .4", ".5 .6 .9 .7", ".3 .2 .1 .4"),
                diabetes=(".1 .2 .3 .4", ".5 .6 .9 .7", ".3 .2 .1 .3"),
            )
        )
        assert grid.sets == ["diabetes", "heart"]  # in the order of the paper
        assert grid.ranks("FSMerr").tolist() == [[3, 2, 1, 3], [3, 2, 1, 4]]
        assert grid.ranks_of_best("1-KTA").tolist() == [1, 4]
        assert grid.ranks_of_best("FSMerr").tolist() == [3, 1]
        assert grid.correlations("FSMerr")[1] == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            # RBF best and last by KTA; tanh worst and liked; FSMerr goes with the error
            ((".03 .04 .02 .09", ".2 .4 .6 .3", ".3 .4 .2 .9"), [True, True, True]),
            # RBF not about the best
            ((".03 .04 .05 .09", ".2 .4 .6 .3", ".3 .4 .5 .9"), [False, True, True]),
            # RBF not last by KTA, tanh not worst
            ((".03 .09 .02 .08", ".3 .5 .4 .2", ".3 .9 .2 .8"), [False, False, True]),
            # tanh not liked, FSMerr unlike the error
            ((".03 .04 .02 .09", ".2 .3 .6 .4", ".9 .4 .2 .3"), [True, False, False]),
            # 1-KTA goes with the error as well
            ((".03 .02 .01 .09", ".3 .2 .1 .9", ".3 .2 .1 .9"), [False, False, False]),
        ],
    )
    def test_rules(self, rows, expected):
        verdicts = figure3_verdicts(Grid.of(made_up_grid(breast_cancer=rows)))
        assert [verdict.holds for verdict in verdicts] == expected

    def test_tests_of_ranks_are_those_of_scipy(self):
        better, worse = (".1 .2 .3 .4", ".5 .6 .9 .7", ".1 .2 .3 .4"), (".1 .2 .3 .4",) * 3
        middle = (".3 .1 .2 .4", ".1 .3 .2 .4", ".3 .1 .2 .4")
        last = (".3 .4 .1 .2", ".1 .3 .5 .4", ".1 .4 .2 .5")
        grid = Grid.of(made_up_grid(heart=better, diabetes=worse, vehicle=middle, australian=last))
        kta, fsm = grid.ranks_of_best("1-KTA"), grid.ranks_of_best("FSMerr")
        assert sorted(kta.tolist()) == [1, 1, 3, 4] and sorted(fsm.tolist()) == [1, 1, 1, 2]
        test = RankTest.of(grid)
        assert test.kta == pytest.approx((2.25, np.std(kta, ddof=1)))
        expected = ttest_ind(fsm, kta, equal_var=False, alternative="less").pvalue
        assert test.welch == pytest.approx(expected)
        expected = ttest_rel(fsm, kta, alternative="less").pvalue
        assert test.paired == pytest.approx(expected)
        assert not test.verdict.holds
        assert test._replace(welch=0.04).verdict.holds

    def test_equal_ranks_are_no_evidence(self):
        rows = (".1 .2 .3 .4",) * 3
        test = RankTest.of(Grid.of(made_up_grid(heart=rows, diabetes=rows)))
        assert not test.verdict.holds and test.paired == 0.5
