"""Kernel stability in units of the largest eigenvalue: its formula, its facts and its ends."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from contracts import criterion
from helpers import biases, close, labelled, ridges
from kernelwise import criteria as c
from kernelwise_papers.criteria import RelativeRKS


@pytest.mark.parametrize("check", criterion.CHECKS, ids=lambda f: f.__name__)
def test_it_is_a_criterion(check):
    check(RelativeRKS())


def test_what_it_says_of_itself():
    assert RelativeRKS().eta == 1.0 and RelativeRKS.tradeoffs == {"eta": (0.2, 0.6, 1.0)}
    assert RelativeRKS(eta="cv").has_open_tradeoffs and not RelativeRKS().has_open_tradeoffs
    assert RelativeRKS.greater_is_better is False
    assert RelativeRKS.uses_ridge and not RelativeRKS.chooses_ridge
    assert not RelativeRKS.draws_folds


@settings(deadline=None, derandomize=True, max_examples=15)
@given(labelled(), st.sampled_from([0.3, 1.0, 10.0]), ridges, biases)
def test_relative_stability(data, tau, ridge, bias):
    X, codes = data
    K = kw.Gaussian(tau)(X)
    y = np.array(oracles.one_vs_rest(codes.tolist(), 1), float)
    asked = {"ridge": ridge, "fit_intercept": bias}
    result = kw.score_kernels(X, codes, kw.Gaussian(tau), RelativeRKS(0.6), **asked)
    [found] = result.table["rks_relative"]
    loss, stability = oracles.training_loss(K, y, ridge, bias), oracles.kernel_stability(K)
    condition = np.linalg.cond(oracles.lssvm(K, y, ridge, bias)[2])
    close(found, loss + 0.6 * stability / np.linalg.norm(K, 2), condition)


def test_it_falls_from_one():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.repeat([0, 1], 20)
    kernels = [kw.Gaussian(tau) for tau in 2.0 ** np.arange(-15, 16)]
    relative = kw.score_kernels(X, y, kernels, [RelativeRKS(1.0), c.RKS(1e-12)]).table
    values = np.array(relative["rks_relative"]) - np.array(relative["rks"])
    assert values[0] == pytest.approx(1.0) and values.max() <= 1.0 + 1e-12
    assert np.all(np.diff(values) < 1e-3)  # not at every step: two rows that come first may rise
    assert values[-1] == pytest.approx((1 + np.sqrt(4 * 39 + 1)) / 2 / 40, rel=1e-3)


def test_a_zero_matrix_has_none():
    with pytest.warns(kw.selection.UndefinedCriterionWarning, match="no eigenvalue .* is positive"):
        found = kw.score_kernels(np.zeros((9, 2)), np.arange(9) % 2, kw.Linear(), RelativeRKS())
    assert np.isnan(found.table["rks_relative"]).all()
