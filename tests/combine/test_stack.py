"""The stack as an estimator."""

import importlib.util
import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import kernelwise as kw
from helpers import close
from inside import Calibration, Code, KernelChoiceWarning, TooFewRowsWarning, code_of, loo_values_of
from inside import recipe as recipes


def expected_failures(estimator):
    # The choice of kernels, the weights and the gate rest on leave-one-out values.
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
        kw.KernelStack(),
        kw.KernelStack([kw.Gaussian(1.0), [kw.Matern(1.0), kw.Linear()]], task="regression"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def noisy(n=120, d=4, seed=0, classes=2):
    """Rows whose class depends on two features, one of them by its size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = np.abs(X[:, 0]) + 0.5 * X[:, 1 % d] + 0.3 * rng.normal(size=n)
    return X, np.digitize(f, np.quantile(f, np.arange(1, classes) / classes)), f


class TestPredictions:
    def test_are_weighted_sums_of_those_of_the_members(self):
        X, y, f = noisy()
        Z, *_ = noisy(seed=1)
        stack = kw.KernelStack(gate=0.8).fit(X, y)
        values = [member.decision_function(Z) for member in stack.members_.values()]
        close(stack.decision_function(Z), stack.weights_ @ values)
        assert np.array_equal(stack.predict(Z), (stack.decision_function(Z) > 0.0).astype(int))
        stack = kw.KernelStack(gate=1.0, task="regression").fit(X, f)
        values = [member.predict(Z) for member in stack.members_.values()]
        close(stack.predict(Z), stack.stack_weights_ @ values)

    def test_leave_members_of_weight_zero_alone(self, monkeypatch):
        X, y, _ = noisy()
        stack = kw.KernelStack(gate=0.0).fit(X, y)
        expected = stack.predict(X)
        for name in ("laplacian", "relevant_laplacian", "linear"):
            del stack.members_[name].best_estimator_
        assert np.array_equal(stack.predict(X), expected)

    @pytest.mark.parametrize("classes", [2, 3])
    def test_probabilities_are_calibrated_on_stacked_values(self, classes):
        X, y, _ = noisy(classes=classes)
        stack = kw.KernelStack().fit(X, y)
        P = stack.predict_proba(X)
        assert P.shape == (len(X), classes)
        close(P.sum(axis=1), np.ones(len(X)))
        assert np.array_equal(stack.classes_[P.argmax(axis=1)], stack.predict(X))
        assert stack.calibration_ == Calibration.fit(stack.loo_values_, y, np.ones(len(y)))
        close(np.exp(stack.predict_log_proba(X)), P)

    def test_labels_of_any_type(self):
        X, y, _ = noisy(classes=3)
        names = np.array(["few", "some", "many"], dtype=object)[y]
        stack = kw.KernelStack().fit(X, names)
        assert stack.classes_.tolist() == ["few", "many", "some"]
        assert set(stack.predict(X)) <= set(names)
        assert stack.score(X, names) > 0.8

    def test_intervals_cover_and_sets_hold_the_class(self):
        X, y, f = noisy(200)
        Z, u, g = noisy(400, seed=1)
        reals = kw.KernelStack(gate=1.0, task="regression").fit(X, f)
        lower, upper = reals.predict_interval(Z, level=0.9)
        assert 0.8 < np.mean((lower <= g) & (g <= upper)) < 0.97
        close((upper + lower) / 2.0, reals.predict(Z))
        classes = kw.KernelStack(gate=1.0).fit(X, y)
        held = classes.predict_set(Z, level=0.9)[np.arange(400), u]
        assert 0.8 < held.mean() < 0.97
        for ask in (reals.predict_interval, classes.predict_set):
            with pytest.raises(ValueError, match="'level' parameter"):
                ask(Z, level=2.0)
            with pytest.warns(TooFewRowsWarning, match="level=0.999 needs at least"):
                ask(Z, level=0.999)

    def test_methods_are_those_of_the_task(self):
        X, y, f = noisy(60)
        stack = kw.KernelStack()
        assert is_classifier(stack) and hasattr(stack, "predict_proba")
        stack.fit(X, f)
        assert is_regressor(stack) and hasattr(stack, "predict_interval")
        for name in ("predict_proba", "predict_log_proba", "decision_function", "predict_set"):
            assert not hasattr(stack, name)
        close(stack.score(X, f), 1.0 - np.mean((f - stack.predict(X)) ** 2) / f.var())
        assert not hasattr(stack.fit(X, y), "predict_interval")

    def test_nothing_of_an_earlier_fit_survives(self):
        X, y, f = noisy(60)
        stack = kw.KernelStack().fit(X, y).fit(X, f)
        assert not hasattr(stack, "classes_") and not hasattr(stack, "calibration_")
        with pytest.raises(ValueError, match="recipe is empty"):
            stack.set_params(recipe=[]).fit(X, f)
        assert not hasattr(stack, "members_") and not hasattr(stack, "best_kernel_")


class TestErrors:
    def test_of_the_stack_and_of_the_single_machine(self):
        X, y, _ = noisy()
        stack = kw.KernelStack(gate=0.6).fit(X, y)
        wrong = (stack.loo_values_ > 0.0).astype(int) != y
        assert stack.error_.value == wrong.mean() and stack.error_.method == "leave-one-out"
        assert stack.single_error_ == kw.KernelSelector().fit(X, y).error_
        close(stack.balanced_error_.value, np.mean([wrong[y == c].mean() for c in (0, 1)]))

    def test_of_a_real_target(self):
        X, _, f = noisy()
        stack = kw.KernelStack(task="regression").fit(X, f)
        close(stack.error_.value, np.sqrt(np.mean(stack.loo_residuals_**2)))
        close(stack.loo_residuals_, f - stack.loo_values_)
        assert stack.balanced_error_ is None

    def test_is_no_worse_than_the_single_machine_where_kernels_differ(self):
        X, y, _ = noisy(300, d=8)
        single, stack = (
            cross_val_score(e, X, y, cv=3).mean() for e in (kw.KernelSelector(), kw.KernelStack())
        )
        assert stack > single


class TestWeights:
    @pytest.mark.parametrize("task", ["classification", "regression"])
    def test_rows_of_weight_zero_have_no_influence(self, task):
        X, y, f = noisy()
        target = y if task == "classification" else f
        weights = np.random.default_rng(3).uniform(0.5, 2.0, len(X))
        weights[::4] = 0.0
        used = weights > 0.0
        one = kw.KernelStack(task=task).fit(X, target, sample_weight=weights)
        other = kw.KernelStack(task=task).fit(X[used], target[used], weights[used])
        assert np.array_equal(one.weights_, other.weights_)
        assert np.array_equal(one.predict(X), other.predict(X))

    def test_enter_members_weights_and_gate(self):
        """A target that a Laplacian kernel learns better, in the rows that count."""
        X, y, _ = noisy()
        weights = np.random.default_rng(3).uniform(0.1, 5.0, len(X))
        stack = kw.KernelStack().fit(X, y, sample_weight=weights)
        single = kw.KernelSelector().fit(X, y, sample_weight=weights)
        assert stack.best_ridge_ == single.best_ridge_
        for member in stack.members_.values():
            assert np.array_equal(member.best_estimator_.sample_weight_, weights)
        plain = kw.KernelStack().fit(X, y)
        assert not np.allclose(stack.stack_weights_, plain.stack_weights_)

    def test_of_classes_are_those_of_their_rows(self):
        X, y, _ = noisy()
        y = (np.abs(X[:, 0]) > 1.3).astype(int)
        balanced = kw.KernelStack(class_weight="balanced").fit(X, y)
        share = len(y) / (2.0 * np.bincount(y))
        by_rows = kw.KernelStack().fit(X, y, sample_weight=share[y])
        close(balanced.weights_, by_rows.weights_)
        close(balanced.decision_function(X), by_rows.decision_function(X))
        named = kw.KernelStack(class_weight={0: share[0], 1: share[1]}).fit(X, y)
        close(named.decision_function(X), by_rows.decision_function(X))

    def test_are_refused_where_they_make_no_sense(self):
        X, y, f = noisy(40)
        with pytest.raises(ValueError, match="class_weight is for classes"):
            kw.KernelStack(class_weight="balanced", task="regression").fit(X, f)
        with pytest.raises(ValueError, match="'class_weight' parameter"):
            kw.KernelStack(class_weight=3).fit(X, y)
        with pytest.raises(ValueError, match="sample_weight"):
            kw.KernelStack().fit(X, y, sample_weight=[1.0])


class TestRecipe:
    @pytest.mark.parametrize("recipe", ["GLBl", list("GLBl"), tuple(recipes.NAMES)])
    def test_letters_and_names_say_the_same(self, recipe):
        X, y, _ = noisy(60)
        stack = kw.KernelStack(recipe).fit(X, y)
        assert list(stack.members_) == ["gaussian", "laplacian", "relevant_laplacian", "linear"]
        assert stack.notes_ == ()

    def test_members_of_users(self):
        X, y, _ = noisy()
        maternal = kw.KernelSelector(kernels=kw.grids.matern(-2, 4), criterion="eloo")
        recipe = ["G", kw.Matern(2.0), [kw.Matern(1.0), kw.Matern(4.0)], maternal]
        stack = kw.KernelStack(recipe).fit(X, y)
        assert list(stack.members_) == ["gaussian", "matern", "matern_2", "selector"]
        assert stack.members_["matern"].best_kernel_ == kw.Matern(2.0)
        assert stack.members_["selector"] is not maternal and not hasattr(maternal, "result_")
        alone = clone(maternal).fit(X, y)
        assert stack.members_["selector"].best_kernel_ == alone.best_kernel_
        close(stack.weights_.sum(), 1.0)

    def test_families_and_named_columns(self):
        X, y, _ = noisy()
        frame = pd.DataFrame(X, columns=list("abcd"))
        recipe = ["G", "matern", kw.Columns(["a", "b"], kw.Laplacian(2.0))]
        stack = kw.KernelStack(recipe).fit(frame, y)
        assert list(stack.members_) == ["gaussian", "matern", "columns"]
        assert isinstance(stack.members_["matern"].best_kernel_, kw.Matern)
        assert stack.members_["columns"].best_kernel_ == kw.Columns([0, 1], kw.Laplacian(2.0))
        assert stack.score(frame, y) > 0.7

    def test_the_first_member_is_the_single_machine(self):
        X, y, _ = noisy()
        stack = kw.KernelStack("lG", gate=0.0).fit(X, y)
        assert stack.best_kernel_ == kw.Linear()
        assert np.array_equal(stack.predict(X), stack.members_["linear"].predict(X))

    def test_one_member_is_alone(self):
        X, y, _ = noisy(60)
        stack = kw.KernelStack("L").fit(X, y)
        assert stack.weights_.tolist() == [1.0] and stack.gate_ == 0.0

    @pytest.mark.parametrize(
        ("recipe", "sentence"),
        [
            ("", "recipe is empty: name at least one member"),
            ([], "recipe is empty: name at least one member"),
            ("GXl", "unknown member of recipe 'X'"),
            (["gaussia"], "unknown member of recipe 'gaussia': did you mean 'gaussian'?"),
            ("GLGl", "recipe names 'gaussian' twice: name each member once"),
            ("GB", "recipe names B, which is made from L: name L before it"),
            ("BL", "recipe names B, which is made from L: name L before it"),
            (3, "recipe must be letters such as 'GLBl' or a list of members, got 3"),
            (
                [3],
                "a member of recipe must be a letter, a name, a kernel",
            ),
            (
                [[]],
                "a member of recipe must be a letter, a name, a kernel",
            ),
            (
                [kw.Precomputed()],
                "a member of recipe must be a letter, a name, a kernel",
            ),
            ([SVC()], "a member of recipe must be a letter, a name, a kernel"),
        ],
    )
    def test_bad_recipes_are_explained(self, recipe, sentence):
        X, y, _ = noisy(40)
        with pytest.raises((TypeError, ValueError)) as error:
            kw.KernelStack(recipe).fit(X, y)
        assert sentence in str(error.value)

    @pytest.mark.parametrize(
        "member", [kw.KernelSelector(SVC()), kw.KernelSelector(refit=False)], ids=["SVC", "no fit"]
    )
    def test_members_must_know_their_leave_one_out_values(self, member):
        X, y, _ = noisy(40)
        with pytest.raises(ValueError, match="selector, a member of recipe, has no leave-one-out"):
            kw.KernelStack(["G", member]).fit(X, y)

    @pytest.mark.parametrize("gate", ["open", 1.5, -0.1, None, np.nan, [0.5]])
    def test_bad_gates_are_explained(self, gate):
        X, y, _ = noisy(40)
        with pytest.raises(ValueError, match="'gate' parameter"):
            kw.KernelStack(gate=gate).fit(X, y)

    def test_is_searched_and_cloned_as_a_parameter(self):
        X, y, _ = noisy(60)
        grid = {"kernelstack__gate": [0.0, 1.0], "kernelstack__recipe": ["GL", ["G", kw.Linear()]]}
        chosen = GridSearchCV(make_pipeline(StandardScaler(), kw.KernelStack()), grid, cv=2)
        assert chosen.fit(X, y).best_score_ > 0.5


class TestOddData:
    @pytest.mark.parametrize("n", [6, 12])
    @pytest.mark.parametrize("task", ["classification", "regression"])
    @pytest.mark.filterwarnings("ignore::kernelwise.selection.KernelChoiceWarning")
    def test_few_rows(self, n, task):
        X, y, f = noisy(n)
        stack = kw.KernelStack(task=task).fit(X, y if task == "classification" else f)
        assert 0.0 <= stack.gate_ <= 1.0
        assert np.isfinite(stack.predict(X)).all()
        close(stack.weights_.sum(), 1.0)

    @pytest.mark.filterwarnings("ignore::kernelwise.selection.KernelChoiceWarning")
    def test_one_feature(self):
        """Its relevance is constant: the two Laplacian members are the same, and share a weight."""
        X, y, _ = noisy(80, d=1)
        stack = kw.KernelStack(gate=1.0).fit(X, y)
        _, plain, relevant, _ = stack.weights_
        close(plain, relevant)
        close(stack.members_["relevant_laplacian"].best_kernel_.weights, [1.0])

    def test_duplicates_and_constant_features(self):
        X, y, _ = noisy(60)
        X[:, 2] = 3.0
        X = np.vstack([X, X[:30]])
        stack = kw.KernelStack().fit(X, np.append(y, y[:30]))
        assert stack.members_["relevant_laplacian"].best_kernel_.weights[2] == 0.0
        moved = X.copy()
        moved[:, 2] += 100.0
        relevant = stack.members_["relevant_laplacian"]
        assert np.array_equal(relevant.predict(moved), relevant.predict(X))

    def test_no_relevant_feature(self, monkeypatch):
        X, y, _ = noisy(60)

        class Nothing:
            values = np.zeros(4)

        monkeypatch.setattr(recipes, "relevance", lambda *_, **__: Nothing)
        stack = kw.KernelStack().fit(X, y)
        assert list(stack.members_) == ["gaussian", "laplacian", "linear"]
        [note] = stack.notes_
        assert note == (
            "relevant_laplacian is left out: no feature is relevant to the machine with the plain "
            "kernel"
        )
        assert code_of(note) == Code.LEFT_OUT

    def test_a_member_that_cannot_be_fitted_is_left_out(self, monkeypatch):
        def fail(*_):
            raise ValueError("X is not for it.")

        X, y, _ = noisy(60)
        monkeypatch.setattr(recipes, "scales_for", fail)
        stack = kw.KernelStack().fit(X, y)
        assert list(stack.members_) == ["gaussian", "linear"]
        assert stack.notes_ == (
            "laplacian is left out: X is not for it.",
            "relevant_laplacian is left out: laplacian, which it is made from, is left out",
        )
        with pytest.raises(ValueError, match="X is not for it"):
            kw.KernelStack("LG").fit(X, y)

    def test_sparse_rows_are_those_that_they_stand_for(self):
        X, y, _ = noisy(80)
        X[np.abs(X) < 0.5] = 0.0
        dense, sparse = kw.KernelStack().fit(X, y), kw.KernelStack().fit(sp.csr_matrix(X), y)
        assert list(sparse.members_) == list(dense.members_)
        close(sparse.weights_, dense.weights_, rtol=1e-6)
        close(sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), rtol=1e-6)

    def test_nothing_to_learn_is_said_once(self, rng):
        X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
        with pytest.warns(KernelChoiceWarning) as heard:
            stack = kw.KernelStack().fit(X, y)
        said = [str(warning.message) for warning in heard]
        assert said == list(stack.guards_)
        assert sum("always predicting the same value" in text for text in said) == 1

    def test_bad_rows_are_explained(self):
        X, y, _ = noisy(20)
        stack = kw.KernelStack("Gl").fit(X, y)
        with pytest.raises(ValueError, match="X has 2 features, but KernelStack is expecting 4"):
            stack.predict(X[:, :2])
        with pytest.raises(ValueError, match="NaN"):
            kw.KernelStack().fit(np.full_like(X, np.nan), y)
        with pytest.raises(ValueError, match="only one class"):
            kw.KernelStack().fit(X, np.zeros(20, dtype=int))


class TestManyRows:
    @pytest.mark.parametrize("engine", ["dense", "tiled"])
    def test_engines_agree(self, engine):
        X, y, _ = noisy(100)
        auto, asked = kw.KernelStack().fit(X, y), kw.KernelStack(engine=engine).fit(X, y)
        close(asked.weights_, auto.weights_, rtol=1e-6)
        for member in asked.members_.values():
            assert member.result_.engine == engine

    def test_members_are_judged_on_the_same_rows(self, few_are_many):
        """Where exact matrices are out of reach, rows held out take the place of leave-one-out."""
        X, y, _ = noisy(1200)
        stack = kw.KernelStack().fit(X, y)
        known = [np.isfinite(m.best_estimator_.loo_values_) for m in stack.members_.values()]
        assert len(known) == 4 and 50 < known[0].sum() < 1200
        for rows in known[1:]:
            assert np.array_equal(rows, known[0])
        assert stack.error_.method == stack.single_error_.method == "held-out rows"
        assert stack.score(X, y) > 0.8

    def test_rows_on_which_all_members_are_judged_give_the_weights(self):
        """Members of low rank are judged on rows that are no landmarks of theirs."""
        X, y, _ = noisy(800)
        stack = kw.KernelStack(gate=1.0, engine=kw.gram.LowRank(60)).fit(X, y)
        known = [np.isfinite(m.best_estimator_.loo_values_) for m in stack.members_.values()]
        common = np.logical_and.reduce(known)
        assert 50 < common.sum() < 800
        assert np.array_equal(np.isfinite(stack.loo_values_), common)
        assert stack.error_.method == "leave-one-out of a sample"

    def test_members_without_a_common_row_are_refused(self):
        def member(values):
            return SimpleNamespace(best_estimator_=SimpleNamespace(loo_values_=np.array(values)))

        with pytest.raises(ValueError, match="recipe are not judged on the same rows: give all"):
            loo_values_of([member([1.0, 2.0, np.nan]), member([np.nan, 2.0, 3.0])])

    def test_seconds_are_shared(self):
        X, y, _ = noisy(60)
        stack = kw.KernelStack(time=40.0, memory="1GB", n_jobs=1).fit(X, y)
        for member in stack.members_.values():
            assert (member.time, member.memory, member.n_jobs) == (10.0, "1GB", 1)


class TestProgress:
    @pytest.mark.skipif(
        importlib.util.find_spec("sklearn.callback") is None,
        reason="scikit-learn has callbacks from 1.9 on",
    )
    def test_callbacks_hear_of_every_member(self):
        heard = []

        class Listener:
            def setup(self, estimator, context):
                pass

            def on_fit_task_begin(self, estimator, context):
                assert type(estimator) is kw.KernelStack

            def on_fit_task_end(self, estimator, context):
                heard.append(context.task_name)

            teardown = setup

        X, y, _ = noisy(60)
        stack = kw.KernelStack().set_callbacks(Listener()).fit(X, y)
        assert heard.count("fit") == 1
        assert heard.count("KernelSelector") == 3, "the linear member takes no time"
        assert heard.count("kernel") >= 3
        for member in stack.members_.values():
            assert not any("task" in name for name in vars(member) if name != "task")

    def test_an_interruption_leaves_nothing_half_done(self, monkeypatch):
        X, y, _ = noisy(60)

        def interrupted(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(recipes, "relevance", interrupted)
        stack = kw.KernelStack()
        with pytest.raises(KeyboardInterrupt):
            stack.fit(X, y)
        assert not hasattr(stack, "members_") and not hasattr(stack, "result_")


class TestFiles:
    @pytest.mark.parametrize("classes", [2, 3, None])
    def test_are_the_model_again(self, tmp_path, classes):
        X, y, f = noisy(60, classes=classes or 2)
        stack = kw.KernelStack(["G", "L", "B", "l", kw.Matern(2.0)], gate=0.5)
        stack.fit(X, f if classes is None else y)
        kw.save_model(make_pipeline(StandardScaler(), stack), tmp_path / "stack.skops")
        again = kw.load_model(tmp_path / "stack.skops")[-1]
        for loaded in (again, pickle.loads(pickle.dumps(stack))):
            assert np.array_equal(loaded.weights_, stack.weights_)
            if classes is None:  # memory of another alignment may round in another order
                close(loaded.predict(X), stack.predict(X), rtol=1e-12)
            else:
                close(loaded.predict_proba(X), stack.predict_proba(X), rtol=1e-12)
            assert loaded.best_kernel_ == stack.best_kernel_
            assert loaded.error_ == stack.error_ and loaded.notes_ == stack.notes_

    def test_of_unfitted_stacks(self, tmp_path):
        kw.save_model(kw.KernelStack("GL"), tmp_path / "stack.skops")
        assert kw.load_model(tmp_path / "stack.skops").recipe == "GL"
