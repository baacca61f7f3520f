"""What machines say of rows they have not seen, against refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import SpectralMachine, biases, close, labelled, ridges
from inside import ELOO, Evidence, KFold, LowRank, Targets, fit_cholesky, make_splits

# From nearly constant matrices to those that are the identity up to rounding.
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


def noisy(rng, n=30):
    """Return a problem of two classes."""
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_of_low_rank_against_refits(rng, bias, weighted):
    """Linear features of four columns, of which the engine keeps no larger matrix."""
    X, y = noisy(rng, 40)
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


@given(st.integers(0, 1000), st.sampled_from([0.1, 0.3, 1.0]), st.integers(2, 4))
@settings(max_examples=10)
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


@pytest.mark.parametrize("others", [0.0, 1e-17])
def test_a_machine_that_says_nothing_names_the_first_class(others):
    """So does one of a matrix that is the identity up to rounding, whatever the errors' signs."""
    y = np.array([0] * 6 + [1] * 4)
    K = np.full((10, 10), others) + np.eye(10)
    values = kw.score_matrix(K, y, [ELOO("error"), KFold(2)], ridge=0.3, fit_intercept=False)
    assert values == {"eloo": 0.4, "kfold": pytest.approx(0.4)}
    machine = kw.LSSVC(kw.Precomputed(), 0.3, fit_intercept=False).fit(K, y)
    assert not machine.loo_values_.any()


def test_the_selector_counts_leave_one_out_errors_as_predict_does(rng):
    X, y = noisy(rng)
    kernel = kw.Gaussian(0.5)
    selector = kw.KernelSelector(
        kw.LSSVC(fit_intercept=False), kernels=kernel, criterion="eloo", ridge=1.0
    ).fit(X, y)
    values = refits(kernel(X), y, 1.0, [[i] for i in range(len(y))], bias=False)
    assert selector.error_.value == np.mean((values > 0.0) != (y > 0.0))
