"""A folder of Parquet that is larger than all workers: choose on a sample, fit to all rows.

    .venv/bin/python benchmarks/parquet.py --folder /tmp/parquet --out benchmarks/parquet.json
    .venv/bin/python benchmarks/parquet.py --folder /tmp/few --out /tmp/few.json --files 6

Stopped and started again, it goes on: with files that are missing, with the journal of the choice
and with the sums over all rows, if they were finished. Each step is written when it is known.

20 million rows of 25 features in 200 files, 4 GB: made on first use, from seeds. Two workers of one
thread each may take 700 MB; Dask ends a worker that takes more. The label is a smooth function of
five of the features, with 5 % of the labels flipped. Twelve widths; the error is that on 100,000
rows of their own, beside that of the same choice fitted to its sample alone.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import pathlib
import platform
import threading
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import kernelwise as kw
from kernelwise.gram import Distributed, LowRank
from kernelwise.gram.remote import RemoteRows
from kernelwise.selection.all_rows import SAMPLE

HERE = pathlib.Path(__file__).parent
FEATURES, ROWS_A_FILE = 25, 100_000
LIMIT = 700_000_000  # bytes a worker
NAMES = [f"x{i}" for i in range(FEATURES)]
WIDTHS = kw.grids.gaussian(1, 12)


def rows(seed: int, count: int = ROWS_A_FILE) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, FEATURES))
    f = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + np.sin(2.0 * X[:, 4])
    y = (f > 0.5) ^ (rng.random(len(X)) < 0.05)
    return pd.DataFrame(X, columns=NAMES).assign(label=y.astype(np.int64))


def make(folder: pathlib.Path, files: int, count: int) -> float:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"part-{i:04d}.parquet" for i in range(files)]
    for i, path in enumerate(paths):
        if not path.exists():
            draft = path.with_suffix(".draft")
            rows(i, count).to_parquet(draft, compression=None)
            draft.rename(path)
    return float(sum(path.stat().st_size for path in paths))


def peak(pid: int) -> int:
    """Return the most bytes that a process has had in memory, as the system counts them."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


class Watch(threading.Thread):
    """The peaks of all workers, those that are started in the place of others included."""

    def __init__(self, cluster: LocalCluster) -> None:
        super().__init__(daemon=True)
        self._cluster, self.peaks, self.done = cluster, dict[int, int](), False

    def run(self) -> None:
        while not self.done:
            for worker in list(self._cluster.workers.values()):
                pid = worker.pid
                if pid is not None:
                    self.peaks[pid] = max(self.peaks.get(pid, 0), peak(pid))
            time.sleep(0.2)


def error(model: kw.KernelSelector, test: pd.DataFrame) -> float:
    return float(np.mean(model.predict(test[NAMES]) != test["label"].to_numpy()))


def fit(client: Client, data: dd.DataFrame, journal: pathlib.Path) -> tuple[dict, object]:
    """Return what is known of the choice and the fit to all rows, and the model."""
    watch = Watch(client.cluster)
    watch.start()
    start = time.perf_counter()
    model = kw.KernelSelector(kernels=WIDTHS, engine=Distributed(client), journal=str(journal))
    model.fit(data[NAMES], data["label"])
    seconds = time.perf_counter() - start
    watch.done = True
    watch.join()
    return {
        "seconds": seconds,
        "worker_peak_bytes": sorted(watch.peaks.values()),
        "workers_lost": len(watch.peaks) - len(client.cluster.workers),
        "client_and_scheduler_peak_bytes": peak(os.getpid()),
        "kernel": str(model.best_kernel_),
        "ridge": model.best_ridge_,
        "said": str(model.result_.notes["rows"]),
        "estimated_error": str(model.error_),
    }, model


def compare(client: Client, data: dd.DataFrame, model: object, test: pd.DataFrame) -> dict:
    """Return the errors of the model, and of the same choice on the sample alone, on new rows."""
    sample, target = RemoteRows(Distributed(client).cluster, data[NAMES], data["label"]).sample(
        SAMPLE
    )
    rank = model.best_estimator_.X_fit_.shape[0]
    few = kw.KernelSelector(kernels=model.best_kernel_, engine=LowRank(rank=rank))
    few.fit(pd.DataFrame(sample, columns=NAMES), target)
    return {
        "test_rows": len(test),
        "test_error": error(model, test),
        "sample_rows": len(sample),
        "sample_test_error": error(few, test),
    }


def summary(found: dict) -> str:
    """Return what was measured beside what is asked for."""
    largest = max(found["worker_peak_bytes"])
    checks = {
        f"{found['rows']:,} rows, {found['bytes_on_disk'] / 1e9:.2f} GB on disk (4)": (
            found["bytes_on_disk"] >= 4e9
        ),
        f"a worker took {largest / 1e6:.0f} MB at most (700), {found['workers_lost']} were lost": (
            largest <= LIMIT and found["workers_lost"] == 0
        ),
    }
    lines = [f"{'holds' if holds else 'MISSED'}: {text}" for text, holds in checks.items()]
    own = found["client_and_scheduler_peak_bytes"] / 1e6
    return "\n".join(
        [
            *lines,
            f"client and scheduler together took {own:.0f} MB at most",
            f"{found['kernel']}, {found['said']}, in {found['seconds']:.0f} s",
            f"error on {found['test_rows']:,} new rows: {100 * found['test_error']:.2f} %; of the "
            f"same choice fitted to {found['sample_rows']:,} rows: "
            f"{100 * found['sample_test_error']:.2f} %",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/parquet"))
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rows", type=int, default=ROWS_A_FILE, help="of a file")
    parser.add_argument("--only-make", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "parquet.json")
    args = parser.parse_args()
    size = make(args.folder, args.files, args.rows)
    if args.only_make:
        return
    found = {
        "rows": args.files * args.rows,
        "features": FEATURES,
        "bytes_on_disk": size,
        "worker_limit_bytes": LIMIT,
        "python": platform.python_version(),
    }
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        data = dd.read_parquet(sorted(map(str, args.folder.glob("*.parquet")))[: args.files])
        known, model = fit(client, data, args.folder / "run.kwj")
        found |= known
        args.out.write_text(json.dumps(found, indent=1) + "\n")
        found |= compare(client, data, model, rows(10**6, args.rows))
    args.out.write_text(json.dumps(found, indent=1) + "\n")
    print(summary(found))


if __name__ == "__main__":
    main()
