"""All that is learnt of a kernel matrix comes from the engine, whatever engine that is."""

import warnings
from dataclasses import dataclass, field
from functools import partialmethod
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1
from sklearn.svm import SVC

import kernelwise as kw
from helpers import close
from inside import (
    Engine,
    Gram,
    Kernel,
    LeastSquares,
    LowRank,
    Need,
    PairKernel,
    SupportVectors,
    Tiled,
    Trials,
    criterion_machine,
    needs_with,
    search,
)

DEPTH = []  # of calls of grams, while one is under way


class Watched(Gram):
    """Passes on what a gram says, and marks the time it takes."""

    def __init__(self, gram, asked):
        self._gram, self._asked = gram, asked

    def _pass_on(self, name, *args):
        self._asked.append(name)
        DEPTH.append(name)
        try:
            found = getattr(self._gram, name)
            found = found(*args) if callable(found) else found
            return list(found) if name == "inverses" else found
        finally:
            DEPTH.pop()

    provides = property(lambda self: self._gram.provides)
    is_psd = property(lambda self: self._gram.is_psd)
    statistics = property(lambda self: self._pass_on("statistics"))
    for _name in (
        "compute_statistics matmul leading_eigenvalues spectrum inverses rows entries prepare "
        "expansion"
    ).split():
        locals()[_name] = partialmethod(_pass_on, _name)


Watched.__abstractmethods__ = frozenset()


@dataclass(frozen=True)
class Spy(Engine):
    """The engine in whose place it stands, and a list of what it was asked."""

    inner: Engine = field(default_factory=kw.gram.Dense)
    memory: Any = None

    name: ClassVar[str] = "spy"
    LOG: ClassVar[list] = []

    @property
    def shares_sweeps(self):
        return self.inner.shares_sweeps

    def grams(self, kernels, X, targets, progress=None):
        self.LOG.append(("grams", len(kernels), targets.n))
        for gram in self.inner.grams(kernels, X, targets, *([progress] if progress else [])):
            yield Watched(gram, self.LOG)

    def check_memory(self, needs, rows):
        self.inner.check_memory(needs, rows)

    def grams_at_once(self, targets):
        return self.inner.grams_at_once(targets)

    def matmul(self, grams, vectors, progress=None):
        self.LOG.append("matmul")
        DEPTH.append("matmul")
        try:
            return self.inner.matmul([gram._gram for gram in grams], vectors, progress)
        finally:
            DEPTH.pop()


@pytest.fixture
def kernels_speak_to_engines_only(monkeypatch):
    """Let a kernel complain when anybody but an engine, or a trial, evaluates it."""
    outside, left_out = [], Trials.left_out

    def trial(*args):
        DEPTH.append("left_out")
        try:
            return left_out(*args)
        finally:
            DEPTH.pop()

    monkeypatch.setattr(Trials, "left_out", trial)

    def watch(cls, name):
        original = getattr(cls, name)

        def watched(self, *args, **kwargs):
            if not DEPTH:
                outside.append((type(self).__name__, name))
            return original(self, *args, **kwargs)

        monkeypatch.setattr(cls, name, watched)

    for name in ("values", "deviations"):
        watch(PairKernel, name)
    watch(PairKernel, "diagonal")
    watch(Kernel, "__call__")
    return outside


def data(n, real):
    if real:
        return make_friedman1(n, noise=1.0, random_state=0)
    return make_classification(n, 6, n_informative=4, flip_y=0.1, random_state=0)


@pytest.mark.parametrize(("n", "real"), [(300, True), (900, False), (1700, True)])
def test_everything_comes_through_the_engine(n, real, kernels_speak_to_engines_only, monkeypatch):
    X, y = data(n, real)
    inner = kw.gram.Dense() if n < 700 else Tiled()
    monkeypatch.setattr(Spy, "LOG", [])
    watched = kw.KernelSelector(engine=Spy(inner)).fit(X, y)
    assert kernels_speak_to_engines_only == []
    assert watched.result_.engine == "spy"
    assert {"statistics", "inverses", "rows"} <= {a for a in Spy.LOG if isinstance(a, str)}
    plain = kw.KernelSelector().fit(X, y)
    assert watched.best_kernel_ == plain.best_kernel_
    close(watched.best_ridge_, plain.best_ridge_)


def test_no_matrix_is_made_twice(monkeypatch):
    """Of twelve kernels the screen makes twelve matrices; leave-one-out and the fit make none."""
    X, y = data(500, False)
    monkeypatch.setattr(Spy, "LOG", [])
    kernels = kw.grids.gaussian(-3, 8)
    kw.KernelSelector(kernels=kernels, engine=Spy()).fit(X, y)
    assert [entry for entry in Spy.LOG if not isinstance(entry, str)] == [("grams", 12, 500)]


