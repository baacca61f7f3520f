"""The support vector machine on a kernel matrix against libsvm and its optimality conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

import kernelwise as kw
from helpers import support_vectors
from inside import Targets, make_splits
from inside import svm as module

LIBSVM = 3e-4  # what it reaches at best: it keeps the matrix in single precision


def problem(n=60, classes=2, seed=0, copies=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, 3)) + 0.8 * y[:, None]
    if copies:
        X[:copies] = X[copies : 2 * copies]
    return X, rng.permutation(classes)[y]


def problems(machines):
    return range(len(machines._labels))


@settings(max_examples=15, deadline=None)
@given(
    st.integers(6, 40),
    st.integers(2, 3),
    st.integers(0, 1000),
    st.floats(-8, 8),
    st.floats(-6, 6),
    st.integers(0, 3),
)
def test_optimal_to_the_tolerance(n, classes, seed, width, log_ridge, copies):
    X, y = problem(n, classes, seed, copies)
    K = kw.Gaussian(2.0**width)(X)
    machines = support_vectors(K, Targets.of(y))
    for ridge in (2.0**log_ridge, 2.0 ** (log_ridge + 2)):
        for p in problems(machines):
            m = machines._trained(p, ridge)
            check_conditions(K, m)


def check_conditions(K, m):
    alpha = m.y * m.b
    assert np.all((alpha >= 0.0) & (alpha <= m.C))
    assert np.all(alpha[m.y == 0.0] == 0.0)
    assert abs(m.b.sum()) < 1e-9 * m.C * m.b.size
    np.testing.assert_allclose(m.products, K @ m.b, atol=1e-9 * m.C * m.b.size)
    margins = m.y * m.scores
    takes_part = m.y != 0.0
    assert np.all(margins[takes_part & (alpha < m.C * (1 - 1e-9))] >= 1.0 - 2e-3)
    assert np.all(margins[alpha > m.C * 1e-9] <= 1.0 + 2e-3)


@pytest.mark.parametrize("width", [0.02, 0.5, 3.0, 500.0])
@pytest.mark.parametrize("ridge", [0.005, 0.5, 50.0])
def test_the_machine_of_libsvm(monkeypatch, width, ridge):
    monkeypatch.setattr(module, "_TOLERANCE", 1e-9)
    X, y = problem(50, seed=3)
    K = kw.Gaussian(width)(X)
    theirs = SVC(kernel="precomputed", C=0.5 / ridge, tol=1e-9).fit(K, y).decision_function(K)
    machines = support_vectors(K, Targets.of(y))
    machines.training_loss(1.0)  # a start at another ridge
    ours = machines._trained(0, ridge)
    np.testing.assert_allclose(ours.scores, theirs, atol=LIBSVM)
    alpha = np.abs(ours.b)
    is_free = (alpha > 1e-9 * ours.C) & (alpha < (1 - 1e-9) * ours.C)
    np.testing.assert_allclose((ours.y * ours.scores)[is_free], 1.0, atol=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("stratified", [True, False])
def test_folds_are_machines_of_the_other_rows(monkeypatch, classes, stratified):
    monkeypatch.setattr(module, "_TOLERANCE", 1e-9)
    X, y = problem(45, classes, seed=5)
    K, targets = kw.Gaussian(2.0)(X), Targets.of(y)
    machines = support_vectors(K, targets)
    order = np.random.default_rng(0).permutation(45)
    uneven = [(np.setdiff1d(order, part), part) for part in np.array_split(order, 4)]
    for split in make_splits(targets, None if stratified else uneven, 5, 1, 0):
        inner, cross = (K[np.ix_(rows, split.train)] for rows in (split.train, split.test))
        for ridge in (0.01, 0.3, 20.0):
            plain = SVC(kernel="precomputed", C=0.5 / ridge, tol=1e-9)
            error = 1.0 - plain.fit(inner, y[split.train]).score(cross, y[split.test])
            assert machines.fold_loss(ridge, split, "error") == pytest.approx(error)
            scores = [
                plain.fit(inner, signs).decision_function(cross)
                for signs in targets.fit_columns[split.train].T
            ]
            expected = module.hinge(targets.fit_columns[split.test], np.column_stack(scores))
            assert machines.fold_loss(ridge, split, "hinge") == pytest.approx(expected, abs=LIBSVM)


def test_bounds_that_are_met_but_for_rounding():
    """All multipliers at C: none is free, and the bias lies midway as libsvm's does."""
    X, y = problem(60, seed=1)
    K, targets = kw.Gaussian(2.0)(X), Targets.of(y)
    machines = support_vectors(K, targets)
    for ridge in (1.0, 1.7, 5.0, 31.0):
        plain = SVC(kernel="precomputed", C=0.5 / ridge, tol=1e-9)
        for split in make_splits(targets, None, 6, 1, 0):
            inner, cross = (K[np.ix_(rows, split.train)] for rows in (split.train, split.test))
            theirs = plain.fit(inner, y[split.train]).decision_function(cross)
            ours = machines._fold_scores(0, ridge, split)
            np.testing.assert_allclose(ours, theirs, atol=3e-3)


def test_multipliers_at_their_bound_are_exactly_there():
    """One that misses it by rounding would pass for a free one, which the bias is made from."""
    X, y = problem(60, seed=1)
    machine = support_vectors(kw.Gaussian(2.0)(X), Targets.of(y))._trained(0, 1.0)
    size = np.abs(machine.b)
    at_bound = np.isclose(size, 0.5, rtol=1e-9, atol=0.0)
    assert 10 < at_bound.sum() < 60
    assert (size[at_bound] == 0.5).all()
    assert (size[~at_bound & (size < 1e-9)] == 0.0).all()


def test_the_first_class_wins_a_tie_of_votes():
    """A value of zero is a vote for the first class of its pair."""
    targets = Targets.of(["a", "b", "c"] * 2)
    machines = support_vectors(np.eye(6), targets)
    values = [np.ones(6), np.zeros(6), np.ones(6)]  # of a and b, a and c, b and c: a vote each
    assert machines._error(values, targets) == pytest.approx(2 / 3)  # all are called "a"


def test_error_on_other_rows():
    X, y = problem(90, 3, seed=2)
    kernel = kw.Gaussian(2.0)
    machines = support_vectors(kernel(X[:60]), Targets.of(y[:60]))
    theirs = SVC(kernel="precomputed", C=2.0).fit(kernel(X[:60]), y[:60])
    cross = kernel(X[60:], X[:60])
    assert machines.error_on(0.25, cross, Targets.of(y[60:])) == pytest.approx(
        1 - theirs.score(cross, y[60:])
    )


def test_indefinite_matrices_end():
    rng = np.random.default_rng(0)
    K = rng.normal(size=(30, 30))
    machines = support_vectors((K + K.T) / 2.0, Targets.of(np.arange(30) % 2))
    assert np.isfinite(machines.training_loss(0.5))
