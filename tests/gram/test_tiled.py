"""The tiled engine gives the dense engine's numbers, whatever the tile, threads and rows."""

import math
import platform
import re
import signal
import threading
import time
import tracemalloc
import warnings
import weakref
from dataclasses import dataclass
from typing import ClassVar

import numba
import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from helpers import close, rounding, tolerance
from inside import (
    Dense,
    PairKernel,
    Pairs,
    Points,
    Reach,
    Sweep,
    Targets,
    Tiled,
    UndefinedCriterionWarning,
    as_bytes,
    dense,
    group_kernels,
)
from inside import loops as _loops
from kernelwise import criteria as c

CHEAP = ["kta", "ckta", "ks", *(c.SM(r=r) for r in (1, 2, 3, 4, 5)), c.SM(2, "sum", False)]
CLASSES = [*CHEAP, "fsm", "fsm_error", "md", "ncut"]
MIXED = [
    *kw.grids.gaussian(-15, 15),
    kw.Gaussian(3.0),
    kw.Gaussian(0.7),
    *(kw.Gaussian.from_gamma(10.0**i) for i in range(-9, 5)),
    *(kw.Gaussian(0.3 * 3.0**i) for i in (-4, 0, 1, 5)),
    *kw.grids.polynomial(1, 10),
    kw.Polynomial(2, 0.0, 0.5),
    kw.Linear(),
    kw.Laplacian(2.0),
    kw.Laplacian(1e6),
    kw.Matern(1.5, 2.5),
    *(kw.Scaled([1.0, 0.2, 3.0, 0.0, 0.7], kw.Gaussian(2.0**i)) for i in range(-3, 9, 3)),
    *(kw.Scaled([1.0, 0.2, 3.0, 0.0, 0.7], kw.Laplacian(2.0**i)) for i in range(-3, 9)),
    *(kw.Columns([4, 1], kw.Scaled([2.0, 0.3], kw.Laplacian(3.0**i))) for i in range(-2, 4)),
    kw.Columns([3, 0], kw.Polynomial(3)) + kw.Scaled([1, 2, 3, 4, 5], kw.Matern(4.0)),
    0.5 * kw.Gaussian(2.0) + kw.Linear() * kw.Laplacian(3.0),
]


TEN_DIGITS = 1e-10  # what docs/engines.md promises of two engines
REACH = Reach(Points(np.eye(3)), Pairs(np.eye(3)))


