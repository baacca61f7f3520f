"""A folder of Parquet that is larger than all workers: choose on a sample, fit to all rows.

    .venv/bin/python benchmarks/parquet.py --folder /tmp/parquet --out benchmarks/parquet.json

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
import resource
import threading
import time

import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
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


def rows(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS_A_FILE, FEATURES))
    f = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + np.sin(2.0 * X[:, 4])
    y = (f > 0.5) ^ (rng.random(len(X)) < 0.05)
    return pd.DataFrame(X, columns=NAMES).assign(label=y.astype(np.int64))


def make(folder: pathlib.Path, files: int) -> float:
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(files):
        path = folder / f"part-{i:04d}.parquet"
        if not path.exists():
            rows(i).to_parquet(path, compression=None)
    return float(sum(path.stat().st_size for path in folder.glob("*.parquet")))


class Watch(threading.Thread):
    """The most that each process has taken, looked at five times a second."""

    def __init__(self, pids: list[int]) -> None:
        super().__init__(daemon=True)
        self._processes = [psutil.Process(pid) for pid in pids]
        self.peaks = dict.fromkeys(pids, 0)
        self.done = False

    def run(self) -> None:
        while not self.done:
            for process in self._processes:
                try:
                    size = process.memory_info().rss
                except psutil.NoSuchProcess:
                    continue
                self.peaks[process.pid] = max(self.peaks[process.pid], size)
            time.sleep(0.2)


def error(model: kw.KernelSelector, test: pd.DataFrame) -> float:
    return float(np.mean(model.predict(test[NAMES]) != test["label"].to_numpy()))


def measure(client: Client, folder: pathlib.Path, files: int) -> dict[str, object]:
    data = dd.read_parquet(sorted(folder.glob("*.parquet"))[:files])
    engine = Distributed(client)
    workers = list(client.run(os.getpid).values())
    watch = Watch(workers)
    watch.start()
    start = time.perf_counter()
    model = kw.KernelSelector(kernels=WIDTHS, engine=engine).fit(data[NAMES], data["label"])
    seconds = time.perf_counter() - start
    watch.done = True
    after = list(client.run(os.getpid).values())
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    test = rows(10**6)
    found = {
        "seconds": seconds,
        "worker_peak_bytes": sorted(watch.peaks.values()),
        "workers_lost": len(set(workers) - set(after)),
        "client_peak_bytes": own,
        "kernel": str(model.best_kernel_),
        "ridge": model.best_ridge_,
        "said": str(model.result_.notes["rows"]),
        "estimated_error": str(model.error_),
        "test_error": error(model, test),
    }
    sample, target = RemoteRows(engine.cluster, data[NAMES], data["label"]).sample(SAMPLE)
    rank = model.best_estimator_.X_fit_.shape[0]
    few = kw.KernelSelector(kernels=model.best_kernel_, engine=LowRank(rank=rank))
    few.fit(pd.DataFrame(sample, columns=NAMES), target)
    return found | {"sample_rows": len(sample), "sample_test_error": error(few, test)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp/parquet"))
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--only-make", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "parquet.json")
    args = parser.parse_args()
    size = make(args.folder, args.files)
    if args.only_make:
        return
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        found = measure(client, args.folder, args.files)
    facts = {
        "rows": args.files * ROWS_A_FILE,
        "features": FEATURES,
        "bytes_on_disk": size,
        "worker_limit_bytes": LIMIT,
        "python": platform.python_version(),
    }
    args.out.write_text(json.dumps(facts | found, indent=1) + "\n")
    print(json.dumps(facts | found, indent=1))


if __name__ == "__main__":
    main()
