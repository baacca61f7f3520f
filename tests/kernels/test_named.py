"""Grids by name, functions and given matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process.kernels import RBF

import kernelwise as kw
from inside import NAMES, Function, Matrix, Pairs, grid_of


def rows(n=40, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_every_name_is_a_grid_of_its_family():
    X = rows()
    kinds = {name: {type(kernel) for kernel in grid_of(name, X)} for name in NAMES}
    assert kinds == {
        "rbf": {kw.Gaussian},
        "laplacian": {kw.Laplacian},
        "matern": {kw.Matern},
        "poly": {kw.Polynomial},
        "linear": {kw.Linear},
        "sigmoid": {kw.Sigmoid},
    }
    assert grid_of("rbf", X) == kw.grids.auto(X) == grid_of("gaussian", X)
    assert grid_of("laplacian", X) == kw.grids.laplacian_for(X)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    middle = np.median(distances[distances > 0])
    scales = [kernel.scale for kernel in grid_of("matern", X)]
    np.testing.assert_allclose(scales, middle * 2.0 ** np.arange(-2, 6), rtol=1e-12)
    gamma = 1.0 / (3 * X.var())  # scikit-learn's "scale"
    assert {round(k.gamma / gamma, 9) for k in grid_of("poly", X)} == {1.0}


@pytest.mark.parametrize("name", NAMES)
def test_grids_of_sparse_and_of_odd_rows(name):
    X = rows()
    dense, sparse = grid_of(name, X), grid_of(name, sp.csr_matrix(X))
    for a, b in zip(dense, sparse, strict=True):
        np.testing.assert_allclose(a(X), b(X), rtol=1e-8)
    for scale in (1e-45, 1e45):
        assert len(grid_of(name, scale * X)) == len(dense)
    if name in ("poly", "linear", "sigmoid"):
        assert grid_of(name, np.ones((4, 2)))
    else:
        with pytest.raises(ValueError, match="X has no two rows that differ"):
            grid_of(name, np.ones((4, 2)))


def dot(X, Z):
    return X @ Z.T


def test_a_function_is_a_kernel():
    X, Z = rows(150), rows(5, seed=1)
    kernel = Function(dot)
    np.testing.assert_array_equal(kernel(X, Z), X @ Z.T)
    np.testing.assert_array_equal(kernel(X), kernel(X).T)
    np.testing.assert_allclose(kernel.diag(X), (X**2).sum(axis=1))
    np.testing.assert_array_equal(kernel.deviations(Pairs(X, Z)), kernel(X, Z))
    assert kernel == Function(dot) and hash(kernel) == hash(Function(dot))
    assert kernel != Function(lambda X, Z: X @ Z.T) and kernel != kw.Linear()
    assert repr(kernel) == "Function(dot)"
    assert len(repr(Function(RBF(np.ones(200))))) < 80


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda X, Z: X[:, 0], "Expected 2D array, got 1D array"),
        (lambda X, Z: X, r"must return a matrix of shape \(6, 4\) for X and Z .*got \(6, 3\)"),
        (lambda X, Z: 1.0, "Expected 2D array, got scalar array"),
        (lambda X, Z: "a", "could not convert string to float"),
        (lambda X, Z: np.full((len(X), len(Z)), np.nan), "contains NaN"),
    ],
)
def test_functions_that_are_no_kernels(function, message):
    with pytest.raises(ValueError, match=message):
        Function(function)(rows(6), rows(4, seed=1))


def test_a_function_must_be_symmetric():
    with pytest.raises(ValueError, match=r"is not symmetric \(entries differ by up to"):
        Function(lambda X, Z: X @ Z.T + X[:, :1])(rows(6))


def test_matrices_stand_side_by_side():
    K = np.stack([kw.Gaussian(t)(rows(6)) for t in (1.0, 2.0, 3.0)])
    X = np.concatenate(K, axis=1)
    for i in range(3):
        np.testing.assert_array_equal(Matrix(i)(X), K[i])
        np.testing.assert_array_equal(Matrix(i)(X[:2], X), K[i, :2])
        np.testing.assert_array_equal(Matrix(i).diag(X), K[i].diagonal())
    assert repr(Matrix(1)) == "Matrix(1)" and repr(Matrix(1, "string")) == "Matrix(1, 'string')"
    with pytest.raises(ValueError, match="X must hold 4 matrices or more of 6 columns each"):
        Matrix(3)(X)
    with pytest.raises(ValueError, match="'index' parameter of Matrix"):
        Matrix(-1)
