"""What is written: whole, inert, of one piece; and nothing that was found is lost."""

import csv
import errno
import io
import json
import os
import re
import sys

import pandas as pd
import pytest
from cli_helpers import flowers, run

from inside import inert, main

QUICK = ["--kernels", "gaussian:0:1", "--criterion", "sm", "--ridge", "1", "--quiet"]


@pytest.fixture
def table(tmp_path):
    flowers().to_csv(tmp_path / "f.csv", index=False)
    return tmp_path / "f.csv"


def full_disk(monkeypatch, *names):
    """Let the disk be full when one of these files is written."""
    from pathlib import Path

    def fail(path, write):
        def writing(self, *args, **options):
            if any(name in self.name for name in names):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(self, *args, **options)

        monkeypatch.setattr(Path, path, writing)

    fail("write_bytes", Path.write_bytes)
    fail("write_text", Path.write_text)


def said(err):
    [line] = [line for line in err.splitlines() if line.startswith("kernelwise: ")]
    return line


@pytest.mark.parametrize("name", ["model.skops", "result.json", "report.html"])
def test_a_full_disk_does_not_lose_the_choice(name, table, tmp_path, capsys, monkeypatch):
    full_disk(monkeypatch, name)
    out = tmp_path / "out"
    status, answer, err = run(capsys, "select", table, *QUICK, "--out", out)
    assert status == 2
    assert answer.startswith("kernel     Gaussian(tau=")
    assert f"{str(out / name)!r} could not be written (No space left on device)" in said(err)
    written = ["model.skops", "result.json", "report.html"]
    assert {path.name for path in out.iterdir()} == set(written[: written.index(name)])
    assert all((str(out / other) in answer) == (out / other).exists() for other in written)


