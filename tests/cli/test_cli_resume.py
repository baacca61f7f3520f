"""kernelwise select --resume and --scheduler."""

import json

import dask
import pytest
from cli_helpers import flowers, run

from clusters import local_cluster
from inside import ClusterError, DaskRunner, Journal, features
from inside import cluster as clusters


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "flowers.csv"
    flowers(150).to_csv(path, index=False)
    return path


def test_resume_goes_on(capsys, table, tmp_path):
    out = tmp_path / "out"
    asked = "select", table, "--out", out, "--json", "--nested"
    status, plain, _ = run(capsys, *asked)
    assert status == 0 and not (out / "run.kwj").exists()
    found = []
    for _ in range(2):
        status, said, _ = run(capsys, *asked, "--resume")
        found.append(json.loads(said))
        assert status == 0
    size = len(Journal(out / "run.kwj"))
    assert size > 20
    for name in ("kernel", "ridge", "error", "nested"):
        assert found[0][name] == found[1][name] == json.loads(plain)[name]
    run(capsys, *asked, "--resume")
    assert len(Journal(out / "run.kwj")) == size


def test_resume_needs_a_folder(capsys, table):
    status, _, said = run(capsys, "select", table, "--resume")
    assert status == 2
    assert said == "kernelwise: --resume needs --out, the folder that it goes on in.\n"


def test_resume_with_another_table_is_refused(capsys, table, tmp_path):
    assert run(capsys, "select", table, "--out", tmp_path, "--resume", "--quiet")[0] == 0
    flowers(151).to_csv(table, index=False)
    status, _, said = run(capsys, "select", table, "--out", tmp_path, "--resume", "--quiet")
    assert status == 2 and "was begun with other data: give the data" in said


def test_a_cluster_chooses_the_same(capsys, table, tmp_path, cluster):
    address = cluster.scheduler.address
    asked = "select", table, "--quiet", "--json"
    _, plain, _ = run(capsys, *asked)
    status, said, _ = run(capsys, *asked, "--scheduler", address, "--out", tmp_path / "out")
    assert status == 0
    for name in ("kernel", "ridge"):
        assert json.loads(said)[name] == json.loads(plain)[name]
    status, _, _ = run(capsys, "predict", tmp_path / "out" / "model.skops", table)
    assert status == 0


def test_a_wrong_address_is_one_sentence(capsys, table, monkeypatch):
    monkeypatch.setattr(clusters, "_SECONDS_TO_CONNECT", 1)
    status, _, said = run(capsys, "select", table, "--scheduler", "tcp://127.0.0.1:9")
    assert status == 2
    assert said.startswith("kernelwise: no scheduler answers at tcp://127.0.0.1:9: check the")
    assert said.count("\n") == 1


def test_workers_of_another_version_are_one_sentence(capsys, table, monkeypatch, cluster):
    monkeypatch.setattr(clusters, "_version", lambda: "9.9")
    status, _, said = run(capsys, "select", table, "--scheduler", cluster.scheduler.address)
    assert status == 2
    assert said.startswith("kernelwise: workers have kernelwise ")
    assert said.endswith("and the client has 9.9: install one version everywhere.\n")
    assert said.count("\n") == 1


def test_workers_without_memory_are_one_sentence(capsys, table, monkeypatch, cluster):
    monkeypatch.setattr(clusters.Cluster, "memory", 2e8)
    asked = "--quiet", "--scheduler", cluster.scheduler.address
    status, _, said = run(capsys, "select", table, *asked)
    assert status == 2
    assert said == (
        "kernelwise: the program takes about 300 MB of a worker and the smallest may use 200 MB: "
        "use larger workers.\n"
    )


def test_a_scheduler_that_stops_leaves_a_journal(capsys, table, tmp_path, monkeypatch):
    """One sentence and status 2, whenever it stops; the same command then goes on."""
    asked = "select", table, "--out", tmp_path / "out", "--resume", "--quiet", "--json"
    passes, run_pass = [], DaskRunner.run
    quickly = {"distributed.comm.timeouts.connect": "1s"}
    with dask.config.set(quickly), local_cluster(1) as client:

        def until_the_third(self, *given):
            passes.append(given)
            if len(passes) == 3:
                client.cluster.sync(client.cluster.scheduler.close)
            return run_pass(self, *given)

        monkeypatch.setattr(DaskRunner, "run", until_the_third)
        status, _, said = run(capsys, *asked, "--scheduler", client.scheduler.address)
    assert status == 2 and said.count("\n") == 1
    assert said.startswith("kernelwise: the scheduler tcp://") and "is lost: start one" in said
    kept = len(Journal(tmp_path / "out" / "run.kwj"))
    assert kept > 0
    passes.clear()
    with local_cluster(1) as client:
        monkeypatch.setattr(DaskRunner, "run", run_pass)
        status, found, _ = run(capsys, *asked, "--scheduler", client.scheduler.address)
    assert status == 0
    _, plain, _ = run(capsys, "select", table, "--quiet", "--json")
    for name in ("kernel", "ridge"):
        assert json.loads(found)[name] == json.loads(plain)[name]


def test_a_scheduler_that_stops_after_the_choice(capsys, table, tmp_path, monkeypatch):
    """Model, result and report are there; the status says that something is missing."""

    def lose(*_):
        raise ClusterError("the scheduler is lost")

    monkeypatch.setattr(features, "shares", lose)
    status, _, said = run(capsys, "select", table, "--out", tmp_path / "out", "--quiet")
    assert status == 2 and said == "kernelwise: the scheduler is lost.\n"
    for name in ("model.skops", "result.json", "report.html"):
        assert (tmp_path / "out" / name).exists()
