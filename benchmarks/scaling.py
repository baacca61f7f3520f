"""What sums over all rows cost, from 10^3 to 10^6 rows, and a model of it up to 10^9 on a cluster.

    .venv/bin/python benchmarks/scaling.py --out /tmp/scaling.json

Measured: processor seconds of the second moments of n rows of 25 features at rank m, with one
thread. The model, fitted to every second point and checked against the others, is

    seconds = n (a m^2 + b m d)

Then a simulation of 100 workers, event by event, on the task times of that model: times vary by a
tenth, one task in twenty takes three to ten times as long, and workers are lost at random, with
what they hold, and come back after half a minute. `--keep` takes the measured times from the file.
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
LOSSES = (0.0, 0.01, 0.1, 1.0, 3.0, 10.0)  # of every worker in an hour
AWAY = 30.0  # seconds until a lost worker is back
LONGEST = 4 * 3600.0  # seconds after which a simulated run is given up


def measured(n: int, m: int) -> float:
    """Return processor seconds, the least of three for few rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(min(n, PARTITION), FEATURES))
    y = (X[:, 0] > 0.0).astype(int)
    features = Features.of(kw.Gaussian(32.0), rng.normal(size=(m, FEATURES)))
    shared = features, Coding(np.arange(2), True)
    moments_of((X[:500], y[:500]), shared)
    times = []
    for _ in range(3 if n < PARTITION else 1):
        start = time.process_time()
        for _ in range(-(-n // PARTITION)):
            moments_of((X, y), shared)
        times.append(time.process_time() - start)
    return min(times)


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
        self._left, self._tasks, self._done, self.repeated = tasks, tasks, 0, 0
        self._events: list[tuple[float, int, str, int, int]] = []
        self._held = [0] * workers  # finished parts, added up on the worker that has them
        self._losses = [0] * workers  # how often a worker was lost
        self._busy, self._idle = set[int](), set[int]()
        self._count, self._slow = 0, 0.0

    def run(self, losses_an_hour: float, slow: float) -> float:
        """Return the seconds until all parts are done and added; infinity if that takes hours."""
        self._slow = slow
        for worker in range(self._workers):
            self._begin(0.0, worker)
            self._plan_loss(0.0, worker, losses_an_hour)
        now = 0.0
        while self._done < self._tasks:
            now, _, what, worker, losses = heapq.heappop(self._events)
            if now > LONGEST:
                return np.inf
            if what == "lost":
                self._plan_loss(now, worker, losses_an_hour)
                self._lose(now, worker)
            elif losses == self._losses[worker]:  # nothing happened to it since
                if what == "done":
                    self._held[worker] += 1
                    self._done += 1
                    self._busy.remove(worker)
                self._begin(now, worker)
        return now + self._merge * np.ceil(np.log2(self._workers))

    def _plan_loss(self, now: float, worker: int, losses_an_hour: float) -> None:
        if losses_an_hour:
            self._push(now + self._rng.exponential(3600.0 / losses_an_hour), "lost", worker)

    def _lose(self, now: float, worker: int) -> None:
        """Lose what a worker does and holds, unless it is away already."""
        if worker not in self._busy | self._idle:
            return
        again = self._held[worker] + (worker in self._busy)
        self._left += again
        self.repeated += again
        self._done -= self._held[worker]
        self._held[worker] = 0
        self._busy.discard(worker)
        self._idle.discard(worker)
        self._losses[worker] += 1
        self._push(now + AWAY, "back", worker)
        for other in sorted(self._idle):
            self._begin(now, other)

    def _begin(self, now: float, worker: int) -> None:
        self._idle.discard(worker)
        if self._left == 0:
            self._idle.add(worker)
            return
        self._left -= 1
        self._busy.add(worker)
        factor = float(np.exp(0.1 * self._rng.normal()))
        if self._rng.random() < self._slow:
            factor *= self._rng.uniform(3.0, 10.0)
        self._push(now + self._seconds * factor, "done", worker)

    def _push(self, at: float, what: str, worker: int) -> None:
        self._count += 1
        heapq.heappush(self._events, (at, self._count, what, worker, self._losses[worker]))


def simulated(constants: np.ndarray, n: int, m: int) -> list[dict[str, float | None]]:
    seconds = float(constants @ terms(PARTITION, m)) + 8.0 * PARTITION * FEATURES / READ
    tasks, merge, found = n // PARTITION, 8.0 * m * m / NETWORK, []
    for losses, slow in ((0.0, 0.0), *((losses, 0.05) for losses in LOSSES)):
        runs = [Simulation(tasks, seconds, merge, 100, seed) for seed in range(5)]
        time_taken = float(np.mean([run.run(losses, slow) for run in runs]))
        is_over = bool(np.isfinite(time_taken))
        repeated = float(np.mean([run.repeated for run in runs])) / tasks
        found.append(
            {
                "rows": n,
                "rank": m,
                "losses_a_worker_and_hour": losses,
                "slow_tasks": slow,
                "minutes": time_taken / 60.0 if is_over else None,
                "over_ideal": time_taken / (tasks * seconds / 100.0) if is_over else None,
                "parts_repeated": repeated if is_over else None,
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "scaling.json")
    parser.add_argument("--keep", action="store_true", help="measure nothing again")
    args = parser.parse_args()
    if args.keep:
        known = json.loads(args.out.read_text())["measured"]
        points = {(point["rows"], point["rank"]): point["seconds"] for point in known}
    else:
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
