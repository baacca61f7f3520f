"""A cluster gives the numbers of the engine whose work it does, whoever does it."""

import copy
import pickle
from contextlib import contextmanager

import distributed
import numpy as np
import pytest
import scipy.sparse as sp

import kernelwise as kw
from clusters import local_cluster
from inside import (
    Distributed,
    Landmarks,
    Targets,
    ThreadRunner,
    TiledGram,
    Tiles,
    Trials,
    _place,
    in_single,
    run_part,
)
from inside import landmarks_Preconditioner as Preconditioner

KERNELS = [*kw.grids.gaussian(-3, 5), kw.Laplacian(2.0), kw.Polynomial(2), kw.Linear()]
N = 900
TILED, LOW_RANK = kw.gram.Tiled(tile=32), kw.gram.LowRank(rank=60, judged=200)


def data(kind="classification", n=N):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4))
    y = X[:, 0] ** 2 + X[:, 1] + 0.3 * rng.normal(size=n)
    return X, Targets.of(y if kind == "regression" else np.digitize(y, [0.5, 1.5]))


@contextmanager
def as_default(client):
    """Let a client, or none, be that of whoever does not name one."""
    before = distributed.client._get_global_client()
    distributed.client._set_global_client(client)
    try:
        yield
    finally:
        distributed.client._set_global_client(before)


def assert_near(ours, theirs, tolerance=1e-12):
    """Relative to the largest number."""
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance * np.abs(theirs).max())


def compare(engine, client, X, targets, kernels=KERNELS):
    on_cluster = list(Distributed(client, engine).grams(kernels, X, targets))
    here = list(engine.grams(kernels, X, targets))
    V = np.random.default_rng(0).normal(size=(targets.n, 2))
    for ours, theirs in zip(on_cluster, here, strict=True):
        a, b = ours.statistics, theirs.statistics
        assert (a.shift, a.excludes_diagonal) == (b.shift, b.excludes_diagonal)
        assert_near(a.products, b.products)
        assert_near(a.row_squares, b.row_squares)
        assert_near(a.centered_squares, b.centered_squares)
        assert_near(ours.matmul(V), theirs.matmul(V))


@pytest.mark.parametrize("kind", ["classification", "regression"])
@pytest.mark.parametrize("engine", [TILED, LOW_RANK], ids=lambda e: e.name)
def test_statistics_and_products(cluster, engine, kind):
    compare(engine, cluster, *data(kind))


@pytest.mark.parametrize("engine", [TILED, LOW_RANK], ids=lambda e: e.name)
def test_sparse_rows(cluster, engine):
    """Landmarks that are nearly alike would magnify rounding errors of sums in products."""
    X, targets = data()
    rows = sp.csr_matrix(np.where(X > 0.5, X, 0.0))
    compare(engine, cluster, rows, targets, KERNELS[::4])


def test_centred_squares_far_from_the_origin(cluster):
    """They come from a sweep of their own."""
    X, targets = data()
    compare(TILED, cluster, X + 1e2, targets, [kw.Linear(), kw.Polynomial(2)])


def test_numbers_do_not_depend_on_the_number_of_workers():
    """Not in a single bit: parts, and the order in which they are added, are the same."""
    X, targets = data()
    found = []
    for workers in (1, 2, 4):
        with local_cluster(workers) as client:
            assert len(client.scheduler_info()["workers"]) == workers
            for engine in (TILED, LOW_RANK):
                compare(engine, client, X, targets, KERNELS[::3])
            [gram] = Distributed(client, LOW_RANK).grams(KERNELS[:1], X, targets)
            found.append([a.tobytes() for a in (gram.statistics.products, gram.matmul(X))])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_leave_one_out_of_low_rank(cluster, is_weighted):
    X, targets = data()
    if is_weighted:
        targets = targets.weighted(np.random.default_rng(2).uniform(0.5, 2.0, N))
    columns = [
        kw.score_kernels(
            X, targets.labels, KERNELS[:5], ["eloo", "lml"], ridge=[0.1, 1.0], engine=engine
        ).table
        for engine in (LOW_RANK, Distributed(cluster, LOW_RANK))
    ]
    for name, values in columns[0].items():
        np.testing.assert_allclose(columns[1][name], values, rtol=1e-9)