def data(kind, n=90, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[n // 2] = X[0]
    if kind == "regression":
        return X, X[:, 0] + 0.3 * rng.normal(size=n) + 5.0
    classes = 2 if kind == "binary" else 4
    y = rng.integers(0, classes, n)
    return X + 0.5 * y[:, None], y


def tables(X, y, kernels, criteria, engine, **settings):
    return kw.score_kernels(X, y, kernels, criteria, engine=engine, **settings).table


def assert_same(ours, theirs, rtol):
    for name, values in theirs.items():
        np.testing.assert_allclose(ours[name], values, rtol=rtol, err_msg=name)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_gaussian_grid_equals_the_dense_engine(kind, scale):
    X, y = data(kind)
    criteria = CHEAP if kind == "regression" else CLASSES
    kernels = kw.grids.gaussian()
    if scale == 1e6:  # K = I but for the duplicates: no distance is worth a digit
        kernels = [kw.Gaussian(k.tau * 1e12) for k in kernels]
    dense = tables(scale * X, y, kernels, criteria, "dense")
    assert_same(tables(scale * X, y, kernels, criteria, Tiled(tile=32)), dense, TEN_DIGITS)


def test_narrow_kernels_of_huge_features_equal_the_dense_engine():
    X, y = data("binary")
    dense = tables(1e6 * X, y, kw.grids.gaussian(), CLASSES, "dense")
    assert_same(tables(1e6 * X, y, kw.grids.gaussian(), CLASSES, Tiled(tile=32)), dense, TEN_DIGITS)


def exact_fsm(K, y):
    """FSM of a matrix in extended precision, from the paper's sums."""
    K = K.astype(np.longdouble)
    inside, outside = y == 1, y == 0
    u = K[:, inside].mean(axis=1) - K[:, outside].mean(axis=1)
    spreads = [
        np.sqrt(np.sum((u[c] - u[c].mean()) ** 2) / (c.sum() - 1)) for c in (inside, outside)
    ]
    return float(sum(spreads) / (u[inside].mean() - u[outside].mean()))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="no extended precision here")
@pytest.mark.parametrize("tau", [2.0**-6, 0.03, 0.06])
@pytest.mark.parametrize("engine", ["dense", Tiled(tile=50)])
def test_fsm_of_narrow_kernels_has_ten_digits(tau, engine):
    """The diagonal, up to 10^30 times the rest, is not added to it."""
    X, y = data("binary", n=200, d=8)
    X[100] += 1.0  # no duplicate: every point is alone
    kernel = kw.Gaussian(tau)
    expected = exact_fsm(kernel.values(Pairs(X)), y)
    assert expected < 1e-3
    assert tables(X, y, [kernel], ["fsm"], engine)["fsm"][0] == pytest.approx(
        expected, rel=TEN_DIGITS
    )


@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_a_mixed_grid_equals_the_dense_engine(kind):
    X, y = data(kind)
    criteria = CHEAP if kind == "regression" else CLASSES
    dense = tables(X, y, MIXED, criteria, "dense")
    assert_same(tables(X, y, MIXED, criteria, Tiled(tile=40)), dense, TEN_DIGITS)


def test_widths_whose_ratios_are_powers_of_two_are_one_ladder():
    widths = [0.37 * 2.0**i for i in (-3, -1, 0, 4)]
    for kind in (kw.Gaussian, kw.Laplacian, lambda w: kw.Scaled([1.0, 2.0, 0.0], kw.Laplacian(w))):
        families = group_kernels([kind(w) for w in widths], REACH)
        assert [len(family.members) for family in families] == [4]


def test_kernels_of_different_metrics_are_ladders_apart():
    weights = [[1.0, 2.0, 0.5], [3.0, 1.0, 1.0]]
    inner = [k(2.0**i) for k in (kw.Gaussian, kw.Laplacian) for i in range(3)]
    kernels = inner + [kw.Scaled(w, k) for w in weights for k in inner]
    kernels += [kw.Columns([0, 2], k) for k in inner] + [kw.Scaled([1, 1, 1], kw.Polynomial(2))]
    families = group_kernels(kernels, REACH)
    assert sorted(len(family.members) for family in families) == [1] + [3] * 8


def test_widths_without_a_common_ratio_are_on_their_own():
    kernels = [kw.Gaussian(w) for w in (1.0, 3.0, 9.0, 10.0)]
    families = group_kernels(kernels, REACH)
    assert [len(family.members) for family in families] == [1, 1, 1, 1]


@pytest.mark.parametrize("offset", [1e2, 1e4])
def test_centred_norms_of_dot_products_far_from_the_origin(offset):
    """One pass loses them: the mean of the matrix is 10^4 to 10^8 times its spread."""
    X, y = data("binary")
    X = X + offset
    kernels = [kw.Linear(), kw.Polynomial(2), kw.Gaussian(3.0)]
    dense = kw.gram.Dense().grams(kernels, X, Targets.of(y))
    tiled = Tiled(tile=32).grams(kernels, X, Targets.of(y))
    for ours, theirs in zip(tiled, dense, strict=True):
        expected = theirs.statistics.centered_frobenius
        condition = theirs.statistics.frobenius / expected
        close(ours.statistics.centered_frobenius, expected, condition, rtol=TEN_DIGITS)


@pytest.mark.parametrize("setting", [{"tile": None}, {"tile": 0}, {"threads": 1.5}])
def test_other_settings_are_refused(setting):
    with pytest.raises(ValueError, match="parameter of Tiled"):
        Tiled(**setting)


class TestDifficultPairs:
    """Pairs far nearer or farther than most: where a ladder could lose digits."""

    @staticmethod
    def near_duplicates(jitter):
        rng = np.random.default_rng(0)
        X = np.repeat(rng.normal(size=(30, 3)), 4, axis=0) + jitter * rng.normal(size=(120, 3))
        return X, (np.arange(120) // 4) % 2

    @staticmethod
    def outlier(distance):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(100, 3))
        X[7] += distance
        return X, (X[:, 0] > 0.0).astype(int)

    @pytest.mark.parametrize("jitter", [1e-3, 1e-5, 1e-7])
    def test_near_duplicates(self, jitter):
        X, y = self.near_duplicates(jitter)
        kernels = kw.grids.gaussian(-45, 0)
        criteria = ["kta", "ckta", "ks", c.SM(r=3), "ncut"]
        dense = tables(X, y, kernels, criteria, "dense")
        assert_same(tables(X, y, kernels, criteria, Tiled()), dense, TEN_DIGITS)

    @pytest.mark.parametrize("distance", [1e4, 1e6])
    def test_an_outlier(self, distance):
        X, y = self.outlier(distance)
        kernels = kw.grids.gaussian(-5, 45)
        criteria = ["kta", "ckta", "ks", c.SM(r=2), c.SM(r=3)]
        dense = tables(X, y, kernels, criteria, "dense")
        assert_same(tables(X, y, kernels, criteria, Tiled()), dense, TEN_DIGITS)

    def test_clusters_far_apart(self):
        rng = np.random.default_rng(2)
        X = 1e-3 * rng.normal(size=(80, 3)) + 1e6 * (np.arange(80) % 2)[:, None]
        y = rng.integers(0, 2, 80)
        kernels = [kw.Gaussian(1e-6), kw.Gaussian(1.0), kw.Laplacian(1e-3)]
        dense = tables(X, y, kernels, ["kta", "ckta", c.SM(r=2)], "dense")
        assert_same(tables(X, y, kernels, ["kta", "ckta", c.SM(r=2)], Tiled()), dense, 1e-9)


def test_a_kernel_that_hands_out_the_geometry_itself_harms_no_other():
    @dataclass(frozen=True)
    class Bare(PairKernel):
        geometry: ClassVar[str] = "dot"

        def profile(self, g):
            return g

    X, y = data("binary")
    kernels = [Bare(), kw.Polynomial(2), kw.Polynomial(3)]
    dense = tables(X, y, [kernels[0]], "kta", "dense"), tables(X, y, kernels[1:], "kta", "dense")
    expected = {"kta": np.concatenate([part["kta"] for part in dense])}
    assert_same(tables(X, y, kernels, "kta", Tiled()), expected, TEN_DIGITS)
    assert_same(tables(X, y, kernels, "kta", "dense"), expected, TEN_DIGITS)


def test_a_subclass_is_not_taken_for_its_parent():
    @dataclass(frozen=True)
    class Cauchy(kw.Gaussian):
        def profile(self, g):
            return 1.0 / (1.0 + g / self.tau)

        def deviation(self, g):
            return self.profile(g) - 1.0

    X, y = data("binary")
    dense = tables(X, y, [Cauchy(2.0), kw.Gaussian(2.0)], "kta", "dense")
    assert_same(tables(X, y, [Cauchy(2.0), kw.Gaussian(2.0)], "kta", Tiled()), dense, TEN_DIGITS)


@pytest.mark.parametrize(
    "kernels",
    [
        [kw.Gaussian(2.0**150), kw.Gaussian(2.0**-150), kw.Gaussian(1.0)],
        [kw.Polynomial(400, 10.0), kw.Linear()],
        [kw.Polynomial(200), kw.Polynomial(2)],
    ],
)
def test_extreme_parameters(kernels):
    X, y = data("binary")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedCriterionWarning)
        dense = tables(X, y, kernels, ["kta", c.SM(r=2)], "dense")
        assert_same(tables(X, y, kernels, ["kta", c.SM(r=2)], Tiled()), dense, TEN_DIGITS)


