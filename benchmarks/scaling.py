"""What sums over all rows cost, from 10^3 to 10^6 rows, and a model of it up to 10^9 on a cluster.

    .venv/bin/python benchmarks/scaling.py --out /tmp/scaling.json

Measured: processor seconds of the second moments of n rows of 25 features at rank m, with one
thread. The model, fitted to every second point and checked against the others, is

    seconds = n (a m^2 + b m d)

Then a simulation of 100 workers, event by event, on the task times of that model: times vary by a
tenth, one task in twenty takes three to ten times as long, and workers are lost at random, with
what they hold, and come back after half a minute.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import heapq
import json
import pathlib
import time

import numpy as np

import kernelwise as kw
from kernelwise.gram.features import Features
from kernelwise.gram.remote import Coding, moments_of

HERE = pathlib.Path(__file__).parent
FEATURES, PARTITION = 25, 100_000
POINTS = ((1_000, 250), (1_000, 500), (10_000, 250), (10_000, 500), (100_000, 250), (100_000, 500),
          (100_000, 1000), (1_000_000, 250))  # fmt: skip
NETWORK = 1e9  # bytes a second
PRICE = 0.04  # dollars an hour of one processor
READ = 3e8  # bytes a second and processor, from Parquet


def measured(n: int, m: int) -> float:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(min(n, PARTITION), FEATURES))
    y = (X[:, 0] > 0.0).astype(int)
    features = Features.of(kw.Gaussian(32.0), rng.normal(size=(m, FEATURES)))
    shared = features, Coding(np.arange(2), True)
    moments_of((X[:500], y[:500]), shared)
    start = time.process_time()
    for _ in range(-(-n // PARTITION)):
        moments_of((X, y), shared)
    return time.process_time() - start


def terms(n: int, m: int) -> list[float]:
    return [float(n) * m * m, float(n) * m * FEATURES]


def fitted(points: dict[tuple[int, int], float]) -> np.ndarray:
    """Return the constants, by least squares of relative errors."""
    A = np.array([terms(*place) for place in points])
    t = np.array(list(points.values()))
    return np.linalg.lstsq(A / t[:, None], np.ones(len(t)), rcond=None)[0]


def predicted(constants: np.ndarray, n: float, m: int) -> dict[str, float]:
    """Return what a pass over n rows takes, at a rank of m, from Parquet."""
    cpu = float(constants @ terms(n, m)) + 8.0 * n * FEATURES / READ
    tasks = -(-n // PARTITION)
    return {
        "rows": n,
        "rank": m,
        "tasks": tasks,
        "cpu_hours": cpu / 3600.0,
        "dollars": PRICE * cpu / 3600.0,
        "hours_on_100_workers": cpu / 3600.0 / 100.0,
        "traffic_gb": tasks * 8.0 * m * m / 1e9,
        "worker_mb": (8.0 * (4 * m * m + 3 * PARTITION * (FEATURES + 1))) / 1e6,
    }


class Simulation:
    """A pass over partitions by workers that are slow at times, and get lost."""

    def __init__(self, tasks: int, seconds: float, merge: float, workers: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._seconds, self._merge, self._workers = seconds, merge, workers
        self._left, self._tasks, self.repeated = tasks, tasks, 0
        self._events: list[tuple[float, int, str, int]] = []
        self._held = [0] * workers  # finished parts, added up on the worker that has them
        self._alive = [0] * workers  # how often a worker was lost
        self._count = 0

    def run(self, losses_an_hour: float, slow: float) -> float:
        """Return the seconds until all parts are done and added."""
        for worker in range(self._workers):
            self._begin(0.0, worker, slow)
            if losses_an_hour:
                gap = self._rng.exponential(3600.0 / losses_an_hour)
                self._push(gap, "lost", worker)
        now, done = 0.0, 0
        while done < self._tasks:
            now, _, what, worker = heapq.heappop(self._events)
            if what == "lost":
                done -= self._lose(worker)
                self._push(now + 30.0, "back", worker)
                self._push(now + self._rng.exponential(3600.0 / losses_an_hour), "lost", worker)
            elif what == "back":
                self._begin(now, worker, slow)
            elif what == f"done {self._alive[worker]}":
                self._held[worker] += 1
                done += 1
                self._begin(now, worker, slow)
        return now + self._merge * np.ceil(np.log2(self._workers))

    def _lose(self, worker: int) -> int:
        lost = self._held[worker]
        self._held[worker] = 0
        self._alive[worker] += 1
        self._left += lost + 1
        self.repeated += lost + 1
        return lost

    def _begin(self, now: float, worker: int, slow: float) -> None:
        if self._left == 0:
            self._push(now + 1.0, "back", worker)  # something may come back
            return
        self._left -= 1
        factor = float(np.exp(0.1 * self._rng.normal()))
        if self._rng.random() < slow:
            factor *= self._rng.uniform(3.0, 10.0)
        self._push(now + self._seconds * factor, f"done {self._alive[worker]}", worker)

    def _push(self, at: float, what: str, worker: int) -> None:
        self._count += 1
        heapq.heappush(self._events, (at, self._count, what, worker))


def simulated(constants: np.ndarray, n: int, m: int) -> list[dict[str, float]]:
    seconds = float(constants @ terms(PARTITION, m)) + 8.0 * PARTITION * FEATURES / READ
    tasks, merge, found = n // PARTITION, 8.0 * m * m / NETWORK, []
    for losses, slow in ((0.0, 0.0), (0.0, 0.05), (0.01, 0.05), (0.1, 0.05)):
        runs = [Simulation(tasks, seconds, merge, 100, seed) for seed in range(5)]
        times = [run.run(losses, slow) for run in runs]
        found.append(
            {
                "rows": n,
                "rank": m,
                "losses_a_worker_and_hour": losses,
                "slow_tasks": slow,
                "minutes": float(np.mean(times)) / 60.0,
                "over_ideal": float(np.mean(times)) / (tasks * seconds / 100.0),
                "parts_repeated": float(np.mean([run.repeated for run in runs])) / tasks,
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "scaling.json")
    args = parser.parse_args()
    points = {place: measured(*place) for place in POINTS}
    constants = fitted(dict(list(points.items())[::2]))
    report = {
        "constants": constants.tolist(),
        "measured": [
            {"rows": n, "rank": m, "seconds": t, "model": float(constants @ terms(n, m))}
            for (n, m), t in points.items()
        ],
        "model": [predicted(constants, 10**k, m) for k in range(6, 10) for m in (500, 1000)],
        "simulation": simulated(constants, 10**8, 1000) + simulated(constants, 10**9, 1000),
    }
    args.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
