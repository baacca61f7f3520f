"""Distances as engines compute them, of plain and of transformed points."""

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import (
    EnginePairs,
    Pairs,
    RowBlocks,
    SingleBlocks,
    Tiles,
    direct_distances,
    in_single,
    kernel_between,
)
from inside import pairs as module


def naive(X, Z):
    return np.array([[sum(abs(a - b) for a, b in zip(x, z, strict=True)) for z in Z] for x in X])


def points(n, d, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[-1] = X[0]
    return X


def kernels(d):
    w = np.linspace(0.0, 2.0, d)
    inner = [kw.Laplacian(d), kw.Gaussian(d), kw.Matern(3.0), kw.Polynomial(2, 1.0, 1.0 / d)]
    return [
        *inner,
        *(kw.Scaled(w, k) for k in inner),
        *(kw.Columns([d - 1, 0], kw.Scaled([2.0, 0.5], k)) for k in inner),
        kw.Scaled(w, kw.Columns([1], kw.Linear()) + kw.Laplacian(d)),
    ]


@pytest.mark.parametrize("d", [1, 3, 4, 7, 67, 130])
@pytest.mark.parametrize("sizes", [(1, 1), (3, 8), (10, 5)])
def test_compiled_distances_are_sums_of_differences(d, sizes):
    X, Z = points(sizes[0], d), points(sizes[1], d, seed=1)
    city_block = direct_distances("l1", X, Z, np.empty(sizes))
    np.testing.assert_allclose(city_block, naive(X, Z), rtol=1e-13)
    squared = direct_distances("sqdist", X, Z, np.empty(sizes))
    np.testing.assert_allclose(squared, ((X[:, None] - Z) ** 2).sum(axis=-1), rtol=1e-13)


def test_many_distances_are_computed_in_blocks(monkeypatch):
    X, Z = points(23, 6), points(11, 6, seed=1)
    monkeypatch.setattr(module, "_BLOCK", 5)
    assert not EnginePairs(X)._is_worth_it() and EnginePairs(X, entries=10**8)._is_worth_it()
    D = EnginePairs(X, entries=10**8)["l1"]
    np.testing.assert_allclose(D, naive(X, X), rtol=1e-13)
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(D.diagonal(), 0.0)
    np.testing.assert_allclose(EnginePairs(X, Z, 10**8)["l1"], naive(X, Z), rtol=1e-13)
    w = np.arange(6.0)
    ours = kernel_between(kw.Scaled(w, kw.Laplacian(2.0)), X, Z, 10**8)
    np.testing.assert_allclose(ours, np.exp(-naive(X * w, Z * w) / 2.0), rtol=1e-13)


def test_sparse_points_stay_sparse():
    X = sp.csr_matrix(points(9, 4))
    assert not EnginePairs(X, entries=10**12)._is_worth_it()
    np.testing.assert_allclose(EnginePairs(X, entries=10**12)["l1"], naive(*2 * [X.toarray()]))


@pytest.mark.parametrize("d", [4, 70])
@pytest.mark.parametrize("sparse", [False, True])
def test_tiles_and_blocks_see_transformed_points(d, sparse):
    X = points(20, d)
    given = sp.csr_matrix(X) if sparse else X
    tiles = Tiles.of(given, np.arange(20) % 2, 6)
    room = tiles.room()
    for left, right in [tile for i in range(len(tiles.blocks)) for tile in tiles.strip(i)]:
        pairs = tiles.pairs(left, right, room)
        rows, columns = X[tiles.order][left.rows], X[tiles.order][right.rows]
        for kernel in kernels(d):
            expected = kernel.values(Pairs(rows, columns))
            np.testing.assert_allclose(kernel.values(pairs), expected, rtol=1e-10)
    blocks = RowBlocks(given, given[:7], 6)
    for left, right in [tile for i in range(blocks.count) for tile in blocks.strip(i)]:
        for kernel in kernels(d):
            expected = kernel.values(Pairs(X[left.rows], X[:7]))
            found = kernel.values(blocks.pairs(left, right, blocks.room()))
            np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("d", [4, 70])
@pytest.mark.parametrize("sparse", [False, True])
def test_single_precision_sees_transformed_points(d, sparse):
    X = points(20, d)
    single = in_single(sp.csr_matrix(X) if sparse else X)
    blocks = SingleBlocks(single, single[:7], 6)
    for kernel in kernels(d):
        found = kernel.values(blocks.pairs_with(single[3:9]))
        assert found.dtype == np.float32 or sparse or "Matern" in repr(kernel)
        expected = kernel.values(Pairs(X[3:9], X[:7]))
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_dense_grams_do_not_keep_the_distances_of_other_transforms():
    X = points(12, 3)
    targets = kw.gram.Targets.of(np.arange(12) % 2)
    grid = [kw.Scaled([1.0, 2.0, w], kw.Laplacian(s)) for w in (1.0, 2.0) for s in (1.0, 2.0)]
    grams = list(kw.gram.Dense().grams([kw.Laplacian(1.0), *grid], X, targets))
    for gram, kernel in zip(grams[1:], grid, strict=True):
        np.testing.assert_allclose(gram.entries(), kernel(X), rtol=1e-12)
    held = [gram._pairs for gram in grams]
    assert held[1] is held[2] and held[3] is held[4] and len({id(pairs) for pairs in held}) == 3
    assert [len(pairs._views) for pairs in held] == [0, 1, 1, 1, 1]


def test_a_sweep_transforms_once():
    X = points(40, 3)
    tiles = Tiles.of(X, np.zeros(40, int), 8)
    kernel = kw.Scaled([1.0, 2.0, 3.0], kw.Laplacian(1.0))
    views = {
        id(tiles.pairs(left, right, tiles.room()).view(kernel.transform)._left[0])
        for i in range(len(tiles.blocks))
        for left, right in tiles.strip(i)
    }
    assert len(views) == 1