@pytest.mark.parametrize(
    ("criterion", "settings", "words"),
    [
        ("span", {}, "span needs its entries, which engine 'low_rank' does not provide"),
        ("kfold", {"machine": "svm"}, "kfold needs its entries, which engine 'low_rank'"),
        (kw.criteria.BIF(loss="squared_hinge"), {}, "bif.* needs its entries"),
    ],
)
def test_what_an_engine_cannot_serve_is_refused_before_any_work(
    monkeypatch, criterion, settings, words
):
    X, y = data(60, False)
    monkeypatch.setattr(LowRank, "grams", lambda *args: pytest.fail("work was begun"))
    with pytest.raises(ValueError, match=words):
        kw.score_kernels(X, y, kw.Gaussian(1.0), criterion, engine="low_rank", **settings)


def test_needs_of_a_machine():
    needs = frozenset({Need.STATISTICS, Need.TRAINING})
    assert needs_with(LeastSquares, needs) == {Need.STATISTICS, Need.SOLVE}
    assert needs_with(SupportVectors, needs) == {Need.STATISTICS, Need.ENTRIES}


def test_survivors_of_a_costly_stage_hold_no_matrix(monkeypatch):
    """Five matrices with their spectra would be too much at many rows."""
    X, y = data(750, False)
    seen = []
    original = search.score_candidates

    def watched(*arguments):
        known = arguments[5]
        seen.extend("_dense" in vars(evidence.gram) for evidence in known.values())
        return original(*arguments)

    monkeypatch.setattr(search, "score_candidates", watched)
    cascade = kw.Cascade(("eloo", 3), (kw.criteria.KFold(3), 1))
    kernels = kw.grids.gaussian(1, 5)
    chosen = kw.KernelSelector(kernels=kernels, ridge=1.0, criterion=cascade).fit(X, y)
    assert seen == [False] * 3 and chosen.score(X, y) > 0.8
    again = kw.score_kernels(X, y, kernels, kw.criteria.KFold(3)).table["kfold"]
    found = chosen.result_.table["kfold"]
    close(found[~np.isnan(found)], again[~np.isnan(found)])


class TestTheFit:
    def test_what_does_not_fit_is_refused_before_any_work(self, monkeypatch):
        X, y = data(900, False)
        monkeypatch.setattr(Tiled, "grams", lambda *args: pytest.fail("work was begun"))
        with pytest.raises(MemoryError, match=r"900 rows need about .* budget is 20 MB"):
            kw.KernelSelector(criterion="sm", ridge=1.0, memory="20MB").fit(X, y)

    def test_a_choice_alone_needs_no_matrix(self):
        X, y = data(900, False)
        settings = {"criterion": "sm", "ridge": 1.0, "memory": "20MB", "refit": False}
        assert kw.KernelSelector(**settings).fit(X, y).best_ridge_ == 1.0


def test_trade_offs_are_refused_without_entries():
    X, y = data(60, False)
    with pytest.raises(ValueError, match=r"rks\(eta='cv'\) needs its entries"):
        kw.score_kernels(X, y, kw.Gaussian(1.0), kw.criteria.RKS(eta="cv"), engine=LowRank(10))


def test_an_svc_of_ones_own_is_judged_as_one():
    assert criterion_machine(type("Mine", (SVC,), {})()) is SupportVectors


@pytest.mark.parametrize("n", [500, 900])
def test_indefinite_kernels_are_told_of_at_any_size(n):
    X, y = data(n, False)
    kernels = [0.05 * kw.Sigmoid(1.0, 0.5) + kw.Gaussian(t) for t in (0.5, 1.0, 2.0)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kw.KernelSelector(kernels=kernels).fit(X, y)
    told = [w for w in caught if w.category is kw.gram.NotPSDWarning]
    assert len(told) == 3


def test_the_order_of_ridges_does_not_matter():
    X, y = data(900, False)
    sorted_, mixed = (
        kw.KernelSelector(kernels=kw.grids.gaussian(0, 3), ridge=ridge).fit(X, y)
        for ridge in ([0.1, 1.0, 10.0], [1.0, 0.1, 10.0, 1.0])
    )
    assert sorted_.best_ridge_ == mixed.best_ridge_
    assert sorted_.result_.notes == mixed.result_.notes


def test_solutions_follow_what_is_asked():
    """Coordinates of the columns asked for last are remembered, not those columns."""
    targets = kw.gram.Targets.of([0, 1] * 5)
    [gram] = kw.gram.Dense().grams([kw.Gaussian(1.0)], np.arange(10.0)[:, None], targets)
    gram.spectrum()
    [inverse] = gram.inverses([0.5])
    B = np.ones((10, 1))
    before = inverse.solve(B)
    B *= 5.0
    close(inverse.solve(B), 5.0 * before)


@pytest.mark.parametrize("estimator", [SVC(), type("Own", (kw.LSSVC,), {})()])
def test_a_fit_that_takes_the_whole_matrix_is_refused_without_entries(estimator):
    X, y = data(60, False)
    selector = kw.KernelSelector(estimator, engine=LowRank(10), criterion="eloo")
    with pytest.raises(ValueError, match=r"the fit of \w+ needs its entries, which engine"):
        selector.fit(X, y)
    assert selector.set_params(refit=False).fit(X, y).best_ridge_ > 0.0
