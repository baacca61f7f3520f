"""How a person waits: the bar of a choice among thousands of rows, and Ctrl-C.

    .venv/bin/python benchmarks/patience.py [--rows 8000 20000] [--interrupts 8] [--out FILE.json]

1. The default on rows of two classes. The bar is asked for its stretch whenever it moves: the
   longest pause, and the farthest that the share of the bar is from the share of the time.
2. The same in a process of its own that is interrupted (SIGINT) after a random share of that time:
   the seconds until it has ended.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

import kernelwise as kw
from kernelwise._progress import Bar
from kernelwise._sklearn import fit_inside

FEATURES = 10


def data(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a ring in two of ten features, with a tenth of the labels flipped."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, FEATURES))
    y = np.hypot(X[:, 0], X[:, 1]) > 1.2
    return X, np.where(rng.random(rows) < 0.1, ~y, y).astype(int)


class Watched(Bar):
    """A bar that draws nothing and remembers when it moved."""

    def __init__(self) -> None:
        super().__init__("fit")
        self.moves: list[tuple[float, float]] = [(time.perf_counter(), 0.0)]

    def show(self, done: float) -> None:
        if done > self.moves[-1][1]:
            self.moves.append((time.perf_counter(), done))


def watch(rows: int) -> dict[str, float]:
    """Fit under a bar; return its seconds, its longest pause, and how far it is from the time."""
    X, y = data(rows)
    selector, bar = kw.KernelSelector(), Watched()
    fit_inside(selector, bar)
    selector.fit(X, y)
    moments, shares = np.array(bar.moves).T
    moments = np.append(moments, time.perf_counter()) - moments[0]
    elapsed = moments[:-1] / moments[-1]
    return {
        "rows": rows,
        "seconds": moments[-1],
        "longest pause": np.diff(moments).max(),
        "farthest from the time": np.abs(shares - elapsed).max(),
    }


def seconds_to_end(rows: int, after: float) -> float:
    """Return the seconds from SIGINT to the end of a fit, earlier where the fit has ended."""
    while (seconds := interrupt(rows, after)) is None:
        after *= 0.7
    return seconds


def interrupt(rows: int, after: float) -> float | None:
    """Return the seconds from SIGINT to the end of a process that fits; None if it had ended."""
    command = [sys.executable, __file__, "--fit", str(rows)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()  # it has begun
    time.sleep(after)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    seconds = time.perf_counter() - start
    if "KeyboardInterrupt" not in said and process.returncode:
        raise RuntimeError(f"it was not interrupted: {said}")
    return seconds if "KeyboardInterrupt" in said else None


def fit(rows: int) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    X, y = data(rows)
    kw.KernelSelector().fit(X[:1600], y[:1600])  # load compiled code
    print("begun", flush=True)
    kw.KernelSelector().fit(X, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", type=int, default=[8000, 20000])
    parser.add_argument("--interrupts", type=int, default=8)
    parser.add_argument("--fit", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=pathlib.Path, default="benchmarks/patience.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.fit:
        return fit(arguments.fit)
    kw.KernelSelector().fit(*data(1600))  # load compiled code
    rng, found = np.random.default_rng(0), []
    for rows in arguments.rows:
        told = watch(rows)
        shares = rng.uniform(0.02, 0.7, arguments.interrupts)
        told["after Ctrl-C"] = [seconds_to_end(rows, share * told["seconds"]) for share in shares]
        print(json.dumps(told), flush=True)
        found.append(told)
        arguments.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
