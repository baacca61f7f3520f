"""The tiled engine against what a user would do instead, as ratios measured in one run.

    make bench            # everything, a few minutes
    .venv/bin/python benchmarks/engines.py --quick --out /tmp/engines.json

Every time is the best of three runs, the first call (which loads compiled code) left out; slow
rivals run once. The limit is a loop with the same multiplications and additions on data in cache.
"""

import argparse
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Callable

import numba
import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import kernelwise as kw
from kernelwise import criteria as c

FIRST_SWEEP = [c.SM(r=2), "kta", "ckta", "fsm", "md", "ncut", "ks"]
BOTH_SWEEPS = [*FIRST_SWEEP, c.SM(r=3)]
GRID = kw.grids.gaussian()
GAMMAS = [0.5 / kernel.tau for kernel in GRID]
MIXED = [*GRID[10:21], *kw.grids.laplacian(0, 3), *kw.grids.polynomial(1, 5), kw.Linear()]


def problem(n: int, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1.0).astype(int)


def seconds(call: Callable[[], object], repeat: int = 3) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def score(X, y, criteria, kernels=GRID, engine="tiled"):
    return kw.score_kernels(X, y, kernels, criteria, engine=engine)


@numba.njit(fastmath=True, nogil=True)
def _limit(e: np.ndarray, steps: int, rounds: int) -> float:
    """The operations of a wide step (6 a pair) on rows in cache, nothing loaded or stored."""
    total = 0.0
    for _ in range(rounds):
        for j in range(e.shape[0]):
            a = e[j]
            s = q = 0.0
            for _ in range(steps):
                aa = a * a
                s += a
                q += aa
                a = 2.0 * a + aa
            total += s + q
    return total


def limit(n: int, steps: int = 31) -> float:
    """Seconds for the ladder's arithmetic on n (n + 1) / 2 pairs by all processors."""
    e = -1e-9 * np.random.default_rng(0).random(4096)
    rounds = n * (n + 1) // 2 // e.size // (os.cpu_count() or 1)
    _limit(e, steps, 1)
    return seconds(lambda: _limit(e, steps, rounds))


def _peak(n: int, queue: multiprocessing.Queue) -> None:
    X, y = problem(n)
    score(X[:500], y[:500], FIRST_SWEEP)
    start = time.perf_counter()
    score(X, y, FIRST_SWEEP)
    queue.put((time.perf_counter() - start, _peak_kilobytes()))


def _peak_kilobytes() -> float:
    """The peak of this process alone: ru_maxrss of a spawned process begins with its parent's."""
    with open("/proc/self/status") as status:
        return float(next(line for line in status if line.startswith("VmHWM")).split()[1])


def in_a_process(n: int) -> tuple[float, float]:
    """Return seconds and peak resident megabytes of a sweep in a process of its own."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_peak, args=(n, queue))
    process.start()
    elapsed, kilobytes = queue.get()
    process.join()
    return elapsed, kilobytes / 1024


def against_searches(n: int, found: dict) -> None:
    X, y = problem(n)
    found[f"first sweep, n={n}"] = first = seconds(lambda: score(X, y, FIRST_SWEEP))
    found[f"both sweeps, n={n}"] = both = seconds(lambda: score(X, y, BOTH_SWEEPS))
    for name, search in {
        "SVC": GridSearchCV(SVC(), {"gamma": GAMMAS}, cv=5, n_jobs=2),
        "KernelRidge": GridSearchCV(KernelRidge(kernel="rbf"), {"gamma": GAMMAS}, cv=5, n_jobs=2),
    }.items():
        rival = seconds(lambda search=search: search.fit(X, y), repeat=1)
        found[f"GridSearchCV({name}), n={n}"] = rival
        found[f"ratio GridSearchCV({name}) / first sweep"] = rival / first
        found[f"ratio GridSearchCV({name}) / both sweeps"] = rival / both


def against_one_matrix(n: int, found: dict) -> None:
    X, y = problem(n)
    one = seconds(lambda: rbf_kernel(X))
    found[f"one rbf_kernel call, n={n}"] = one
    for name, criteria in (("first sweep", FIRST_SWEEP), ("both sweeps", BOTH_SWEEPS)):
        found[f"{name}, n={n}"] = mine = seconds(lambda criteria=criteria: score(X, y, criteria))
        found[f"ratio {name} / rbf_kernel"] = mine / one
    found[f"ratio first sweep / limit, n={n}"] = found[f"first sweep, n={n}"] / limit(n)


def against_dense(n: int, found: dict) -> None:
    X, y = problem(n)
    for name, kernels in (("degrees 1..10", kw.grids.polynomial(1, 10)), ("mixed grid", MIXED)):
        tiled = seconds(lambda kernels=kernels: score(X, y, BOTH_SWEEPS, kernels))
        dense = seconds(
            lambda kernels=kernels: [score(X, y, BOTH_SWEEPS, [k], "dense") for k in kernels], 1
        )
        found[f"ratio dense one by one / tiled, {name}, n={n}"] = dense / tiled


def growth(sizes: list[int], found: dict) -> None:
    runs = {n: in_a_process(n) for n in sizes}
    for n, (elapsed, megabytes) in runs.items():
        found[f"first sweep in a process of its own, n={n}"] = elapsed
        found[f"peak resident MB, n={n}"] = megabytes
    (small, (t0, _)), (large, (t1, _)) = runs.items()
    found[f"ratio to the n^2 line, {small} to {large}"] = t1 / t0 / (large / small) ** 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--out", default="benchmarks/engines.json")
    arguments = parser.parse_args()
    scale = 10 if arguments.quick else 1
    found: dict = {"processors": os.cpu_count(), "machine": platform.machine()}
    score(*problem(600), BOTH_SWEEPS, MIXED)  # load compiled code
    against_one_matrix(10_000 // scale, found)
    against_dense(4_000 // scale, found)
    growth([10_000 // scale, 50_000 // scale], found)
    against_searches(4_000 // scale, found)
    for name, value in found.items():
        print(f"{value:12.4g}  {name}" if isinstance(value, float) else f"{value!s:>12}  {name}")
    with open(arguments.out, "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
