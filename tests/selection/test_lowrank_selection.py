"""A choice by an engine of low rank: machines of landmarks, and a rank that suffices."""

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import (
    ELOO,
    Code,
    Evidence,
    KernelChoiceWarning,
    LowRank,
    Targets,
    code_of,
    lowrank,
    ranks,
)

N, RANK = 400, 60
WIDTHS = kw.grids.gaussian(-3, 4)


def drawn(task="binary", n=N, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    signal = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    if task == "regression":
        return X, signal
    return X, np.array(["a", "b", "c"])[np.digitize(signal, [1.0] if task == "binary" else [0, 1])]


def selector(**settings):
    return kw.KernelSelector(**{"kernels": WIDTHS, "engine": LowRank(RANK), **settings})


# Sixty landmarks may be too few, and a warning says so.
pytestmark = pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_the_machine_holds_landmarks_and_is_saved(task, form, tmp_path):
    X, y = drawn(task)
    new, labels = drawn(task, seed=1)
    found = selector().fit(form(X), y)
    machine = found.best_estimator_
    assert machine.X_fit_.shape[0] == len(machine.dual_coef_) <= RANK
    assert found.score(form(new), labels) > 0.75
    assert machine.loo_values_.shape[0] == machine.sample_weight_.size == N
    kw.save_model(found, tmp_path / "model.skops")
    again = kw.load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(form(new)), found.predict(form(new)))
    assert again.engine == LowRank(RANK)


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_the_machine_is_that_of_its_matrix(task):
    X, y = drawn(task)
    found = selector(kernels=kw.grids.gaussian(-3, -1), ridge=[0.1, 1.0, 10.0]).fit(X, y)
    Z = found.best_estimator_.X_fit_
    C, K_z = found.best_kernel_(X, Z), found.best_kernel_(Z)
    features = np.linalg.solve(np.linalg.cholesky(K_z), C.T).T
    K = features @ features.T
    machine = (kw.KRR if task == "regression" else kw.LSSVC)(
        kw.Precomputed(), found.best_ridge_, fit_intercept=True
    ).fit(K, y)
    values = machine.predict(K) if task == "regression" else machine.decision_function(K)
    ask = found.predict if task == "regression" else found.decision_function
    np.testing.assert_allclose(ask(X), values, atol=1e-6)
    judged = np.isfinite(found.best_estimator_.loo_residuals_.reshape(N, -1)).all(axis=1)
    np.testing.assert_allclose(
        found.best_estimator_.loo_residuals_[judged], machine.loo_residuals_[judged], atol=1e-6
    )
    losses = found.best_estimator_.loo_residuals_[judged] ** 2
    if task == "regression":
        assert found.error_.value == pytest.approx(np.sqrt(losses.mean()))


def test_weights_are_those_of_repeated_rows():
    X, y = drawn()
    twice = np.arange(N) < 100
    engine = LowRank(RANK)
    settings = {"kernels": kw.Gaussian(1.0), "criterion": "gcv", "ridge": 0.5}
    weighted = selector(**settings).fit(X, y, sample_weight=1.0 + twice)
    # The same landmarks for both: those that the weighted machine has.
    targets = Targets.of(np.concatenate([y, y[twice]]))
    rows = np.vstack([X, X[twice]])
    [gram] = engine.grams([kw.Gaussian(1.0)], X, Targets.of(y))
    repeated = lowrank.LowRankGram(kw.Gaussian(1.0), rows, targets, gram.sample)
    fit = Evidence(repeated, targets).fit(0.5)
    Z, alpha = repeated.expansion(rows, fit.coefficients)
    new, _ = drawn(seed=1)
    expected = kw.Gaussian(1.0)(new, Z) @ alpha + fit.bias
    np.testing.assert_allclose(weighted.decision_function(new), expected[:, 0], atol=1e-8)


def test_class_weights_help_a_rare_class():
    X, y = drawn(n=1000)
    rare = (np.arange(1000) % 10 == 0) | (y == "a")
    X, y = X[rare], y[rare]
    new, labels = drawn(seed=1)
    plain, balanced = (selector(class_weight=w).fit(X, y) for w in (None, "balanced"))
    recalls = [np.mean(s.predict(new)[labels == "b"] == "b") for s in (plain, balanced)]
    assert recalls[1] > recalls[0]


def test_intervals_cover_new_rows():
    X, y = drawn("regression")
    machine = selector().fit(X, y).best_estimator_
    new, target = drawn("regression", seed=1)
    lower, upper = machine.predict_interval(new)
    assert 0.8 < np.mean((lower <= target) & (target <= upper)) <= 1.0


def test_the_spectrum_of_landmarks_is_not_drawn():
    pytest.importorskip("matplotlib")
    found = selector().fit(*drawn())
    with pytest.raises(ValueError, match="the machine keeps landmarks"):
        kw.figures.SpectrumDisplay.from_estimator(found)


