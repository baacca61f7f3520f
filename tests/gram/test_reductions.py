"""A sweep is a value that can be pickled: any runner gives what threads give."""

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import reduce

import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from helpers import rounding
from inside import (
    SILENT,
    CenteredSquares,
    Pairs,
    Products,
    RowMeans,
    Settings,
    Sums,
    Sweep,
    Targets,
    ThreadRunner,
    Tiles,
    Watch,
    run_strips,
)

N = 70
GRIDS = {
    "ladder of squares": kw.grids.gaussian(-6, 12),
    "ladder of powers": [kw.Gaussian(0.37 * 3.0**i) for i in (-2, 0, 1, 4)],
    "degrees": [*kw.grids.polynomial(1, 4), kw.Polynomial(2, 0.0), kw.Linear()],
    "any": [kw.Laplacian(2.0), kw.Matern(1e4, 2.5), 0.5 * kw.Gaussian(2.0) + kw.Linear()],
}


class ProcessRunner:
    """Three shares for two processes, as a cluster would get them: everything is pickled."""

    def __init__(self, processes):
        self._processes = processes

    def run(self, tiles, reduction, progress=SILENT):
        futures = [
            self._processes.submit(run_strips, tiles, reduction, share, Watch())
            for share in tiles.shares(3)
        ]
        return reduce(reduction.merge, [future.result() for future in futures])


@pytest.fixture(scope="module")
def processes():
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        yield ProcessRunner(executor)


def data(kind, offset=0.0):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 4))
    y = X[:, 0] + rng.normal(size=N) if kind == "regression" else rng.integers(0, 3, N)
    return X + offset, Targets.of(y)


def sweep(kernels, X, targets, runner):
    return Sweep(kernels, X, targets, Settings(16, runner, "float64"))


def deviation(kernel, X, shift):
    return kernel.deviations(Pairs(X)) if shift else kernel.values(Pairs(X))


def assert_within(ours, theirs, bound):
    ours, theirs, bound = np.broadcast_arrays(ours, theirs, bound)
    worst = np.argmax(np.abs(ours - theirs) - bound)
    ours, theirs, bound = ours.flat[worst], theirs.flat[worst], bound.flat[worst]
    assert abs(ours - theirs) <= bound


def relative_error(kernel, X):
    """Bound that of exp(-g / (2 tau)), the error of g over 2 tau; no other kernel magnifies it.

    g = |x|^2 + |z|^2 - 2 x z is as in `helpers.rounding_of_decisions`. On a ladder of squares the
    error of one exponential, u, doubles with every step as g / (2 tau) does from an exponent of at
    least 1/2 on: by less than that.
    """
    if not isinstance(kernel, kw.Gaussian):
        return 0.0
    of_distance = rounding(X.shape[1] + 4, 4.0 * np.max(np.sum((X - X.mean(axis=0)) ** 2, axis=1)))
    return of_distance / (2.0 * kernel.tau)


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize("grid", GRIDS)
def test_statistics_from_processes(processes, kind, grid):
    """Tiles are added in another order, and entries may differ in their last bits.

    A row is a sum of n terms. On a ladder of squares it may follow from the step before, as
    2 a + b: up to an exponent of one this multiplies relative errors by at most
    (1 + 1/2) / (1 - 1/e) < 3. Of the three terms of the centred squares, each at most Q, the second
    and the third are squares of such sums: with Cauchy's inequality their errors add up to less
    than (4 + 2) 3 of a row's. Another process may use other instructions for distances and their
    exponentials (`relative_error`); an error of an entry is twice as large in its square, and in
    the three terms of Q together at most eight times.
    """
    X, targets = data(kind)
    kernels = GRIDS[grid]
    ours = sweep(kernels, X, targets, processes).statistics
    theirs = sweep(kernels, X, targets, ThreadRunner(2)).statistics
    for kernel, a, b in zip(kernels, ours, theirs, strict=True):
        size = np.abs(deviation(kernel, X, b.shift)) @ np.abs(targets.columns)
        of_entries, squares = relative_error(kernel, X), b.row_squares
        assert (a.shift, a.excludes_diagonal) == (b.shift, b.excludes_diagonal)
        assert_within(a.products, b.products, 3 * rounding(N, size) + of_entries * size)
        assert_within(a.row_squares, squares, rounding(N, squares) + 2 * of_entries * squares)
        bound = 20 * rounding(N) + 8 * of_entries
        assert_within(a.centered_squares, b.centered_squares, bound * squares.sum())


