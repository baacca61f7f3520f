import sys
from typing import ClassVar

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw
from inside import (
    CriterionCurveDisplay,
    DecisionRegionDisplay,
    KernelAxis,
    KernelMatrixDisplay,
    LooResidualsDisplay,
    RankHeatmapDisplay,
    RelevanceDisplay,
    SpectrumDisplay,
    WeightPathDisplay,
    short,
)

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    """Draw everything once, so that errors at drawing time are seen, and close it."""
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y


@pytest.fixture(scope="module")
def names(iris):
    return np.array(["setosa", "versicolor", "virginica"])[iris[1]]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    return StandardScaler().fit_transform(X)[:120], y[:120]


@pytest.fixture(scope="module")
def result(iris):
    return kw.score_kernels(*iris, kw.grids.gaussian(-2, 4), ["sm", "eloo", "ks"])


def drawn(line):
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


class TestCriterionCurve:
    def test_curves_are_the_table(self, result):
        display = CriterionCurveDisplay.from_result(result)
        assert list(display.lines_) == ["sm", "eloo", "ks"]
        for name, panel in zip(result.table, display.axes_, strict=True):
            [line] = display.lines_[name]
            x, y = drawn(line)
            np.testing.assert_array_equal(x, 2.0 ** np.arange(-2, 5))
            np.testing.assert_array_equal(y, result.table[name])
            assert panel.get_xscale() == "log" and name in panel.get_title(loc="left")
        assert display.figure_ is display.ax_.figure and display.ax_ is display.axes_[0]

    def test_marks_the_best_and_the_chosen(self, result):
        display = CriterionCurveDisplay.from_result(result, "eloo", chosen=kw.Gaussian(8.0))
        best = result.best_index("eloo")
        x, y = drawn(display.best_points_["eloo"])
        assert (x[0], y[0]) == (result.kernels[best].tau, result.table["eloo"][best])
        [line] = display.chosen_lines_
        assert np.log2(line.get_xdata()[0]) == 3.0

    def test_a_criterion_without_direction_has_no_best(self, result):
        display = CriterionCurveDisplay.from_result(result)
        assert set(display.best) == set(display.best_points_) == {"sm", "eloo"}
        assert display.chosen_lines_ == []

    def test_best_over_ridges(self, iris):
        ridges = [0.01, 1.0, 100.0]
        result = kw.score_kernels(*iris, kw.grids.gaussian(-1, 2), ["eloo", "lml"], ridge=ridges)
        display = CriterionCurveDisplay.from_result(result)
        for name, best in (("eloo", np.min), ("lml", np.max)):
            of_kernels = [
                best([v for k, v in zip(result.kernels, result.table[name], strict=True) if k == g])
                for g in kw.grids.gaussian(-1, 2)
            ]
            np.testing.assert_array_equal(display.values[name], of_kernels)

    def test_order_of_the_grid_does_not_matter(self, iris):
        result = kw.score_kernels(*iris, kw.grids.laplacian(-1, 3)[::-1], ["sm"])
        x, y = drawn(CriterionCurveDisplay.from_result(result).lines_["sm"][0])
        np.testing.assert_array_equal(x, 2.0 ** np.arange(-1, 4))
        np.testing.assert_array_equal(y, result.table["sm"][::-1])

    def test_polynomials_stand_at_their_degree(self, diabetes):
        result = kw.score_kernels(*diabetes, kw.grids.polynomial(1, 5), ["ckta", "eloo"])
        display = CriterionCurveDisplay.from_result(result, chosen=result.best("eloo"))
        np.testing.assert_array_equal(drawn(display.lines_["ckta"][0])[0], [1, 2, 3, 4, 5])
        assert display.ax_.get_xscale() == "linear"
        assert display.axes_[-1].get_xlabel() == "degree of Polynomial"

    def test_matern_of_two_smoothnesses_are_two_lines(self, iris):
        kernels = kw.grids.matern(0, 2, 0.5) + kw.grids.matern(0, 2, 2.5)
        result = kw.score_kernels(*iris, kernels, ["sm"])
        lines = CriterionCurveDisplay.from_result(result).lines_["sm"]
        assert [line.get_label() for line in lines] == ["Matern(nu=0.5)", "Matern(nu=2.5)"]
        np.testing.assert_array_equal(drawn(lines[0])[1], result.table["sm"][:3])
        np.testing.assert_array_equal(drawn(lines[1])[1], result.table["sm"][3:])

    def test_mixed_kernels_stand_at_their_number(self, iris):
        kernels = [kw.Linear(), kw.Gaussian(1.0), kw.Gaussian(2.0), kw.Linear() + kw.Gaussian(1.0)]
        result = kw.score_kernels(*iris, kernels, ["sm", "ckta"])
        display = CriterionCurveDisplay.from_result(result, chosen=kernels[3])
        assert [len(line.get_xdata()) for line in display.lines_["sm"]] == [1, 2, 1]
        assert display.chosen_lines_[0].get_xdata()[0] == 4
        texts = [text.get_text() for text in display.axes_[-1].get_xticklabels()]
        assert texts[:2] == ["Linear()", "Gaussian(tau=1)"]

    def test_many_mixed_kernels_are_numbered(self):
        axis = KernelAxis.of([kw.Linear(), *kw.grids.gaussian()])
        assert axis.label == "number of the candidate" and axis.positions[-1] == 32

    def test_too_many_families_are_numbered(self):
        axis = KernelAxis.of([kw.Polynomial(2, gamma=g) for g in range(1, 9)])
        assert axis.parameter == "number"

    def test_selector_with_kernels_that_did_not_reach_a_stage(self, iris, names):
        pipeline = make_pipeline(StandardScaler(), kw.KernelSelector()).fit(iris[0], names)
        selector = pipeline[-1]
        display = CriterionCurveDisplay.from_selector(pipeline)
        assert list(display.values) == list(selector.result_.table)
        last = list(display.values)[-1]
        assert np.isnan(display.values[last]).any()
        assert display.chosen_lines_[0].get_xdata()[0] == selector.best_kernel_.tau

    def test_standard_errors_are_a_band(self, result):
        display = CriterionCurveDisplay.from_result(result, ["eloo"])
        np.testing.assert_array_equal(display.errors["eloo"], result.standard_errors["eloo"])
        assert len(display.ax_.collections) == 1

    def test_wide_ranges_are_logarithmic(self, iris):
        result = kw.score_kernels(*iris, kw.grids.polynomial(1, 6), ["ks", "ckta"])
        display = CriterionCurveDisplay.from_result(result)
        assert [panel.get_yscale() for panel in display.axes_] == ["log", "linear"]

    def test_on_given_axes(self, result):
        figure, axes = plt.subplots(3, 1)
        display = CriterionCurveDisplay.from_result(result, ax=axes, color="black")
        assert display.figure_ is figure and len(plt.get_fignums()) == 1
        assert display.lines_["sm"][0].get_color() == "black"
        with pytest.raises(ValueError, match="ax must hold one Axes per criterion, 3 here"):
            display.plot(axes[0])

    @pytest.mark.parametrize("count", [6, 11])
    def test_many_criteria_in_columns(self, iris, count):
        criteria = ["sm", "kta", "ckta", "ks", "er", "rks", "cvks", "sps", "eloo", "gcv", "br"]
        result = kw.score_kernels(*iris, kw.grids.gaussian(0, 2), criteria[:count])
        display = CriterionCurveDisplay.from_result(result)
        assert len(display.axes_) == len(display.figure_.axes) == count

    def test_bad_input(self, result):
        with pytest.raises(ValueError, match=r"criteria must name columns.*'nonsense'"):
            CriterionCurveDisplay.from_result(result, "nonsense")
        with pytest.raises(ValueError, match="chosen must be one of the result's kernels"):
            CriterionCurveDisplay.from_result(result, chosen=kw.Linear())
        with pytest.raises(ValueError, match="result must be a SelectionResult"):
            CriterionCurveDisplay.from_result({"sm": [1.0]})
        with pytest.raises(ValueError, match="selector must be a fitted KernelSelector"):
            CriterionCurveDisplay.from_selector(StandardScaler().fit([[0.0], [1.0]]))
        with pytest.raises(NotFittedError):
            CriterionCurveDisplay.from_selector(kw.KernelSelector())


