"""The same work by threads of this process and by one and two workers of a cluster.

    make bench            # with the others; on an idle machine
    .venv/bin/python benchmarks/cluster.py --out /tmp/cluster.json
    .venv/bin/python benchmarks/cluster.py --share 0.05 --out /tmp/small.json  # a look at it

What the file has already is kept, and only the rest is measured, unless --again is given.

A sweep over 20,000 rows of ten features for 31 widths, and the second moments of 200,000 rows at
rank 1,000. Workers are processes with one thread each, and have loaded the code and seen a few rows
before. They take turns with the threads; medians, and ratios of them within one run.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import pathlib
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import kernelwise as kw
from kernelwise.gram import Distributed, Targets, Tiled
from kernelwise.gram.feature_matrix import FeatureMatrix, Sample
from kernelwise.gram.runner import ThreadRunner
from kernelwise.gram.sweep import Runner

HERE = pathlib.Path(__file__).parent
SPEED_UP, OVERHEAD, DIFFERENCE = 1.6, 0.25, 1e-12  # what is asked for
WIDTHS = kw.grids.gaussian()


def data(n: int) -> tuple[np.ndarray, Targets]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    return X, Targets.of((X[:, 0] ** 2 + X[:, 1] > 1.0).astype(int))


def sweep(runner: Runner, n: int) -> Callable[[], np.ndarray]:
    X, targets = data(n)

    def work() -> np.ndarray:
        grams = Tiled().grams_by(runner, WIDTHS, X, targets)
        return np.array([gram.statistics.row_squares for gram in grams])

    return work


def moments(runner: Runner, n: int) -> Callable[[], np.ndarray]:
    X, targets = data(n)
    sample = Sample(np.arange(1000), np.arange(1000, 2000))

    def work() -> np.ndarray:
        return FeatureMatrix(kw.Gaussian(8.0), X, targets, sample, runner=runner).second_moments

    return work


def timed(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


@contextmanager
def runners() -> Iterator[dict[str, Runner]]:
    """Start two clusters; idle workers take next to no time."""
    with ExitStack() as stack:
        found: dict[str, Runner] = {}
        for count in (1, 2):
            cluster = LocalCluster(
                n_workers=count, threads_per_worker=1, memory_limit=0, dashboard_address=":0"
            )
            client = Client(stack.enter_context(cluster), set_as_default=False)
            found[f"threads_{count}"] = ThreadRunner(count)
            found[f"workers_{count}"] = Distributed(stack.enter_context(client)).runner
        yield found


def measure(make: Callable[[Runner, int], Callable], n: int, repeats: int) -> dict[str, Any]:
    """Let threads and workers take turns, so that a slow minute of the machine meets them all."""
    results = {}
    with runners() as known:
        times: dict[str, list[float]] = {name: [] for name in known}
        work = {name: make(runner, n) for name, runner in known.items()}
        for runner in known.values():
            make(runner, min(n, 9000))()
        for turn in range(repeats + 1):
            for name in known:
                taken, results[name] = timed(work[name])
                if turn:  # rows are sent in the first
                    times[name].append(taken)
    seconds = {name: float(np.median(taken)) for name, taken in times.items()}
    largest = np.abs(results["threads_1"]).max()
    return {
        "repeats": repeats,
        **seconds,
        "speed_up_of_two_workers": seconds["workers_1"] / seconds["workers_2"],
        "overhead_of_one_worker": seconds["workers_1"] / seconds["threads_1"] - 1.0,
        "overhead_of_two_workers": seconds["workers_2"] / seconds["threads_2"] - 1.0,
        "largest_difference": max(
            float(np.abs(found - results["threads_1"]).max() / largest)
            for found in results.values()
        ),
    }


def summary(name: str, found: dict[str, float]) -> str:
    """Return what was measured beside what is asked for."""
    worst = max(found["overhead_of_one_worker"], found["overhead_of_two_workers"])
    values = {
        f"two workers {found['speed_up_of_two_workers']:.2f} times as fast as one (1.6)": (
            found["speed_up_of_two_workers"] >= SPEED_UP
        ),
        f"overhead {100 * found['overhead_of_one_worker']:.0f} % of one worker, "
        f"{100 * found['overhead_of_two_workers']:.0f} % of two (25)": worst <= OVERHEAD,
        f"largest difference {found['largest_difference']:.1e} (1e-12)": (
            found["largest_difference"] <= DIFFERENCE
        ),
    }
    lines = [f"  {'holds' if holds else 'MISSED'}: {text}" for text, holds in values.items()]
    return "\n".join([f"{name}, {found['rows']:,} rows:", *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--only", choices=["sweep", "low_rank"])
    parser.add_argument("--share", type=float, default=1.0, help="of the rows")
    parser.add_argument("--again", action="store_true", help="measure what is known as well")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "cluster.json")
    args = parser.parse_args()
    found = json.loads(args.out.read_text()) if args.out.exists() else {}
    found["python"] = platform.python_version()
    for name, make, n in (("sweep", sweep, 20_000), ("low_rank", moments, 200_000)):
        rows, is_known = int(args.share * n), name in found and not args.again
        if args.only in (None, name) and not (is_known and found[name]["rows"] == rows):
            found[name] = {"rows": rows} | measure(make, rows, args.repeats)
            args.out.write_text(json.dumps(found, indent=1) + "\n")
    for name in ("sweep", "low_rank"):
        if name in found:
            print(summary(name, found[name]))


if __name__ == "__main__":
    main()
