"""Support vector machines at any C: right, or undefined within seconds."""

import signal
import time

import numpy as np
import pytest

import kernelwise as kw
from helpers import support_vectors
from inside import (
    Dense,
    Evidence,
    NotConverged,
    SupportVectors,
    Targets,
    Undefined,
    UndefinedCriterionWarning,
    make_splits,
)
from inside import smo as loops
from inside import svm as module
from kernelwise import criteria as c

TINY_RIDGE = 1e-99  # C = 5e98


def data(n=40, overlap=True, seed=0):
    """Return two classes; a linear kernel cannot separate them where they overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] + overlap * rng.normal(size=n) > 0.0).astype(int)
    return X, y


@pytest.fixture
def short(monkeypatch):
    """Let training give up after a fraction of a second."""
    monkeypatch.setattr(module, "_WORK", 1_000_000)


class TestHugeC:
    def test_the_hard_margin_is_found(self):
        """Where the classes can be separated, all large C have the machine of the largest."""
        X, y = data()
        K = kw.Gaussian(1.0)(X)
        machines = support_vectors(K, Targets.of(y))
        soft, hard = (machines._trained(0, ridge) for ridge in (1e-8, TINY_RIDGE))
        assert np.abs(soft.b).max() < soft.C
        np.testing.assert_allclose(hard.scores, soft.scores, atol=2e-3)
        assert abs(hard.b.sum()) < 1e-12 * np.abs(hard.b).sum()
        np.testing.assert_allclose(hard.products, K @ hard.b, atol=1e-9)

    def test_folds_are_those_of_a_smaller_c(self):
        X, y = data()
        targets = Targets.of(y)
        machines = support_vectors(kw.Gaussian(1.0)(X), targets)
        for split in make_splits(targets, None, 4, 1, 0):
            hard, soft = (machines._fold_scores(0, r, split) for r in (TINY_RIDGE, 1e-8))
            np.testing.assert_allclose(hard, soft, atol=5e-3)

    def test_a_start_at_a_distant_ridge_does_not_overflow(self):
        X, y = data()
        machines = support_vectors(kw.Gaussian(1.0)(X), Targets.of(y))
        for ridge in (1e99, 1e-99, 1.0, 1e-99):
            assert np.isfinite(machines._trained(0, ridge).scores).all()


class TestNotConverged:
    def test_classes_that_cannot_be_separated(self, short):
        X, y = data()
        machines = support_vectors(kw.Linear()(X), Targets.of(y))
        with pytest.raises(NotConverged, match=r"did not converge at C = 5e\+98, so use a larger"):
            machines.training_loss(TINY_RIDGE)

    def test_it_is_tried_once(self, short, monkeypatch):
        X, y = data()
        machines = support_vectors(kw.Linear()(X), Targets.of(y))
        tried = []
        train = module._train
        monkeypatch.setattr(module, "_train", lambda *args: tried.append(args) or train(*args))
        for _ in range(3):
            with pytest.raises(NotConverged):
                machines.span_errors(TINY_RIDGE)
        assert len(tried) == 1

    @pytest.mark.parametrize(
        "criterion", ["rks", "cvks", "er", "sps", "kfold", "span", c.KFold(loss="hinge")]
    )
    def test_criteria_are_undefined_and_say_so(self, short, criterion):
        X, y = data()
        with pytest.warns(UndefinedCriterionWarning, match="did not converge at C = 5e"):
            result = kw.score_kernels(X, y, kw.Linear(), criterion, ridge=TINY_RIDGE, machine="svm")
        assert np.isnan(next(iter(result.table.values()))[0])

    def test_other_kernels_and_ridges_keep_their_values(self, short):
        X, y = data()
        kernels = [kw.Linear(), kw.Gaussian(0.5)]
        with pytest.warns(UndefinedCriterionWarning):
            result = kw.score_kernels(X, y, kernels, "span", ridge=[1.0, TINY_RIDGE])
        assert np.isnan(result.table["span"]).tolist() == [False, True, False, False]

    def test_trade_offs_chosen_by_machines_that_do_not_converge(self, short):
        X, y = data()
        kernels = [kw.Linear(), kw.Gaussian(0.5)]
        with pytest.warns(UndefinedCriterionWarning):
            result = kw.score_kernels(
                X, y, kernels, c.RKS(eta="cv"), ridge=TINY_RIDGE, machine="svm"
            )
        assert np.isfinite(result.table["rks"][1])

    def test_evidence_says_undefined(self, short):
        X, y = data()
        targets = Targets.of(y)
        [gram] = Dense().grams([kw.Linear()], X, targets)
        evidence = Evidence(gram, targets, kw.Linear(), machine=SupportVectors)
        with pytest.raises(Undefined, match="did not converge"):
            evidence.machine.training_loss(TINY_RIDGE)

    def test_products_lost_to_rounding_are_not_taken_for_an_optimum(self, short):
        """Equal rows of both classes under a flat kernel let multipliers grow without a limit."""
        X = np.repeat(data(20)[0], 2, axis=0)
        y = np.tile([0, 1], 20)
        machines = support_vectors(kw.Gaussian(1e9)(X), Targets.of(y))
        try:
            machine = machines._trained(0, TINY_RIDGE)
        except NotConverged:
            return
        np.testing.assert_allclose(machine.products, machines._K @ machine.b, atol=2e-3)


class TestTime:
    @pytest.mark.parametrize("n", [30, 1000, 20_000])
    def test_the_work_is_limited(self, monkeypatch, n):
        """A billion row visits take seconds; many rows get a hundred steps each."""
        asked = []
        monkeypatch.setattr(
            loops, "solve", lambda *args: asked.append(args[-1]) or (1.0, 0.0, False)
        )
        rows = np.ones(n)
        with pytest.raises(NotConverged):
            module._ascend(np.ones((1, 1)), rows, (-rows, rows), rows, rows)
        assert max(asked) * n <= 1e8
        assert sum(asked) * n <= max(1.1e9, 101 * n**2)
        assert sum(asked) <= 5e6
        assert sum(asked) >= 100 * n  # or machines that only need time would be given up

    def test_steps_in_parts_are_the_same_steps(self, monkeypatch):
        X, y = data(60)
        K = kw.Gaussian(4.0)(X)
        whole = support_vectors(K, Targets.of(y))._trained(0, 1e-3)
        monkeypatch.setattr(module, "_WORK_AT_ONCE", 600)
        parts = support_vectors(K, Targets.of(y))._trained(0, 1e-3)
        np.testing.assert_array_equal(whole.b, parts.b)

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals")
    def test_it_can_be_interrupted(self):
        X, y = data(300)
        machines = support_vectors(kw.Linear()(X), Targets.of(y))
        machines._trained(0, 1.0)

        def interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGPROF, interrupt)
        try:
            start = time.process_time()
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_PROF, 0.05)  # of computing: it is under way then
                machines._trained(0, TINY_RIDGE)
            assert time.process_time() - start < 2.0
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, before)


def test_logarithms_of_probabilities_that_vanish():
    """The logarithm of zero would warn; the exponents are at hand."""
    X, y = data(30, overlap=False)
    for labels in (y, y + (X[:, 1] > 0.0)):
        machine = kw.LSSVC(kw.Linear(), ridge=1e-6).fit(X, labels)
        far = 1e6 * X
        logs = machine.predict_log_proba(far)
        assert np.isfinite(logs).all() and logs.min() < -800.0
        with np.errstate(divide="ignore"):
            expected = np.log(machine.predict_proba(X))
        np.testing.assert_allclose(machine.predict_log_proba(X), expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(machine.predict_proba(far).sum(axis=1), 1.0)


@pytest.mark.parametrize("kernel", [kw.Gaussian(0.1), kw.Sigmoid(0.0, 1.0)], ids=str)
def test_equal_rows_of_both_classes_go_to_the_bound_at_once(kernel):
    """Along such a pair nothing curves: a step of gap / 1e-12 would never get to C = 5e98."""
    X = np.repeat(data(10)[0], 2, axis=0)
    machines = support_vectors(kernel(X), Targets.of(np.tile([0, 1], 10)))
    machine = machines._trained(0, TINY_RIDGE)
    assert np.abs(machine.b).max() == machine.C
    np.testing.assert_allclose(machine.products, 0.0, atol=1e-3)