class TestRankHeatmap:
    def test_ranks_are_the_results(self, result):
        display = RankHeatmapDisplay.from_result(result)
        assert display.criteria == ["sm", "eloo"]
        for row, name in enumerate(display.criteria):
            np.testing.assert_array_equal(display.ranks[row], result.ranks(name))
        np.testing.assert_array_equal(display.im_.get_array(), display.ranks)
        assert [text.get_text() for text in display.text_] == [
            f"{rank:.0f}" for rank in display.ranks.ravel()
        ]

    def test_best_cells_are_outlined(self, result):
        display = RankHeatmapDisplay.from_result(result)
        places = [(frame.get_x() + 0.5, frame.get_y() + 0.5) for frame in display.outlines_]
        assert places == [(result.best_index("sm"), 0), (result.best_index("eloo"), 1)]

    def test_kernels_rank_by_their_best_ridge(self, iris):
        kernels = kw.grids.gaussian(-1, 2)
        result = kw.score_kernels(*iris, kernels, ["eloo"], ridge=[0.01, 1.0])
        values = result.table["eloo"].reshape(4, 2) if result.kernels[0] == result.kernels[1] else (
            result.table["eloo"].reshape(2, 4).T
        )  # fmt: skip
        expected = np.argsort(np.argsort(values.min(axis=1))) + 1
        np.testing.assert_array_equal(RankHeatmapDisplay.from_result(result).ranks[0], expected)

    def test_undefined_cells(self, iris):
        result = kw.KernelSelector().fit(*iris).result_
        display = RankHeatmapDisplay.from_result(result)
        missing = np.isnan(display.ranks)
        assert missing.any()
        assert sum(text.get_text() == "–" for text in display.text_) == missing.sum()

    def test_mixed_kernels_are_named(self, iris):
        kernels = [kw.Linear(), kw.Gaussian(0.25), kw.Polynomial(2)]
        display = RankHeatmapDisplay.from_result(kw.score_kernels(*iris, kernels, ["sm"]))
        texts = [text.get_text() for text in display.ax_.get_xticklabels()]
        assert texts == ["Linear()", "Gaussian(tau=0.25)", "Polynomial(degree=2)"]

    def test_nothing_to_rank(self, iris):
        result = kw.score_kernels(*iris, kw.grids.gaussian(0, 1), ["ks"])
        with pytest.raises(ValueError, match="no criterion that can rank"):
            RankHeatmapDisplay.from_result(result)