class TestMemory:
    def test_kernels_are_swept_in_batches_that_fit(self, monkeypatch):
        X, y = data("binary", n=400)
        walks = []
        original = Sweep._walk
        monkeypatch.setattr(
            Sweep, "_walk", lambda sweep, *args: walks.append(1) or original(sweep, *args)
        )
        engine = Tiled(tile=32, threads=1)
        whole = tables(X, y, kw.grids.gaussian(), [c.SM(r=3)], engine)
        assert len(walks) == 2
        walks.clear()
        parts = tables(X, y, kw.grids.gaussian(), [c.SM(r=3)], engine, memory="400kB")
        assert 4 <= len(walks) < 62
        np.testing.assert_allclose(parts["sm"], whole["sm"], rtol=rounding(400**2))

    def test_the_budget_chooses_the_engine_and_the_result_says_why(self):
        X, y = data("binary", n=300)
        small = kw.score_kernels(X, y, kw.grids.gaussian(0, 3), memory="1MB")
        assert small.engine == "tiled"
        assert small.engine_reason == "the matrices would take 3.6 MB and the budget is 1 MB"
        large = kw.score_kernels(X, y, kw.grids.gaussian(0, 3), memory=0.9)
        assert large.engine == "dense" and "700 rows" in large.engine_reason
        np.testing.assert_allclose(small.table["sm"], large.table["sm"], rtol=TEN_DIGITS)

    def test_what_needs_the_matrix_is_refused_before_any_work(self, monkeypatch):
        X, y = data("binary", n=300)
        monkeypatch.setattr(Sweep, "_walk", lambda *args: pytest.fail("a sweep"))
        message = r"300 rows need about 3.6 MB .* budget is 1 MB"
        with pytest.raises(MemoryError, match=message):
            kw.score_kernels(X, y, kw.grids.gaussian(0, 3), ["sm", "eloo"], memory="1MB")
        with pytest.raises(MemoryError, match=message):
            kw.KernelSelector(memory="1MB").fit(X, y)

    def test_no_limit(self):
        X, y = data("binary")
        assert np.isfinite(tables(X, y, kw.Gaussian(1.0), "kta", Tiled(memory=math.inf))["kta"])

    @pytest.mark.parametrize("text, amount", [("4GB", 4e9), ("1.5 mb", 1.5e6), ("800K", 8e5)])
    def test_amounts(self, text, amount):
        assert as_bytes(text) == amount

    @pytest.mark.parametrize("memory", ["much", "-1GB", "0GB", 0, -0.5, float("nan")])
    def test_unclear_amounts_are_refused(self, memory):
        with pytest.raises(ValueError, match="memory must be an amount such as '4GB'"):
            as_bytes(memory)

    def test_the_selector_has_a_budget(self):
        X, y = data("binary", n=300)
        kernels = kw.grids.gaussian(0, 3)
        selector = kw.KernelSelector(
            kernels=kernels, criterion="sm", ridge=1.0, memory="1MB", refit=False
        ).fit(X, y)
        assert selector.result_.engine == "tiled"


