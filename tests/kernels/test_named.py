"""Grids by name, kernels of scikit-learn's Gaussian processes, functions and given matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process import kernels as gp

import kernelwise as kw
from inside import NAMES, Function, Matrix, Pairs, from_process, grid_of


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
    for scale in (1e-100, 1e100):
        assert len(grid_of(name, scale * X)) == len(dense)
    if name in ("poly", "linear", "sigmoid"):
        assert grid_of(name, np.ones((4, 2)))
    else:
        with pytest.raises(ValueError, match="X has no two rows that differ"):
            grid_of(name, np.ones((4, 2)))


THEIRS = {
    "rbf": gp.RBF(1.7),
    "a width per feature": gp.RBF([0.5, 2.0, 1.0]),
    "matern 1/2": gp.Matern(1.3, nu=0.5),
    "matern 3/2": gp.Matern([0.5, 2.0, 1.0], nu=1.5),
    "matern 5/2": gp.Matern(1.3, nu=2.5),
    "smooth matern": gp.Matern(1.3, nu=np.inf),
    "any matern": gp.Matern(1.3, nu=0.8),
    "dot product": gp.DotProduct(0.5),
    "linear": gp.DotProduct(0.0),
    "polynomial": gp.DotProduct(1.5) ** 3,
    "power": gp.RBF(1.5) ** 2,
    "sum": gp.RBF(1.0) + gp.DotProduct(2.0) + gp.ConstantKernel(0.3),
    "product": 2.0 * gp.RBF(1.0) * gp.Matern(2.0),
    "constants": gp.ConstantKernel(2.0) * gp.ConstantKernel(3.0) * gp.RBF(1.0),
    "other": gp.RationalQuadratic(1.2, 0.7) + gp.ExpSineSquared(),
}


@pytest.mark.parametrize("theirs", THEIRS.values(), ids=THEIRS)
def test_a_process_kernel_is_the_same_here(theirs):
    X, Z = rows(9), rows(5, seed=1)
    ours = from_process(theirs)
    np.testing.assert_allclose(ours(X), theirs(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours(X, Z), theirs(X, Z), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.diag(X), theirs.diag(X), rtol=1e-9)
    assert ours.is_psd


def test_known_kernels_are_not_functions():
    for name in ("rbf", "a width per feature", "matern 3/2", "smooth matern", "polynomial"):
        assert "Function" not in repr(from_process(THEIRS[name]))
    assert from_process(gp.RBF(2.0)) == kw.Gaussian(4.0)
    assert from_process(gp.DotProduct(0.0)) == kw.Linear()


def test_noise_is_refused():
    with pytest.raises(ValueError, match="WhiteKernel, which stands for noise: leave it out"):
        from_process(gp.RBF() + gp.WhiteKernel())


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
    assert repr(kernel) == "Function(dot)" and Function("dot") == Function("dot") != kernel
    assert len(repr(Function(gp.RBF(np.ones(200))))) < 80


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda X, Z: X[:, 0], r"must return a matrix of shape \(6, 4\) for X and Z .*got \(6,\)"),
        (lambda X, Z: 1.0, r"must return a matrix of shape \(6, 4\)"),
        (lambda x: x, "fails on two sets of rows .*: it must return their matrix"),
        (lambda X, Z: X @ Z, "fails on two sets of rows"),
        (lambda X, Z: None, r"must return a matrix of shape \(6, 4\)"),
        (lambda X, Z: "a", "fails on two sets of rows"),
        (lambda X, Z: np.full((len(X), len(Z)), np.nan), "returns NaN or infinity"),
        ("dot", "the function dot is known by name only, as result files hold it"),
    ],
)
def test_functions_that_are_no_kernels(function, message):
    with pytest.raises(ValueError, match=message) as caught:
        Function(function)(rows(6), rows(4, seed=1))
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


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
    with pytest.raises(ValueError, match="index of Matrix must be from 0 to 999999, got -1"):
        Matrix(-1)