class TestSpectrum:
    def test_eigenvalues_are_numpys(self, iris):
        machine = kw.LSSVC(kw.Gaussian(2.0), ridge=0.5).fit(*iris)
        display = SpectrumDisplay.from_estimator(machine)
        expected = np.linalg.eigvalsh(kw.Gaussian(2.0)(iris[0]))[::-1]
        np.testing.assert_allclose(display.eigenvalues, expected, atol=1e-12 * expected[0])
        x, y = drawn(display.lines_[0])
        np.testing.assert_array_equal(x, np.arange(1, 151))
        above_rounding = display.eigenvalues > 150 * np.finfo(float).eps * expected[0]
        np.testing.assert_array_equal(y[above_rounding], display.eigenvalues[above_rounding])
        assert np.isnan(y[~above_rounding]).all()
        assert display.ax_.get_yscale() == "log"

    def test_ridge_and_degrees_of_freedom(self, iris):
        X, y = iris
        K = kw.Gaussian(2.0)(X)
        display = SpectrumDisplay.from_estimator(kw.KRR(kw.Gaussian(2.0), ridge=0.5).fit(X, y))
        expected = np.trace(K @ np.linalg.inv(K + 0.5 * np.eye(len(K))))
        assert display.degrees_of_freedom == pytest.approx(expected, rel=1e-9)
        assert display.ridge_line_.get_ydata()[0] == 0.5
        assert f"{expected:.1f}" in display.text_.get_text()

    def test_of_a_selector_in_a_pipeline(self, iris, names):
        pipeline = make_pipeline(StandardScaler(), kw.KernelSelector()).fit(iris[0], names)
        display = SpectrumDisplay.from_estimator(pipeline)
        K = pipeline[-1].best_kernel_(StandardScaler().fit_transform(iris[0]))
        assert display.ridge == pipeline[-1].best_ridge_
        assert display.eigenvalues.sum() == pytest.approx(np.trace(K))

    def test_some_of_many_rows(self, rng):
        X = rng.normal(size=(300, 2))
        display = SpectrumDisplay.from_kernel(kw.Gaussian(50.0), X, 1.0, max_rows=100)
        again = SpectrumDisplay.from_kernel(kw.Gaussian(50.0), X, 1.0, max_rows=100)
        np.testing.assert_array_equal(display.eigenvalues, again.eigenvalues)
        assert display.eigenvalues.size == 100 and display.total == 300
        assert "100 of 300 rows" in display.ax_.get_title(loc="left")
        everything = SpectrumDisplay.from_kernel(kw.Gaussian(50.0), X, 1.0)
        assert display.eigenvalues[0] == pytest.approx(everything.eigenvalues[0], rel=0.05)
        assert display.degrees_of_freedom == pytest.approx(everything.degrees_of_freedom, rel=0.1)

    def test_negative_eigenvalues_are_shown(self, iris):
        display = SpectrumDisplay.from_kernel(kw.Sigmoid(0.1, -1.0), iris[0])
        eigenvalues = np.linalg.eigvalsh(kw.Sigmoid(0.1, -1.0)(iris[0]))
        assert drawn(display.lines_[1])[1].max() == pytest.approx(-eigenvalues[0])
        assert display.degrees_of_freedom is None and display.ridge_line_ is None

    def test_precomputed_and_callable_kernels(self, iris, rng):
        K = kw.Gaussian(2.0)(iris[0])
        given = SpectrumDisplay.from_kernel(kw.Precomputed(), K, max_rows=50)
        assert given.eigenvalues.sum() == pytest.approx(150.0)
        called = SpectrumDisplay.from_kernel(lambda A, B: A @ B.T, iris[0])
        assert called.eigenvalues.sum() == pytest.approx((iris[0] ** 2).sum())

    def test_bad_input(self, iris):
        svm = SVC().fit(*iris)
        with pytest.raises(ValueError, match=r"estimator must be.*got SVC: use SpectrumDisplay"):
            SpectrumDisplay.from_estimator(svm)
        with pytest.raises(ValueError, match=r"kernel must be a kernel such as Gaussian\(1.0\)"):
            SpectrumDisplay.from_kernel(kw.Gaussian, iris[0])
        with pytest.raises(ValueError, match="ridge must be positive"):
            SpectrumDisplay.from_kernel(kw.Linear(), iris[0], ridge=0.0)
        with pytest.raises(ValueError, match="max_rows must be at least 2"):
            SpectrumDisplay.from_kernel(kw.Linear(), iris[0], max_rows=1)


