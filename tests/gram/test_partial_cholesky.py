"""Part of a matrix in the place of the whole, with a certificate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
from helpers import SpectralMachine, close
from inside import PartialCholesky, Spectrum, thin_eigensystem
from kernelwise import criteria as c


def columns_of(K):
    return lambda rows: K[:, rows]


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 60), rank=st.integers(1, 60))
def test_what_is_missing_is_semidefinite_with_the_known_trace(seed, n, rank):
    rng = np.random.default_rng(seed)
    K = kw.Gaussian(2.0)(rng.normal(size=(n, 2)))
    factor = PartialCholesky(columns_of(K), np.ones(n), seed)
    factor.grow(rank)
    assert factor.rank <= min(rank, n)
    rest = K - factor.factor @ factor.factor.T
    s = np.linalg.eigvalsh(rest)
    assert s[0] >= -1e-9 and s[-1] <= factor.missing_trace + 1e-9
    assert abs(np.trace(rest) - factor.missing_trace) <= 1e-8


def test_growing_in_steps_is_growing():
    K = kw.Gaussian(1.0)(np.random.default_rng(0).normal(size=(200, 3)))
    factor = PartialCholesky(columns_of(K), np.ones(200))
    missing = []
    for rank in (10, 50, 120, 200):
        factor.grow(rank)
        missing.append(factor.missing_trace)
    assert np.all(np.diff(missing) < 0.0)


@pytest.mark.parametrize(
    "kernel", [kw.Linear(), kw.Polynomial(2), kw.Gaussian(1e6), kw.Linear() + kw.Polynomial(2)]
)
def test_kernels_of_small_rank_are_found(kernel):
    X = np.random.default_rng(0).normal(size=(400, 4))
    K = kernel(X)
    s, U = thin_eigensystem(columns_of(K), np.diag(K).copy())
    assert s.size <= 20 and np.all(np.diff(s) >= 0.0)
    np.testing.assert_allclose(U.T @ U, np.eye(s.size), atol=1e-7)
    np.testing.assert_allclose((U * s) @ U.T, K, atol=1e-11 * np.abs(K).max())


def test_other_kernels_are_not():
    X = np.random.default_rng(0).normal(size=(400, 4))
    assert thin_eigensystem(columns_of(kw.Gaussian(1.0)(X)), np.ones(400)) is None
    assert thin_eigensystem(columns_of(np.zeros((400, 400))), np.zeros(400)) is None


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("ridge", [1e-6, 1e-2, 1.0, 1e3])
def test_a_thin_path_is_the_path(bias, ridge):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    K, Y = X @ X.T, rng.normal(size=(60, 2))
    full = SpectralMachine(K, Y, fit_intercept=bias)
    thin = SpectralMachine(K, Y, fit_intercept=bias)
    thin.spectrum = Spectrum(full.spectrum.values[-3:], full.spectrum.vectors[:, -3:])
    ours, theirs = thin.at(ridge), full.at(ridge)
    condition = np.linalg.norm(K, 2) / ridge + 1.0
    for name in ("coefficients", "bias", "degrees_of_freedom", "loo_residuals"):
        close(getattr(ours, name), getattr(theirs, name), condition)
    rows = np.array([3, 8, 20, 41])
    close(ours._block(rows), theirs._block(rows), condition)
    close(ours.held_out_values(rows), theirs.held_out_values(rows), condition)
    v = rng.normal(size=(4, 2))
    close(ours.times_block(rows)(v), theirs._block(rows) @ v, condition)
    close(thin.inverse(ridge).logdet(), full.inverse(ridge).logdet(), condition)


def test_criteria_do_not_notice(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    y = (X[:, 0] + 0.5 * rng.normal(size=800) > 0.0).astype(int)
    kernels = [kw.Linear(), kw.Polynomial(2), kw.Gaussian(2.0**15)]
    criteria = ["eloo", "gcv", c.KFold(5, "square"), c.BIF(order=3, measure="square"), "rks"]
    ours = kw.score_kernels(X, y, kernels, criteria, ridge=[1e-3, 1.0]).table
    monkeypatch.setattr("kernelwise.gram.dense._THIN_ROWS", 10**9)
    theirs = kw.score_kernels(X, y, kernels, criteria, ridge=[1e-3, 1.0]).table
    for name, values in theirs.items():
        np.testing.assert_allclose(ours[name], values, rtol=1e-7, err_msg=name)
