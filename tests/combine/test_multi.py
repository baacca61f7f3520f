"""The estimator that weighs kernels."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw
from helpers import close
from inside import METHODS, Code, KernelChoiceWarning, code_of, losses

SOME = [kw.Gaussian(1.0), kw.Gaussian(8.0), kw.Linear()]
WAYS = [{"method": name} for name in METHODS]
WAYS += [{"criterion": name} for name in ("sm", "er", "rks", "sps")]
EVERY = [{}, *WAYS, {"criterion": "md"}]  # for two classes
pytestmark = pytest.mark.filterwarnings("ignore::kernelwise.selection.KernelChoiceWarning")


def expected_failures(estimator):
    equivalence = "leaving out one of two equal rows is not leaving out a row of weight two"
    failures = {
        "check_sample_weight_equivalence_on_dense_data": equivalence,
        "check_sample_weight_equivalence_on_sparse_data": equivalence,
    }
    if estimator.task == "auto":
        failures["check_classifiers_regression_target"] = "task='auto' regresses on real targets"
    return failures


@parametrize_with_checks(
    [
        kw.MultiKernelSelector(),
        kw.MultiKernelSelector(SOME, method="alignf", center=False, task="regression"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def grouped(n=90, views=4, seed=0, kind="binary"):
    """Rows in views of two features, of which the first two say something, one each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 * views))
    f = X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 2]) + 0.2 * rng.normal(size=n)
    y = f if kind == "regression" else np.digitize(f, [0.0] if kind == "binary" else [-0.5, 0.5])
    return X, y, {f"view {i}": [2 * i, 2 * i + 1] for i in range(views)}


class TestViews:
    @pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
    def test_that_matter_have_the_weight(self, kind):
        """The default finds two of ten views, and beats the best kernel and the plain sum."""
        X, y, views = grouped(400, views=10, kind=kind)
        model = kw.MultiKernelSelector(views=views).fit(X[:200], y[:200])
        assert len(model.kernels_) == 30
        assert model.view_weights_["view 0"] + model.view_weights_["view 1"] > 0.75
        close(sum(model.view_weights_.values()), 1.0)
        assert model.error_.value < min(model.single_error_.value, model.uniform_error_.value)
        assert model.gain_ > 2.0 * model.gain_standard_error_ > 0.0
        assert model.guards_ == ()
        single = kw.KernelSelector(kernels=[model.result_.best("eloo")]).fit(X[:200], y[:200])
        assert model.score(X[200:], y[200:]) > single.score(X[200:], y[200:]) + 0.05

    def test_are_named_by_columns_of_a_frame(self):
        X, y, views = grouped()
        table = pd.DataFrame(X, columns=list("abcdefgh"))
        named = {"one": ["a", "b"], "two": ["c", "d"], "three": ["e", "f"], "four": ["g", "h"]}
        by_name = kw.MultiKernelSelector(views=named).fit(table, y)
        by_place = kw.MultiKernelSelector(views=views).fit(X, y)
        assert list(by_name.view_weights_) == ["one", "two", "three", "four"]
        assert np.array_equal(by_name.weights_, by_place.weights_)
        assert np.array_equal(by_name.predict(table), by_place.predict(X))

    def test_have_the_kernels_that_are_given(self):
        X, y, views = grouped()
        model = kw.MultiKernelSelector([kw.Linear(), "poly"], views=views).fit(X, y)
        assert len(model.kernels_) == 24
        assert model.kernels_[0] == kw.Columns([0, 1], kw.Linear())
        assert isinstance(model.kernels_[1].kernel, kw.Polynomial)

    def test_may_overlap_and_be_single_columns(self):
        X, y, _ = grouped()
        views = {"both": [0, 1, 2, 3], "last": 7}
        model = kw.MultiKernelSelector(views=views, method="l1").fit(X, y)
        assert model.view_weights_["both"] > 0.9

    def test_are_those_of_columns_without_names(self):
        X, y, _ = grouped()
        kernels = [kw.Columns([0, 1], kw.Gaussian(1.0)), kw.Columns([4, 5, 6, 7], kw.Linear())]
        model = kw.MultiKernelSelector([*kernels, kw.Linear()]).fit(X, y)
        names = ["columns 0, 1", "columns 4, 5, 6 and 1 more", "all features"]
        assert list(model.view_weights_) == names

    def test_without_signal_have_no_weight_if_constant(self):
        X, y, views = grouped()
        X[:, 6:] = 1.0
        model = kw.MultiKernelSelector(views=views, method="uniform").fit(X, y)
        assert model.view_weights_["view 3"] == 0.0
        close(model.weights_[:9], np.full(9, 1 / 9))
        assert np.isnan(model.result_.table["eloo"][9:]).all()

    @pytest.mark.parametrize(
        ("views", "sentence"),
        [
            ([[0, 1]], "'views' parameter of MultiKernelSelector"),
            ({"a": [0, 99]}, r"views\['a'\]: columns of Columns must be below 8"),
            ({"a": ["size"]}, r"views\['a'\]: columns of Columns are names \(size\) and X has"),
            ({"a": []}, r"views\['a'\]: columns of Columns must be positions"),
            ({"a": [0.5]}, r"views\['a'\]: columns of Columns must be positions"),
        ],
    )
    def test_that_are_none_are_explained(self, views, sentence):
        X, y, _ = grouped()
        with pytest.raises((TypeError, ValueError), match=sentence):
            kw.MultiKernelSelector(views=views).fit(X, y)