class TestKernelMatrix:
    def test_rows_are_ordered_by_class(self, iris, names, rng):
        shuffle = rng.permutation(150)
        X, y = iris[0][shuffle], names[shuffle]
        display = KernelMatrixDisplay.from_kernel(kw.Gaussian(2.0), X, y)
        assert np.all(y[display.order] == np.sort(y))
        np.testing.assert_allclose(display.matrix, kw.Gaussian(2.0)(X[display.order]))
        np.testing.assert_array_equal(display.im_.get_array(), display.matrix)
        np.testing.assert_array_equal(display.boundaries, [50, 100])
        assert [line.get_ydata()[0] for line in display.lines_[:2]] == [49.5, 99.5]
        labels = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert labels == ["setosa", "versicolor", "virginica"]

    def test_rows_are_ordered_by_target(self, diabetes):
        X, y = diabetes
        display = KernelMatrixDisplay.from_kernel(kw.Linear(), X, y)
        np.testing.assert_array_equal(y[display.order], np.sort(y))
        assert display.lines_ == [] and display.classes is None
        low, high = display.im_.get_clim()
        assert low == -high  # white is zero

    def test_some_of_many_rows(self, iris):
        display = KernelMatrixDisplay.from_kernel(kw.Gaussian(2.0), *iris, max_rows=30)
        np.testing.assert_allclose(display.matrix, kw.Gaussian(2.0)(iris[0][display.order]))
        assert display.matrix.shape == (30, 30)
        assert "30 rows of 150" in display.ax_.get_title(loc="left")

    def test_precomputed_rows_and_columns(self, iris):
        K = kw.Gaussian(2.0)(iris[0])
        display = KernelMatrixDisplay.from_kernel(kw.Precomputed(), K, iris[1], max_rows=30)
        np.testing.assert_array_equal(display.matrix, K[np.ix_(display.order, display.order)])

    def test_bad_input(self, iris):
        with pytest.raises(ValueError, match="y must have one entry per row of X, got 149"):
            KernelMatrixDisplay.from_kernel(kw.Linear(), iris[0], iris[1][1:])
        with pytest.raises(ValueError, match="ax must be one matplotlib Axes"):
            KernelMatrixDisplay.from_kernel(kw.Linear(), *iris, ax="here")


