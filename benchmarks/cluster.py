"""The same work by threads of this process and by one and two workers of a cluster.

    make bench            # with the others; on an idle machine
    .venv/bin/python benchmarks/cluster.py --out /tmp/cluster.json
    .venv/bin/python benchmarks/cluster.py --share 0.05 --out /tmp/small.json  # a look at it

What the file has already is kept, and only the rest is measured, unless --again is given.

A sweep over 20,000 rows of ten features for 31 widths, and the second moments of 200,000 rows at
rank 1,000. Workers are processes with one thread each, and have loaded the code and seen a few rows
before. The best of three; ratios of times within one run.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import pathlib
import platform
import time
from collections.abc import Callable

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


def timed(work: Callable[[], np.ndarray], repeats: int) -> tuple[float, np.ndarray]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
    return min(times), found


def measure(make: Callable[[Runner, int], Callable], n: int, repeats: int) -> dict[str, float]:
    seconds, results = {}, {}
    for threads in (1, 2):
        runner = ThreadRunner(threads)
        make(runner, 3000)()
        seconds[f"threads_{threads}"], results[f"threads_{threads}"] = timed(
            make(runner, n), repeats
        )
    for workers in (1, 2):
        with (
            LocalCluster(
                n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=":0"
            ) as cluster,
            Client(cluster) as client,
        ):
            runner = Distributed(client).runner
            make(runner, 9000)()
            name = f"workers_{workers}"
            seconds[name], results[name] = timed(make(runner, n), repeats)
    largest = np.abs(results["threads_1"]).max()
    return seconds | {
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
    parser.add_argument("--repeats", type=int, default=3)
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