def test_criteria_that_train_equal_the_dense_engine():
    X, y = data("binary")
    criteria = ["er", "rks", "sps", "eloo", "gcv", "lml", "sm_hinge", c.SM(r=2.5)]
    kernels = [kw.Gaussian(2.0**i) for i in (-3, 0, 3)]
    dense = tables(X, y, kernels, criteria, "dense", ridge=[0.1, 1.0])
    tiled = tables(X, y, kernels, criteria, Tiled(tile=32), ridge=[0.1, 1.0])
    assert_same(tiled, dense, tolerance(condition=1.0 + 90 / 0.1))


def test_one_matrix_in_memory_at_a_time(monkeypatch):
    """A criterion that needs the spectrum of every kernel must not keep them all."""
    made = []
    original = dense.DenseGram

    def watched(*args):
        assert sum(ref() is not None for ref in made) <= 1
        gram = original(*args)
        made.append(weakref.ref(gram))
        return gram

    monkeypatch.setattr(dense, "DenseGram", watched)
    X, y = data("binary")
    tables(X, y, kw.grids.gaussian(-2, 3), ["eloo", c.SM(r=3)], Tiled())
    assert len(made) == 6


@pytest.mark.parametrize("features", [3, 80])
def test_sparse_and_many_features(features):
    X, y = data("binary", d=features)
    X = X * (np.random.default_rng(1).random(X.shape) < 0.4)
    kernels = [*kw.grids.gaussian(-4, 8), kw.Linear(), kw.Laplacian(4.0)]
    dense = tables(X, y, kernels, CLASSES, "dense")
    assert_same(tables(X, y, kernels, CLASSES, Tiled(tile=32)), dense, 1e-9)
    assert_same(tables(sp.csr_array(X), y, kernels, CLASSES, Tiled(tile=32)), dense, 1e-9)


class TestInvariance:
    sums = rounding(90**2)  # every statistic adds up the entries of the matrix, in some order
    kernels = (*kw.grids.gaussian(-8, 12), kw.Polynomial(3), kw.Matern(2.0))

    @pytest.mark.parametrize("tile", [1, 7, 64, 1000])
    @pytest.mark.parametrize("threads", [1, 3])
    def test_tile_and_threads_do_not_matter(self, tile, threads):
        X, y = data("multiclass")
        expected = tables(X, y, self.kernels, CLASSES, Tiled(tile=32, threads=2))
        engine = Tiled(tile=tile, threads=threads)
        assert_same(tables(X, y, self.kernels, CLASSES, engine), expected, self.sums)

    def test_the_order_of_rows_does_not_matter(self):
        X, y = data("multiclass")
        order = np.random.default_rng(5).permutation(len(y))
        expected = tables(X, y, self.kernels, CLASSES, Tiled(tile=32))
        ours = tables(X[order], y[order], self.kernels, CLASSES, Tiled(tile=32))
        assert_same(ours, expected, self.sums)

    def test_the_same_bits_every_time(self):
        X, y = data("binary", n=500)
        first, again = (
            tables(X, y, self.kernels, CLASSES, Tiled(tile=64, threads=4)) for _ in range(2)
        )
        for name, values in first.items():
            np.testing.assert_array_equal(values, again[name])