class TestLooResiduals:
    def test_two_classes(self, wdbc):
        X, y = wdbc[0][:150], np.array(["no", "yes"])[wdbc[1][:150]]
        machine = kw.LSSVC(kw.Gaussian(16.0), ridge=0.3).fit(X, y)
        display = LooResidualsDisplay.from_estimator(machine, y)
        wrong = 0
        for row in (keep := np.arange(150)):
            without = kw.LSSVC(kw.Gaussian(16.0), ridge=0.3).fit(X[keep != row], y[keep != row])
            assert without.decision_function(X[[row]])[0] == pytest.approx(display.values[row])
            wrong += without.predict(X[[row]])[0] != y[row]
        assert wrong > 0 and display.error == wrong / 150
        assert f"({wrong} of 150)" in display.ax_.get_title(loc="left")
        assert len(display.wrong_points_.get_offsets()) == wrong
        assert sum(len(points.get_offsets()) for points in display.points_) == 150 - wrong

    def test_many_classes(self, iris, names):
        machine = kw.KernelSelector().fit(iris[0], names)
        display = LooResidualsDisplay.from_estimator(machine, names)
        values = display.values
        predicted = machine.classes_[values.argmax(axis=1)]
        assert display.error == np.mean(predicted != names)
        np.testing.assert_array_equal(display.positions < 0, predicted != names)
        own = values[np.arange(150), iris[1]]
        rest = np.sort(np.where(np.eye(3)[iris[1]] > 0, -np.inf, values), axis=1)[:, -1]
        np.testing.assert_allclose(display.positions, own - rest)

    def test_regression(self, diabetes):
        X, y = diabetes
        machine = kw.KRR(kw.Gaussian(32.0), ridge=1.0, fit_intercept=True).fit(X, y)
        display = LooResidualsDisplay.from_estimator(machine, y)
        np.testing.assert_allclose(display.values, y - machine.loo_residuals_)
        assert display.error == pytest.approx(np.sqrt(np.mean(machine.loo_residuals_**2)))
        np.testing.assert_allclose(
            display.points_[0].get_offsets(), np.column_stack([y, display.values])
        )
        assert display.wrong_points_ is None and not display.wrong.any()

    def test_labels_of_another_type(self, two_blobs):
        X, y = two_blobs
        machine = kw.LSSVC(kw.Gaussian(2.0)).fit(X, y)
        expected = LooResidualsDisplay.from_estimator(machine, y).values
        for labels in (y.astype(float), y.astype(bool), y.astype(object)):
            display = LooResidualsDisplay.from_estimator(machine, labels)
            np.testing.assert_array_equal(display.values, expected)

    def test_rows_of_weight_zero_are_left_out(self, two_blobs):
        X, y = two_blobs
        machine = kw.LSSVC(kw.Gaussian(2.0)).fit(X, y, sample_weight=np.arange(40) > 4)
        assert LooResidualsDisplay.from_estimator(machine, y).values.shape == (35,)

    def test_of_a_grid_search_over_pipelines(self, two_blobs):
        X, y = two_blobs
        pipeline = make_pipeline(StandardScaler(), kw.LSSVC())
        search = GridSearchCV(pipeline, {"lssvc__kernel": kw.grids.gaussian(0, 1)}, cv=2).fit(X, y)
        display = LooResidualsDisplay.from_estimator(search, y)
        machine = search.best_estimator_[-1]
        np.testing.assert_allclose(display.values, 2.0 * y - 1.0 - machine.loo_residuals_)

    def test_bad_input(self, iris, diabetes):
        machine = kw.LSSVC(kw.Gaussian(2.0)).fit(*iris)
        with pytest.raises(ValueError, match="y must be the target of the 150 training rows"):
            LooResidualsDisplay.from_estimator(machine, iris[1][1:])
        with pytest.raises(ValueError, match=r"y must hold the classes.*got 7: they are 0, 1, 2"):
            LooResidualsDisplay.from_estimator(machine, np.where(iris[1] == 2, 7, iris[1]))
        with pytest.raises(ValueError, match=r"estimator must be.*loo_values_, got SVC"):
            LooResidualsDisplay.from_estimator(SVC().fit(*iris), iris[1])
        X, y = diabetes
        with pytest.raises(ValueError, match="estimator must have one target, got 2"):
            LooResidualsDisplay.from_estimator(kw.KRR().fit(X, np.column_stack([y, y])), y)
        with pytest.raises(ValueError, match="y must be numeric"):
            LooResidualsDisplay.from_estimator(kw.KRR().fit(X, y), ["a"] * len(y))


