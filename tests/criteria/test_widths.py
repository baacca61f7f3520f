"""Kernel stability and spectral perturbation over the width: the theorem of docs/widths.md."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import labelled
from kernelwise import criteria as c

TAUS = 2.0 ** np.arange(-15, 16)
widths = st.floats(-12.0, 12.0).map(lambda e: 2.0**e)


def terms(X, y, kernels):
    """The penalties of RKS and SPS with weight one, by their naive forms."""
    n = len(y)
    found = []
    for kernel in kernels:
        K = kernel(X)
        loss = oracles.training_loss(K, y, 1.0, bias=False)
        sps = oracles.sps_first_order(K, y, 1.0, 1.0, bias=False) - loss
        found.append((oracles.kernel_stability(K) / n, sps))
    return np.array(found)


@given(labelled(), widths, st.floats(1.0, 1e3))
def test_a_narrower_matrix_is_a_product_with_a_correlation_matrix(data, tau, ratio):
    X, _ = data
    between = tau * ratio / (ratio - 1.0) if ratio > 1.0 else np.inf
    product = kw.Gaussian(tau * ratio)(X)
    if np.isfinite(between):
        product = product * kw.Gaussian(between)(X)
    np.testing.assert_allclose(kw.Gaussian(tau)(X), product, rtol=1e-6, atol=1e-12)


@given(labelled(), widths, st.floats(1.0, 1e3))
def test_the_eigenvalues_of_the_wider_matrix_majorise(data, tau, ratio):
    """The sum of the t largest is at least that of the narrower one, for every t."""
    X, _ = data
    narrow, wide = (
        np.cumsum(np.sort(np.linalg.eigvalsh(kw.Gaussian(t)(X)))[::-1]) for t in (tau, tau * ratio)
    )
    assert np.all(wide >= narrow - 1e-9 * len(X))


@settings(max_examples=10)
@given(labelled(max_rows=12))
def test_both_penalties_rise_with_the_width(data):
    X, codes = data
    found = terms(X, np.where(codes > 0, 1.0, -1.0), [kw.Gaussian(tau) for tau in TAUS])
    assert np.all(np.diff(found, axis=0) >= -1e-10 * found.max(axis=0))


@given(labelled(), st.sampled_from([kw.Gaussian(0.7), kw.Laplacian(2.0), kw.Matern(1.0, 1.5)]))
def test_the_identity_has_the_smallest_of_all_with_a_diagonal_of_ones(data, kernel):
    X, codes = data
    [(stability, sps)] = terms(X, np.where(codes > 0, 1.0, -1.0), [kernel])
    n = len(codes)
    assert stability >= 1.0 / n - 1e-12 and sps >= 1.0 / n - 1e-12
    identity = np.eye(n)
    assert oracles.kernel_stability(identity) == pytest.approx(1.0)


@pytest.mark.parametrize("ridge", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("criterion", [c.RKS(0.25), c.RKS(32.0), c.SPS(1.0), c.SPS(32.0)], ids=str)
def test_a_pick_fits_better_than_a_kernel_that_memorises(ridge, bias, criterion):
    """The corollary, with the narrowest candidate nearly the identity."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=60) > 0, 1.0, -1.0)
    kernels = [kw.Gaussian(tau) for tau in TAUS]
    options = {"ridge": ridge, "fit_intercept": bias, "engine": "dense"}
    result = kw.score_kernels(X, y, kernels, criterion, **options)
    K = result.best(criterion.name)(X)
    losses = [oracles.training_loss(M, y, ridge, bias) for M in (K, np.eye(60))]
    assert losses[0] <= losses[1] + 1e-9
    assert losses[1] <= (ridge / (1.0 + ridge)) ** 2 + 1e-12


def test_the_penalty_of_a_polynomial_rises_with_its_degree():
    """KS 2019, Remark 8: there it does speak against kernels that overfit."""
    X = np.random.default_rng(0).normal(size=(30, 4))
    found = [oracles.kernel_stability(kw.Polynomial(d)(X)) for d in range(1, 11)]
    assert np.all(np.diff(found) > 0.0)
