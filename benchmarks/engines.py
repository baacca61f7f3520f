"""The tiled engine against what a user would do instead, as ratios measured in one run.

    make bench            # everything, a few minutes
    .venv/bin/python benchmarks/engines.py --quick --out /tmp/engines.json

Every time is the best of several runs, the first call (which loads compiled code) left out; slow
rivals run once. The limit is the time of the sweep's additions and multiplications at the rate at
which the processors do multiply-adds on data in cache.
"""

import argparse
import json
import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import kernelwise as kw
from kernelwise import criteria as c
from kernelwise.gram import _loops, dense, families, tiles

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
def _multiply_adds(x: np.ndarray, rounds: int) -> None:
    """Sixteen multiply-adds, none of which can be folded, for every load and store in cache."""
    for _ in range(rounds):
        for j in range(x.shape[0]):
            a = x[j]
            for _ in range(16):
                a = a * a - 0.5
            x[j] = a


WORKERS = os.cpu_count() or 1
ROUNDS = 40_000


def _arithmetic() -> None:
    """Let all processors multiply and add."""
    parts = [np.random.default_rng(i).random(512) for i in range(WORKERS)]
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda x: _multiply_adds(x, ROUNDS), parts))


def operations_a_pair(X: np.ndarray) -> float:
    """What the first sweep really computes for a pair: steps that are zero throughout are not."""
    G = kw.kernels.geometry.squared_distances(X[:384], X[384:768])
    reach = families.Reach(tiles.Points(X), dense.sample_pairs(X))
    [family] = families.group_kernels(GRID, reach)
    rate, halvings, _, wide, steps = family.ladder
    alive = [
        max(wide, _loops._steps_above_zero(rate * G[i : i + 4].min(), steps + 1))
        for i in range(0, len(G), 4)
    ]
    distance, exponential = 2 * X.shape[1], 10 + 2 * halvings
    # A wide step: a square, two sums, the next step by an addition and a multiply-add; a narrow
    # step: a square and two sums.
    return distance + exponential + 5 * wide + 3 * (np.mean(alive) - wide)


def limit(X: np.ndarray, elapsed: float) -> float:
    """Seconds for the arithmetic of the first sweep at the rate of `_arithmetic`."""
    pairs = len(X) * (len(X) + 1) / 2
    return pairs * operations_a_pair(X) * elapsed / (16 * 512 * WORKERS * ROUNDS)


def naive(X: np.ndarray, y: np.ndarray) -> None:
    """What one writes by hand: every kernel matrix, every formula, by numpy."""
    n = len(y)
    signs = 2.0 * y - 1.0
    H = np.eye(n) - 1.0 / n
    weights = np.where(y == 1, n / (y == 1).sum(), -n / (y == 0).sum())
    D = kw.kernels.geometry.squared_distances(X)
    for kernel in GRID:
        K = np.exp(-D / (2.0 * kernel.tau))
        K_c = H @ K @ H
        norm = np.linalg.norm(K)
        _ = signs @ K @ signs / (n * norm)  # KTA
        _ = signs @ K_c @ signs / (n * np.linalg.norm(K_c))  # CKTA
        _ = weights @ K @ weights / np.trace(K)  # SM, r = 1
        _ = weights @ K @ K @ weights / np.trace(K) ** 2  # r = 2
        _ = np.linalg.norm(K, axis=1).max()  # KS
        means = K[:, y == 1].mean(axis=1) - K[:, y == 0].mean(axis=1)
        _ = means[y == 1].std() + means[y == 0].std(), means  # FSM, MD
        _ = K[y == 1][:, y == 0].sum() / K.sum()  # Ncut


def _peak(n: int, queue: multiprocessing.Queue) -> None:
    X, y = problem(n)
    score(X[:3000], y[:3000], FIRST_SWEEP)
    elapsed = seconds(lambda: score(X, y, FIRST_SWEEP), 3 if n <= 10_000 else 1)
    queue.put((elapsed, _peak_kilobytes()))


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


