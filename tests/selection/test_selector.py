import importlib.util
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, OneClassSVM
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw
from helpers import close
from inside import LeastSquares
from kernelwise import criteria as c


def expected_failures(estimator):
    if estimator.task == "auto":
        return {"check_classifiers_regression_target": "task='auto' regresses on real targets"}
    return {}


@parametrize_with_checks(
    [
        kw.KernelSelector(),
        kw.KernelSelector(kernels=kw.Gaussian(1.0), criterion="sm", task="regression"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


class TestDefault:
    def test_is_the_documented_cascade(self, wdbc):
        X, y = wdbc
        chosen = kw.KernelSelector().fit(X, y)
        cascade = kw.Cascade((c.SM(r=2), 5), (c.ELOO(loss="squared_hinge"), 1))
        named = kw.KernelSelector(criterion=cascade).fit(X, y)
        assert chosen.best_kernel_ == named.best_kernel_
        assert chosen.best_ridge_ == named.best_ridge_
        assert chosen.result_.table.keys() == {"sm", "eloo"}

    def test_is_what_a_loop_would_choose(self, wdbc):
        X, y = wdbc
        kernels = kw.grids.auto(X)
        sm = kw.score_kernels(X, y, kernels, c.SM(r=2)).table["sm"]
        top = [kernels[i] for i in np.argsort(-sm, kind="stable")[:5]]
        ridges = 10.0 ** np.arange(-4.0, 3.0)
        loo = kw.score_kernels(X, y, top, c.ELOO("squared_hinge"), ridge=ridges)
        chosen = kw.KernelSelector().fit(X, y)
        assert chosen.best_kernel_ == loo.best("eloo")
        close(chosen.best_ridge_, loo.best_ridge("eloo"))
        table = chosen.result_.table
        close(table["sm"], sm)
        assert np.isfinite(table["eloo"]).sum() == 5
        assert np.isfinite(chosen.result_.ridges).sum() == 5
        close(np.nanmin(table["eloo"]), loo.table["eloo"].min())

    def test_is_a_good_classifier(self, wdbc):
        X, y = wdbc
        assert cross_val_score(kw.KernelSelector(), X, y, cv=5).mean() > 0.96

    def test_is_a_good_regressor(self):
        X, y = load_diabetes(return_X_y=True)
        selector = make_pipeline(StandardScaler(), kw.KernelSelector(task="regression"))
        assert cross_val_score(selector, X, y, cv=5).mean() > 0.45

    def test_takes_many_classes(self):
        X, y = load_iris(return_X_y=True, as_frame=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        Xa, Xb, ya, yb = train_test_split(X, names, random_state=0, stratify=names)
        selector = kw.KernelSelector().fit(Xa, ya)
        assert selector.score(Xb, yb) > 0.9
        assert selector.classes_.tolist() == ["setosa", "versicolor", "virginica"]
        assert selector.decision_function(Xb).shape == (len(yb), 3)
        assert selector.feature_names_in_.tolist() == X.columns.tolist()


@pytest.mark.filterwarnings("ignore:undefined .NaN.. span")
@pytest.mark.parametrize("name", sorted(i.name for i in c.available() if i.direction != "–"))
def test_every_criterion_chooses(two_blobs, name):
    X, y = two_blobs
    kernels = kw.grids.gaussian(-3, 5)
    selector = kw.KernelSelector(kernels=kernels, criterion=name).fit(X, y)
    criterion = c.get(name)
    assert np.isfinite(selector.best_ridge_)
    if not criterion.chooses_ridge:  # the kernel by the criterion at ridge 1, then leave-one-out
        assert selector.best_kernel_ == kw.score_kernels(X, y, kernels, name).best(name)
        ridges = 10.0 ** np.arange(-4.0, 3.0)
        loss = c.ELOO("squared_hinge")
        loo = kw.score_kernels(X, y, selector.best_kernel_, loss, ridge=ridges)
        close(selector.best_ridge_, loo.best_ridge("eloo"))
    assert selector.score(X, y) > 0.7


class TestRidge:
    def test_a_number_is_used_as_it_is(self, two_blobs):
        X, y = two_blobs
        for criterion in ("sm", "eloo", "er"):
            assert kw.KernelSelector(criterion=criterion, ridge=0.7).fit(X, y).best_ridge_ == 0.7

    def test_a_list_is_chosen_from(self, two_blobs):
        X, y = two_blobs
        selector = kw.KernelSelector(ridge=[0.3, 3.0]).fit(X, y)
        assert selector.best_ridge_ in (0.3, 3.0)

    def test_one_ridge_needs_no_leave_one_out(self, two_blobs):
        X, y = two_blobs
        selector = kw.KernelSelector(criterion="kta", ridge=0.01).fit(X, y)
        assert list(selector.result_.table) == ["kta"] and selector.best_ridge_ == 0.01

    def test_a_criterion_that_may_not_choose_is_asked_at_an_offered_ridge(self, two_blobs):
        X, y = two_blobs
        kernels = kw.grids.gaussian(-2, 4)
        offered = kw.KernelSelector(kernels=kernels, criterion="er", ridge=[0.01, 0.1]).fit(X, y)
        expected = kw.score_kernels(X, y, kernels, "er", ridge=0.1)
        close(offered.result_.table["er"], expected.table["er"])

    def test_auto_tries_seven_decades(self, two_blobs, monkeypatch):
        X, y = two_blobs
        seen = []
        original = LeastSquares.prefit

        def watched(machine, ridges):
            seen.extend(ridges)
            return original(machine, ridges)

        monkeypatch.setattr(LeastSquares, "prefit", watched)
        kw.KernelSelector(kernels=kw.Gaussian(1.0)).fit(X, y)
        np.testing.assert_allclose(sorted(seen), 10.0 ** np.arange(-4, 3))

    def test_auto_follows_the_size_of_the_kernel(self, two_blobs):
        X, y = two_blobs
        small = kw.KernelSelector(kernels=kw.Gaussian(2.0)).fit(X, y)
        large = kw.KernelSelector(kernels=1000.0 * kw.Gaussian(2.0)).fit(X, y)
        close(large.best_ridge_, 1000.0 * small.best_ridge_)
        close(large.decision_function(X), small.decision_function(X))


class TestEstimators:
    def test_svc_gets_kernel_and_C(self, two_blobs):
        X, y = two_blobs
        selector = kw.KernelSelector(estimator=SVC(C=7.0, tol=1e-4)).fit(X, y)
        svc = selector.best_estimator_
        assert svc.kernel == selector.best_kernel_ and svc.tol == 1e-4
        close(svc.C, 0.5 / selector.best_ridge_)
        assert selector.score(X, y) > 0.8

    def test_svr_makes_it_a_regressor(self, rng):
        X = rng.normal(size=(60, 2))
        y = np.round(3 * X[:, 0])  # few integers: the estimator decides, not the target
        selector = kw.KernelSelector(estimator=SVR()).fit(X, y)
        assert is_regressor(selector) and isinstance(selector.best_estimator_, SVR)
        assert selector.score(X, y) > 0.8

    def test_a_machine_without_bias_is_judged_without_bias(self, two_blobs):
        X, y = two_blobs
        machine = kw.LSSVC(fit_intercept=False)
        selector = kw.KernelSelector(machine, kernels=kw.Gaussian(1.0), criterion="eloo")
        selector.fit(X, y)
        expected = kw.score_kernels(
            X, y, kw.Gaussian(1.0), "eloo", ridge=selector.best_ridge_, fit_intercept=False
        )
        close(selector.result_.table["eloo"], expected.table["eloo"])
        assert selector.best_estimator_.intercept_ == 0.0
        assert machine.kernel == kw.Gaussian(1.0) and not hasattr(machine, "dual_coef_")

    def test_the_default_machines(self, two_blobs):
        X, y = two_blobs
        classifier = kw.KernelSelector().fit(X, y).best_estimator_
        assert isinstance(classifier, kw.LSSVC) and classifier.fit_intercept
        regressor = kw.KernelSelector().fit(X, X[:, 0]).best_estimator_
        assert isinstance(regressor, kw.KRR) and regressor.fit_intercept

    @pytest.mark.parametrize(
        ("estimator", "task"),
        [(kw.LSSVC(), "regression"), (kw.KRR(), "classification"), (OneClassSVM(), "regression")],
    )
    def test_one_of_the_other_task_is_refused(self, two_blobs, estimator, task):
        with pytest.raises(ValueError, match=f"does not fit task '{task}': change either"):
            kw.KernelSelector(estimator, task=task).fit(*two_blobs)

    def test_one_that_takes_no_kernel_is_refused(self, two_blobs):
        with pytest.raises(ValueError, match="LogisticRegression cannot be given a kernel"):
            kw.KernelSelector(LogisticRegression()).fit(*two_blobs)


class TestScikitLearn:
    def test_tags_follow_the_task(self, two_blobs):
        assert is_classifier(kw.KernelSelector(task="classification"))
        assert is_regressor(kw.KernelSelector(task="regression"))
        assert is_regressor(kw.KernelSelector(estimator=SVR()))
        X, y = two_blobs
        selector = kw.KernelSelector()
        assert is_classifier(selector) and is_classifier(selector.fit(X, y))
        assert is_regressor(selector.fit(X, X[:, 0])) and not hasattr(selector, "classes_")
        assert is_classifier(selector.fit(X, y))
        assert not hasattr(selector.set_params(refit=False).fit(X, y), "best_estimator_")

    def test_folds_are_stratified_where_there_are_classes(self):
        X, y = load_iris(return_X_y=True)  # sorted by class
        assert cross_val_score(kw.KernelSelector(), X, y, cv=3).min() > 0.9
        X, y = load_diabetes(return_X_y=True)
        assert cross_val_score(kw.KernelSelector(), X[:200], y[:200] + 0.5, cv=3).min() > 0.2

    def test_clone_and_grid_search(self, two_blobs):
        X, y = two_blobs
        selector = kw.KernelSelector(kernels=[kw.Gaussian(1.0)], criterion=c.SM(r=2))
        assert clone(selector).criterion == c.SM(r=2)
        search = GridSearchCV(selector, {"criterion": ["sm", "eloo"]}, cv=3).fit(X, y)
        assert search.best_params_["criterion"] in ("sm", "eloo")

    def test_sparse_frames_and_matrices_choose_the_same(self, two_blobs):
        X, y = two_blobs
        kernels = kw.grids.gaussian(-2, 4)
        expected = kw.KernelSelector(kernels=kernels).fit(X, y)
        for wrapped in (sp.csr_array(X), pd.DataFrame(X)):
            selector = kw.KernelSelector(kernels=kernels).fit(wrapped, y)
            assert selector.best_kernel_ == expected.best_kernel_
            assert np.all(selector.predict(wrapped) == expected.predict(X))
        K = expected.best_kernel_(X)
        given = kw.KernelSelector(kernels=kw.Precomputed()).fit(K, y)
        close(given.best_ridge_, expected.best_ridge_)
        assert np.all(given.predict(K) == expected.predict(X))
        scores = cross_val_score(kw.KernelSelector(kernels=kw.Precomputed()), K, y, cv=3)
        assert scores.shape == (3,)

    def test_refit_false_leaves_the_choice(self, two_blobs):
        X, y = two_blobs
        selector = kw.KernelSelector(refit=False).fit(X, y)
        assert selector.best_kernel_ and not hasattr(selector, "best_estimator_")
        with pytest.raises(AttributeError, match="fitted with refit=False"):
            selector.predict(X)

    @pytest.mark.skipif(
        importlib.util.find_spec("sklearn.callback") is None,
        reason="scikit-learn has callbacks from 1.9 on",
    )
    def test_callbacks_hear_of_every_kernel(self, two_blobs):
        heard = []

        class Listener:
            def setup(self, estimator, context):
                heard.append("setup")

            def on_fit_task_begin(self, estimator, context):
                heard.append(("begin", context.task_name))

            def on_fit_task_end(self, estimator, context):
                heard.append(("end", context.task_name))

            def teardown(self, estimator, context):
                heard.append("teardown")

        X, y = two_blobs
        selector = kw.KernelSelector(kernels=kw.grids.gaussian(0, 6))
        selector.set_callbacks(Listener()).fit(X, y)
        assert heard[0] == "setup" and heard[-1] == "teardown"
        assert heard.count(("end", "kernel")) == 7 + 5
        assert heard.count(("end", "sm")) == heard.count(("end", "eloo")) == 1
        assert heard.count(("end", "fit")) == 1

    @pytest.mark.skipif(
        importlib.util.find_spec("sklearn.callback") is None,
        reason="scikit-learn has callbacks from 1.9 on",
    )
    def test_callbacks_hear_of_every_sweep(self):
        heard = []

        class Listener:
            def setup(self, estimator, context):
                pass

            def on_fit_task_begin(self, estimator, context):
                heard.append(context.task_name)

            def on_fit_task_end(self, estimator, context):
                pass

            def teardown(self, estimator, context):
                pass

        rng = np.random.default_rng(0)
        X = rng.normal(size=(3000, 10))
        cascade = kw.Cascade((c.SM(r=3), 1))
        selector = kw.KernelSelector(criterion=cascade, engine="tiled", ridge=1.0, refit=False)
        selector.set_callbacks(Listener()).fit(X, (X[:, 0] > 0.0).astype(int))
        assert heard.count("sweep") == 2 and heard.count("sm") == 1
        assert heard.count("kernel") == 0  # a kernel takes no time once the sweeps are done

    def test_threads_change_nothing_but_rounding(self, wdbc):
        X, y = wdbc[0][:150], wdbc[1][:150]
        smallest = 0.01
        one, two = (
            kw.KernelSelector(ridge=[smallest, 1.0], n_jobs=n).fit(X, y).result_ for n in (1, 2)
        )
        close(two.table["sm"], one.table["sm"])
        known = ~np.isnan(one.table["eloo"])
        # The eigenvalues of K + ridge I lie between the ridge and the ridge plus the trace of K.
        condition = 1.0 + len(y) / smallest
        close(two.table["eloo"][known], one.table["eloo"][known], condition)


class TestCascade:
    def test_is_a_readable_value(self):
        cascade = kw.Cascade(("sm", 5), ("eloo", 1))
        assert cascade == kw.Cascade((c.SM(), 5), (c.ELOO(), 1))
        assert hash(cascade) == hash(kw.Cascade(("sm", 5), ("eloo", 1)))
        assert eval(repr(cascade), {"Cascade": kw.Cascade, **vars(c)}) == cascade

    def test_two_stages_may_ask_the_same(self, two_blobs):
        X, y = two_blobs
        cascade = kw.Cascade((c.ELOO("squared_hinge"), 5), ("sm", 1))
        table = kw.KernelSelector(criterion=cascade).fit(X, y).result_.table
        hinge = "eloo(loss='squared_hinge')"
        result = kw.KernelSelector(criterion=cascade).fit(X, y).result_
        chosen = result.best_ridge(hinge)
        again = kw.score_kernels(X, y, result.best(hinge), c.ELOO("squared_hinge"), ridge=chosen)
        close(again.table["eloo"], [np.nanmin(result.table[hinge])])
        assert list(table) == [hinge, "sm", f"{hinge} again"]

    def test_three_stages(self, two_blobs):
        X, y = two_blobs
        cascade = kw.Cascade(("kta", 6), ("sm", 3), ("gcv", 1))
        result = kw.KernelSelector(kernels=kw.grids.gaussian(-4, 5), criterion=cascade)
        table = result.fit(X, y).result_.table
        assert [np.isfinite(v).sum() for v in table.values()] == [10, 6, 3]

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (kw.Cascade, "Cascade needs at least one stage"),
            (
                lambda: kw.Cascade(("sm", 5)),
                "the last stage of a Cascade must keep 1 kernel, not 5",
            ),
            (lambda: kw.Cascade(("sm", 2), ("kta", 3), ("eloo", 1)), "must keep fewer and fewer"),
            (lambda: kw.Cascade(("sm", 0)), "'keep' parameter of Cascade"),
            (lambda: kw.Cascade(5), "a stage must be a pair"),
            (lambda: kw.Cascade(("ks", 1)), "ks has no direction"),
            (lambda: kw.Cascade(("smm", 1)), "unknown criterion 'smm'"),
        ],
    )
    def test_bad_stages(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 2], object),
        np.array([True, False], object),
        np.array(["b", "a"], object),
        np.array([1, "a"], object),
        pd.array([1, 2], dtype="Int64"),
        pd.array(["x", "y"], dtype="string"),
    ],
    ids=str,
)
def test_labels_of_any_type(two_blobs, labels):
    X, y = two_blobs
    selector = kw.KernelSelector(kernels=kw.Gaussian(2.0)).fit(X, labels.take(y))
    assert selector.classes_.dtype == selector.best_estimator_.classes_.dtype
    assert set(selector.predict(X)) == set(selector.classes_)
    assert selector.score(X, labels.take(y)) > 0.7
    expected = kw.KernelSelector(kernels=kw.Gaussian(2.0)).fit(X, y)
    same = selector.predict(X) == selector.predict(X)[y == 1][0]
    assert np.array_equal(same, expected.predict(X) == expected.predict(X)[y == 1][0])


