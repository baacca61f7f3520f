"""kernelwise select --resume and --scheduler."""

import json

import pytest
from cli_helpers import flowers, run

from kernelwise.gram import cluster as clusters
from kernelwise.selection.journal import Journal


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
