"""Trials are machines on some of the rows: their leave-one-out values and predictions, rounded."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
from inside import FILLING, SILENT, SINGLE, RoundedPairs, Targets, Task, Trials, trials

KERNELS = [
    kw.Gaussian(2.0),
    kw.Laplacian(1.5),
    kw.Polynomial(2),
    kw.Gaussian(1.0) + kw.Linear(),
    kw.Scaled([1.0, 0.5, 2.0], kw.Gaussian(1.0)),
    kw.Columns([0, 2], kw.Matern(1.0, nu=1.5)),
]


def data(n=120, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + shift
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.normal(size=n) + 3.0, rng.uniform(0.5, 2.0, n)


def refitted(kernel, ridge, X, y, weights, count, fit_intercept):
    """What machines say of rows that they have not seen, by a fit for each of the first rows."""

    def fit(rows):
        w = None if weights is None else weights[rows]
        K = kernel(X[rows]) + np.diag(ridge / (np.ones(len(rows)) if w is None else w))
        if not fit_intercept:
            return np.linalg.solve(K, y[rows]), 0.0
        system = np.block(
            [[K, np.ones((len(rows), 1))], [np.ones((1, len(rows))), np.zeros((1, 1))]]
        )
        found = np.linalg.solve(system, np.append(y[rows], 0.0))
        return found[:-1], found[-1]

    def predict(rows, new):
        a, b = fit(rows)
        return kernel(X[new], X[rows]) @ a + b

    first = np.arange(count)
    loo = [predict(np.delete(first, i), [i])[0] for i in first]
    return np.append(loo, predict(first, np.arange(count, len(y))))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("ridge", [1e-3, 1.0])
def test_values_are_those_of_refits(kernel, fit_intercept, weighted, ridge):
    X, y, w = data(60)
    w = w if weighted else None
    seen = Trials([kernel], X, Targets.of(y).weighted(w), 40, fit_intercept)
    expected = refitted(kernel, ridge, X, y, w, 40, fit_intercept)
    np.testing.assert_allclose(seen.left_out(kernel, ridge)[:, 0], expected, rtol=0.0, atol=5e-3)
    exact = seen._solved(kernel, ridge, np.float64, SILENT)
    values = seen._origin + seen._unit * exact[:, 0]
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=1e-6)


@settings(deadline=None, max_examples=10)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(2, 60),
    scale=st.sampled_from([1e-12, 1.0, 1e12]),
    shift=st.sampled_from([0.0, 1e4]),
)
def test_targets_of_any_size_and_rows_far_from_zero(seed, count, scale, shift):
    X, y, _ = data(60, seed)
    kernel, ridge = kw.Gaussian(1.0), 0.1
    plain = Trials([kernel], X, Targets.of(y), count, True).left_out(kernel, ridge)
    moved = Trials([kernel], X + shift, Targets.of(scale * y), count, True)
    np.testing.assert_allclose(
        moved.left_out(kernel, ridge), scale * plain, rtol=0.0, atol=1e-4 * scale * np.abs(y).max()
    )


def test_all_rows_leave_one_out_of_every_class():
    X, y, _ = data()
    y = np.digitize(y, [2.5, 3.5])
    machine = kw.LSSVC(kw.Gaussian(1.0), 0.01).fit(X, y)
    values = Trials([machine.kernel], X, Targets.of(y), len(y), True).left_out(machine.kernel, 0.01)
    np.testing.assert_allclose(values, machine.loo_values_, atol=1e-4)


def test_sparse_rows():
    X, y, _ = data()
    X[np.abs(X) < 0.7] = 0.0
    found = [
        Trials([kw.Gaussian(2.0)], Z, Targets.of(y), 70, True).left_out(kw.Gaussian(2.0), 0.1)
        for Z in (X, sp.csr_array(X))
    ]
    np.testing.assert_allclose(*found, atol=1e-5)


def test_wide_kernels_at_small_ridges_take_double_precision(monkeypatch):
    X, y, _ = data(400)
    precisions = []
    solved = Trials._solved

    def watched(self, kernel, ridge, dtype, *rest):
        precisions.append(dtype)
        return solved(self, kernel, ridge, dtype, *rest)

    monkeypatch.setattr(Trials, "_solved", watched)
    seen = Trials([], X, Targets.of(y), 300, True)
    for kernel, ridge, expected in [
        (kw.Gaussian(1e3), 1e-6, [SINGLE, np.float64]),
        (kw.Gaussian(1e3), 0.1, [SINGLE]),
        (kw.Gaussian(1e-3), 1e-6, [SINGLE]),  # nearly the identity
    ]:
        precisions.clear()
        exact = refitted(kernel, ridge, X, y, None, 300, True) if ridge < 0.1 else None
        found = seen.left_out(kernel, ridge)[:, 0]
        assert precisions == expected
        if exact is not None:
            np.testing.assert_allclose(found[300:], exact[300:], atol=1e-3)


def test_no_machine_no_values():
    X, y, _ = data()
    indefinite = kw.Sigmoid(1.0, -1.0)
    assert Trials([indefinite], X, Targets.of(y), 80, True).left_out(indefinite, 1e-6) is None


def test_distances_are_kept_for_kernels_of_one_metric():
    X, y, _ = data(700)
    metric = kw.Scaled([1.0, 0.5, 2.0], kw.Gaussian(1.0))
    seen = Trials([], X, Targets.of(y), 600, True)
    for kernel in (kw.Gaussian(1.0), kw.Gaussian(4.0)):
        seen.left_out(kernel, 0.1)
    assert len(seen._pairs) == 3  # blocks: two of the first rows, one of the others
    kept = seen._pairs[0]
    assert kept["sqdist"].dtype == SINGLE
    seen.left_out(kw.Gaussian(8.0), 0.1)
    assert seen._pairs[0] is kept
    seen.left_out(metric, 0.1)
    assert seen._pairs[0] is not kept


@pytest.mark.parametrize("geometry", ["sqdist", "l1", "dot"])
def test_rounded_pairs_are_rounded_only(geometry):
    X, _, _ = data(50, shift=1e3)
    exact = trials.EnginePairs(X[:20], X)[geometry]
    found = RoundedPairs(X[:20], X)[geometry]
    np.testing.assert_allclose(found, exact, rtol=1e-7)


def machine_by_hand(kernel, ridge, X, Y, weights, fit_intercept):
    """Coefficients and bias of a machine, from its equations."""
    n = len(X)
    K = kernel(X) + np.diag(ridge / (np.ones(n) if weights is None else weights))
    if not fit_intercept:
        return np.linalg.solve(K, Y), np.zeros(Y.shape[1])
    system = np.block([[K, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    found = np.linalg.solve(system, np.vstack([Y, np.zeros((1, Y.shape[1]))]))
    return found[:-1], found[-1]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("targets", ["numbers", "classes"])
def test_one_factor_gives_the_machine_and_the_one_without_the_last_rows(
    kernel, fit_intercept, weighted, targets
):
    X, y, w = data(90)
    w, last, ridge = w if weighted else None, 17, 0.5
    known = Targets.of(y if targets == "numbers" else np.digitize(y, [2.5, 3.5])).weighted(w)
    found = Trials([kernel], X, known, 90, fit_intercept).machine(kernel, ridge, last)
    Y, first = known.fit_columns, slice(0, 90 - last)
    a, b = machine_by_hand(kernel, ridge, X, Y, w, fit_intercept)
    np.testing.assert_allclose(found.coefficients, a, atol=1e-3 * np.abs(a).max())
    np.testing.assert_allclose(found.bias, b, atol=1e-3 * np.abs(Y).max())
    a, b = machine_by_hand(
        kernel, ridge, X[first], Y[first], None if w is None else w[first], fit_intercept
    )
    values = kernel(X[90 - last :], X[first]) @ a + b
    np.testing.assert_allclose(found.values, values, atol=1e-3 * np.abs(Y).max())


def test_no_factor_no_machine():
    X, y, _ = data(40)
    seen = Trials([kw.Sigmoid(5.0)], X, Targets.of(y), 40, True)
    assert seen.machine(kw.Sigmoid(5.0), 1e-9, 10) is None


@pytest.mark.parametrize("block", [1, 7, 40, 512])
def test_a_task_is_told_of_the_matrix(block, monkeypatch):
    class Counting(Task):
        told = 0

        def part(self, name="", parts=0, share=1):
            self.told += 1
            return SILENT

    monkeypatch.setattr(trials, "_BLOCK", block)
    (X, y, _), task = data(40), Counting()
    Trials([kw.Gaussian(1.0)], X, Targets.of(y), 40, True).machine(kw.Gaussian(1.0), 1.0, 10, task)
    assert task.told == FILLING
