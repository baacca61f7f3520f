"""More rows than exact matrices can serve: estimates that are said to be estimates."""

import time
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.svm import SVC

import kernelwise as kw
from inside import (
    Code,
    Effort,
    KernelChoiceWarning,
    Landmarks,
    Task,
    Tiled,
    budget,
    code_of,
    effort,
    in_single,
    landmark_search,
    problem,
    rows_within,
    screen,
    seconds_for,
)
from inside import landmarks_NotConverged as NotConverged
from inside import landmarks_Preconditioner as Preconditioner


def rings(n=1000, classes=2, seed=0):
    """Return points in rings around the origin, one ring a class, with some noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    radius = 1.0 + y + 0.2 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def fitted(X, y, **settings):
    return kw.KernelSelector(**settings).fit(X, y)


def codes(selector):
    return {code_of(note) for note in selector.result_.notes.values()}


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
@pytest.mark.parametrize("classes", [2, 4])
def test_a_choice_by_landmarks(few_are_many, classes):
    X, y = rings(classes=classes)
    selector = fitted(X, y)
    exact = fitted(X, y, engine="tiled")
    machine = selector.best_estimator_
    assert machine.X_fit_.shape[0] in (40, 80, 160)
    new = rings(2000, classes, seed=1)
    assert selector.score(*new) > exact.score(*new) - 0.01
    assert selector.error_.method == "held-out rows"
    assert abs(selector.error_.value - (1.0 - selector.score(*new))) < 0.06  # of 100 rows
    assert np.isfinite(machine.loo_values_.reshape(1000, -1)).all(axis=1).sum() == 100
    assert Code.ESTIMATED in codes(selector)
    assert selector.result_.engine == "low_rank"
    assert "500 rows" in selector.result_.engine_reason
    assert selector.predict_proba(new[0]).shape == (2000, classes)
    values = selector.result_.table["eloo"]
    known = np.isfinite(values)
    assert known.any()
    errors = selector.result_.standard_errors["eloo"]
    np.testing.assert_array_equal(errors[known] > 0.0, values[known] > 0.0)


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_rescaled_kernels_by_landmarks(few_are_many):
    """As on rescaled rows, for the same landmarks."""
    grid = kw.grids.laplacian_for
    X, y = rings()
    w = np.array([2.0, 0.5])
    ours = fitted(X / w, y, kernels=[kw.Scaled(w, kernel) for kernel in grid(X)])
    plain = fitted(X, y, kernels=grid(X))
    assert ours.result_.engine == plain.result_.engine == "low_rank"
    new = rings(2000, seed=1)
    assert abs(ours.score(new[0] / w, new[1]) - plain.score(*new)) < 0.01


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_real_targets(few_are_many):
    X, y = make_friedman1(1200, 5, noise=0.5, random_state=0)
    X_new, y_new = make_friedman1(1000, 5, noise=0.5, random_state=1)
    selector, exact = fitted(X, y), fitted(X, y, engine="tiled")
    assert selector.score(X_new, y_new) > exact.score(X_new, y_new) - 0.02
    assert selector.error_.method == "held-out rows"
    low, high = selector.predict_interval(X_new, 0.9)
    assert 0.8 < np.mean((low <= y_new) & (y_new <= high)) <= 1.0


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_weights_sparse_rows_and_a_file(few_are_many, tmp_path):
    X, y = rings()
    weights = np.where(y == 1, 3.0, 1.0)
    dense = kw.KernelSelector().fit(X, y, sample_weight=weights)
    one = kw.KernelSelector(kernels=[kw.Gaussian(0.25)], ridge=0.1)
    machines = (clone(one).fit(Z, y, sample_weight=weights) for Z in (X, sp.csr_matrix(X)))
    first, second = (machine.predict(X) for machine in machines)
    assert np.mean(first != second) < 0.005
    assert dense.predict(X).mean() >= fitted(X, y).predict(X).mean() - 0.01
    balanced = fitted(X, y, class_weight="balanced")
    assert balanced.balanced_error_.method == "held-out rows"


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_seconds_choose_between_exact_and_estimates(few_are_many):
    X, y = rings()
    quick, patient = fitted(X, y, time=1e-4), fitted(X, y, time=3600.0)
    assert quick.error_.method == "held-out rows"
    assert "seconds" in quick.result_.engine_reason
    assert patient.error_.method == "leave-one-out"
    with pytest.raises(ValueError, match="'time' parameter"):
        fitted(X, y, time=-1.0)


def test_a_machine_that_does_not_converge_falls_back_on_low_rank(few_are_many, monkeypatch):
    def refuse(*args, **kwargs):
        raise NotConverged

    monkeypatch.setattr(landmark_search.Preconditioner, "of", refuse)
    X, y = rings()
    selector = fitted(X, y)
    assert selector.error_.method == "leave-one-out"
    assert selector.best_estimator_.X_fit_.shape[0] <= 1000
    assert selector.score(*rings(1000, seed=1)) > 0.95


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_kernels_of_every_family(few_are_many):
    X, y = rings()
    families = [kw.Linear(), kw.Polynomial(2), kw.Laplacian(1.0), kw.Gaussian(1.0), kw.Matern(1.0)]
    assert fitted(X, y, kernels=families).score(*rings(1000, seed=1)) > 0.95


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
@pytest.mark.parametrize("kernel", [kw.Linear(), kw.Polynomial(2), kw.Linear() + kw.Gaussian(1.0)])
@pytest.mark.parametrize("shift", [0.0, 30.0])
def test_dot_products_stay_where_they_are(few_are_many, kernel, shift):
    X, _ = rings()
    y = X @ [1.0, -1.0] > 0.3
    assert fitted(X + shift, y, kernels=[kernel]).score(X + shift, y) > 0.9


def test_few_kernels_have_no_screen(few_are_many):
    X, y = rings()
    assert fitted(X, y, kernels=[kw.Gaussian(1.0)]).score(X, y) > 0.95


def test_other_machines_are_fitted_to_all_rows(few_are_many):
    X, y = rings()
    selector = fitted(X, y, estimator=SVC())
    machine = selector.best_estimator_
    assert machine.kernel == "rbf"
    assert machine.shape_fit_ == (1000, 2)
    assert "chosen on a sample of 500 of 1000 rows" in selector.result_.notes["rows"]
    assert selector.score(*rings(1000, seed=1)) > 0.95


@pytest.mark.parametrize("seconds", [0.001, 0.005, 3600.0])
def test_seconds_limit_the_sample_that_another_machine_is_chosen_on(few_are_many, seconds):
    """Between as many rows as are exact always, and all of them."""
    X, y = rings()
    selector = fitted(X, y, estimator=SVC(), time=seconds)
    assert selector.best_estimator_.shape_fit_ == (1000, 2)
    assert selector.score(*rings(1000, seed=1)) > 0.95
    sample = min(max(300, rows_within(seconds)), 1000)
    said = selector.result_.notes.get("rows", "of 1000 rows")
    assert ("sample of" not in said) if sample == 1000 else f"sample of {sample} of 1000" in said
    assert selector.result_.engine != "low_rank"


def test_seconds_count_the_threads_of_the_linear_algebra(monkeypatch):
    """Not the processors: set to one thread, it takes as long on a machine with many."""
    monkeypatch.setattr(budget, "algebra_threads", lambda: 1)
    alone, rows = seconds_for(5000), rows_within(100.0)
    monkeypatch.setattr(budget, "algebra_threads", lambda: 8)
    assert seconds_for(5000) == pytest.approx(alone / 8)
    assert rows_within(100.0) == pytest.approx(2 * rows, abs=2)


@pytest.mark.parametrize(
    "estimator", [SVC(class_weight="balanced"), kw.LSSVC(class_weight="balanced")]
)
def test_little_time_does_not_refuse_an_estimator(few_are_many, estimator):
    X, y = rings()
    selector = fitted(X, y, estimator=estimator, time=0.0001)
    assert "sample of 300 of 1000 rows" in selector.result_.notes["rows"]
    assert selector.best_estimator_.class_weight == "balanced"


def test_kernels_that_libsvm_does_not_know_are_functions(few_are_many):
    X, y = rings()
    laplacian = fitted(X, y, estimator=SVC(), kernels="laplacian")
    assert laplacian.best_estimator_.kernel == laplacian.best_kernel_
    assert laplacian.best_estimator_.shape_fit_[0] == 1000
    assert laplacian.score(*rings(1000, seed=1)) > 0.95
    mixed = fitted(X, y, estimator=SVC(), kernels=["rbf", "matern"])
    assert mixed.best_estimator_.kernel == mixed.best_kernel_


def test_kernels_that_libsvm_does_not_know_are_refused_before_any_work(few_are_many, monkeypatch):
    X, y = rings()
    monkeypatch.setattr(Tiled, "grams", lambda *args: pytest.fail("work was begun"))
    with pytest.raises(MemoryError, match="1000 rows need about 40 MB"):
        fitted(X, y, estimator=SVC(), kernels="laplacian", memory="30MB")


def test_criteria_of_cost_n2_stay_exact(few_are_many):
    X, y = rings()
    kernels = kw.grids.gaussian(-2, 2)
    plain = kw.score_kernels(X, y, kernels, ["sm", "ckta"])
    assert plain.engine == "tiled"
    estimated = kw.score_kernels(X, y, kernels, ["eloo"])
    assert estimated.engine == "low_rank"
    exact = kw.score_kernels(X, y, kernels, ["eloo"], engine="dense")
    np.testing.assert_allclose(estimated.table["eloo"], exact.table["eloo"], rtol=0.2)


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
@pytest.mark.parametrize("weights", [None, "balanced"])
def test_criteria_of_cost_n2_stay_exact_beside_others(few_are_many, weights):
    X, y = rings(2000)
    kernels = [kw.Gaussian(0.02), kw.Gaussian(1.0)]
    settings = {"ridge": [0.1, 1.0], "class_weight": weights}
    exact, rough = ["sm", "ckta", "ks"], ["eloo", "lml"]
    mixed = kw.score_kernels(X, y, kernels, ["eloo", "sm", "lml", "ckta", "ks"], **settings)
    assert list(mixed.table) == list(mixed.criteria) == ["eloo", "sm", "lml", "ckta", "ks"]
    for names in (exact, rough):
        apart = kw.score_kernels(X, y, kernels, names, **settings)
        assert apart.kernels == mixed.kernels
        np.testing.assert_array_equal(apart.ridges, mixed.ridges)
        for name in names:
            np.testing.assert_allclose(mixed.table[name], apart.table[name], rtol=1e-10)
            np.testing.assert_allclose(
                mixed.standard_errors[name], apart.standard_errors[name], rtol=1e-10
            )
    assert {key for key in mixed.notes if "estimated" in key} == {f"{n}: estimated" for n in rough}
    assert mixed.engine == "tiled and low_rank"
    assert mixed.engine_reason == (
        "sm, ckta, ks by tiled (beyond 700 rows one sweep for all is faster); "
        "eloo, lml by low_rank (beyond 500 rows exact leave-one-out takes minutes)"
    )


def test_asking_for_an_engine_is_heard(few_are_many):
    X, y = rings()
    assert fitted(X, y, engine="tiled").error_.method == "leave-one-out"
    assert fitted(X, y, engine="dense").best_estimator_.X_fit_.shape[0] == 1000


def test_the_screen_draws_samples_until_it_is_settled(few_are_many):
    X, y = rings(3000)
    selector = kw.KernelSelector(kernels=kw.grids.gaussian(-6, 6)).fit(X, y)
    said = selector.result_.notes["sm: screen"]
    assert "95 % confidence" in said
    assert 3 <= int(said.split()[2]) <= 8
    assert np.isfinite(selector.result_.table["sm"]).all()


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_a_screen_that_is_not_settled_by_all_samples_says_so(few_are_many, monkeypatch):
    monkeypatch.setattr(screen, "_is_settled", lambda *given: False)
    said = fitted(*rings(1000), kernels=kw.grids.gaussian(-3, 3)).result_.notes["sm: screen"]
    assert said == "screened on 5 samples of 200 rows, without reaching 95 % confidence"


def test_survivors_that_are_alike_are_not_settled():
    wobble = [np.array([0.0, 0.1 * sign, 0.0, 0.0]) for sign in (1.0, -1.0, 1.0)]
    draws = [np.array([3.0, 2.0, 2.0, 1.0]) + w for w in wobble]
    kernels = kw.grids.gaussian(0, 3)
    assert screen._is_settled(1.0, draws, kernels, 1)
    assert not screen._is_settled(1.0, draws, kernels, 2)
    assert screen._is_settled(1.0, draws, kernels, 3)
    assert screen._is_settled(-1.0, [-d for d in draws], kernels, 1)
    assert not screen._is_settled(1.0, draws[:2], kernels, 1)


def settled_wrongly(means, rng, families=1):
    """Say whether samples drawn one by one are ever settled on others than the five best."""
    kernels = [(kw.Gaussian, kw.Laplacian)[i % families](2.0**i) for i in range(means.size)]
    draws = []
    for _ in range(screen._MOST):
        noise = rng.normal() + rng.uniform(0.5, 1.5) * rng.normal(size=means.size)  # in part shared
        draws.append(means + noise)
        if screen._is_settled(1.0, draws, kernels, 5):
            order = np.argsort(-np.mean(draws, axis=0)).tolist()
            return set(screen.surviving(kernels, order, 5)) != set(
                screen.surviving(kernels, np.argsort(-means, kind="stable").tolist(), 5)
            )
    return False


@pytest.mark.parametrize(
    ("tied", "families"), [(slice(4, 6), 1), (slice(2, 9), 1), (slice(4, 8), 2)]
)
def test_samples_are_rarely_settled_on_the_wrong_survivors(tied, families):
    """Places at the boundary are nearly tied; the others are far apart."""
    means = -100.0 * np.arange(12.0)
    means[tied] = -400.0 - 1e-3 * np.arange(means[tied].size)
    rng = np.random.default_rng(0)
    runs = 300
    wrong = sum(settled_wrongly(means, rng, families) for _ in range(runs))
    assert wrong <= binom.ppf(0.999, runs, 1.0 - screen._CONFIDENCE)


def test_typical_gaps_are_settled():
    """Neighbours are eight standard errors of eight samples apart, as on adult and cod-rna."""
    rng, kernels = np.random.default_rng(0), kw.grids.gaussian(0, 11)
    means, settled = -np.arange(12.0), 0
    for _ in range(100):
        draws = list(means + 0.25 * rng.normal(size=(screen._MOST, 12)))
        settled += screen._is_settled(1.0, draws, kernels, 5)
    assert settled > 80


def test_a_trade_off_that_needs_the_matrix_keeps_it_exact(few_are_many):
    X, y = rings(600)
    kernels = kw.grids.gaussian(-1, 1)
    criteria = [kw.criteria.RKS(eta="cv"), kw.criteria.ELOO()]
    assert kw.score_kernels(X, y, kernels, criteria).engine == "dense"


def test_little_work_is_a_share_of_what_a_choice_may_take():
    by_values = Effort(20_000, None, time.monotonic())
    assert by_values.is_little(6e9) and not by_values.is_little(7e9)
    by_seconds = Effort(20_000, 10.0, time.monotonic())  # at a first guess of 4e8 values a second
    assert by_seconds.is_little(0.9e9) and not by_seconds.is_little(1.1e9)


def test_the_bar_moves_as_long_as_there_is_work():
    """Also where there is more than was planned; it is complete when the work has ended."""

    class Counter(Task):
        count = 0

        def part(self, name="", parts=0, share=1):
            self.count += 1
            return Task()

    told, counts = Counter(), []
    work = Effort(20_000, None, time.monotonic())
    work.begin(told, 1e9)
    for _ in range(7):  # up to 1.75 times the plan
        work.passes(0.25e9).part().end()
        counts.append(told.count)
    assert counts[:3] == [100, 200, 300]  # of 400
    assert (np.diff(counts) > 0).all() and counts[-1] < 400


@pytest.mark.parametrize("little", [0.0, 1.0])
def test_more_landmarks_need_a_proof_only_where_they_take_much_work(
    few_are_many, monkeypatch, little
):
    monkeypatch.setattr(effort, "_LITTLE", little)
    monkeypatch.setattr(landmark_search, "falls", lambda before, after: False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelChoiceWarning)
        machine = fitted(*rings(seed=3)).best_estimator_
    assert (machine.X_fit_.shape[0] > 40) == (little > 0.0)


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
@pytest.mark.parametrize("estimator", [None, SVC()], ids=["LSSVC", "SVC"])
def test_little_memory_takes_fewer_rows_to_begin_with(estimator):
    X, y = rings(3000)
    selector = fitted(X, y, estimator=estimator, memory="80MB")  # 1,400 rows exactly, not 2,000
    assert selector.score(*rings(1000, seed=1)) > 0.95


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_a_look_that_is_worse_in_double_precision_is_passed_over(few_are_many, monkeypatch):
    machine, asked = landmark_search.LandmarkSearch._machine, []

    def all_but_the_first(search, look):
        asked.append(look.loss)
        return machine(search, look) if len(asked) > 1 else None

    monkeypatch.setattr(landmark_search.LandmarkSearch, "_machine", all_but_the_first)
    monkeypatch.setattr(landmark_search.WholeMachine, "look", lambda *_: None)
    selector = fitted(*rings())
    assert len(asked) >= 2 and asked == sorted(asked)
    result = selector.result_
    pairs = zip(result.kernels, result.ridges, strict=True)
    pick = list(pairs).index((selector.best_kernel_, selector.best_ridge_))
    assert result.table["eloo"][pick] == asked[-1]
    assert Code.ESTIMATED in codes(selector)


def limits(selector):
    return [n for n in selector.result_.notes.values() if code_of(n) == Code.RANK_LIMITED]


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
class TestWhatLimitsLandmarks:
    def test_time(self, few_are_many):
        [said] = limits(fitted(*rings(), time=1e-4))
        assert "its 40 landmarks (there was no time for more)" in said
        assert said.endswith("as in time=600")

    def test_time_that_is_long_already(self, few_are_many, monkeypatch):
        monkeypatch.setattr(Effort, "allows", lambda *_: False)
        monkeypatch.setattr(problem, "rows_within", lambda seconds: 10)
        [said] = limits(fitted(*rings(), time=900.0))
        assert said.endswith("as in time=1800")

    def test_memory(self, few_are_many, monkeypatch):
        monkeypatch.setattr(landmark_search, "_BYTES", 1e4)
        monkeypatch.setattr(landmark_search.LandmarkSearch, "_gains", lambda *_: True)
        selector = fitted(*rings(), memory="100MB")
        assert selector.best_estimator_.X_fit_.shape[0] == 80
        [said] = limits(selector)
        assert "its 80 landmarks (more do not fit into memory): raise memory" in said

    def test_nothing_where_there_are_no_other_rows(self, few_are_many):
        X, y = rings(50)
        selector = fitted(np.tile(X, (20, 1)), np.tile(y, 20))
        assert selector.best_estimator_.X_fit_.shape[0] <= 50
        assert limits(selector) == []

    def test_peak_memory_is_what_was_planned_for(self):
        X, y = rings(4500)
        tracemalloc.start()
        try:
            fitted(X, y, memory="100MB", time=600.0)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 110e6  # twice the landmarks would take 240 MB


@pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning")
def test_seconds_are_those_of_all_searches_together(few_are_many, monkeypatch):
    begun = []
    original = Effort.__init__

    def remember(self, rows, seconds, since):
        begun.append(since)
        original(self, rows, seconds, since)

    monkeypatch.setattr(Effort, "__init__", remember)
    monkeypatch.setattr("kernelwise.selection.search.edge", lambda kernels, winner: -1)
    monkeypatch.setattr("kernelwise.selection.search.extended", lambda kernels, side: kernels)
    fitted(*rings(), time=1e-4)
    assert len(begun) == 3 and len(set(begun)) == 1


@pytest.mark.parametrize("sample", [None, np.arange(200)])
def test_the_factors_of_landmarks_are_counted_one_by_one(sample):
    rng = np.random.default_rng(0)
    X = in_single(rng.normal(size=(400, 3)))
    seen = Landmarks(kw.Gaussian(1.0), X, X[:40], X[:, :1].astype(float), np.ones(400))
    work, told = Effort(400, None, time.monotonic()), []
    work._tell = told.append
    Preconditioner.of(seen, np.array([0.1, 1.0]), sample, work.factors(1e6))
    assert sum(told) == pytest.approx(1e6)
    assert max(told) == pytest.approx(1e6 / 4)  # two triangles, and one for each of two ridges