@pytest.mark.parametrize("criteria", [["eloo", "sm"], ["lml", "er"], ["kfold"]], ids=str)
def test_a_task_for_every_kernel(cluster, criteria, monkeypatch):
    """What takes the matrix is done by workers; here nothing is decomposed."""
    X, targets = data(n=300)
    given = X, targets.labels, KERNELS, criteria
    theirs = kw.score_kernels(*given, ridge=[0.1, 1.0], engine="tiled")
    monkeypatch.setattr(TiledGram, "_dense", property(lambda gram: pytest.fail("not here")))
    ours = kw.score_kernels(*given, ridge=[0.1, 1.0], engine=Distributed(cluster, "tiled"))
    for name, values in theirs.table.items():
        np.testing.assert_allclose(ours.table[name], values, rtol=1e-8)


def test_what_a_journal_knows_is_not_sent(cluster, monkeypatch, tmp_path):
    """What it does not know is found out by workers with a journal too."""
    X, targets = data(n=300)
    given = {"criterion": kw.Cascade(("eloo", 1)), "ridge": [0.1, 1.0], "refit": False}
    given |= {"engine": Distributed(cluster, "tiled"), "journal": tmp_path / "run.kwj"}
    calls, submit = [], Distributed.submit

    def counted(self, function, values, own):
        calls.append(len(own))
        return submit(self, function, values, own)

    monkeypatch.setattr(Distributed, "submit", counted)
    tables = []
    for kernels, new in ((KERNELS[:3], [3]), (KERNELS[:5], [2]), (KERNELS[:5], [])):
        fitted = kw.KernelSelector(kernels=kernels, **given).fit(X, targets.labels)
        assert calls == new
        tables.append(fitted.result_.table["eloo"])
        calls.clear()
    np.testing.assert_array_equal(tables[1], tables[2])
    np.testing.assert_array_equal(tables[1][: tables[0].size], tables[0])


def test_machines_on_landmarks(cluster):
    """A kernel so narrow that one rounding of the rows moves no prediction by more than 2e-5.

    By wide ones the landmarks are nearly alike: with Gaussian(4.0) it moves them by 0.03.
    """
    X, targets = data(n=4000)
    single = in_single(X, X.mean(axis=0))
    kernel = kw.Gaussian(0.5)
    given = kernel, single, single[:50], targets.fit_columns, np.ones(4000), True
    found = []
    for runner in (ThreadRunner(), Distributed(cluster).runner):
        seen = Landmarks(*given, runner)
        system = Preconditioner.of(seen, np.array([0.1, 1.0]), np.arange(500))
        coefficients, intercepts, *_ = seen.solve(system, None, 5)
        found.append(kernel(X, X[:50]) @ coefficients + intercepts[:, None])
    assert_near(found[1], found[0], 1e-4)


def test_a_selection_is_the_same(cluster):
    X, targets = data()
    ours = kw.KernelSelector(engine=Distributed(cluster)).fit(X, targets.labels)
    theirs = kw.KernelSelector(engine="tiled").fit(X, targets.labels)
    assert ours.best_kernel_ == theirs.best_kernel_
    assert ours.best_ridge_ == pytest.approx(theirs.best_ridge_, rel=1e-12)
    assert ours.result_.engine == "distributed"
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_a_selection_by_trials_is_the_same(cluster, monkeypatch):
    """Among more than 1,500 rows machines are compared in trials, here as without a cluster."""
    X, targets = data(n=1700)
    given = {"kernels": kw.grids.gaussian(-1, 4)}
    tried = []
    left_out = Trials.left_out

    def counted(self, kernel, ridge, *how):
        tried.append((kernel, ridge))
        return left_out(self, kernel, ridge, *how)

    monkeypatch.setattr(Trials, "left_out", counted)
    found = []
    for engine in ("tiled", Distributed(cluster)):
        fitted = kw.KernelSelector(engine=engine, **given).fit(X, targets.labels)
        found.append((fitted.best_kernel_, fitted.best_ridge_, list(tried)))
        tried.clear()
    assert found[0] == found[1] and found[0][2]