def test_support_vector_machines_are_refused():
    from sklearn.svm import SVC

    with pytest.raises(ValueError, match="the fit of SVC needs its entries"):
        selector(estimator=SVC()).fit(*drawn())


def test_every_survivor_is_judged_on_all_rows():
    result = selector(criterion="auto").fit(*drawn(n=1500)).result_
    assert np.count_nonzero(np.isfinite(result.table["eloo"])) == 5
    errors = result.standard_errors["eloo"]
    assert np.all(errors[np.isfinite(result.table["eloo"])] > 0.0)


@pytest.mark.parametrize(
    ("criterion", "task"),
    [
        ("lml", "binary"),
        ("bif", "regression"),
        ("kfold", "multiclass"),
        ("gcv", "regression"),
        ("br", "multiclass"),
        ("cvks", "binary"),
    ],
)
def test_every_criterion_chooses(criterion, task):
    X, y = drawn(task)
    found = selector(criterion=criterion, engine=LowRank(30)).fit(X, y)
    table = kw.score_kernels(
        X, y, found.best_kernel_, criterion, ridge=found.best_ridge_, engine=LowRank(30)
    ).table
    assert found.result_.best(criterion) == found.best_kernel_
    best = found.result_.table[criterion][found.result_.best_index(criterion)]
    np.testing.assert_allclose(best, table[criterion][0], rtol=1e-7)


def test_every_estimate_says_so():
    X, y = drawn()
    criteria = ["sm", "eloo", "kfold", "gcv", "lml"]
    result = kw.score_kernels(X, y, WIDTHS, criteria, engine=LowRank(RANK))
    estimated = {key for key, note in result.notes.items() if code_of(note) == Code.ESTIMATED}
    assert estimated == {f"{name}: estimated" for name in criteria}
    assert result.to_dict()["note_codes"] == dict.fromkeys(estimated, Code.ESTIMATED)
    assert result.notes["eloo: estimated"] == (
        "eloo is estimated by matrices of low rank, with 60 landmarks"
    )
    for name in ("eloo", "kfold"):
        assert np.all(result.standard_errors[name] > 0.0)
    for name in ("auto", "kfold", "lml"):
        notes = selector(criterion=name).fit(X, y).result_.notes
        columns = ("sm", "eloo") if name == "auto" else (name,)
        assert {f"{column}: estimated" for column in columns} <= notes.keys()
    few = kw.score_kernels(X[:80], y[:80], WIDTHS, criteria, engine=LowRank(RANK))
    assert few.notes == {} == kw.score_kernels(X, y, WIDTHS, criteria).notes


