"""Kernels on rescaled and selected features."""

import copy

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kernelwise as kw
import oracles
from inside import (
    Pairs,
    edge,
    kernel_to_dict,
    unwrapped,
    with_narrower,
)

WEIGHTS = (0.5, 2.0, 0.0, 1.5)


def rows(n=30, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[n // 2] = X[0]
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def test_a_gaussian_has_a_width_per_feature():
    X, _ = rows(8)
    K = kw.Scaled(WEIGHTS, kw.Gaussian(2.0))(X)
    for i, x in enumerate(X):
        for j, z in enumerate(X):
            total = sum((w * (a - b)) ** 2 for w, a, b in zip(WEIGHTS, x, z, strict=True))
            assert K[i, j] == pytest.approx(np.exp(-total / 4.0), rel=1e-12)


def test_any_kernel_sees_what_the_transform_makes():
    X, _ = rows(8)
    Z, _ = rows(5, seed=1)
    for inner, formula in (
        (kw.Laplacian(3.0), lambda x, z: oracles.laplacian(x, z, 3.0)),
        (kw.Matern(2.0, 1.5), lambda x, z: oracles.matern(x, z, 2.0, 1.5)),
        (kw.Polynomial(2), lambda x, z: oracles.polynomial(x, z, 2, 1.0, 1.0)),
    ):
        scaled = kw.Scaled(WEIGHTS, inner)(X, Z)
        chosen = kw.Columns([3, 1], inner)(X, Z)
        for i, x in enumerate(X):
            for j, z in enumerate(Z):
                w = np.array(WEIGHTS)
                assert scaled[i, j] == pytest.approx(formula(w * x, w * z), rel=1e-11)
                assert chosen[i, j] == pytest.approx(formula(x[[3, 1]], z[[3, 1]]), rel=1e-11)


def test_transforms_nest_from_the_outside_in():
    X, _ = rows(8)
    nested = kw.Columns([3, 1], kw.Scaled([2.0, 0.5], kw.Laplacian(1.0)))
    np.testing.assert_array_equal(nested(X), kw.Laplacian(1.0)(X[:, [3, 1]] * [2.0, 0.5]))
    inner, transforms = unwrapped(nested)
    assert inner == kw.Laplacian(1.0) and [t(X).shape[1] for t in transforms[:1]] == [2]


def test_a_view_is_computed_once():
    X, _ = rows(8)
    pairs = Pairs(X)
    kernels = [kw.Scaled(WEIGHTS, kw.Gaussian(t)) for t in (1.0, 2.0)]
    first, second = (pairs.view(kernel.transform) for kernel in kernels)
    assert first is second and first is not pairs.view(kw.Columns([0], kernels[0]).transform)


def test_sparse_rows_stay_sparse():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.normal(size=(20, 4)) * (rng.random((20, 4)) < 0.3))
    for kernel in (kw.Scaled(WEIGHTS, kw.Laplacian(1.0)), kw.Columns([2, 0], kw.Gaussian(1.0))):
        np.testing.assert_allclose(kernel(X), kernel(X.toarray()), rtol=1e-12)
        assert sp.issparse(kernel.transform(sp.csr_matrix(X)))


def test_values_compose_and_compare():
    k = kw.Scaled(np.array([1, 2]), kw.Gaussian(1.0))
    assert k == kw.Scaled([1.0, 2.0], kw.Gaussian(1.0)) and len({k, copy.deepcopy(k)}) == 1
    assert k.weights == (1.0, 2.0) and isinstance(k.weights[0], float)
    X, _ = rows(6, 2)
    combined = 0.5 * k + k * kw.Columns([1], kw.Linear())
    np.testing.assert_allclose(combined(X), 0.5 * k(X) + k(X) * np.outer(X[:, 1], X[:, 1]))
    assert combined.is_psd and not combined.is_stationary and k.is_stationary


def test_few_numbers_are_printed_so_that_they_can_be_evaluated():
    for kernel in (
        kw.Scaled([1, 0.25], kw.Laplacian(2.0)),
        kw.Columns([3, 0], kw.Scaled([1, 0.25], kw.Laplacian(2.0))),
        kw.Columns(["age", "bmi"], kw.Linear()),
    ):
        assert eval(repr(kernel), vars(kw) | {k: getattr(kw, k) for k in kw.__all__}) == kernel
    long = kw.Scaled(np.arange(784.0), kw.Columns(range(3, 300), kw.Gaussian(1.0)))
    assert repr(long) == (
        "Scaled(<784 weights from 0 to 783>, Columns(<297 columns, 3 to 299>, Gaussian(tau=1.0)))"
    )


def test_families_are_one_transform_around_one_kind():
    grid = [kw.Scaled([1.0, 2.0], kw.Laplacian(2.0**i)) for i in range(4)]
    others = [kw.Scaled([1.0, 3.0], kw.Laplacian(2.0**i)) for i in range(4)]
    plain = [kw.Laplacian(2.0**i) for i in range(4)]
    assert len({k.family for k in grid}) == 1
    assert len({k.family for k in grid + others + plain}) == 3
    kernels = [*others, *grid, *plain]
    assert edge(kernels, 4) == "narrowest" and edge(kernels, 7) == "widest"
    assert edge(kernels, 5) is None
    # Families in the order given, from wide to narrow, each with two more beyond its narrowest.
    assert with_narrower(kernels, [3, 7, 6]) == [3, 2, 1, 7, 6, 5, 4]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kw.Scaled([], kw.Gaussian(1.0)), "weights of Scaled must be a number for every"),
        (lambda: kw.Scaled([1.0, -1.0], kw.Gaussian(1.0)), "weights .* not negative, got"),
        (lambda: kw.Scaled([np.nan], kw.Gaussian(1.0)), "weights .* finite and not negative"),
        (lambda: kw.Scaled(2.0, kw.Gaussian(1.0)), "weights .* got 2.0"),
        (lambda: kw.Scaled(np.eye(2), kw.Gaussian(1.0)), "weights of Scaled must be a number"),
        (lambda: kw.Scaled([1.0], "rbf"), "kernel of Scaled must hold kernels .* got 'rbf'"),
        (lambda: kw.Scaled([1.0], kw.Precomputed()), "kernel of Scaled must be one of rows"),
        (lambda: kw.Columns([], kw.Linear()), "columns of Columns must be positions from 0 on"),
        (lambda: kw.Columns([-1], kw.Linear()), r"columns .* each once, got \[-1\]"),
        (lambda: kw.Columns([1, 1], kw.Linear()), "columns of Columns .* each once"),
        (lambda: kw.Columns("age", kw.Linear()), "columns of Columns .* got 'age'"),
        (lambda: kw.Scaled([1.0], kw.Linear())(np.eye(2)), "weights .* 2 features of X, got 1"),
        (lambda: kw.Columns([2], kw.Linear())(np.eye(2)), "columns of Columns must be below 2"),
        (lambda: kw.Columns(["a"], kw.Linear())(np.eye(2)), "columns .* names \\(a\\) and X has"),
        (lambda: kw.Scaled([1e200], kw.Linear())([[1.0]]), "X times the weights .* beyond 1e"),
        (lambda: kw.Gaussian([1.0, 2.0]), "tau of Gaussian must be a number"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(make, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        make()
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_kernels_are_written_as_plain_data():
    """A kernel inside another is "inner": "kernel" is the name of the class."""
    columns = kw.Columns([0, 1], kw.Laplacian(2.0))
    inner = {"kernel": "Columns", "columns": [0, 1], "inner": kernel_to_dict(kw.Laplacian(2.0))}
    assert kernel_to_dict(columns) == inner
    scaled = {"kernel": "Scaled", "weights": [1.0, 0.25], "inner": inner}
    assert kernel_to_dict(kw.Scaled([1, 0.25], columns)) == scaled


@pytest.mark.parametrize("engine", ["dense", "tiled", kw.gram.LowRank(rank=20)])
def test_a_selection_is_that_on_transformed_rows(engine):
    X, y = rows(90)
    w = np.array([1.0, 0.5, 2.0, 0.1])
    grid = kw.grids.laplacian_for(X * w)
    ours = kw.KernelSelector(kernels=[kw.Scaled(w, k) for k in grid], engine=engine).fit(X, y)
    plain = kw.KernelSelector(kernels=grid, engine=engine).fit(X * w, y)
    assert ours.best_kernel_ == kw.Scaled(w, plain.best_kernel_)
    np.testing.assert_allclose(
        ours.decision_function(X), plain.decision_function(X * w), rtol=1e-9, atol=1e-9
    )


def test_columns_are_named_on_a_frame():
    X, y = rows(40)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    named = [
        kw.Columns(["d", "b"], kw.Columns(["b"], kw.Gaussian(t))) + kw.Columns(["a"], kw.Linear())
        for t in (1.0, 2.0, 4.0)
    ]
    selector = kw.KernelSelector(kernels=named).fit(frame, y)
    expected = kw.Columns([3, 1], kw.Columns([1], kw.Gaussian(1.0)))
    assert selector.best_kernel_.parts[0].columns == expected.columns
    assert selector.best_kernel_.parts[0].kernel.columns == (1,)
    assert selector.predict(frame).shape == y.shape
    assert kw.score_kernels(frame, y, named).kernels[0].parts[1] == kw.Columns([0], kw.Linear())
    machine = kw.LSSVC(named[0]).fit(frame, y)
    positions = kw.LSSVC(named[0].with_positions(list("abcd"))).fit(X, y)
    np.testing.assert_array_equal(machine.predict(frame), positions.predict(X))
    with pytest.raises(ValueError, match="columns of Columns: unknown feature 'e'"):
        kw.KernelSelector(kernels=kw.Columns(["e"], kw.Linear())).fit(frame, y)


def test_scales_follow_city_block_distances():
    X, _ = rows(50)
    distances = np.abs(X[:, None] - X[None]).sum(axis=-1)
    expected = np.median(distances[distances > 0]) * 2.0 ** np.arange(-2, 6)
    grid = kw.grids.laplacian_for(X)
    np.testing.assert_allclose([k.scale for k in grid], expected, rtol=1e-12)
    assert kw.grids.laplacian_for(sp.csr_array(X))[0].scale == pytest.approx(expected[0])
    with pytest.raises(ValueError, match="X has no two rows that differ"):
        kw.grids.laplacian_for(np.ones((5, 2)))
