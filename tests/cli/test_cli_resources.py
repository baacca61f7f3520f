"""Files that ask for much, and files of other kinds."""

import time
import zipfile

import numpy as np
import pandas as pd
import pytest
from cli_helpers import flowers, run

# Quick to choose: these tests are about files.
QUICK = ["--kernels", "gaussian:0:1", "--criterion", "sm", "--ridge", "1", "--quiet"]
GOOD = flowers().to_csv(index=False)


def refusal(status, out, err):
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("kernelwise: ")
    assert "unexpected" not in line
    return line


def _wide(columns, rows=12):
    names = ",".join(f"f{i}" for i in range(columns))
    lines = [",".join(["1" if (i + j) % 3 else "2" for j in range(columns)]) for i in range(rows)]
    return f"{names},y\n" + "".join(f"{line},{'ab'[i % 2]}\n" for i, line in enumerate(lines))


def test_many_columns_take_time_in_proportion(tmp_path, capsys):
    """Ten times the columns take no more than some twenty times the time, and not a hundred."""
    seconds = []
    for columns in (500, 5000):
        (tmp_path / "f.csv").write_text(_wide(columns))
        start = time.process_time()
        assert run(capsys, "select", tmp_path / "f.csv", *QUICK, "--out", tmp_path)[0] == 0
        argv = ["predict", tmp_path / "model.skops", tmp_path / "f.csv", "--quiet"]
        assert run(capsys, *argv)[0] == 0
        seconds.append(time.process_time() - start)
    assert seconds[1] < 40 * seconds[0]


def test_names_of_columns_do_not_fill_the_model(tmp_path, capsys):
    (tmp_path / "f.csv").write_text(_wide(2000))
    assert run(capsys, "select", tmp_path / "f.csv", *QUICK, "--out", tmp_path)[0] == 0
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        assert archive.getinfo("schema.json").file_size < 120_000


def test_rows_that_cannot_fit_are_refused_before_their_columns_are_prepared(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(
        "kernelwise.cli.prepare.assign_roles", lambda f: pytest.fail("work was begun")
    )
    (tmp_path / "f.csv").write_text(GOOD)
    argv = ["select", tmp_path / "f.csv", "--memory", "40KB", "--quiet"]
    assert "use --rows 31" in refusal(*run(capsys, *argv))
    (tmp_path / "f.libsvm").write_text("".join(f"{i % 2} {i + 1}:1\n" for i in range(60)))
    argv[1] = tmp_path / "f.libsvm"
    assert "use --rows 31" in refusal(*run(capsys, *argv))


def test_texts_that_become_too_many_columns(tmp_path, capsys):
    frame = pd.DataFrame({f"t{i}": np.arange(20) % 10 for i in range(200)}).astype(str) + "x"
    frame.assign(y=np.arange(20) % 2).to_csv(tmp_path / "f.csv", index=False)
    argv = ["select", tmp_path / "f.csv", "--quiet", "--memory", "200KB"]
    assert "20 rows of 2,000 columns need 320 kB and the budget is 200 kB" in refusal(
        *run(capsys, *argv)
    )


def test_sparse_rows_for_a_model_of_a_table(tmp_path, capsys):
    """A huge index in the new rows does not make a huge table of them."""
    (tmp_path / "f.csv").write_text(GOOD)
    assert run(capsys, "select", tmp_path / "f.csv", *QUICK, "--out", tmp_path)[0] == 0
    (tmp_path / "f.libsvm").write_text("".join(f"1 {i + 1}:1 999999:1\n" for i in range(5000)))
    argv = ["predict", tmp_path / "model.skops", tmp_path / "f.libsvm", "--quiet"]
    assert "lacks columns 'length', 'width', 'colour'" in refusal(*run(capsys, *argv))


def test_a_bar_of_quotes(tmp_path, capsys):
    """Fields that are never closed, or huge, end in one sentence too."""
    for content in (
        'a,b,y\n1,"' + "x" * 10**6,
        '"' * 10**6,
        "'" * 10**6 + "\n",
        "a,b\n" + "\\" * 10**6,
    ):
        (tmp_path / "f.csv").write_text(content)
        refusal(*run(capsys, "select", tmp_path / "f.csv", "--quiet"))
