"""The machine without bias: its objective, its duality gap, and what it is compared with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC

from bounds import oracles
from inside import Gaussian, Linear, Polynomial, svm_coefficients


def gap(K, y, alpha, ridge):
    """Return how far the machine surely is from the best, relative to its objective.

    C times the rounding errors of the scores is not held against it.
    """
    C, scores = 0.5 / ridge, K @ alpha
    assert np.all(alpha * y >= 0.0) and np.all(alpha * y <= C)
    primal = 0.5 * alpha @ scores + C * np.maximum(1.0 - y * scores, 0.0).sum()
    rounding = C * np.finfo(float).eps * (np.abs(K) @ np.abs(alpha)).sum()
    return (primal - (alpha @ y - 0.5 * alpha @ scores) - rounding) / primal


def sample(n, seed, share=0.5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < max(1, share * n), 1.0, -1.0)
    return rng.normal(size=(n, 3)) + 0.5 * y[:, None], y


@pytest.mark.parametrize("ridge", [1e3, 1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3), Gaussian(1e-3), Gaussian(1e5)])
def test_nothing_is_left_to_gain(kernel, scale, ridge):
    """Also where methods that move two coefficients at a time do not come to an end."""
    X, y = sample(80, 0)
    K = scale * kernel(X)
    assert gap(K, y, svm_coefficients(K, y, ridge), ridge) < 1e-7


@given(
    st.integers(3, 40),
    st.integers(0, 10**6),
    st.floats(0.0, 0.5),
    st.floats(-3.0, 3.0),
    st.floats(-2.0, 4.0),
)
def test_nothing_is_left_to_gain_on_random_samples(n, seed, share, log_ridge, log_tau):
    X, y = sample(n, seed, share)
    X[-1] = X[0]  # a point of both classes
    K, ridge = Gaussian(10.0**log_tau)(X), 10.0**log_ridge
    assert gap(K, y, svm_coefficients(K, y, ridge), ridge) < 1e-8


@pytest.mark.parametrize("ridge", [0.05, 1.0, 20.0])
def test_the_oracle_and_libsvm_with_mirror_images(ridge):
    """With every point and its mirror image, half of C each, a machine with bias has none."""
    X, y = sample(40, 3, share=0.1)
    K = Gaussian(2.0)(X)
    scores = K @ svm_coefficients(K, y, ridge)
    assert scores == pytest.approx(K @ oracles.svm(K, y, 0.5 / ridge), abs=1e-3)
    mirrored = SVC(C=0.25 / ridge, kernel="precomputed", tol=1e-8)
    mirrored.fit(np.block([[K, -K], [-K, K]]), np.concatenate([y, -y]))
    assert mirrored.intercept_ == pytest.approx(0.0, abs=1e-6)
    assert scores == pytest.approx(mirrored.decision_function(np.hstack([K, -K])), abs=1e-5)


def test_one_class_alone():
    assert svm_coefficients(np.eye(4), np.ones(4), 1.0) == pytest.approx(0.5)
    assert svm_coefficients(np.eye(4), np.ones(4), 0.25) == pytest.approx(1.0, abs=1e-6)


def test_rows_of_zeros():
    K = np.zeros((4, 4))
    assert svm_coefficients(K, np.array([1.0, -1.0, 1.0, -1.0]), 1.0) == pytest.approx(
        [0.5, -0.5, 0.5, -0.5]
    )