class TestRank:
    @pytest.fixture(autouse=True)
    def _small_ranks(self, monkeypatch):
        monkeypatch.setattr(lowrank, "RANKS", (10, 20, 40))

    def test_grows_while_that_pays(self):
        X, y = drawn(n=1500)
        found = selector(engine=LowRank("auto")).fit(X, y)
        fixed = selector(engine=LowRank(10)).fit(X, y)
        assert found.best_estimator_.X_fit_.shape[0] > 10
        assert found.error_.value < fixed.error_.value
        assert found.result_.best("eloo") == found.best_kernel_
        assert found.result_.table["eloo"].dtype == float
        most = found.best_estimator_.X_fit_.shape[0]
        assert f"with 10 to {most} landmarks" in found.result_.notes["eloo: estimated"]

    def test_grows_the_same_where_memory_keeps_nothing(self, monkeypatch):
        X, y = drawn(n=1500)
        ample = selector(engine=LowRank("auto")).fit(X, y)
        monkeypatch.setattr(LowRank, "grams_at_once", lambda self, targets: 0)
        scarce = selector(engine=LowRank("auto")).fit(X, y)
        np.testing.assert_array_equal(scarce.result_.table["eloo"], ample.result_.table["eloo"])
        np.testing.assert_array_equal(scarce.predict(X), ample.predict(X))

    def test_stays_where_it_does_not(self):
        X, _ = drawn(n=1500)
        found = selector(engine=LowRank("auto"), kernels=[kw.Gaussian(100.0)]).fit(X, X[:, 0] > 0)
        assert found.best_estimator_.X_fit_.shape[0] <= 10
        assert not [g for g in found.guards_ if code_of(g) == Code.RANK_LIMITED]

    def test_is_said_to_limit_the_choice(self):
        X, y = drawn(n=1500)
        with pytest.warns(KernelChoiceWarning, match="still limited by the rank 40") as told:
            found = selector(engine=LowRank("auto"), kernels=kw.Gaussian(0.05)).fit(X, y)
        [note] = [n for key, n in found.result_.notes.items() if key.endswith(": rank")]
        assert code_of(note) == Code.RANK_LIMITED and note in found.guards_
        assert "doubling it has paid up to here" in note and "LowRank(80)" in note
        codes = found.result_.to_dict()["note_codes"]
        assert codes["Gaussian(tau=0.05): rank"] == Code.RANK_LIMITED
        assert told

    @pytest.mark.parametrize("criterion", ["eloo", "kfold", "gcv", "lml", "bif", "br", "sm"])
    def test_grows_and_limits_whatever_the_criterion(self, criterion):
        X, y = drawn(n=1500)
        settings = {"kernels": kw.Gaussian(0.05), "criterion": criterion}
        found = selector(engine=LowRank("auto"), **settings, ridge=0.1).fit(X, y)
        assert found.best_estimator_.X_fit_.shape[0] == 40
        [guard] = [g for g in found.guards_ if code_of(g) == Code.RANK_LIMITED]
        assert "still limited by the rank 40" in guard

    @pytest.mark.parametrize("rank", ["auto", 10])
    @pytest.mark.parametrize("criterion", ["eloo", "kfold", "gcv", "lml"])
    def test_is_a_limit_where_twice_as_much_is_still_nothing(self, criterion, rank):
        X, y = drawn(n=1500)
        settings = {"kernels": kw.Gaussian(1e-3), "criterion": criterion}
        found = selector(engine=LowRank(rank), **settings).fit(X, y)
        assert found.best_estimator_.X_fit_.shape[0] == 10
        assert Code.RANK_LIMITED in map(code_of, found.guards_)

    def test_is_unknown_where_nothing_is_defined(self):
        X, y = drawn(n=1500)
        [gram] = LowRank(10).grams([kw.Gaussian(1.0)], X, Targets.of(y))
        pick = ranks.Pick(Evidence(gram, Targets.of(y)), 1.0, None)
        assert ranks.limit_of(pick, np.ones(1), None) is None and not ranks.pays(pick, pick)

    def test_grows_no_further_than_memory_allows(self):
        engine = LowRank("auto", memory=LowRank(20)._needed(1500) + 1.0)
        assert [finer.rank for finer in engine.refinements(1500)] == [20]
        assert engine.refinements(15) == [] == LowRank(10).refinements(1500)

    def test_is_no_limit_because_of_a_single_ridge(self):
        X, y = drawn(n=1500)
        settings = {"kernels": kw.Gaussian(1.0), "engine": LowRank(40), "criterion": "eloo"}
        alone = selector(ridge=30.0, **settings).fit(X, y)
        assert Code.RANK_LIMITED not in map(code_of, alone.guards_)
        lowest = selector(ridge=[1e-4, 1e5, 1e6], **settings).fit(X, y)
        assert Code.RANK_LIMITED in map(code_of, lowest.guards_)

    def test_of_a_matrix_that_has_no_more_is_no_limit(self):
        X, _ = drawn(n=1500)
        found = selector(engine=LowRank(10), kernels=kw.Linear()).fit(X, X[:, 0] > 0)
        assert not found.guards_ or Code.RANK_LIMITED not in map(code_of, found.guards_)


def test_callbacks_of_scikit_learn_follow():
    callback = pytest.importorskip("sklearn.callback")
    X, y = drawn()
    for criterion in ("auto", kw.criteria.KFold()):
        chooser = selector(criterion=criterion).set_callbacks(callback.ProgressBar())
        assert chooser.fit(X, y).score(X, y) > 0.7


def test_a_gain_is_judged_on_the_same_rows():
    X, y = drawn(n=800)
    targets, criterion = Targets.of(y), ELOO("squared_hinge")
    picks = []
    for rank in (10, 80):
        [gram] = LowRank(rank).grams([kw.Gaussian(0.5)], X, targets)
        picks.append(ranks.pick_of(Evidence(gram, targets, kw.Gaussian(0.5)), 0.1, criterion))
    coarse, fine = picks
    assert np.isin(fine.rows, coarse.rows).all() and fine.rows.size == 720
    assert ranks.pays(coarse, fine) and not ranks.pays(fine, coarse)
    assert not ranks.pays(fine, fine)
    for other in (kw.criteria.KFold(), kw.criteria.GCV(), ELOO("auc")):
        losses = ranks.pick_of(fine.evidence, 0.1, other).losses
        np.testing.assert_array_equal(losses, fine.losses)
    assert ranks.narrower(WIDTHS, kw.Gaussian(1.0)) == [kw.Gaussian(0.5), kw.Gaussian(0.25)]


def test_the_error_of_a_machine_of_low_rank_is_said_to_come_from_a_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    selector = kw.KernelSelector(engine=LowRank(50)).fit(X, X[:, 0] + X[:, 1] ** 2 > 0.5)
    judged = np.isfinite(selector.best_estimator_.loo_values_)
    assert 0 < judged.sum() < 400
    assert selector.error_.method == "leave-one-out of a sample"
    assert "leave-one-out of a sample" in str(selector.error_)