@pytest.mark.parametrize("grid", GRIDS)
def test_products_from_processes(processes, grid):
    X, targets = data("classification")
    kernels = GRIDS[grid]
    rng = np.random.default_rng(0)
    vectors = {i: rng.normal(size=(N, 2)) for i in range(1, len(kernels))}
    ours = sweep(kernels, X, targets, processes).matmul(vectors)
    theirs = sweep(kernels, X, targets, ThreadRunner(2)).matmul(vectors)
    assert set(ours) == set(theirs) == set(vectors)
    for i, V in vectors.items():
        K = np.abs(kernels[i].values(Pairs(X)))
        origin = abs(kernels[i].origin)  # S = K - c adds at most c to an entry, and c comes back
        assert_within(ours[i], theirs[i], rounding(N, (K + 2.0 * origin) @ np.abs(V)))


def test_centred_squares_from_processes(processes):
    """Far from the origin they are what is left of numbers 10^4 times as large."""
    X, targets = data("classification", offset=1e2)
    kernels = [kw.Linear(), kw.Polynomial(2)]
    tiles = Tiles.of(X, targets.y, 16)
    means = [deviation(k, tiles.X, k.origin).mean(axis=1) for k in kernels]
    reduction = CenteredSquares(
        [RowMeans(k, k.origin != 0.0, m, m.mean()) for k, m in zip(kernels, means, strict=True)]
    )
    [ours] = processes.run(tiles, reduction)
    [theirs] = ThreadRunner(2).run(tiles, reduction)
    assert_within(ours, theirs, rounding(N * N, theirs))


class Recorder:
    """Keeps what it is asked to run."""

    def __init__(self):
        self.work = []

    def run(self, tiles, reduction, progress=SILENT):
        self.work.append((tiles, reduction))
        return ThreadRunner(1).run(tiles, reduction, progress)


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_copy_of_a_reduction_gives_the_same_bits(kind, is_sparse):
    X, targets = data(kind, offset=1e2)
    kernels = [kernel for grid in GRIDS.values() for kernel in grid]
    recorder = Recorder()
    rows = sp.csr_matrix(X) if is_sparse else X
    assert len(sweep(kernels, rows, targets, recorder).statistics) == len(kernels)
    products = [Products] if kind == "regression" else []
    kinds = [type(reduction) for _, reduction in recorder.work]
    assert kinds == [Sums, *products, CenteredSquares]
    for work in recorder.work:
        copy = pickle.loads(pickle.dumps(work))
        first, again = (run_strips(*given, [0, 2, 1], Watch()) for given in (work, copy))
        for ours, theirs in zip(first, again, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_a_worker_tells_how_far_it_is_and_stops_when_told():
    X, targets = data("classification")
    tiles = Tiles.of(X, targets.y, 16)
    reduction = CenteredSquares([RowMeans(kw.Linear(), False, np.zeros(N), 0.0)])
    watch = Watch()
    run_strips(tiles, reduction, range(len(tiles.blocks)), watch)
    assert watch.done == tiles.count
    stopped = Watch(stopped=True)
    [nothing] = run_strips(tiles, reduction, range(len(tiles.blocks)), stopped)
    assert stopped.done == 0 and nothing == [0.0]


def test_every_strip_is_dealt_to_one_worker():
    tiles = Tiles.of(np.zeros((N, 1)), np.zeros(N, int), 5)
    for workers in (1, 3, 14, 20):
        shares = tiles.shares(workers)
        assert len(shares) == min(workers, 14)
        assert sorted(strip for share in shares for strip in share) == list(range(14))
    assert tiles.shares(3)[0] == [0, 5, 6, 11, 12]