class TestMachine:
    @pytest.mark.parametrize("way", WAYS, ids=str)
    @pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
    def test_is_that_of_the_choice(self, way, kind):
        """Its leave-one-out values, of the kernels as they are, have the loss that was chosen."""
        X, y, views = grouped(40, kind=kind)
        rng = np.random.default_rng(1)
        weights = rng.uniform(0.5, 3.0, 40)
        model = kw.MultiKernelSelector(views=views, **way).fit(X, y, sample_weight=weights)
        machine, is_real = model.best_estimator_, kind == "regression"
        values = machine.loo_values_.reshape(40, -1)
        targets, unit = values + machine.loo_residuals_.reshape(40, -1), np.std(y) if is_real else 1
        lost = losses(targets / unit, values / unit, is_real=is_real)
        close(np.average(lost, weights=weights), model.path_["loss"].min(), rtol=1e-6)
        assert machine.kernel == model.best_kernel_ and machine.ridge == model.best_ridge_
        assert model.path_["weights"].shape == (model.path_["penalty"].size, 12)
        close(model.weights_.sum(), 1.0)
        assert model.weights_.min() >= 0.0

    @pytest.mark.parametrize("way", EVERY, ids=str)
    def test_of_one_kernel_has_its_weight(self, way):
        X, y, _ = grouped(40)
        model = kw.MultiKernelSelector(kw.Gaussian(2.0), **way).fit(X, y)
        assert model.weights_.tolist() == [1.0]
        plain = kw.LSSVC(kw.Gaussian(2.0), ridge=model.result_.ridges[0]).fit(X, y)
        close(model.decision_function(X), plain.decision_function(X))
        assert model.error_.value == model.single_error_.value == model.uniform_error_.value
        close(model.gain_, 0.0, scale=1.0)

    @pytest.mark.parametrize("way", EVERY, ids=str)
    def test_does_not_change_with_the_scale_of_a_kernel(self, way):
        X, y, _ = grouped(40)
        kernels = [kw.Columns([0, 1], kw.Gaussian(1.0)), kw.Linear(), kw.Gaussian(4.0)]
        rescaled = [kernels[0], 1e-3 * kernels[1], 1e3 * kernels[2]]
        plain, other = (kw.MultiKernelSelector(k, **way).fit(X, y) for k in (kernels, rescaled))
        close(other.weights_, plain.weights_, rtol=1e-4)
        close(other.decision_function(X), plain.decision_function(X), rtol=1e-4)

    def test_single_kernels_are_judged_as_a_selector_does(self):
        X, y, _ = grouped()
        model = kw.MultiKernelSelector(SOME).fit(X, y)
        for i, kernel in enumerate(SOME):
            ridge = float(model.result_.ridges[i])
            found = kw.score_kernels(X, y, [kernel], [model.result_.criteria["eloo"]], ridge=ridge)
            close(model.result_.table["eloo"][i], found.table["eloo"][0])
        best = kw.LSSVC(model.result_.best("eloo"), model.result_.best_ridge("eloo")).fit(X, y)
        close(model.single_error_.value, np.mean(best.loo_values_ * (2 * y - 1) <= 0.0))

    def test_uniform_error_is_that_of_the_method(self):
        X, y, views = grouped(kind="regression")
        uniform = kw.MultiKernelSelector(views=views, method="uniform").fit(X, y)
        close(uniform.error_.value, uniform.uniform_error_.value)
        close(uniform.error_.standard_error, uniform.uniform_error_.standard_error)

    @pytest.mark.parametrize("ridge", [0.5, [0.01, 0.5]])
    def test_takes_the_ridges_that_are_given(self, ridge):
        X, y, _ = grouped()
        model = kw.MultiKernelSelector(SOME, ridge=ridge).fit(X, y)
        assert np.isin(model.path_["ridge"], np.atleast_1d(ridge)).all()

    def test_predicts_probabilities_sets_and_intervals(self):
        X, y, views = grouped()
        model = kw.MultiKernelSelector(views=views).fit(X, y)
        close(model.predict_proba(X).sum(axis=1), np.ones(90))
        assert model.predict_set(X, 0.9).shape == (90, 2)
        assert is_classifier(model) and not hasattr(model, "predict_interval")
        X, y, _ = grouped(kind="regression")
        model = kw.MultiKernelSelector(views=views).fit(X, y)
        lower, upper = model.predict_interval(X, 0.9)
        assert np.mean((lower <= y) & (y <= upper)) > 0.85
        assert is_regressor(model) and not hasattr(model, "predict_proba")

    def test_class_weights_count(self):
        X, y, views = grouped()
        rare = np.flatnonzero(y == 1)[:10]
        rows = np.append(np.flatnonzero(y == 0), rare)
        fixed = {"views": views, "method": "uniform", "ridge": 1.0}
        plain = kw.MultiKernelSelector(**fixed).fit(X[rows], y[rows])
        balanced = kw.MultiKernelSelector(**fixed, class_weight="balanced")
        assert balanced.fit(X[rows], y[rows]).predict(X).mean() > plain.predict(X).mean()

    def test_rows_of_weight_zero_have_no_influence(self):
        X, y, views = grouped(60)
        weights = np.repeat([1.0, 0.0], 30)
        some = kw.MultiKernelSelector(views=views).fit(X[:30], y[:30])
        all_rows = kw.MultiKernelSelector(views=views).fit(X, y, sample_weight=weights)
        close(all_rows.decision_function(X), some.decision_function(X))


