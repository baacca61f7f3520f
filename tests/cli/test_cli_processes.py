"""What happens to a process: killed, interrupted, no reader."""

import os
import signal
import subprocess
import sys

import pytest
from cli_helpers import flowers, run

from helpers import on_terminal
from inside import Record

# A writer that stops in the middle, a chooser that never ends: whoever started it can then act.
SLOW_BYTES = """
import pathlib, time
def write_bytes(path, data):
    with open(path, "wb") as file:
        file.write(data[: len(data) // 2])
        file.flush()
        print("HALF", flush=True)
        time.sleep(600)
pathlib.Path.write_bytes = write_bytes
"""
SLOW_TEXT = (
    SLOW_BYTES.replace("write_bytes", "write_text")
    .replace('"wb"', '"w"')
    .replace("(path, data)", "(path, data, encoding)")
)
SLOW_FIT = """
import time
from kernelwise import KernelSelector
def fit(self, X, y):
    print("HALF", flush=True)
    time.sleep(600)
KernelSelector.fit = fit
"""
SLOW_COMPARISON = (
    SLOW_FIT.replace("kernelwise import KernelSelector", "kernelwise.cli.pipeline import Job")
    .replace("def fit(self, X, y)", "def slow(*_)")
    .replace("KernelSelector.fit = fit", "Job.score_by_all = slow")
)
# A shell starts jobs in the background with Ctrl-C ignored, and they hand that on: tests there too.
HEAR = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
MAIN = "\nimport sys\nfrom kernelwise.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"


@pytest.fixture
def table(tmp_path):
    flowers().to_csv(tmp_path / "f.csv", index=False)
    return tmp_path / "f.csv"


def _stopped(code, sign, *argv):
    """Run until it says HALF, send a signal, and return status, output and errors."""
    command = [sys.executable, "-c", HEAR + code + MAIN, *map(str, argv)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.stdout.readline() not in ("HALF\n", ""):
        pass
    process.send_signal(sign)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def _visible(folder):
    return {entry.name for entry in folder.iterdir() if not entry.name.startswith(".")}


@pytest.fixture
def out(tmp_path):
    """A folder with the files of an earlier choice."""
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("model.skops", "result.json", "report.html"):
        (folder / name).write_text("the old one")
    return folder


def test_a_kill_leaves_no_half_written_model(table, out):
    status, _, _ = _stopped(SLOW_BYTES, signal.SIGKILL, "select", table, "--out", out)
    assert status == -signal.SIGKILL
    assert _visible(out) == {"model.skops", "result.json", "report.html"}
    assert (out / "model.skops").read_text() == "the old one"


def test_a_kill_leaves_no_half_written_and_no_old_result_beside_a_new_model(table, out):
    status, _, _ = _stopped(SLOW_TEXT, signal.SIGKILL, "select", table, "--out", out)
    assert status == -signal.SIGKILL
    assert _visible(out) == {"model.skops"}
    assert (out / "model.skops").read_bytes() != b"the old one"


def test_an_interruption_while_choosing(table, tmp_path):
    out = tmp_path / "out"
    status, said, err = _stopped(SLOW_FIT, signal.SIGINT, "select", table, "--quiet", "--out", out)
    assert (status, said, err) == (130, "", "kernelwise: interrupted.\n")
    assert _visible(out) == set()


def test_an_interruption_after_the_choice_keeps_it(table, tmp_path):
    out = tmp_path / "out"
    status, said, err = _stopped(SLOW_COMPARISON, signal.SIGINT, "select", table, "--out", out)
    assert status == 130
    assert said.startswith("kernel ")
    assert "kernelwise report" in err
    assert "Traceback" not in err
    assert _visible(out) == {"model.skops", "result.json"}
    assert {entry.name for entry in out.iterdir()} == _visible(out)
    record = Record.from_json((out / "result.json").read_text())
    assert record.error is not None
    assert record.comparison is None


def test_an_interrupted_writer_leaves_nothing_behind(table, tmp_path, capsys, monkeypatch):
    def interrupted(path, data):
        with open(path, "wb") as file:
            file.write(data[:10])
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.write_bytes", interrupted)
    status, out, err = run(capsys, "select", table, "--quiet", "--out", tmp_path / "out")
    assert (status, out, err) == (130, "", "kernelwise: interrupted.\n")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_reader_that_has_had_enough_is_no_error():
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-c", MAIN, "criteria"]
    process = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (process.returncode, process.stderr) == (0, "")


def test_no_progress_where_nobody_looks(table):
    """Nor does it matter what characters standard output knows."""
    command = [sys.executable, "-m", "kernelwise.cli.main", "select", str(table), "--quiet"]
    known = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = subprocess.run(command, capture_output=True, text=True, check=True, env=known)
    assert process.stderr == ""
    assert process.stdout.startswith("kernel ")


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
