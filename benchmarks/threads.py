"""One thread of linear algebra against all of them, as ratios measured in one run.

    .venv/bin/python benchmarks/threads.py
    .venv/bin/python benchmarks/threads.py --quick --out /tmp/threads.json

Every time is the least of several runs that alternate between the settings: what else runs on the
machine can only add to it. The loops of the tiled engine have all processors throughout. "By
itself" is the library's own rule. The last part times ``kernelwise select --single`` on 398 rows,
alone and beside a process for every processor that keeps it busy.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import kernelwise as kw
from kernelwise import _threads

ROWS = (300, 600, 1000, 1500, 2000, 3000)
SETTINGS = ("one", "all", "by itself")
TIMEOUT = 300  # seconds for a command that may be a hundred times slower on a busy machine
TASKS: dict[str, tuple[int, Callable]] = {  # the most rows, and what is done
    "KernelSelector().fit": (3000, lambda X, y: kw.KernelSelector().fit(X, y)),
    "LSSVC().fit": (3000, lambda X, y: kw.LSSVC(kw.Gaussian(32.0)).fit(X, y)),
    "score_kernels, leave-one-out": (
        2000,
        lambda X, y: kw.score_kernels(X, y, kw.grids.gaussian(4, 5), "eloo"),
    ),
}


def problem(n: int, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1.0).astype(int)


@contextmanager
def threads(setting: str) -> Iterator[None]:
    """Set BLAS to one or all threads, whatever the library would choose."""
    rule = _threads.ROWS_A_THREAD
    _threads.ROWS_A_THREAD = rule if setting == "by itself" else 1
    try:
        with threadpool_limits(1 if setting == "one" else None, user_api="blas"):
            yield
    finally:
        _threads.ROWS_A_THREAD = rule


def measure(call: Callable[[], object], repeat: int) -> dict[str, dict[str, float]]:
    """Return the least wall and processor seconds by setting."""
    found = {setting: {"wall": np.inf, "cpu": np.inf} for setting in SETTINGS}
    for _ in range(repeat):
        for setting in SETTINGS:
            with threads(setting):
                wall, cpu = time.perf_counter(), time.process_time()
                call()
                spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
            best = found[setting]
            found[setting] = {kind: min(best[kind], spent[kind]) for kind in best}
    return found


def by_rows(rows: tuple[int, ...], repeat: int, found: dict) -> None:
    for n in rows:
        X, y = problem(n)
        for name, (most, task) in TASKS.items():
            if n > most:
                continue
            times = measure(lambda task=task, X=X, y=y: task(X, y), repeat)
            for setting, spent in times.items():
                for kind, value in spent.items():
                    found[f"{name}, {n} rows, {setting}: {kind} seconds"] = value
            for kind in ("wall", "cpu"):
                found[f"{name}, {n} rows: {kind} time of one thread / all"] = (
                    times["one"][kind] / times["all"][kind]
                )


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep processors busy."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def command(table: Path, *jobs: str) -> dict[str, float]:
    """Return the seconds of ``kernelwise select``, infinite where it takes too long."""
    call = [sys.executable, "-m", "kernelwise", "select", str(table), "--target", "diagnosis"]
    call.append("--single")
    wall, cpu = time.perf_counter(), _cpu_of_children()
    try:
        subprocess.run(
            [*call, "--quiet", "--out", str(table.parent / "chosen"), *jobs],
            check=True,
            timeout=TIMEOUT,
            stdout=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return {"wall": np.inf, "cpu": np.inf}
    return {"wall": time.perf_counter() - wall, "cpu": _cpu_of_children() - cpu}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def on_a_busy_machine(repeat: int, found: dict) -> None:
    data = load_breast_cancer(as_frame=True)
    frame = data.data.assign(diagnosis=data.target_names[data.target])
    train, _ = train_test_split(frame, test_size=0.3, random_state=0, stratify=data.target)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "train.csv"
        train.to_csv(table, index=False)
        for name, jobs in {"all": ("--jobs", "-1"), "by itself": ()}.items():
            what = f"kernelwise select, 398 rows, {name}"
            alone = [command(table, *jobs) for _ in range(repeat)]
            with busy(os.cpu_count() or 1):
                beside = [command(table, *jobs) for _ in range(repeat)]
            for kind in ("wall", "cpu"):
                quiet, loaded = (min(run[kind] for run in runs) for runs in (alone, beside))
                found[f"{what}, alone: {kind} seconds"] = quiet
                found[f"{what}, busy: {kind} seconds"] = loaded
                found[f"{what}: {kind} time busy / alone"] = loaded / quiet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", default="benchmarks/threads.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    found: dict = {"processors": os.cpu_count(), "machine": platform.machine()}
    kw.KernelSelector().fit(*problem(800))  # load compiled code
    rows, repeat = ((300,), 1) if arguments.quick else (ROWS, arguments.repeat)
    by_rows(rows, repeat, found)
    on_a_busy_machine(min(repeat, 2), found)
    found["load average at the end"] = os.getloadavg()[0]
    for name, value in found.items():
        print(f"{value:12.4g}  {name}" if isinstance(value, float) else f"{value!s:>12}  {name}")
    with open(arguments.out, "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
