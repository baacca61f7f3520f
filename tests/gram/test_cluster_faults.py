"""What becomes of work when workers or the scheduler fail: one sentence, or nothing."""

import os
import threading
import time

import dask
import distributed  # noqa: F401 (whose defaults must be known before they are changed)
import numpy as np
import pytest
import threadpoolctl

import kernelwise as kw
from clusters import local_cluster
from inside import Cluster, ClusterError, Distributed, KernelSums, RowBlocks, Targets, run_part

KERNELS = kw.grids.gaussian(-3, 8)


def data(n=4000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, Targets.of((X[:, 0] > 0.3).astype(int))


def fail():
    raise MemoryError("bytes")


def test_a_worker_that_is_killed_changes_nothing():
    """Not a single bit, and nobody is told."""
    X, targets = data()
    with local_cluster(2) as client:
        engine = Distributed(client, kw.gram.Tiled(tile=64))

        def products():
            return [gram.statistics.products for gram in engine.grams(KERNELS, X, targets)]

        whole = products()
        victims = client.run(os.getpid)

        def kill():
            time.sleep(0.3)
            os.kill(next(iter(victims.values())), 9)

        killer = threading.Thread(target=kill)
        killer.start()
        found = products()
        killer.join()
        alive = client.run(os.getpid, on_error="ignore")  # the scheduler may not know yet
        assert set(alive.values()) != set(victims.values())
    for ours, theirs in zip(found, whole, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_no_scheduler_at_an_address():
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9: "):
        Distributed("tcp://127.0.0.1:9").cluster.connect()
    with pytest.raises(ClusterError, match="no scheduler answers at nonsense://: check"):
        Distributed("nonsense://").cluster.connect()


def test_workers_of_another_version(cluster, monkeypatch):
    monkeypatch.setattr("kernelwise.gram.cluster._version", lambda: "9.9")
    with pytest.raises(ClusterError, match=r"and the client has 9\.9: install one version every"):
        Distributed(cluster).cluster.connect()


def test_workers_without_the_package(cluster, monkeypatch):
    monkeypatch.setattr("kernelwise.gram.cluster._PACKAGE", "kernelwise-elsewhere")
    with pytest.raises(ClusterError, match="lack the module kernelwise-elsewhere: install kernelw"):
        Distributed(cluster).cluster.connect()


def test_a_scheduler_that_was_stopped_before():
    """It is the scheduler that is missing then, not the workers."""
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), local_cluster(1) as client:
        asked = Distributed(client).cluster
        asked.connect()
        client.cluster.sync(client.cluster.scheduler.close)
        for question in (
            Distributed(client).cluster.connect,
            lambda: asked.memory,
            lambda: asked.threads,
            lambda: Distributed(client, cluster=asked).submit(len, (), [(1,)]),
        ):
            with pytest.raises(ClusterError, match=r"the scheduler tcp://\S+ is lost: start one"):
                question()


def test_a_client_that_has_noticed_the_loss_already():
    """Dask's client forgets the address then."""
    with local_cluster(1) as client:
        asked = Distributed(client).cluster
        asked.connect()
        client.close()
        assert client.scheduler is None
        for lost in (asked, Distributed(client).cluster):
            with pytest.raises(ClusterError, match=r"the scheduler tcp://\S+ is lost: start one"):
                _ = lost.memory


def missing():
    raise FileNotFoundError(2, "No such file or directory", "/data/part-0.parquet")


def test_a_file_that_a_worker_does_not_see(cluster):
    mine = Distributed(cluster).cluster
    sentence = r"could not read or write .*part-0\.parquet'\): give paths that all workers see"
    with pytest.raises(ClusterError, match=sentence):
        with kw.gram.cluster.explained(mine):
            mine.submit("read", missing).result()


def test_no_workers():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        Client(empty, set_as_default=False) as client,
    ):
        with pytest.raises(ClusterError, match="the cluster has no workers: start some"):
            Distributed(client).cluster.connect()


def test_a_worker_without_memory(cluster):
    mine = Distributed(cluster).cluster
    with pytest.raises(ClusterError, match="a worker ran out of memory: give workers more"):
        with kw.gram.cluster.explained(mine):
            mine.submit("fail", fail).result()


def test_a_task_that_kills_its_workers():
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), local_cluster(1) as client:
        mine = Distributed(client).cluster
        with pytest.raises(ClusterError, match="has lost every worker that tried it, as running"):
            with kw.gram.cluster.explained(mine):
                mine.submit("die", os._exit, 1).result()


def test_a_scheduler_that_is_lost_leaves_a_journal(tmp_path):
    X, targets = data(1200)
    path = tmp_path / "run.kwj"
    given = {"kernels": KERNELS, "journal": path, "refit": False}
    quickly = {"distributed.comm.timeouts.connect": "2s"}
    with dask.config.set(quickly), local_cluster(1) as client:
        engine = Distributed(client)
        kw.KernelSelector(engine=engine, criterion="ckta", **given).fit(X, targets.labels)
        kept = path.stat().st_size
        client.cluster.sync(client.cluster.scheduler.close)
        with pytest.raises(ClusterError, match="is lost: start one and run this again, with the"):
            kw.KernelSelector(engine=engine, criterion="sm", **given).fit(X, targets.labels)
    assert path.stat().st_size >= kept
    again = kw.KernelSelector(engine="tiled", criterion="ckta", **given).fit(X, targets.labels)
    assert again.best_kernel_ in KERNELS


def test_a_rank_that_does_not_fit_into_a_worker_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(Cluster, "memory", 4e8)
    X, targets = data()
    engine = Distributed(cluster, kw.gram.LowRank(2000))
    with pytest.raises(MemoryError, match=r"rank 2000 takes about .* of a worker and the "):
        kw.score_kernels(X, targets.labels, KERNELS[0], "eloo", engine=engine)


def test_workers_too_small_for_the_package_are_refused(cluster, monkeypatch):
    """Dask would stop them, and wait for ever."""
    monkeypatch.setattr(Cluster, "memory", 2e8)
    X, targets = data(300)
    sentence = (
        "the program takes about 300 MB of a worker and the smallest may use 200 MB: use larger"
    )
    for criterion in ("sm", "eloo"):
        with pytest.raises(MemoryError, match=sentence):
            kw.score_kernels(X, targets.labels, KERNELS, criterion, engine=Distributed(cluster))


def test_what_dask_lets_a_worker_use():
    with local_cluster(1, memory_limit="350MB") as client:
        assert Cluster(client).memory == pytest.approx(2.8e8)
        with pytest.raises(ClusterError, match="takes about 300 MB of a worker and the smallest"):
            Distributed(client).cluster.connect()


def test_a_task_uses_one_thread():
    seen = []

    class Looking(KernelSums):
        def step(self, *given):
            seen.extend(each["num_threads"] for each in threadpoolctl.threadpool_info())

    X, _ = data(300)
    blocks = RowBlocks(None, X[:5])
    run_part((Looking(kw.Gaussian(), None, 5), blocks), None, {"columns": X}, X)
    assert seen and max(seen) == 1


def test_a_cluster_of_its_own_is_stopped():
    X, targets = data(300)
    engine = Distributed(engine="tiled")
    [gram] = engine.grams(KERNELS[:1], X, targets)
    assert gram.statistics.n == 300