class TestInput:
    def test_given_matrices_are_weighed(self):
        X, y, views = grouped()
        kernels = [kw.Columns(columns, kw.Gaussian(1.0)) for columns in views.values()]
        plain = kw.MultiKernelSelector(kernels).fit(X[:60], y[:60])
        stack = np.array([k(X[:60]) for k in kernels])
        new = np.array([k(X[60:], X[:60]) for k in kernels])
        given = kw.MultiKernelSelector().fit(stack, y[:60])
        close(given.weights_, plain.weights_)
        close(given.decision_function(new), plain.decision_function(X[60:]))
        assert list(given.view_weights_) == [f"Matrix({i})" for i in range(4)]

    def test_sparse_rows_are_those_that_they_stand_for(self):
        X, y, views = grouped()
        X[np.abs(X) < 0.5] = 0.0
        dense = kw.MultiKernelSelector(views=views).fit(X, y)
        sparse = kw.MultiKernelSelector(views=views).fit(sp.csr_matrix(X), y)
        close(sparse.weights_, dense.weights_, rtol=1e-6)
        close(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), rtol=1e-6)

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ({"kernels": []}, "kernels is empty"),
            ({"kernels": ["cosine"]}, "kernels: unknown kernel"),
            ({"kernels": 3}, "kernels must be"),
            ({"method": "best"}, "'method' parameter"),
            ({"p": 0.0}, "'p' parameter"),
            ({"criterion": "lml"}, "criterion must be one of"),
            ({"ridge": -1.0}, "'ridge' parameter"),
            ({"ridge": []}, "ridge is empty"),
            ({"memory": "1KB"}, "3 base matrices of 90 rows take .* memory allows 1 kB: use fewer"),
            ({"memory": "much"}, "memory must be an amount"),
            ({"kernels": [kw.Gaussian(1e200)]}, "kernels are all constant on the rows of X"),
            ({"kernels": [kw.Linear(), kw.Sigmoid(3.0, 2.0)]}, "not positive semidefinite"),
            ({"kernels": [kw.Polynomial(1000)]}, "has entries beyond float64: standardise X"),
        ],
    )
    def test_that_makes_no_sense_is_explained(self, arguments, sentence):
        X, y, _ = grouped()
        with pytest.raises((TypeError, ValueError), match=sentence) as error:
            kw.MultiKernelSelector(**{"kernels": SOME} | arguments).fit(10 * X, y)
        assert "\n" not in str(error.value)

    def test_matrices_have_no_views(self):
        X, y, views = grouped(20)
        stack = np.array([X @ X.T])
        with pytest.raises(ValueError, match="views are groups of features"):
            kw.MultiKernelSelector(views=views).fit(stack, y)
        with pytest.raises(ValueError, match="kernels on views must be of rows"):
            kw.MultiKernelSelector(kw.Precomputed(), views={"a": [0]}).fit(stack[0], y)
        model = kw.MultiKernelSelector().fit(stack, y)
        with pytest.raises(ValueError, match="X must be a stack of as many matrices as in fit"):
            model.predict(np.array([stack[0], stack[0]]))

    def test_real_targets_and_criteria_of_classes(self):
        X, y, _ = grouped(kind="regression")
        with pytest.raises(ValueError, match="criterion md is for classes"):
            kw.MultiKernelSelector(SOME, criterion="md").fit(X, y)


