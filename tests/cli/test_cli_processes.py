"""What happens to a process: killed, interrupted, no reader."""

import gzip
import json
import os
import signal
import subprocess
import sys

import pytest
from cli_helpers import flowers, run

from helpers import on_terminal
from inside import Job, KernelSelector

# A writer of texts that stops in the middle: whoever started it can then act.
SLOW_TEXT = """
import pathlib, time
def write_text(path, data, encoding):
    with open(path, "w") as file:
        file.write(data[: len(data) // 2])
        file.flush()
        print("HALF", flush=True)
        time.sleep(600)
pathlib.Path.write_text = write_text
"""
MAIN = "\nimport sys\nfrom kernelwise.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
QUICK = ["--kernels", "gaussian:0:1", "--ridge", "1"]


@pytest.fixture
def table(tmp_path):
    flowers().to_csv(tmp_path / "f.csv", index=False)
    return tmp_path / "f.csv"


def _visible(folder):
    return {entry.name for entry in folder.iterdir() if not entry.name.startswith(".")}


def test_a_kill_leaves_no_half_written_and_no_old_result_beside_a_new_model(table, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("model.skops", "result.json", "report.html"):
        (out / name).write_text("the old one")
    command = [sys.executable, "-c", SLOW_TEXT + MAIN, "select", str(table), *QUICK]
    process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline() not in ("HALF\n", ""):
        pass
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert _visible(out) == {"model.skops"}
    assert (out / "model.skops").read_bytes() != b"the old one"


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_an_interruption_while_choosing(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(KernelSelector, "fit", interrupt)
    argv = ["select", table, *QUICK, "--quiet", "--out", tmp_path / "out"]
    assert run(capsys, *argv) == (130, "", "kernelwise: interrupted.\n")
    assert list((tmp_path / "out").iterdir()) == []


def test_an_interruption_after_the_choice_keeps_it(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(Job, "score_by_all", interrupt)
    out = tmp_path / "out"
    status, said, _ = run(capsys, "select", table, *QUICK, "--out", out)
    assert status == 130
    assert said.startswith("kernel ")
    assert {entry.name for entry in out.iterdir()} == {"model.skops", "result.json", "report.html"}
    found = json.loads((out / "result.json").read_text())
    assert found["error"] is not None
    assert found["comparison"] is None


def test_an_interrupted_writer_leaves_nothing_behind(table, tmp_path, capsys, monkeypatch):
    def interrupted(path, data):
        with open(path, "wb") as file:
            file.write(data[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.write_bytes", interrupted)
    argv = ["select", table, *QUICK, "--quiet", "--out", tmp_path / "out"]
    assert run(capsys, *argv) == (130, "", "kernelwise: interrupted.\n")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_reader_that_has_had_enough_is_no_error():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", MAIN, "criteria"]
    process = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="needs /dev/stdin")
def test_a_table_from_standard_input(table):
    """No progress where nobody looks; nor does it matter what standard output knows."""
    command = [sys.executable, "-m", "kernelwise", "select", "/dev/stdin", *QUICK, "--quiet"]
    content, known = gzip.compress(table.read_bytes()), {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = subprocess.run(command, input=content, capture_output=True, check=False, env=known)
    assert (process.returncode, process.stderr) == (0, b"")
    assert process.stdout.startswith(b"kernel ")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal(table):
    """A slow selection draws something on standard error, and only there."""
    slow = """
import time
from kernelwise import KernelSelector
choose = KernelSelector.error_estimate
def slow(self, X, y):
    time.sleep(2)
    return choose(self, X, y)
KernelSelector.error_estimate = slow
"""
    out, drawn = on_terminal([sys.executable, "-c", slow + MAIN, "select", str(table), "--single"])
    assert "estimating the error" in drawn
    assert out.startswith("kernel ")
