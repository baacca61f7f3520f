"""Small files that ask for much: refused at once, with a way to allow it."""

import gzip
import io
import os
import time
import zipfile

import numpy as np
import pandas as pd
import pytest
from cli_helpers import flowers, run

from inside import files as _files

# Quick to choose: these tests are about files.
QUICK = ["--kernels", "gaussian:0:1", "--criterion", "sm", "--ridge", "1", "--quiet"]
GOOD = flowers().to_csv(index=False)


def refusal(status, out, err):
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("kernelwise: ")
    assert "unexpected" not in line
    return line


def test_a_table_that_unpacks_to_too_much(tmp_path, capsys):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))
    said = refusal(*run(capsys, "select", path, *QUICK, "--max-size", "1KB"))
    assert "unpacks to more than 1,000 bytes: raise --max-size if you trust it." in said
    assert run(capsys, "select", path, *QUICK, "--max-size", "1MB")[0] == 0
    assert run(capsys, "select", path, *QUICK)[0] == 0


def test_a_gzip_bomb_is_refused_by_itself(tmp_path, capsys):
    """A thousandth of what it unpacks to; the limit is reached long before all of it is."""
    path, part = tmp_path / "f.csv.gz", gzip.compress(b"1,2,3\n" * 10**7, 1)
    path.write_bytes(part * 20)
    start = time.process_time()
    assert "unpacks to more than 256 MB" in refusal(*run(capsys, "select", path))
    assert time.process_time() - start < 10


def test_very_many_short_lines_count_as_more(tmp_path, capsys):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,2\n" * 100))
    said = refusal(*run(capsys, "select", path, "--max-size", "1KB"))
    assert "more than 40 lines: raise --max-size" in said


def test_plain_files_may_have_any_size(tmp_path, capsys):
    (tmp_path / "f.csv").write_text(GOOD)
    assert run(capsys, "select", tmp_path / "f.csv", *QUICK, "--max-size", "1KB")[0] == 0


@pytest.mark.parametrize("size", ["much", "-1GB", "0", ""])
def test_a_limit_that_is_none(size, tmp_path, capsys):
    (tmp_path / "f.csv").write_text(GOOD)
    said = refusal(*run(capsys, "select", tmp_path / "f.csv", f"--max-size={size}"))
    assert "--max-size must be an amount such as '4GB'" in said


def test_parquet_of_one_value_many_times(tmp_path, capsys):
    path = tmp_path / "f.parquet"
    pd.DataFrame({"a": np.zeros(2 * 10**5), "y": np.zeros(2 * 10**5)}).to_parquet(path)
    assert path.stat().st_size < 10_000
    said = refusal(*run(capsys, "select", path, "--max-size", "3MB"))
    assert "unpacks to more than 3 MB" in said
    long = pd.DataFrame({"a": ["z" * 10**5] * 40, "y": ["u", "v"] * 20})
    long.to_parquet(path)
    assert path.stat().st_size < 10_000
    assert "more than 1 MB" in refusal(*run(capsys, "select", path, "--max-size", "1MB"))


def test_a_model_that_unpacks_to_too_much(tmp_path, capsys):
    (tmp_path / "f.csv").write_text(GOOD)
    assert run(capsys, "select", tmp_path / "f.csv", *QUICK, "--out", tmp_path)[0] == 0
    model = tmp_path / "model.skops"
    assert run(capsys, "predict", model, tmp_path / "f.csv", "--quiet")[0] == 0
    said = refusal(*run(capsys, "predict", model, tmp_path / "f.csv", "--max-size", "9KB"))
    assert "model.skops' holds more than 9,000 bytes: raise --max-size" in said
    with zipfile.ZipFile(model, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more.npy", bytes(2 * 10**6))
    assert run(capsys, "predict", model, tmp_path / "f.csv", "--quiet")[0] == 0
    said = refusal(*run(capsys, "predict", model, tmp_path / "f.csv", "--max-size", "1MB"))
    assert "unpacks to more than 1 MB" in said


def test_a_large_model_says_what_loading_it_takes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("kernelwise.cli.write.MAX_SIZE", "10KB")
    (tmp_path / "f.csv").write_text(GOOD)
    argv = [option for option in QUICK if option != "--quiet"]
    status, _, err = run(capsys, "select", tmp_path / "f.csv", *argv, "--out", tmp_path)
    assert status == 0
    [note] = [line for line in err.splitlines() if "--max-size" in line]
    size = note.rstrip(".").split()[-1]
    argv = ["predict", tmp_path / "model.skops", tmp_path / "f.csv", "--quiet", "--max-size", size]
    assert run(capsys, *argv)[0] == 0
    argv[-1] = str(int(size) - 1)
    assert "raise --max-size" in run(capsys, *argv)[2]


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


def test_models_of_an_earlier_version_name_their_columns(tmp_path, capsys):
    from inside import Wanted, load_model

    flowers().to_csv(tmp_path / "f.csv", index=False)
    assert run(capsys, "select", tmp_path / "f.csv", *QUICK, "--out", tmp_path)[0] == 0
    model = load_model(tmp_path / "model.skops")
    wanted, frame = Wanted.by(model), flowers()
    assert wanted.kinds == {"numbers": ["length", "width"], "texts": ["colour"]}
    model[0].transformers_ = [(k, t, wanted.kinds[k]) for k, t, _ in model[0].transformers_]
    assert Wanted.by(model) == wanted
    assert model.predict(frame[frame.columns[::-1]]).tolist() == model.predict(frame).tolist()


def test_too_many_columns_are_refused(tmp_path, capsys):
    path = tmp_path / "f.csv"
    path.write_text("," * 300_000 + "\n")
    assert "300,001 columns, more than 250,000" in refusal(*run(capsys, "select", path))
    names = ",".join(f"f{i}" for i in range(6000))
    path.write_text(
        f"{names},y\n" + "".join(",".join("uv"[i % 2] * 6000) + f",{i}\n" for i in (0, 1, 0, 1))
    )
    said = refusal(*run(capsys, "select", path, "--task", "classification"))
    assert "6,000 columns hold something else than numbers" in said


def test_rows_of_gaps_that_are_not_written(tmp_path, capsys):
    """Short rows, and sparse ones, stand for as many values as there are columns."""
    names = [f"f{i}" for i in range(20_000)]
    (tmp_path / "f.csv").write_text(",".join(names) + "\n" + "1\n" * 20_000)
    said = refusal(*run(capsys, "select", tmp_path / "f.csv"))
    assert "rows much shorter than its columns, 400,040,000 values in all" in said


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("command", ["select", "predict", "report"])
def test_a_pipe_without_a_writer(command, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(_files, "_PATIENCE", 0.1)
    os.mkfifo(tmp_path / "pipe")
    argv = [command, tmp_path / "pipe", *([tmp_path / "pipe"] if command == "predict" else [])]
    assert "a pipe to which nobody writes" in refusal(*run(capsys, *argv))


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


def test_unpacking_keeps_within_memory(tmp_path, capsys):
    """A file that lies about its size is not unpacked before it is found out."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.npy", bytes(10**8))
        archive.writestr("schema.json", "{}")
    data = packed.getvalue().replace((10**8).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    (tmp_path / "m.skops").write_bytes(data)
    (tmp_path / "f.csv").write_text(GOOD)
    argv = ["predict", tmp_path / "m.skops", tmp_path / "f.csv"]
    assert "is no model of kernelwise, or is damaged" in refusal(*run(capsys, *argv))