def start(found: dict) -> None:
    """Time the first call in a new process, with nothing compiled yet and with the cache full."""
    program = (
        "import time; t = time.perf_counter(); import kernelwise as kw, numpy as np; "
        "u = time.perf_counter(); X = np.random.default_rng(0).normal(size=(600, 5)); "
        "kw.score_kernels(X, X[:, 0] > 0, kw.grids.gaussian(), ['sm', 'ckta'], engine='tiled'); "
        "print(u - t, time.perf_counter() - u)"
    )
    with tempfile.TemporaryDirectory() as cache:
        for name in ("nothing compiled", "compiled code on disk"):
            output = subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            ).stdout.split()
            found[f"import in a new process, {name}"] = float(output[0])
            found[f"first call in a new process, {name}"] = float(output[1])


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


def in_turns(calls: dict[str, Callable[[], object]], rounds: int = 9) -> dict[str, float]:
    """Return the best time of every call; they take turns, so that a slow spell hits all."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(seconds(call, 1))
    return {name: min(values) for name, values in times.items()}


def against_one_matrix(n: int, found: dict) -> None:
    X, y = problem(n)
    _arithmetic()
    alone = seconds(lambda: rbf_kernel(X), 5)  # faster than in turns: its memory stays warm
    best = in_turns(
        {
            "first sweep": lambda: score(X, y, FIRST_SWEEP),
            "both sweeps": lambda: score(X, y, BOTH_SWEEPS),
            "limit": _arithmetic,
        }
    )
    best["one rbf_kernel call"] = min(alone, seconds(lambda: rbf_kernel(X), 5))
    found[f"limit of the first sweep, n={n}"] = least = limit(X, best.pop("limit"))
    found |= {f"{name}, n={n}": value for name, value in best.items()}
    for name in ("first sweep", "both sweeps"):
        found[f"ratio {name} / rbf_kernel"] = best[name] / best["one rbf_kernel call"]
    found["ratio first sweep / limit"] = best["first sweep"] / least


def against_dense(n: int, found: dict) -> None:
    X, y = problem(n)
    for name, kernels in (("degrees 1..10", kw.grids.polynomial(1, 10)), ("mixed grid", MIXED)):
        tiled = seconds(lambda kernels=kernels: score(X, y, BOTH_SWEEPS, kernels))
        dense = seconds(
            lambda kernels=kernels: [score(X, y, BOTH_SWEEPS, [k], "dense") for k in kernels], 1
        )
        found[f"ratio dense one by one / tiled, {name}, n={n}"] = dense / tiled


def against_numpy(n: int, found: dict) -> None:
    X, y = problem(n)
    found[f"naive numpy, n={n}"] = rival = seconds(lambda: naive(X, y), 1)
    found["ratio naive numpy / first sweep"] = rival / seconds(lambda: score(X, y, FIRST_SWEEP))


def growth_with_features_and_kernels(n: int, found: dict) -> None:
    base = None
    for d in (5, 20, 60, 200):
        X, y = problem(n, d)
        elapsed = seconds(lambda X=X, y=y: score(X, y, FIRST_SWEEP))
        base = base or elapsed
        found[f"time relative to 5 features, d={d}"] = elapsed / base
    X, y = problem(n)
    base = None
    for kernels in (1, 8, 31, 61):
        grid = kw.grids.gaussian(5 - kernels // 2, 5 + (kernels - 1) // 2)
        elapsed = seconds(lambda grid=grid: score(X, y, FIRST_SWEEP, grid))
        base = base or elapsed
        found[f"time relative to 1 width, {kernels} widths"] = elapsed / base


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
    score(*problem(800), BOTH_SWEEPS, MIXED)  # load compiled code
    start(found)
    against_one_matrix(10_000 // scale, found)
    against_dense(4_000 // scale, found)
    growth([10_000 // scale, 50_000 // scale], found)
    growth_with_features_and_kernels(4_000 // scale, found)
    against_numpy(4_000 // scale, found)
    against_searches(4_000 // scale, found)
    for name, value in found.items():
        print(f"{value:12.4g}  {name}" if isinstance(value, float) else f"{value!s:>12}  {name}")
    with open(arguments.out, "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
