"""Machines on landmarks by conjugate gradients are those of the normal equations."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
from inside import Landmarks, SingleBlocks, in_single, landmarks, single
from inside import landmarks_NotConverged as NotConverged
from inside import landmarks_Preconditioner as Preconditioner


def naive(K, K_m, Y, w, ridge, fit_intercept):
    """Solve min sum w (y - K a - b)^2 + ridge a' K_m a by its normal equations."""
    m = K.shape[1]
    B = np.column_stack([K, np.ones(len(K))]) if fit_intercept else K
    M = B.T @ (w[:, None] * B)
    M[:m, :m] += ridge * K_m
    solved = np.linalg.solve(M, B.T @ (w[:, None] * Y))
    return solved[:m], solved[m] if fit_intercept else np.zeros(Y.shape[1])


def seen(n=600, m=40, c=2, *, kernel=None, weights=None, fit_intercept=True):
    rng = np.random.default_rng(0)
    X = in_single(rng.normal(size=(n, 3)))
    Y = np.column_stack([np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=n)] * c) + np.arange(c)
    w = np.ones(n) if weights is None else weights
    return Landmarks(kernel or kw.Gaussian(1.0), X, X[:m], Y, w, fit_intercept)


def exact(landmarks, ridge):
    X, Z = (np.asarray(rows, float) for rows in (landmarks.X, landmarks.Z))
    K, K_m = landmarks.kernel(X, Z), landmarks.kernel(Z, Z)
    K_m += np.finfo(np.float32).eps * np.trace(K_m) * np.eye(len(Z))  # the jitter of the factor
    given = landmarks.Y, landmarks.weights, ridge, landmarks.fit_intercept
    a, b = naive(K, K_m, *given)
    return K @ a + b


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    "kernel",
    [
        kw.Gaussian(1.0),
        kw.Laplacian(2.0),
        kw.Matern(1.0),
        kw.Gaussian(1.0) + kw.Linear(),
        kw.Linear(),
    ],
)
def test_the_solution_is_that_of_the_normal_equations(kernel, weighted, fit_intercept):
    weights = np.random.default_rng(5).uniform(0.2, 3.0, 600) if weighted else None
    system = seen(kernel=kernel, weights=weights, fit_intercept=fit_intercept)
    ridges = np.array([0.1, 1.0, 10.0])
    found = system.solve(Preconditioner.of(system, ridges, np.arange(300)), None, 25)
    for i, ridge in enumerate(ridges):
        values = system.values(system.X) @ found.coefficients[i] + found.bias[i]
        # Single precision, magnified by what the ridge leaves of the condition.
        size = max(1.0, float(np.abs(system.values(system.X)).max()))
        np.testing.assert_allclose(values, exact(system, ridge), atol=1e-3 * size)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rows_at_once", [7, 2048])
def test_landmarks_alone_stand_for_the_rows(fit_intercept, rows_at_once, monkeypatch):
    r"""The sum over them of (k - means) (k - means)', between T^-T and T^-1, times n / m."""
    monkeypatch.setattr(landmarks, "_MANY", rows_at_once)
    system = seen(fit_intercept=fit_intercept)
    K = system.kernel(*[np.asarray(system.Z, float)] * 2) + 1e-3 * np.eye(40)
    T = np.linalg.cholesky(K).T
    found = system.whitened_landmarks(T.astype(np.float32))
    centred = np.linalg.solve(T.T, (K - system.moments[1]).T)
    expected = 600.0 / 40.0 * centred @ centred.T
    close = 1e-3 * np.abs(expected).max()
    np.testing.assert_allclose(np.triu(found), np.triu(expected), atol=close)


def test_sparse_rows_and_many_features():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(300, 50)) * (rng.random((300, 50)) < 0.3)
    y = dense[:, :1]
    rows = {"dense": in_single(dense), "sparse": in_single(sp.csr_matrix(dense))}
    found = []
    for X in rows.values():
        system = Landmarks(kw.Gaussian(20.0), X, X[:30], y, np.ones(300))
        s = system.solve(Preconditioner.of(system, np.array([0.5]), np.arange(200)), None, 20)
        found.append(system.values(X) @ s.coefficients[0] + s.bias[0])
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)
    np.testing.assert_allclose(found[0], exact(system_of(dense, y), 0.5), atol=1e-3)


def system_of(X, y):
    return Landmarks(kw.Gaussian(20.0), X, X[:30], y, np.ones(len(X)))


@settings(deadline=None, max_examples=10)
@given(d=st.integers(1, 40), n=st.integers(1, 30), m=st.integers(1, 20), seed=st.integers(0, 99))
def test_distances_in_single_precision(d, n, m, seed):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    expected = ((X[:, None] - Z[None]) ** 2).sum(axis=2)
    for few in (0, 64):  # by a product, by differences
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(single, "_DIRECT_FEATURES", few)
            blocks = SingleBlocks(in_single(X), in_single(Z))
            D = blocks.pairs_with(blocks.X)["sqdist"]
        assert D.dtype == np.float32
        assert D.min() >= 0.0
        np.testing.assert_allclose(D, expected, rtol=1e-4, atol=1e-4)


def test_a_judge_keeps_the_best_iterate_of_every_ridge():
    system, losses = seen(c=1), []

    def judge(coefficients, bias):
        # The third iterate of the first ridge, the second of the other, are best.
        best = {0: 3, 1: 2}
        step = len(losses) + 1
        losses.append([1.0 + abs(step - best[i]) for i in range(2)])
        return np.array(losses[-1])

    ridges = np.array([0.01, 1.0])
    preconditioner = Preconditioner.of(system, ridges, np.arange(100))
    found = system.solve(preconditioner, judge)
    assert found.losses.tolist() == [1.0, 1.0]
    assert found.iterations == len(losses) < 40
    for i, most in ((0, 3), (1, 2)):
        alone = system.solve(preconditioner.at(i), None, most)
        values, expected = (
            system.values(system.X) @ s.coefficients[k] for s, k in ((found, i), (alone, 0))
        )
        np.testing.assert_allclose(values, expected, atol=1e-3)


def test_what_does_not_converge_is_told():
    system = seen(c=1)
    with pytest.raises(NotConverged):
        system.solve(
            Preconditioner.of(system, np.array([1.0]), np.arange(100)),
            lambda a, b: np.array([np.nan]),
        )
    huge = seen(c=1, kernel=kw.Polynomial(30, 1e6))
    with np.errstate(all="ignore"), pytest.raises(NotConverged):
        system = Preconditioner.of(huge, np.array([1e-9]), np.arange(100))
        huge.solve(system, None, 5)


def test_the_landmarks_alone_make_a_preconditioner():
    weights = np.random.default_rng(5).uniform(0.5, 2.0, 600)
    for fit_intercept in (True, False):
        system = seen(weights=weights, fit_intercept=fit_intercept)
        alone = Preconditioner.of(system, np.array([1.0]), None)
        # The same as a sample of the landmarks, each of mean weight.
        K = np.asarray(system.values(system.Z), float)
        T = np.asarray(alone.landmark_factor, float)
        half = (K - system.moments[1]) @ np.linalg.inv(T)
        expected = half.T @ half * weights.sum() / len(K) + np.eye(len(K))
        A = np.asarray(alone.factors[0], float)
        np.testing.assert_allclose(A.T @ A, expected, atol=2e-3 * np.abs(expected).max())
        found = system.solve(alone, None, 40)
        values = system.values(system.X) @ found.coefficients[0] + found.bias[0]
        np.testing.assert_allclose(values, exact(system, 1.0), atol=1e-3)
