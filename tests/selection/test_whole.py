"""The machine on all of some thousand rows that follows machines on landmarks."""

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import Code, code_of, whole

pytestmark = [
    pytest.mark.usefixtures("few_are_many"),
    pytest.mark.filterwarnings("ignore::kernelwise.selection.guards.KernelChoiceWarning"),
]


def waves(n=700, seed=0):
    """Return rows whose target landmarks come closer to the more of them there are."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    return X, np.sin(8.0 * X[:, 0]) * np.cos(8.0 * X[:, 1]) + 0.02 * rng.normal(size=n)


def by_hand(selector, X, y, rows):
    """The chosen machine, fitted to some rows in double precision."""
    machine = kw.KRR(kernel=selector.best_kernel_, ridge=selector.best_ridge_)
    return machine.fit(X[rows], y[rows])


@pytest.mark.parametrize("is_sparse", [False, True])
def test_all_rows_are_the_landmarks(is_sparse):
    X, y = waves()
    selector = kw.KernelSelector().fit(sp.csr_matrix(X) if is_sparse else X, y)
    machine, notes = selector.best_estimator_, selector.result_.notes
    assert machine.X_fit_.shape[0] == 700
    assert any("140 rows held out, with all other rows" in str(note) for note in notes.values())
    assert Code.RANK_LIMITED not in {code_of(note) for note in notes.values()}
    new, _ = waves(300, seed=1)
    whole_machine = by_hand(selector, X, y, np.arange(700))
    np.testing.assert_allclose(selector.predict(new), whole_machine.predict(new), atol=0.01)
    held = np.flatnonzero(np.isfinite(machine.loo_values_.reshape(700, -1)).all(axis=1))
    others = np.setdiff1d(np.arange(700), held)
    values = by_hand(selector, X, y, others).predict(X[held])
    np.testing.assert_allclose(machine.loo_values_.reshape(700)[held], values, atol=0.01)
    assert selector.error_.method == "held-out rows"


def test_weights_and_classes():
    X, f = waves()
    y, weights = np.digitize(f, [-0.3, 0.3]), np.where(f > 0.0, 3.0, 1.0)
    selector = kw.KernelSelector().fit(X, y, sample_weight=weights)
    assert selector.best_estimator_.X_fit_.shape[0] == 700
    machine = kw.LSSVC(kernel=selector.best_kernel_, ridge=selector.best_ridge_)
    machine.fit(X, y, sample_weight=weights)
    new, _ = waves(300, seed=1)
    ours, theirs = selector.decision_function(new), machine.decision_function(new)
    np.testing.assert_allclose(ours, theirs, atol=0.02)


@pytest.mark.parametrize("memory", ["100MB", "1GB"])
def test_what_does_not_fit_into_memory_is_left_to_landmarks(memory, monkeypatch):
    monkeypatch.setattr(whole, "_BYTES", 500.0)  # times 700²: 245 MB
    X, y = waves()
    selector = kw.KernelSelector(memory=memory).fit(X, y)
    assert selector.best_estimator_.X_fit_.shape[0] == (160 if memory == "100MB" else 700)


def test_where_rounding_matters_landmarks_stay(monkeypatch):
    monkeypatch.setattr(whole, "_EXACT", 0.0)
    X, y = waves()
    selector = kw.KernelSelector().fit(X, y)
    assert selector.best_estimator_.X_fit_.shape[0] == 160


def test_a_machine_that_is_not_better_is_dropped(monkeypatch):
    look = whole.WholeMachine.look

    def worse(self, *given):
        found = look(self, *given)
        return None if found is None else found._replace(losses=found.losses + 1.0)

    monkeypatch.setattr(whole.WholeMachine, "look", worse)
    X, y = waves()
    selector = kw.KernelSelector().fit(X, y)
    assert selector.best_estimator_.X_fit_.shape[0] == 160


def test_intervals_come_from_the_rows_held_out():
    X, y = waves()
    selector = kw.KernelSelector().fit(X, y)
    new, truth = waves(300, seed=1)
    ours = selector.predict_interval(new, 0.9)
    assert 0.8 < np.mean((ours[0] <= truth) & (truth <= ours[1])) <= 1.0