class TestDecisionRegion:
    def test_regions_are_predictions(self, iris, names):
        X = iris[0][:, 2:]
        pipeline = make_pipeline(StandardScaler(), kw.LSSVC(kw.Gaussian(0.5))).fit(X, names)
        display = DecisionRegionDisplay.from_estimator(pipeline, X, names, resolution=20)
        for row, column in ((0, 0), (3, 17), (19, 5)):
            point = [[display.x0[column], display.x1[row]]]
            assert display.classes[display.response[row, column]] == pipeline.predict(point)[0]
        assert [len(points.get_offsets()) for points in display.points_] == [50, 50, 50]
        np.testing.assert_array_equal(display.points_[1].get_offsets(), X[50:100])
        texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
        assert texts == ["setosa", "versicolor", "virginica"]
        assert display.x0[0] < X[:, 0].min() and display.x1[-1] > X[:, 1].max()

    def test_regression(self, diabetes):
        X, y = diabetes[0][:, [2, 8]], diabetes[1]
        selector = kw.KernelSelector(kernels=kw.grids.gaussian(1, 3), task="regression").fit(X, y)
        display = DecisionRegionDisplay.from_estimator(selector, X, y, resolution=10)
        corner = selector.predict([[display.x0[9], display.x1[0]]])[0]
        assert display.response[0, 9] == pytest.approx(corner)
        np.testing.assert_array_equal(display.points_[0].get_array(), y)
        assert display.points_[0].get_clim() == display.surface_.get_clim()

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
    def test_frames_keep_their_names(self, two_blobs, frame):
        X, y = frame({"height": two_blobs[0][:, 0], "weight": two_blobs[0][:, 1]}), two_blobs[1]
        machine = kw.LSSVC(kw.Gaussian(2.0)).fit(X, y)
        display = DecisionRegionDisplay.from_estimator(machine, X, y, resolution=10)
        assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("height", "weight")

    def test_of_any_classifier(self, two_blobs):
        X, y = two_blobs[0][:, :2], two_blobs[1]
        display = DecisionRegionDisplay.from_estimator(SVC().fit(X, y), X, y, resolution=10, s=5)
        assert set(np.unique(display.response)) <= {0, 1}

    def test_bad_input(self, iris):
        machine = kw.LSSVC(kw.Gaussian(2.0)).fit(*iris)
        with pytest.raises(ValueError, match="X must have two features to draw regions, got 4"):
            DecisionRegionDisplay.from_estimator(machine, *iris)
        X, y = iris[0][:, :2], iris[1]
        machine = kw.LSSVC(kw.Gaussian(2.0)).fit(X, y)
        with pytest.raises(ValueError, match="y must have one entry per row of X"):
            DecisionRegionDisplay.from_estimator(machine, X, y[1:])
        with pytest.raises(ValueError, match="resolution must be at least 2"):
            DecisionRegionDisplay.from_estimator(machine, X, y, resolution=1)
        with pytest.raises(NotFittedError):
            DecisionRegionDisplay.from_estimator(kw.LSSVC(), X, y)


