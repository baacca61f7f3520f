"""The command line in this process, and the verdict on what it says."""

import contextlib
import io
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fuzz.cases import LONGEST, Trial, Wrong, insist
from kernelwise.cli.main import main

# What numpy, scipy, pandas and Python say, and no person should have to read.
DEPTHS = re.compile(
    r"encountered in|could not be broadcast|cannot convert|could not convert|object arrays"
    r"|did not converge|must not contain infs|zero-size|out of bounds|out of range|recursion"
    r"|not supported between|has no attribute|unexpected keyword|positional argument|codec can't"
    r"|invalid literal|NoneType|ufunc|unhashable|not subscriptable|not iterable"
)
# A sentence of kernelwise may quote the reason: "... is no LIBSVM file (...): every line is ...".
QUOTED = re.compile(r"( is no [\w -]{1,40})\(.{1,300}\)(?=: )")


def run_command(trial: Trial, *argv: object) -> tuple[int, str]:
    """Run a command: done, or refused in one sentence; return its status and what it printed."""
    arguments = [str(arg) for arg in argv]
    status, out, said = _run(trial, arguments)
    insist("Traceback" not in said + out, f"prints a traceback: {said[-500:]}")
    if status not in (0, 2):
        raise Wrong(f"status {status}: {said}{_run(trial, [*arguments, '--debug'])[2]}")
    lines = [line for line in said.splitlines() if not line.startswith(("note: ", "warning: "))]
    if status == 2:
        insist(len(lines) == 1, f"not one sentence: {lines[:5]}")
        insist(lines[0].startswith("kernelwise: "), f"says {lines[0]!r}")
        insist(len(lines[0]) < LONGEST + 400, f"a long sentence: {lines[0]}")
    else:
        insist(not lines, f"done, but says {lines[:5]}")
    deep = DEPTHS.search(QUOTED.sub("", said))
    insist(deep is None, f"says {said[-500:]!r}")
    if "--json" in arguments and status == 0:
        trial.must(json.loads, out)
    return status, out


def _run(trial: Trial, arguments: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = trial.must(main, arguments)
    return status, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Give a folder that goes away."""
    with tempfile.TemporaryDirectory(prefix="kernelwise-fuzz-") as name:
        yield Path(name)
