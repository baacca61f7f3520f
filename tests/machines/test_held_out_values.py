"""What machines say of rows they have not seen, down to values of 1e-100, against refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import SpectralMachine, biases, close, labelled, ridges
from inside import ELOO, Evidence, KFold, LowRank, Targets, fit_cholesky, make_splits

# From nearly constant matrices to those that are the identity up to 1e-300.
widths = st.sampled_from([1e-3, 3e-3, 0.01, 0.1, 1.0, 100.0])


def refits(K, y, ridge, splits, bias=True, weights=None):
    """Return the values on the rows of every split of a machine that never saw them."""
    found = np.empty(len(y))
    for rows in splits:
        rest = np.setdiff1d(np.arange(len(y)), rows)
        w = None if weights is None else weights[rest]
        alpha, b, _ = oracles.lssvm(K[np.ix_(rest, rest)], y[rest], ridge, bias, w)
        found[rows] = K[np.ix_(rows, rest)] @ alpha + b
    return found


def close_each(values, expected, rtol=1e-9):
    """Agree row by row, each to its own size: that is what its sign depends on."""
    np.testing.assert_allclose(values, expected, rtol=rtol, atol=1e-300)


def narrow(rng, n=30):
    """Return a problem whose held-out values without a bias are between 1e-300 and 1e-2."""
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("tau", [0.003, 0.01, 0.03])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_narrow_kernels_keep_their_digits(rng, tau, weighted):
    X, y = narrow(rng)
    K = kw.Gaussian(tau)(X)
    weights = rng.uniform(0.1, 4.0, len(y)) if weighted else None
    y = y * rng.uniform(0.5, 2.0, len(y))  # 1 / y is not y
    expected = refits(K, y, 1.0, [[i] for i in range(len(y))], bias=False, weights=weights)
    assert np.abs(expected).min() < 1e-15  # y - r has nothing of them
    path = SpectralMachine(K, y, fit_intercept=False, sample_weight=weights)
    for fit in (path.at(1.0), fit_cholesky(K, y, 1.0, fit_intercept=False, sample_weight=weights)):
        close_each(fit.loo_values[:, 0], expected)


@pytest.mark.parametrize("size", [1, 3, 10])
def test_folds_of_narrow_kernels_keep_their_digits(rng, size):
    X, y = narrow(rng)
    K = kw.Gaussian(0.01)(X)
    path = SpectralMachine(K, y, fit_intercept=False)
    for rows in np.array_split(rng.permutation(len(y)), len(y) // size):
        expected = refits(K, y, 0.5, [rows], bias=False)[rows]
        # A value above 1e-12 is taken as the difference y - r, with the digits that leaves it.
        close_each(path.held_out_values(0.5, rows)[:, 0], expected, rtol=1e-3)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_of_low_rank_against_refits(rng, bias, weighted):
    """Linear features of four columns, of which the engine keeps no larger matrix."""
    X, y = narrow(rng, 40)
    y = y * rng.uniform(0.5, 2.0, len(y))
    weights = rng.uniform(0.1, 4.0, len(y)) if weighted else None
    targets = Targets.of(y, "regression").weighted(weights)
    [gram] = LowRank(4, random_state=0).grams([kw.Linear()], X, targets)
    fit = Evidence(gram, targets, kw.Linear(), fit_intercept=bias).fit(0.7)
    assert fit.inverse.is_thin
    for rows in np.array_split(rng.permutation(len(y)), 5):
        expected = refits(kw.Linear()(X), fit.targets[:, 0], 0.7, [rows], bias, fit.weights)
        close(fit.held_out_values(rows)[:, 0], expected[rows], rtol=1e-7)


@given(labelled(), widths, ridges, biases)
def test_leave_one_out_and_folds_against_refits(problem, tau, ridge, bias):
    X, codes = problem
    K = kw.Gaussian(tau)(X)
    y = np.array(oracles.one_vs_rest(codes.tolist(), 1), float)
    condition = np.linalg.cond(oracles.lssvm(K, y, ridge, bias)[2])
    n = len(y)
    alone = refits(K, y, ridge, [[i] for i in range(n)], bias)
    halves = [np.arange(n // 2), np.arange(n // 2, n)]
    path = SpectralMachine(K, y, fit_intercept=bias)
    fit = path.at(ridge)
    close(fit.loo_values[:, 0], alone, condition, scale=1.0)
    close(
        fit_cholesky(K, y, ridge, fit_intercept=bias).loo_values[:, 0], alone, condition, scale=1.0
    )
    together = np.concatenate([path.held_out_values(ridge, rows)[:, 0] for rows in halves])
    close(together, refits(K, y, ridge, halves, bias), condition, scale=1.0)


@given(st.integers(0, 1000), st.sampled_from([0.003, 0.02, 0.2]), st.integers(2, 4))
@settings(max_examples=25)
def test_error_rates_without_a_bias_are_those_of_refits(seed, tau, n_classes):
    """By the rule of predict: of two classes the second for values above zero, else the largest."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(24, 3))
    y = np.digitize(X[:, 0], np.linspace(-0.6, 0.6, n_classes - 1))
    y[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)
    kernel = kw.Gaussian(tau)
    criteria = [ELOO("error"), KFold(4)]
    values = kw.score_kernels(X, y, kernel, criteria, ridge=1.0, fit_intercept=False).table
    machine = kw.LSSVC(kernel, ridge=1.0, fit_intercept=False)

    def wrong(train, test):
        return np.mean(machine.fit(X[train], y[train]).predict(X[test]) != y[test])

    rows = np.arange(24)
    assert values["eloo"][0] == np.mean([wrong(rows[rows != i], [i]) for i in rows])
    splits = make_splits(kw.gram.Targets.of(y), None, 4, 1, 0)
    expected = np.mean([wrong(split.train, split.test) for split in splits])
    assert values["kfold"][0] == pytest.approx(expected, abs=1e-12)


def test_a_machine_that_says_nothing_names_the_first_class(rng):
    """A value of exactly zero is the first class, as predict has it."""
    y = np.array([0] * 6 + [1] * 4)
    values = kw.score_matrix(np.eye(10), y, [ELOO("error"), KFold(2)], fit_intercept=False)
    assert values == {"eloo": 0.4, "kfold": pytest.approx(0.4)}


@pytest.mark.parametrize("machine", [kw.LSSVC, kw.KRR])
def test_machines_know_their_leave_one_out_values(rng, machine):
    X, y = narrow(rng)
    fitted = machine(kw.Gaussian(0.01), ridge=1.0, fit_intercept=False).fit(X, y)
    expected = refits(kw.Gaussian(0.01)(X), y, 1.0, [[i] for i in range(len(y))], bias=False)
    close_each(fitted.loo_values_, expected)
    close(fitted.loo_residuals_, y - expected)


def test_the_selector_counts_leave_one_out_errors_as_predict_does(rng):
    X, y = narrow(rng)
    kernel = kw.Gaussian(0.01)
    selector = kw.KernelSelector(
        kw.LSSVC(fit_intercept=False), kernels=kernel, criterion="eloo", ridge=1.0
    ).fit(X, y)
    values = refits(kernel(X), y, 1.0, [[i] for i in range(len(y))], bias=False)
    assert selector.error_.value == np.mean((values > 0.0) != (y > 0.0))