def test_sweeps_are_shared_by_all_kernels(monkeypatch):
    walks = []
    original = Sweep._walk

    def counted(sweep, *args):
        walks.append(1)
        return original(sweep, *args)

    monkeypatch.setattr(Sweep, "_walk", counted)
    X, y = data("binary")
    for criteria, sweeps in [([c.SM(r=2), "ckta"], 1), ([c.SM(r=3), c.SM(r=4)], 2), (c.SM(5), 3)]:
        walks.clear()
        tables(X, y, kw.grids.gaussian(), criteria, Tiled())
        assert len(walks) == sweeps


def test_leading_eigenvalues_are_those_of_the_matrix():
    X, y = data("binary", n=200)
    targets = kw.gram.Targets.of(y)
    kernels = kw.grids.gaussian(-4, 6)
    for ours, theirs in zip(
        Tiled().grams(kernels, X, targets), Dense().grams(kernels, X, targets), strict=True
    ):
        np.testing.assert_allclose(
            ours.leading_eigenvalues(4), theirs.leading_eigenvalues(4), rtol=1e-9
        )


def test_nothing_of_the_size_of_a_matrix_is_stored():
    n = 3000
    X, y = data("binary", n=n)
    run = lambda: tables(X, y, kw.grids.gaussian(), CLASSES, Tiled(threads=2))  # noqa: E731
    run()  # compiled
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.5 * 8 * n * n  # half of one kernel matrix, for 31 kernels


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no timer signal")
def test_an_interrupt_stops_at_once_and_leaves_no_thread():
    X, y = data("binary", n=30_000, d=20)
    tables(X[:300], y[:300], kw.grids.gaussian(), "sm", Tiled())  # compiled
    before, spent = set(threading.enumerate()), []

    def interrupt(*_):
        spent.append(time.process_time())
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGPROF, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_PROF, 0.5)  # of computing: it is under way then
            tables(X, y, kw.grids.gaussian(), [c.SM(r=9)], Tiled())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)
    # Seconds of computing, which are few on a busy machine too: every thread ends with its tile.
    # All tiles take minutes.
    assert time.process_time() - spent[0] < 2.0
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: Tiled(tile=0), "'tile' parameter of Tiled"),
        (lambda X, y: Tiled(threads=1.5), "'threads' parameter of Tiled"),
        (
            lambda X, y: kw.score_kernels(X @ X.T, y, kw.Precomputed(), engine="tiled"),
            "a given matrix is in memory already: use engine='dense'",
        ),
    ],
)
def test_bad_settings(call, message):
    with pytest.raises(ValueError, match=message):
        call(*data("binary"))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 instructions")
@pytest.mark.parametrize(
    "loop, arrays, scalars",
    [
        ("_step", 5, 1),
        ("_two_steps", 6, 1),
        ("_multiply_and_square", 6, 5),
        ("_sum_with_squares", 6, 0),
    ],
)
def test_the_inner_loops_are_vectorised(loop, arrays, scalars):
    """Four numbers by one instruction: a refactoring must not lose that silently."""
    compiled = numba.njit(fastmath=_loops._OPTIONS["fastmath"])(getattr(_loops, loop).py_func)
    compiled.compile((numba.float64[::1],) * arrays + (numba.float64,) * scalars)
    [code] = compiled.inspect_asm().values()
    assert len(re.findall("mulpd|fmadd...pd", code)) >= 4


@pytest.mark.parametrize("kernel", [kw.Gaussian(2.0), kw.Polynomial(2), kw.Linear()])
def test_the_diagonal_takes_no_sweep(rng, kernel, monkeypatch):
    X = rng.normal(size=(50, 3))
    [gram] = Tiled().grams([kernel], X, Targets.of(X[:, 0] > 0.0))
    monkeypatch.setattr(Sweep, "_walk", None)
    close(gram.diagonal, kernel(X).diagonal())
