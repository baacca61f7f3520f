"""kernelwise reproduce: runs, pages, and what cannot be run."""

import numpy as np
import pytest

from inside import main

pytestmark = pytest.mark.usefixtures("in_this_process")


@pytest.fixture
def data(data_folder):
    y = np.arange(60) % 2
    X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    return data_folder({"heart": (X, y)})


def run(capsys, *argv):
    status = main(["reproduce", *map(str, argv)])
    out, err = capsys.readouterr()
    return status, out, err


def test_what_can_be_run_is_listed(capsys):
    status, out, _ = run(capsys, "--list")
    assert status == 0
    assert {"sm-table2", "er-figure1", "leaderboard"} <= {
        line.split()[0] for line in out.split("\n") if line
    }


def test_a_table_is_run_resumed_and_paged(capsys, data, tmp_path):
    folder = tmp_path / "papers"
    asked = "er-table1", "--out", folder, "--rows", 45, "--datasets", "heart", "--quiet"
    status, out, err = run(capsys, *asked, "--repetitions", 1)
    assert status == 0 and err == ""
    assert "5-CV" in out and "written" in out
    results = folder / "results" / "er-table1-45-rows.csv"
    before = results.read_text()
    assert (folder / "er-table1-45-rows.md").is_file()
    assert (folder / "er-table1-45-rows.svg").is_file()
    status, _, _ = run(capsys, *asked, "--repetitions", 2)
    assert status == 0
    assert results.read_text().startswith(before) and results.read_text() != before
    status, out, _ = run(capsys, *asked, "--no-run")
    assert status == 0 and "loose" in out


def test_several_tables_take_what_they_have(capsys, data, tmp_path):
    folder = tmp_path / "papers"
    both = "sm-table2", "ks-table3", "--out", folder, "--rows", 45
    status, out, err = run(capsys, *both, "--datasets", "heart", "--repetitions", 1)
    assert status == 0 and "SM 2017" in out and "KS 2019" not in out
    assert "ks-table3 has none of these data sets" in err
    status, out, err = run(capsys, *both, "--no-run")
    assert status == 0 and "SM 2017" in out and "KS 2019" not in out
    assert "no results, so no page, of ks-table3" in err


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ([], "name one or more of the tables, or use --all"),
        (["--all", "sm-table2"], "name one or more of the tables, or use --all"),
        (["sm-tabel2"], "did you mean 'sm-table2'"),
        (["sm-table2", "--datasets", "heart2"], "unknown data set of sm-table2 'heart2'"),
        (["sm-table2", "--repetitions", "0"], "must be a positive integer"),
        (["sm-table2", "--rows", "two"], "a number of rows must be an integer"),
        (["sm-table2", "--no-run"], "run without --no-run"),
    ],
)
def test_what_cannot_be_run(capsys, data, tmp_path, monkeypatch, argv, sentence):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(capsys, *argv)
    assert status == 2 and out == ""
    assert sentence in err and "Traceback" not in err


def test_a_folder_that_cannot_be(capsys, data, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = run(capsys, "sm-table2", "--out", tmp_path / "file" / "x")
    assert status == 2 and "cannot be a folder" in err


def test_data_that_are_not_there(capsys, data, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWISE_DOWNLOAD", "no")
    asked = "sm-table2", "--out", tmp_path / "o", "--datasets", "sonar", "--repetitions", "1"
    status, _, err = run(capsys, *asked)
    assert status == 2 and "sonar" in err and "Traceback" not in err