@pytest.mark.filterwarnings("ignore::kernelwise.selection.UndefinedCriterionWarning")
def test_kernels_where_a_criterion_is_undefined_lose(two_blobs):
    X, y = two_blobs
    selector = kw.KernelSelector(kernels=[kw.Linear(), kw.Gaussian(1.0)], criterion="br").fit(X, y)
    assert selector.best_kernel_ == kw.Gaussian(1.0)
    assert list(selector.result_.notes) == ["Linear(): br"]
    with pytest.raises(ValueError, match="undefined for every candidate: the kernel has no width"):
        kw.KernelSelector(kernels=kw.Linear(), criterion="br").fit(X, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"criterion": "smm"}, "unknown criterion 'smm': did you mean 'sm'?"),
        ({"criterion": "ks"}, "ks has no direction"),
        ({"criterion": 3}, "The 'criterion' parameter of KernelSelector must be"),
        ({"kernels": "gauss"}, "kernels: unknown kernel 'gauss'"),
        ({"kernels": []}, "kernels is empty"),
        ({"kernels": 3}, "kernels must be .auto., names .*got 3"),
        ({"kernels": kw.Gaussian}, "kernels must be .auto., names"),
        ({"kernels": ["cubic"]}, "kernels: unknown kernel .cubic."),
        ({"ridge": -1.0}, "'ridge' parameter"),
        ({"ridge": "automatic"}, "'ridge' parameter"),
        ({"task": "ranking"}, "The 'task' parameter of KernelSelector must be"),
        ({"estimator": kw.LSSVC}, r"must be an instance, got the class LSSVC: write LSSVC\(\)\."),
        ({"engine": "denser"}, "unknown engine 'denser': did you mean 'dense'?"),
        ({"memory": "lots"}, "memory must be an amount such as .4GB."),
        ({"task": "regression", "criterion": "fsm"}, "fsm is not defined for regression targets"),
    ],
)
def test_bad_settings(two_blobs, settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        kw.KernelSelector(**settings).fit(*two_blobs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:2], y[-2:]), "minimum of 3 is required"),
        (lambda X, y: (X, np.zeros(len(y))), "y has only one class"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (np.where(X > 1, np.nan, X), y), "Input X contains NaN"),
        (lambda X, y: (np.ones_like(X), y), "X has no two rows that differ"),
        (lambda X, y: (X, None), "requires y to be passed"),
    ],
)
def test_bad_data(two_blobs, change, message):
    with pytest.raises(ValueError, match=message):
        kw.KernelSelector().fit(*change(*two_blobs))


def test_no_warning_on_ordinary_data(wdbc):
    X, y = wdbc
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kw.KernelSelector().fit(X, y)