class TestGuards:
    def test_no_gain_over_one_kernel(self):
        """Where one kernel is right, sums do no better."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 2))
        y = X @ [1.0, -2.0] + 0.3 * rng.normal(size=80)
        kernels = [kw.Linear(), kw.Columns([0], kw.Gaussian(0.1))]
        with pytest.warns(KernelChoiceWarning, match="no gain over one kernel") as heard:
            model = kw.MultiKernelSelector(kernels).fit(X, y)
        assert [str(warning.message) for warning in heard] == list(model.guards_)
        [guard] = model.guards_
        assert code_of(guard) == Code.NO_GAIN and "Linear() alone" in guard
        assert model.gain_ <= model.gain_standard_error_

    def test_a_sum_that_is_worse_is_called_so(self):
        """Equal weights of a kernel that is right and one that is of no use."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 2))
        kernels = [kw.Linear(), kw.Columns([1], kw.Gaussian(1e-4))]
        with pytest.warns(KernelChoiceWarning, match="the loss is higher by .* than with Linear"):
            model = kw.MultiKernelSelector(kernels, method="uniform").fit(X, X[:, 0])
        assert model.gain_ < 0.0

    def test_no_signal(self):
        rng = np.random.default_rng(2)
        with pytest.warns(KernelChoiceWarning, match="always predicting the same value"):
            kw.MultiKernelSelector(SOME).fit(rng.normal(size=(60, 3)), rng.normal(size=60))


class TestFiles:
    @pytest.mark.parametrize("kind", ["binary", "regression"])
    @pytest.mark.parametrize("way", [{}, {"criterion": kw.criteria.SM(r=2)}], ids=str)
    def test_are_the_model_again(self, tmp_path, kind, way):
        X, y, views = grouped(60, kind=kind)
        model = kw.MultiKernelSelector(views=views, **way).fit(X, y)
        kw.save_model(make_pipeline(StandardScaler(), model), tmp_path / "model.skops")
        again = kw.load_model(tmp_path / "model.skops")[-1]
        for loaded in (again, pickle.loads(pickle.dumps(model))):
            assert np.array_equal(loaded.weights_, model.weights_)
            assert loaded.view_weights_ == model.view_weights_ and loaded.gate_ == model.gate_
            assert loaded.best_kernel_ == model.best_kernel_ and loaded.error_ == model.error_
            if kind == "binary":
                close(loaded.predict_proba(X), model.predict_proba(X), rtol=1e-12)
            else:
                close(loaded.predict(X), model.predict(X), rtol=1e-12)

    def test_of_unfitted_models(self, tmp_path):
        kw.save_model(kw.MultiKernelSelector(method="align"), tmp_path / "model.skops")
        assert kw.load_model(tmp_path / "model.skops").method == "align"


def test_in_pipelines_and_folds():
    X, y, views = grouped()
    model = kw.MultiKernelSelector(views=views)
    scores = cross_val_score(make_pipeline(StandardScaler(), clone(model)), X, y, cv=3)
    assert scores.mean() > 0.6


class TestGate:
    @pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
    def test_mixes_l1_with_equal_weights(self, kind):
        X, y, views = grouped(50, kind=kind)
        weights = np.random.default_rng(1).uniform(0.5, 2.0, 50)
        auto, l1, uniform = (
            kw.MultiKernelSelector(views=views, method=m).fit(X, y, sample_weight=weights)
            for m in ("auto", "l1", "uniform")
        )
        assert 0.0 <= auto.gate_ <= 1.0 and l1.gate_ == uniform.gate_ == 1.0
        close(auto.weights_, auto.gate_ * l1.weights_ + (1.0 - auto.gate_) * uniform.weights_)
        assert np.array_equal(auto.path_["weights"], l1.path_["weights"])

    def test_is_open_where_the_gain_is_clear_and_closed_where_there_is_none(self):
        X, y, views = grouped(300, views=8)
        assert kw.MultiKernelSelector(views=views).fit(X, y).gate_ == 1.0
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 6)), rng.normal(size=60)
        gates = [
            kw.MultiKernelSelector(views={str(j): [j] for j in range(6)}).fit(X, y).gate_
            for y in rng.normal(size=(5, 60))
        ]
        assert min(gates) < 0.5

    def test_of_one_kernel_makes_no_difference(self):
        X, y, _ = grouped(40)
        assert kw.MultiKernelSelector(kw.Gaussian(2.0)).fit(X, y).weights_.tolist() == [1.0]


def test_balanced_labels_of_mixed_types():
    X, y, _ = grouped(30)
    labels = np.empty(30, dtype=object)
    labels[:] = [1 if code else "a" for code in y]
    model = kw.MultiKernelSelector(SOME, class_weight="balanced").fit(X, labels)
    assert model.classes_.tolist() == ["1", "a"]
