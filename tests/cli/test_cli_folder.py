"""kernelwise select on a folder of Parquet files."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_helpers import run

from inside import all_rows, collection

N, SAMPLE = 4000, 1200


def frame(task="classification", seed=0):
    """Numbers of different sizes with gaps, a text, and targets of which some are missing."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(100.0, 50.0, N), rng.choice(["red", "blue", "green"], N)
    weight, noise = rng.normal(size=N), rng.normal(size=N)
    f = ((size - 100.0) / 50.0) ** 2 + weight + (colour == "red") + 0.2 * noise
    y = f if task == "regression" else np.where(f > 1.2, "yes", "no")
    table = pd.DataFrame({"size": size, "weight": weight, "colour": colour, "label": y})
    table.loc[rng.random(N) < 0.02, "weight"] = np.nan
    table.loc[rng.random(N) < 0.01, "label"] = None
    return table


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for module in (all_rows, collection):
        monkeypatch.setattr(module, "SAMPLE", SAMPLE)
    monkeypatch.setattr(all_rows, "_RANKS", (150,))


def folder_of(table, path, files=5):
    path.mkdir()
    for i, part in enumerate(np.array_split(np.arange(len(table)), files)):
        table.iloc[part].to_parquet(path / f"part-{i}.parquet")
    return path


@pytest.mark.parametrize("options", [[], ["--single"]], ids=str)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_all_is_written_as_for_a_table(capsys, tmp_path, cluster, task, options):
    table, out = frame(task), tmp_path / "out"
    asked = "select", folder_of(table, tmp_path / "rows"), "--out", out, "--json", *options
    status, said, notes = run(capsys, *asked, "--scheduler", cluster.scheduler.address)
    assert status == 0, notes
    found = json.loads(said)
    known = int(table["label"].notna().sum())
    assert found["data"]["rows"] == known and found["data"]["features"] == 3
    assert "rows stay on the workers, which prepare them by a sample of 1,2" in notes
    assert [name in notes for name in ("'colour' (3)", "standardised", "median")] == [True] * 3
    method = found["error"]["method"]
    assert method == "held-out rows"
    for name in ("model.skops", "result.json", "report.html"):
        assert (out / name).exists()
    new = frame(task, seed=1).dropna(subset="label")
    new.drop(columns="label").to_csv(tmp_path / "new.csv", index=False)
    status, predicted, _ = run(capsys, "predict", out / "model.skops", tmp_path / "new.csv")
    assert status == 0
    values = pd.read_csv(pd.io.common.StringIO(predicted)).iloc[:, 0].to_numpy()
    if task == "regression":
        assert np.mean((values - new["label"].astype(float)) ** 2) < 0.2 * new["label"].var()
        assert sum(found["residuals"]["counts"]) == SAMPLE // 10
        return
    error = np.mean(values != new["label"])
    assert error < 0.12 and abs(error - found["error"]["value"]) < 0.06
    assert 100 <= sum(found["confusion"]["counts"].values()) <= SAMPLE // 10


def test_the_machine_has_seen_all_rows(capsys, tmp_path, cluster, monkeypatch):
    """As many as have a target: sums over ones count them."""
    seen = []
    solved = all_rows.solved

    def noted(features, moments, ridge):
        seen.append(moments.inner[-1, -1])
        return solved(features, moments, ridge)

    monkeypatch.setattr(all_rows, "solved", noted)
    table = frame()
    asked = "select", folder_of(table, tmp_path / "rows"), "--single", "--quiet"
    assert run(capsys, *asked, "--scheduler", cluster.scheduler.address)[0] == 0
    assert seen[-1] == table["label"].notna().sum()


def test_a_cluster_is_started_where_none_is_named(capsys, tmp_path):
    asked = "select", folder_of(frame(), tmp_path / "rows"), "--single", "--quiet", "--json"
    out = "--out", tmp_path / "out", "--resume"
    status, said, _ = run(capsys, *asked, *out)
    assert status == 0
    size = (tmp_path / "out" / "run.kwj").stat().st_size
    status, again, _ = run(capsys, *asked, *out)
    assert status == 0 and (tmp_path / "out" / "run.kwj").stat().st_size == size
    for name in ("kernel", "ridge", "error"):
        assert json.loads(again)[name] == json.loads(said)[name]


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["--groups", "a"], "a folder of Parquet files does not go with --groups: leave it out."),
        (["--nested"], "a folder of Parquet files does not go with --nested: leave it out."),
        (["--rows", "50"], "a folder of Parquet files does not go with --rows: leave it out."),
        (["--machine", "svm"], "does not go with --machine svm: leave it out."),
        (["--class-weight", "balanced"], "does not go with --class-weight: leave it out."),
        (["--format", "csv"], "does not go with --format csv: leave it out."),
    ],
)
def test_options_that_do_not_go_with_it(capsys, tmp_path, options, sentence):
    status, _, said = run(capsys, "select", folder_of(frame(), tmp_path / "rows"), *options)
    assert status == 2 and sentence in said and said.count("\n") == 1


def test_a_folder_without_tables(capsys, tmp_path, cluster):
    status, _, said = run(capsys, "select", tmp_path)
    assert status == 2
    assert said.endswith("is a directory without Parquet files: give some, or a file.\n")
    (tmp_path / "part-0.parquet").write_text("no table")
    asked = "--scheduler", cluster.scheduler.address
    status, _, said = run(capsys, "select", tmp_path, *asked)
    assert status == 2 and said.endswith("has files that are no Parquet, or are damaged.\n")


def test_other_commands_take_files(capsys, tmp_path):
    status, _, said = run(capsys, "compare", tmp_path)
    assert status == 2 and said.endswith("is a folder, which only 'kernelwise select' takes.\n")


def test_a_target_without_values(capsys, tmp_path, cluster):
    rows = folder_of(frame().assign(label=np.nan), tmp_path / "rows")
    status, _, said = run(capsys, "select", rows, "--scheduler", cluster.scheduler.address)
    assert status == 2 and "the target 'label' has no values: name another column" in said
