"""Base matrices as factors and as features: the same numbers as from the matrices themselves."""

import numpy as np
import pytest

import kernelwise as kw
from helpers import close
from inside import BaseMatrices, Targets, base_matrices, building, feature_matrices, rank_for

# Of small rank, of full rank, constant, and of small rank again.
KERNELS = [
    kw.Columns([0], kw.Gaussian(2.0)),
    kw.Gaussian(0.3),
    kw.Gaussian(1e200),
    kw.Linear(),
    kw.Laplacian(1.0),
]
HOW = {"center": True, "normalize": True}


def rows(n=60, seed=0, weighted=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = X[:, 0] + rng.normal(size=n)
    return X, Targets.of(y).weighted(rng.uniform(0.5, 2.0, n) if weighted else None)


@pytest.fixture(params=[True, False])
def bases(request, monkeypatch):
    """The same base matrices with factors, and all of them dense."""
    X, targets = rows()
    how = {"center": request.param, "normalize": True}
    mixed = base_matrices(KERNELS, X, targets, **how)
    monkeypatch.setattr(building, "_SMALL_PART", 1000)  # no rank is small
    return mixed, base_matrices(KERNELS, X, targets, **how)


def test_factors_replace_matrices_of_small_rank(bases):
    mixed, dense = bases
    assert dense.columns.tolist() == [0] * 5 and dense.dense.shape[0] == 4
    assert mixed.columns[3] in (3, 4) and mixed.columns[0] <= 15
    assert mixed.columns[[1, 2, 4]].tolist() == [0, 0, 0] and mixed.dense.shape[0] == 2
    assert mixed.factors.shape == (60, mixed.columns.sum())
    for base in bases:
        assert base.usable.tolist() == [True, True, False, True, True]


def test_factors_give_the_same_numbers(bases):
    mixed, dense = bases
    rng = np.random.default_rng(1)
    A, B, S = rng.normal(size=(60, 2)), rng.normal(size=(60, 2)), rng.normal(size=(60, 60))
    w = np.array([0.3, 0.2, 0.0, 0.4, 0.1])
    for ask in (
        lambda base: base.diagonals,
        lambda base: base.combined(w),
        lambda base: base.product(w, A),
        lambda base: base.products(A),
        lambda base: base.forms(A, B),
        lambda base: base.inner_products(S + S.T),
        lambda base: base.row(7),
        lambda base: base.cross_products(),
        lambda base: base.coefficients(w, 0.1)[0],
        lambda base: base.coefficients(w, 0.1)[1](A),
    ):
        close(ask(mixed), ask(dense))


def test_factors_alone_are_never_multiplied_out(bases, monkeypatch):
    """By the identity of Woodbury, and eigenpairs from the small Gram matrix."""
    mixed, dense = bases
    w = np.array([0.7, 0.0, 0.0, 0.3, 0.0])
    A = np.random.default_rng(1).normal(size=(60, 2))
    expected, spectrum = dense.solver(w, 0.05)(A), dense.spectrum(w)
    monkeypatch.setattr(BaseMatrices, "combined", None)
    close(mixed.solver(w, 0.05)(A), expected)
    thin = mixed.spectrum(w)
    assert thin.values.size == mixed.columns[[0, 3]].sum() or thin.values.size < 20
    found = thin.vectors * thin.values @ thin.vectors.T
    close(found, spectrum.vectors * spectrum.values @ spectrum.vectors.T)


def test_cross_products_are_those_of_matrices(bases):
    mixed, _ = bases
    matrices = [mixed.combined(unit).ravel() for unit in np.eye(5)]
    close(mixed.cross_products(), np.array(matrices) @ np.array(matrices).T)


def test_few_columns_are_computed_of_a_matrix_of_small_rank(monkeypatch):
    """Those of the pivots, never the matrix."""
    X, targets = rows(600)
    computed = []
    values = kw.Gaussian.profile
    monkeypatch.setattr(
        kw.Gaussian, "profile", lambda k, g: computed.append(g.size) or values(k, g)
    )
    monkeypatch.setattr(kw.Gaussian, "deviations", None)
    base = base_matrices([kw.Columns([1], kw.Gaussian(1.0))], X, targets, **HOW)
    assert 0 < base.columns[0] < 100
    assert sum(computed) < 150 * 600


@pytest.mark.parametrize("tau", [1e3, 1e5, 1e7])
def test_factors_of_wide_kernels_keep_their_digits(tau):
    """Centring takes away all but a small share, which a factor of the plain matrix would lose."""
    X, targets = rows(80, weighted=False)
    base = base_matrices([kw.Columns([0], kw.Gaussian(tau))], X, targets, **HOW)
    assert 0 < base.columns[0] < 10
    D = (X[:, :1] - X[:, 0]) ** 2
    K = kw.Gaussian(tau).deviation(D)  # without the constant, to the last digit
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    K /= K.diagonal().mean()
    np.testing.assert_allclose(base.combined(np.ones(1)), K, rtol=0, atol=1e-10)


def test_a_remembered_sum_is_not_what_callers_change(bases):
    mixed, _ = bases
    w, v = np.full(5, 0.2), np.array([0.5, 0.2, 0.0, 0.2, 0.1])
    first = mixed.combined(w)
    expected = first.copy()
    first += 1.0
    mixed.solver(w, 0.1)
    mixed.spectrum(w)
    close(mixed.combined(w), expected)
    assert not np.allclose(mixed.combined(v), expected)
    close(mixed.combined(w), expected)


def test_all_landmarks_give_the_matrices_themselves():
    X, targets = rows(50)
    kernels = [kw.Gaussian(1.0), kw.Columns([1], kw.Laplacian(2.0)), kw.Linear()]
    exact = base_matrices(kernels, X, targets, **HOW)
    features = feature_matrices(kernels, X, targets, 50, **HOW)
    assert sorted(features.landmarks.tolist()) == list(range(50))
    close(features.scales, exact.scales, rtol=1e-7)
    for unit in np.eye(3):
        close(features.combined(unit), exact.combined(unit), rtol=1e-7)


def test_features_of_few_landmarks_are_those_of_nystroem():
    X, targets = rows(80, weighted=False)
    kernel = kw.Gaussian(2.0)
    base = feature_matrices([kernel], X, targets, 10, center=False, normalize=False)
    Z = X[base.landmarks]
    C = kernel(X, Z)
    close(base.combined(np.ones(1)), C @ np.linalg.solve(kernel(Z), C.T), rtol=1e-7)
    assert base.landmarks.size == 10


def test_rank_follows_memory():
    assert rank_for(20, 20_000, 4e9) == 100
    assert rank_for(2, 20_000, 4e9) == 500
    assert rank_for(20, 20_000, 64e7) == 47
    assert rank_for(10_000, 20_000, 4e9) == 20
