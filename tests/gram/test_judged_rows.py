"""Machines that are judged on some of the rows know the same of them as those judged on all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelwise as kw
from helpers import close
from kernelwise import gram
from kernelwise.criteria import ELOO, Evidence, ask
from kernelwise.gram import Targets
from kernelwise.gram.cholesky import CholeskyInverse, ReorderedInverse


def data(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.7, "a", "b")


def evidence(X, targets, kernel, engine, judged_on=None):
    [seen] = engine.grams([kernel], X, targets)
    seen.judged_on = judged_on
    return Evidence(seen, targets, kernel)


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 59))
def test_the_end_of_a_factor_gives_the_end_of_the_inverse(seed, count):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    K = kw.Gaussian(1.0)(X)
    order = rng.permutation(60)
    factor = CholeskyInverse(np.array(K[np.ix_(order, order)]), 0.1)
    found = ReorderedInverse(factor, order, count)
    exact = np.linalg.inv(K + 0.1 * np.eye(60))
    judged = np.sort(order[-count:])
    np.testing.assert_array_equal(found.judged, judged)
    np.testing.assert_allclose(found.diagonal()[judged], exact.diagonal()[judged], rtol=1e-10)
    assert np.isnan(np.delete(found.diagonal(), judged)).all()
    B = rng.normal(size=(60, 2))
    np.testing.assert_allclose(found.solve(B), exact @ B, atol=1e-9)
    np.testing.assert_allclose(found.logdet(), -np.linalg.slogdet(exact)[1], rtol=1e-10)
    whole = found.whole()
    np.testing.assert_allclose(whole.diagonal(), exact.diagonal(), rtol=1e-10)
    np.testing.assert_allclose(whole.trace(), exact.trace(), rtol=1e-10)
    off = exact - np.diag(exact.diagonal())
    np.testing.assert_allclose(whole.off_diagonal_product(B), off @ B, atol=1e-9)
    np.testing.assert_allclose(whole.solve(B), exact @ B, atol=1e-9)


@pytest.mark.parametrize("engine", [gram.Dense(), gram.Tiled(tile=16)], ids=["dense", "tiled"])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_on_some_rows(engine, weighted):
    X, y = data()
    targets = Targets.of(y).weighted(np.linspace(0.5, 2.0, y.size) if weighted else None)
    judged = np.array([3, 8, 20, 21, 40, 59])
    some = evidence(X, targets, kw.Gaussian(2.0), engine, judged)
    everything = evidence(X, targets, kw.Gaussian(2.0), engine)
    fit, exact = some.fit(0.1), everything.fit(0.1)
    np.testing.assert_array_equal(fit.judged, judged)
    close(fit.loo_residuals[judged], exact.loo_residuals[judged])
    close(fit.coefficients, exact.coefficients)
    close(fit.bias, exact.bias)
    loss = ELOO("squared_hinge")
    part, left_out = some.left_out(0.1)
    close(ask(loss, some, 0.1).mean, np.mean(loss.losses(part, left_out)))
    some.least_squares.judge_on_all(0.1)
    close(some.fit(0.1).loo_values, exact.loo_values)
    close(ask(loss, some, 0.1).mean, ask(loss, everything, 0.1).mean)
    close(some.fit(0.1).condition, exact.condition)


def test_machines_judged_on_all_rows_stay_as_they_are():
    X, y = data()
    everything = evidence(X, Targets.of(y), kw.Gaussian(2.0), gram.Dense())
    fit = everything.fit(0.1)
    everything.least_squares.judge_on_all(0.1)
    assert everything.fit(0.1) is fit


def test_a_given_matrix_is_judged_on_some_rows_too():
    X, y = data()
    judged = np.arange(10, 30)
    targets, K = Targets.of(y), kw.Gaussian(2.0)(X)
    some = evidence(K, targets, kw.Precomputed(), gram.Dense(), judged)
    exact = evidence(X, targets, kw.Gaussian(2.0), gram.Dense()).fit(0.1)
    close(some.fit(0.1).loo_residuals[judged], exact.loo_residuals[judged])
