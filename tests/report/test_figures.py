import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw
from inside import (
    CriterionCurveDisplay,
    KernelAxis,
    SpectrumDisplay,
    short,
)

matplotlib.use("agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    """Draw everything once, so that errors at drawing time are seen, and close it."""
    yield
    for number in plt.get_fignums():
        plt.figure(number).draw_without_rendering()
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


def test_given_axes_are_used(iris):
    figure, axes = plt.subplots(1, 2)
    spectrum = SpectrumDisplay.from_kernel(kw.Linear(), iris[0], ax=axes[0], color="red")
    assert spectrum.ax_ is axes[0] and spectrum.figure_ is figure
    assert spectrum.lines_[0].get_color() == "red"
    assert len(plt.get_fignums()) == 1
    with pytest.raises(ValueError, match="ax must be one matplotlib Axes or None"):
        spectrum.plot(axes)


def test_drawing_again_makes_a_new_figure(result):
    display = CriterionCurveDisplay.from_result(result)
    assert display.plot().figure_ is plt.figure(plt.get_fignums()[-1])
    assert len(plt.get_fignums()) == 2


def test_without_matplotlib(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"^CriterionCurveDisplay needs matplotlib: pip install"):
        CriterionCurveDisplay.from_result(result)


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
        display = CriterionCurveDisplay.from_result(result, chosen=kernel)
        assert display.values["sm"] == result.table["sm"]


def test_sparse_rows(iris):
    X = sp.csr_matrix(iris[0])
    dense = SpectrumDisplay.from_kernel(kw.Gaussian(2.0), iris[0], max_rows=60)
    sparse = SpectrumDisplay.from_kernel(kw.Gaussian(2.0), X, max_rows=60)
    np.testing.assert_allclose(sparse.eigenvalues, dense.eigenvalues, atol=1e-10)
