"""Closed forms against refits: coefficients, leave-one-out, degrees of freedom, weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.kernel_ridge import KernelRidge

import kernelwise as kw
import oracles
from helpers import SpectralMachine, biases, close, labelled, real_targets, ridges
from inside import Undefined, fit_cholesky

widths = st.sampled_from([1e-6, 0.3, 3.0, 1e6])


def both_paths(K, y, ridge, bias, weights=None):
    """The two ways to the same fit."""
    path = SpectralMachine(K, y, fit_intercept=bias, sample_weight=weights)
    return [path.at(ridge), fit_cholesky(K, y, ridge, fit_intercept=bias, sample_weight=weights)]


@given(labelled(), widths, ridges, biases, st.booleans())
def test_against_refits(problem, tau, ridge, bias, weighted):
    X, codes = problem
    K = kw.Gaussian(tau)(X)
    y = np.array(oracles.one_vs_rest(codes.tolist(), 1), float)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, len(y)) if weighted else None
    alpha, b, C = oracles.lssvm(K, y, ridge, bias, weights)
    condition = np.linalg.cond(C)
    hat = oracles.hat_matrix(K, ridge, bias, weights)
    loo = oracles.loo_residuals(K, y, ridge, bias, weights)
    residuals = y - K @ alpha - b
    for fit in both_paths(K, y, ridge, bias, weights):
        close(fit.coefficients[:, 0], alpha, condition)
        close(fit.bias[0], b, condition, scale=1.0)
        close(fit.training_residuals[:, 0], residuals, condition, scale=1.0)
        close(fit.loo_residuals[:, 0], loo, condition)
        close(fit.degrees_of_freedom, np.trace(hat), condition, scale=len(y))
        expected = np.average(residuals**2, weights=weights)
        close(fit.training_loss, expected, condition, scale=1.0)


@given(real_targets(), widths, ridges, biases)
def test_many_targets_are_as_many_fits(problem, tau, ridge, bias):
    X, y = problem
    K = kw.Gaussian(tau)(X)
    Y = np.column_stack([y, X[:, 0], np.ones(len(y))])
    condition = np.linalg.cond(oracles.lssvm(K, y, ridge, bias)[2])
    for fit in both_paths(K, Y, ridge, bias):
        for column, target in enumerate(Y.T):
            alpha, b, _ = oracles.lssvm(K, target, ridge, bias)
            scale = np.abs(target).max()
            close(fit.coefficients[:, column] * ridge, alpha * ridge, condition, scale=scale)
            close(fit.bias[column], b, condition, scale=scale)


def test_one_decomposition_serves_every_ridge(rng, monkeypatch):
    K = kw.Gaussian(1.0)(rng.normal(size=(40, 2)))
    y = rng.normal(size=40)
    path = SpectralMachine(K, y)
    monkeypatch.setattr(np.linalg, "eigh", None)
    for ridge in 10.0 ** np.arange(-6, 4):
        close(path.at(ridge).loo_residuals[:, 0], oracles.loo_residuals(K, y, ridge), 1e8)


def test_small_ridges_do_not_cancel(rng):
    """diag(C^-1) is computed directly: 1 - hat_ii has no digits left at ridge 1e-12."""
    X = rng.normal(size=(12, 2))
    K = kw.Gaussian(0.05)(X)  # well conditioned, so that refits are exact
    y = rng.normal(size=12)
    for fit in both_paths(K, y, 1e-12, True):
        close(fit.loo_residuals[:, 0], oracles.loo_residuals(K, y, 1e-12))


def test_weights_are_repetitions(rng):
    X, y = rng.normal(size=(15, 2)), rng.normal(size=15)
    times = rng.integers(1, 4, 15)
    K = kw.Gaussian(1.0)(X)
    rows = np.repeat(np.arange(15), times)
    weighted = fit_cholesky(K, y, 0.3, sample_weight=times)
    repeated = fit_cholesky(K[np.ix_(rows, rows)], y[rows], 0.3)
    summed = np.bincount(rows, repeated.coefficients[:, 0])
    close(weighted.coefficients[:, 0], summed)
    close(weighted.bias, repeated.bias)
    close(weighted.degrees_of_freedom, repeated.degrees_of_freedom)
    close(weighted.training_loss, repeated.training_loss)


def test_kernel_ridge_of_scikit_learn_agrees(rng):
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    w = rng.uniform(0.1, 2.0, 30)
    theirs = KernelRidge(alpha=0.7, kernel="rbf", gamma=0.25).fit(X, Y, sample_weight=w)
    ours = kw.KRR(kw.Gaussian(2.0), ridge=0.7).fit(X, Y, sample_weight=w)
    close(ours.dual_coef_, theirs.dual_coef_)
    close(ours.predict(X[:7]), theirs.predict(X[:7]))


def test_a_matrix_that_is_not_positive_definite_is_refused():
    K = np.array([[0.0, 2.0], [2.0, 0.0]])
    for fit in (
        lambda: fit_cholesky(K, [1.0, -1.0], 1.0),
        lambda: SpectralMachine(K, [1.0, -1.0]).at(1.0),
    ):
        with pytest.raises(Undefined, match="not positive definite: use a larger ridge"):
            fit()
