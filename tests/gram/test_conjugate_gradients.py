"""ER and RKS where the matrix does not fit: products with it are enough."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelwise as kw
from inside import (
    TOLERANCE,
    DenseGram,
    IterativeInverse,
    NotConverged,
    NotPSDWarning,
    Pairs,
    PartialCholesky,
    Preconditioner,
    Tiled,
    UndefinedCriterionWarning,
)

SMALL = Tiled(memory="100kB")  # 120 rows and their spectrum take 576 kB
KERNELS = [kw.Gaussian(0.1), kw.Gaussian(4.0), kw.Gaussian(1e4), kw.Laplacian(3.0), kw.Linear()]


def data(kind, n=120):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 4))
    X[n // 2] = X[0]
    target = X[:, 0] + 0.4 * rng.normal(size=n)
    if kind == "regression":
        return X, target + 50.0
    return X, np.digitize(target, [0.0] if kind == "binary" else [-0.5, 0.5])


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_er_and_rks_without_a_matrix_equal_the_dense_engine(kind, fit_intercept, monkeypatch):
    X, y = data(kind)
    options = {"ridge": [0.01, 1.0], "fit_intercept": fit_intercept}
    dense = kw.score_kernels(X, y, KERNELS, ["er", "rks"], engine="dense", **options)
    monkeypatch.setattr(DenseGram, "__init__", lambda *_: pytest.fail("a matrix was made"))
    ours = kw.score_kernels(X, y, KERNELS, ["er", "rks"], engine=SMALL, **options)
    # Residuals are ridge times the solution, which is known to TOLERANCE |y| / ridge: their squares
    # have a relative error of 2 TOLERANCE |y| / |residuals|, and no fit here is 50 times as small.
    rtol = 100 * TOLERANCE
    for name, values in dense.table.items():
        np.testing.assert_allclose(ours.table[name], values, rtol=rtol, err_msg=name)


def test_what_needs_the_matrix_is_refused():
    X, y = data("binary")
    for criteria, settings_ in [
        ("sps", {}),
        (kw.criteria.RKS(eta="cv"), {}),
        ("er", {"machine": "svm"}),
    ]:
        with pytest.raises(MemoryError, match=r"need about .* matrix in memory .* set memory="):
            kw.score_kernels(X, y, KERNELS, criteria, engine=SMALL, **settings_)


def test_kernels_of_unknown_definiteness_are_undefined_without_a_matrix():
    X, y = data("binary")
    with (
        pytest.warns(NotPSDWarning),
        pytest.warns(UndefinedCriterionWarning, match="only positive semidefinite kernels"),
    ):
        result = kw.score_kernels(X, y, [kw.Sigmoid()], ["rks"], engine=SMALL)
    assert np.isnan(result.table["rks"][0])


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 40), st.floats(1e-4, 1e2), st.integers(0, 20), st.integers(0, 100))
def test_solutions_are_those_of_the_matrix(n, ridge, rank, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    K = kw.Gaussian(1.0).values(Pairs(X))
    factor = PartialCholesky(lambda rows: K[:, rows], np.diag(K))
    factor.grow(min(rank, n))
    right = np.column_stack([rng.normal(size=n), np.ones(n), np.zeros(n)])
    ours = IterativeInverse(lambda V: K @ V, Preconditioner(factor), ridge).solve(right)
    residual = K @ ours + ridge * ours - right
    assert np.linalg.norm(residual) <= 1e-9 * np.linalg.norm(right)


def test_a_system_that_does_not_converge_says_so():
    rng = np.random.default_rng(0)
    K = np.diag(10.0 ** rng.uniform(-15, 15, 400))
    empty = PartialCholesky(lambda rows: K[:, rows], np.diag(K))
    empty.grow(1)
    with pytest.raises(NotConverged, match="larger ridge"):
        IterativeInverse(lambda V: K @ V, Preconditioner(empty), 1e-15).solve(np.ones((400, 1)))
