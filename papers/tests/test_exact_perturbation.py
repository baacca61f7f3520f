"""SPS with exact moves of the eigenvalues, which is degenerate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import close, labelled
from kernelwise_papers.criteria import sps_exact


def by_definition(K, y, ridge, bias=True):
    n = len(y)
    s = np.linalg.eigvalsh(np.asarray(K, float))
    moves = [np.abs(s - np.linalg.eigvalsh(oracles.removed(K, i))).sum() for i in range(n)]
    return oracles.training_loss(K, y, ridge, bias) + sum(moves) / n**2


@settings(deadline=None, derandomize=True, max_examples=15)
@given(labelled(), st.sampled_from([1e-6, 0.1, 1.0, 1e6]), st.booleans())
def test_exact_spectral_perturbation_is_degenerate(problem, tau, bias):
    """sum_ij |s_j(K) - s_j(K^i)| = tr K whatever the kernel: only R_emp is left to choose by."""
    X, codes = problem
    K = kw.Gaussian(tau)(X)
    y = oracles.one_vs_rest(codes.tolist(), 1)
    expected = oracles.training_loss(K, y, 1.0, bias) + np.trace(K) / len(y) ** 2
    value = sps_exact(K, codes, 1.0, fit_intercept=bias)
    close(value, expected)
    close(value, by_definition(K, y, 1.0, bias))


def test_exact_spectral_perturbation_is_weighted_by_delta(two_blobs):
    X, y = two_blobs
    K = kw.Gaussian(1.0)(X)
    one, three = (sps_exact(K, y, 1.0, delta=delta) for delta in (1.0, 3.0))
    np.testing.assert_allclose(three - one, 2.0 * np.trace(K) / len(y) ** 2)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"delta": 0.0}, "'delta' parameter of sps_exact"),
        ({"delta": np.inf}, "'delta' parameter of sps_exact"),
        ({"delta": "a"}, "'delta' parameter of sps_exact"),
        ({"fit_intercept": 2}, "'fit_intercept' parameter"),
        ({"ridge": -1.0}, "'ridge' parameter"),
        ({"y": [1, 1, -1]}, "K has 4 rows but y has 3 entries"),
    ],
)
def test_what_is_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        sps_exact(**{"K": np.eye(4), "y": [1, 1, -1, -1], "ridge": 1.0} | asked)