def test_given_axes_are_used(iris):
    figure, axes = plt.subplots(1, 2)
    spectrum = SpectrumDisplay.from_kernel(kw.Linear(), iris[0], ax=axes[0], color="red")
    matrix = KernelMatrixDisplay.from_kernel(kw.Linear(), *iris, ax=axes[1], cmap="magma")
    assert (spectrum.ax_, matrix.ax_) == tuple(axes) and spectrum.figure_ is figure
    assert spectrum.lines_[0].get_color() == "red" and matrix.im_.get_cmap().name == "magma"
    assert len(plt.get_fignums()) == 1


def test_drawing_again_makes_a_new_figure(result):
    display = RankHeatmapDisplay.from_result(result)
    assert display.plot().figure_ is plt.figure(plt.get_fignums()[-1])
    assert len(plt.get_fignums()) == 2


def test_without_matplotlib(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for display in (CriterionCurveDisplay, RankHeatmapDisplay):
        with pytest.raises(
            ImportError, match=rf"^{display.__name__} needs matplotlib: pip install"
        ):
            display.from_result(result)


@pytest.mark.parametrize(
    ("kernel", "text"),
    [
        (kw.Gaussian(1 / 3), "Gaussian(tau=0.333)"),
        (kw.Polynomial(2, coef0=0.0), "Polynomial(degree=2, coef0=0)"),
        (kw.Matern(2.0, 0.5), "Matern(scale=2, nu=0.5)"),
        (2.5 * kw.Linear(), "2.5 * Linear()"),
        (np.dot, "dot"),
    ],
)
def test_short_names(kernel, text):
    assert short(kernel) == text


def test_a_single_candidate(iris):
    for kernel in (kw.Gaussian(2.0), kw.Linear()):
        result = kw.score_kernels(*iris, [kernel], ["sm", "eloo"])
        assert RankHeatmapDisplay.from_result(result).ranks.tolist() == [[1.0], [1.0]]
        display = CriterionCurveDisplay.from_result(result, chosen=kernel)
        assert display.values["sm"] == result.table["sm"]


def test_sparse_rows(iris):
    X = sp.csr_matrix(iris[0])
    dense = SpectrumDisplay.from_kernel(kw.Gaussian(2.0), iris[0], max_rows=60)
    sparse = SpectrumDisplay.from_kernel(kw.Gaussian(2.0), X, max_rows=60)
    np.testing.assert_allclose(sparse.eigenvalues, dense.eigenvalues, atol=1e-10)
    machine = kw.LSSVC(kw.Gaussian(2.0)).fit(X[:, :2], iris[1])
    display = DecisionRegionDisplay.from_estimator(machine, X[:, :2], iris[1], resolution=10)
    np.testing.assert_array_equal(display.points, iris[0][:, :2])


class TestRelevance:
    def test_bars_are_the_effects_in_order(self, iris, names):
        X, _ = iris
        frame = pd.DataFrame(X * [1.0, 1000.0, 1.0, 0.0], columns=["a", "b", "c", "flat"])
        machine = kw.LSSVC(kw.Laplacian(500.0)).fit(frame, names)
        found = kw.relevance(machine)
        display = RelevanceDisplay.from_estimator(machine)
        order = np.argsort(-found.effects)
        np.testing.assert_array_equal(
            [bar.get_width() for bar in display.bars_], found.effects[order]
        )
        ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert ticks == [found.names[j] for j in order] and ticks[-1] == "flat"
        np.testing.assert_allclose(found.effects, np.sqrt(found.values) * frame.std(ddof=0))
        used = found.values > 0.0
        errors = found.spreads[used] * found.standard_errors[used] / np.sqrt(found.values[used])
        np.testing.assert_allclose(display.standard_errors[used], errors / 2.0)
        assert used.tolist() == [True, True, True, False] and display.standard_errors[3] == 0.0
        assert display.ax_.get_title(loc="left").endswith("all")

    def test_the_largest_of_many_on_given_axes(self, iris):
        X, y = iris
        pipeline = make_pipeline(StandardScaler(), kw.KernelSelector()).fit(X, y)
        _, ax = plt.subplots()
        display = RelevanceDisplay.from_estimator(
            pipeline, names=list("wxyz"), max_features=2, ax=ax, color="red"
        )
        assert display.ax_ is ax and len(display.bars_) == 2
        assert "2 largest of 4" in ax.get_title(loc="left")
        assert {text.get_text() for text in ax.get_yticklabels()} == {"y", "z"}

    def test_bad_input(self, iris):
        machine = kw.LSSVC().fit(*iris)
        with pytest.raises(ValueError, match="names must be one for each of the 4 features, got 2"):
            RelevanceDisplay.from_estimator(machine, names=["a", "b"])
        for number in (0, 1.5, None):
            with pytest.raises(ValueError, match="max_features must be at least 1, got"):
                RelevanceDisplay.from_estimator(machine, max_features=number)
        with pytest.raises(TypeError, match="got SVC"):
            RelevanceDisplay.from_estimator(SVC().fit(*iris))


class TestWeightPath:
    VIEWS: ClassVar[dict[str, list[int]]] = {"sepal": [0, 1], "petal": [2, 3]}

    def test_lines_are_the_weights_of_views(self, iris):
        model = make_pipeline(StandardScaler(), kw.MultiKernelSelector(views=self.VIEWS))
        display = WeightPathDisplay.from_estimator(model.fit(*iris))
        path = model[-1].path_
        assert list(display.views) == ["petal", "sepal"]
        np.testing.assert_allclose(display.weights[:, 1], path["weights"][:, :3].sum(axis=1))
        np.testing.assert_allclose(display.weights.sum(axis=1), 1.0)
        assert display.chosen == np.argmin(path["loss"])
        first = display.lines_[0]
        assert first.get_label() == "petal"
        np.testing.assert_array_equal(first.get_ydata(), display.weights[:, 0])
        np.testing.assert_array_equal(first.get_xdata(), path["penalty"])

    def test_of_many_views_the_largest_are_named(self, iris):
        X = np.random.default_rng(0).normal(size=(150, 10))
        X[:, :4] += iris[0]
        views = {f"column {j}": [j] for j in range(10)}
        _, ax = plt.subplots()
        model = kw.MultiKernelSelector(views=views).fit(X, iris[1])
        display = WeightPathDisplay.from_estimator(model, ax=ax)
        assert display.ax_ is ax and len(display.lines_) == 10
        assert len(ax.get_legend().get_texts()) == 6

    def test_bad_input(self, iris):
        with pytest.raises(ValueError, match="must be a fitted MultiKernelSelector, got LSSVC"):
            WeightPathDisplay.from_estimator(kw.LSSVC().fit(*iris))
        one = kw.MultiKernelSelector(views=self.VIEWS, method="align").fit(*iris)
        with pytest.raises(ValueError, match="one set of weights and no path"):
            WeightPathDisplay.from_estimator(one)