def test_low_rank_has_no_trials(cluster):
    X, targets = data()
    assert Distributed(cluster, LOW_RANK).trials(KERNELS, X, targets, 100, True) is None


def test_a_stack_is_the_same(cluster):
    X, targets = data()
    ours = kw.KernelStack(engine=Distributed(cluster)).fit(X, targets.labels)
    theirs = kw.KernelStack(engine="tiled").fit(X, targets.labels)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_parts_hold_every_tile_once():
    tiles = Tiles.of(np.zeros((500, 1)), np.repeat([0, 1], [180, 320]), 10)
    met = np.zeros((500, 500), int)
    for plan, rows in tiles.parts():
        place = np.concatenate([np.arange(span.start, span.stop) for span in rows])
        for i in range(plan.strips):
            for left, right in plan.strip(i):
                met[np.ix_(place[left.rows], place[right.rows])] += 1
    assert len(tiles.parts()) > 1
    np.testing.assert_array_equal(met + np.triu(met, 1).T >= 1, True)
    assert sum(plan.count for plan, _ in tiles.parts()) == tiles.count


@pytest.mark.parametrize("rows, odd", [(960, 0), (800, 1)])
def test_parts_are_about_as_large_as_each_other(rows, odd):
    """So that workers with as many parts end together; of an odd number of groups, one is left."""
    parts = Tiles.of(np.zeros((rows, 1)), np.zeros(rows, int), 10).parts()
    tiles = [plan.count for plan, _ in parts]
    whole = tiles[:-1] if odd else tiles
    assert max(whole) <= 1.1 * min(whole) and all(
        rest < 0.6 * max(whole) for rest in tiles[len(whole) :]
    )


def test_a_task_returns_the_lines_that_are_not_zero():
    """The rows of one class add nothing to the sums over another."""
    X, targets = data(n=400)
    plans = []

    class Looking:
        def run(self, tiles, reduction, progress=None):
            plans.append((tiles, reduction))
            return ThreadRunner(1).run(tiles, reduction)

    [gram] = kw.gram.Tiled(tile=20).grams_by(Looking(), KERNELS[:1], X, targets)
    assert gram.statistics.invalid_reason is None
    tiles, reduction = plans[0]
    expected, total, sent = ThreadRunner(1).run(tiles, reduction), reduction.zero(), 0
    for part in tiles.parts():
        cut = reduction.of_rows(part.rows)
        found = run_part((reduction, None), part.plan, cut, *(tiles.X[span] for span in part.rows))
        values = [values for array in found for _, values in array]
        assert all(lines.any(axis=1).all() for lines in values)
        sent += sum(lines.size for lines in values)
        _place(total, found, part.rows, -1)
    for ours, theirs in zip(total, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    whole = sum(array.size for array in expected)
    groups = len({part.rows[0].start for part in tiles.parts()})
    assert sent < 0.75 * groups * whole


@pytest.mark.parametrize("rows, groups", [(300, 1), (2000, 4), (20_000, 4), (60_000, 10)])
def test_parts_are_few_but_enough(rows, groups):
    """What they send back grows with the number of groups, and few workers share few parts."""
    parts = Tiles.of(np.zeros((rows, 1)), np.zeros(rows, int), 384).parts()
    assert len(parts) == groups * (groups - 1) // 2 + -(-groups // 2)


@pytest.mark.parametrize("engine", [TILED, LOW_RANK], ids=lambda e: e.name)
def test_a_client_that_is_not_the_default_one_is_used(cluster, engine):
    X, targets = data()
    with as_default(None):
        compare(engine, cluster.scheduler.address, X, targets)


def test_copies_share_the_connection(cluster):
    engine = Distributed(cluster, "low_rank")
    assert copy.deepcopy(engine) is engine
    elsewhere = pickle.loads(pickle.dumps(engine))
    assert elsewhere.client == cluster.scheduler.address and elsewhere.engine == "low_rank"


def test_what_is_not_an_engine_is_refused():
    with pytest.raises(ValueError, match="engine of Distributed must be 'auto', 'tiled'"):
        Distributed(engine="dense")
    with pytest.raises(ValueError, match="memory"):
        Distributed(memory="lots")