def test_a_full_disk_leaves_the_earlier_files_together(table, tmp_path, capsys, monkeypatch):
    out = tmp_path / "out"
    assert run(capsys, "select", table, *QUICK, "--out", out)[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    full_disk(monkeypatch, "model.skops")
    assert run(capsys, "select", table, *QUICK, "--out", out)[0] == 2
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_full_disk_and_json(table, tmp_path, capsys, monkeypatch):
    full_disk(monkeypatch, "model.skops")
    status, answer, _ = run(capsys, "select", table, *QUICK, "--out", tmp_path, "--json")
    plain = json.loads(answer)
    assert (status, plain["files"], plain["model"]) == (2, [], None)
    assert plain["kernel"]["kernel"] == "Gaussian"


@pytest.mark.parametrize("name", ["comparison.json", "comparison.csv"])
def test_a_full_disk_does_not_lose_a_comparison(name, table, tmp_path, capsys, monkeypatch):
    full_disk(monkeypatch, name)
    argv = ["compare", table, "--kernels", "gaussian:0:1", "--criterion", "sm", "--out", tmp_path]
    status, answer, err = run(capsys, *argv)
    assert (status, "picks:" in answer) == (2, True)
    assert f"{name}' could not be written (No space left on device)" in said(err)


@pytest.mark.parametrize("name", ["bounds.json", "bounds.csv"])
def test_a_full_disk_does_not_lose_the_bounds(name, table, tmp_path, capsys, monkeypatch):
    full_disk(monkeypatch, name)
    argv = ["bounds", table, "--kernel", "gaussian:0:0", "--ridge", "1", "--rows", "20"]
    status, answer, err = run(capsys, *argv, "--out", tmp_path)
    assert (status, "assumptions that fail" in answer) == (2, True)
    assert f"{name}' could not be written (No space left on device)" in said(err)


def test_a_full_disk_does_not_lose_predictions(table, tmp_path, capsys, monkeypatch):
    run(capsys, "select", table, *QUICK, "--out", tmp_path)
    argv = ["predict", tmp_path / "model.skops", table]
    whole = run(capsys, *argv)[1]
    full_disk(monkeypatch, "p.csv")
    status, answer, err = run(capsys, *argv, "--out", tmp_path / "p.csv")
    assert (status, answer) == (2, whole)
    assert "p.csv' could not be written (No space left on device)" in said(err)
    assert not (tmp_path / "p.csv").exists()


needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@needs_full
@pytest.mark.parametrize("argv", [["criteria"], ["--version"]])
def test_standard_output_on_a_full_disk(argv, capsys, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(argv) == 2
    assert capsys.readouterr().err == (
        "kernelwise: standard output could not be written: No space left on device.\n"
    )


@needs_full
def test_notices_that_nobody_can_read(table, capsys, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        assert main(["select", str(table), *QUICK[:-1]]) == 0
    assert capsys.readouterr().out.startswith("kernel ")


@pytest.mark.parametrize("closed", [["stdout"], ["stderr"], ["stdout", "stderr"]])
def test_closed_streams_are_no_error(closed, table, capsys, monkeypatch):
    """Python has None in their places."""
    for name in closed:
        monkeypatch.setattr(sys, name, None)
    assert main(["select", str(table), *QUICK[:-1]]) == 0
    assert ("kernel " in capsys.readouterr().out) == ("stdout" not in closed)


# Cells that a spreadsheet would compute.

LABELS = ["=1+1", "+a", "-b", "@sum(a)", "'=c", "''-d", "plain", "it's", '=HYPERLINK("x","y")', "'"]


def unescaped(text):
    """As the documentation says it."""
    return re.sub(r"^'(?='*[=+\-@\t\r\n＝＋－＠])", "", text)


def test_labels_that_a_spreadsheet_would_compute(tmp_path, capsys):
    table = pd.DataFrame(
        {"x": [i // 4 for i in range(40)], "y": [LABELS[i // 4] for i in range(40)]}
    )
    table.to_csv(tmp_path / "f.csv", index=False)
    argv = ["select", tmp_path / "f.csv", "--kernels", "gaussian:-6:-6", "--ridge", "0.001"]
    assert run(capsys, *argv, "--out", tmp_path)[0] == 0
    argv = ["predict", tmp_path / "model.skops", tmp_path / "f.csv", "--proba"]
    names, *rows = csv.reader(io.StringIO(run(capsys, *argv)[1]))
    assert not any(cell[:1] in "=+@" for cell in [*names, *(row[0] for row in rows)] if cell)
    assert [row[0] for row in rows[::4]] == [
        *("'=1+1", "'+a", "'-b", "'@sum(a)", "''=c", "'''-d", "plain", "it's"),
        *('\'=HYPERLINK("x","y")', "'"),
    ]
    assert [unescaped(row[0]) for row in rows[::4]] == LABELS
    assert any(float(cell) < 0 for row in rows for cell in row[1:]), "numbers stay numbers"
    plain = json.loads(run(capsys, *argv, "--json")[1])
    assert plain["prediction"][::4] == LABELS


@pytest.mark.parametrize("labels", [[-1, 1], [-1.5, 2.5], ["-1", "+1"], ["-1.5e-3", "x"]])
def test_numbers_are_no_computations(labels, tmp_path, capsys):
    table = pd.DataFrame({"x": range(40), "y": [labels[i // 20] for i in range(40)]})
    table.to_csv(tmp_path / "f.csv", index=False)
    argv = ["select", tmp_path / "f.csv", *QUICK, "--task", "auto", "--out", tmp_path]
    assert run(capsys, *argv)[0] == 0
    out = run(capsys, "predict", tmp_path / "model.skops", tmp_path / "f.csv")[1]
    assert "'" not in out


@pytest.mark.parametrize(
    "text", ["=", "+", "-", "@x", "\t=1", "\r1", "\n1", "＝1", "-1-1", "'@", "-inf"]
)
def test_an_apostrophe_in_front_can_be_taken_away(text):
    assert inert(text) == f"'{text}"
    assert unescaped(inert(text)) == text


@pytest.mark.parametrize(
    "value", ["a=1", "", "'", "it's", "-1", "+1.5e3", ".5", "-.5", "1", -1, 2.5, None]
)
def test_other_values_stay_as_they_are(value):
    assert inert(value) is value
    if isinstance(value, str):
        assert unescaped(value) == value
