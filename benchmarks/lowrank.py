"""One width, all ridges and leave-one-out at rank 1,000 against scikit-learn's features and ridge.

    make bench            # with the others
    .venv/bin/python benchmarks/lowrank.py --seeds 2 --out /tmp/lowrank.json

cod-rna, 50,000 rows to train on and the other 9,535 to test on, in five random splits. kernelwise
chooses the ridge by leave-one-out and fits; scikit-learn does so with ``Nystroem(1000)`` and
``RidgeClassifierCV`` over the same ridges, at the same width. Each runs in a process of its own
with one thread of linear algebra; times are those of the processor. Both have loaded their code and
seen a few rows before. The peak is that of the resident memory above what the data take.

Then, as rows grow: 200,000 and 10^6 rows of ten features, one width with all ridges at rank 500.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import multiprocessing
import pathlib
import platform
import time
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline

import kernelwise as kw

HERE = pathlib.Path(__file__).parent
ROWS, RANK = 50_000, 1000
KERNEL = kw.Gaussian(4.0)
RIDGES = 10.0 ** np.arange(-4.0, 3.0)
GROWING, GROWING_RANK = (200_000, 1_000_000), 500


def data_folder() -> pathlib.Path:
    return pathlib.Path(os.environ.get("KERNELWISE_DATA", HERE.parents[1] / "shared" / "data"))


def split(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    frame = pd.read_csv(data_folder() / "cod-rna.csv.gz")
    order = np.random.default_rng(seed).permutation(len(frame))
    X, y = frame.iloc[order, :-1].to_numpy(float), frame.iloc[order, -1].to_numpy()
    mean, spread = X[:ROWS].mean(axis=0), X[:ROWS].std(axis=0)
    X = (X - mean) / spread
    return X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]


def ours(rank: int) -> kw.KernelSelector:
    return kw.KernelSelector(
        kernels=KERNEL,
        criterion=kw.criteria.ELOO("squared_hinge"),
        ridge=RIDGES,
        engine=kw.gram.LowRank(rank),
    )


def theirs(rank: int) -> object:
    features = Nystroem(gamma=0.5 / KERNEL.tau, n_components=rank, random_state=0)
    return make_pipeline(features, RidgeClassifierCV(alphas=RIDGES))


MODELS = {"kernelwise": ours, "scikit-learn": theirs}


def _memory(field: str) -> float:
    """Return megabytes that this process has, or has had, in memory."""
    with open("/proc/self/status") as status:
        return float(next(line for line in status if line.startswith(field)).split()[1]) / 1024


def measure(name: str, seed: int, queue: multiprocessing.Queue) -> None:
    warnings.simplefilter("ignore")
    X, y, X_test, y_test = split(seed)
    MODELS[name](50).fit(X[:2000], y[:2000])
    before, start = _memory("VmRSS"), time.process_time()
    model = MODELS[name](RANK).fit(X, y)
    cpu, peak = time.process_time() - start, _memory("VmHWM") - before
    ridge = model.best_ridge_ if name == "kernelwise" else model[-1].alpha_
    error = 100.0 * (1.0 - model.score(X_test, y_test))
    queue.put({"cpu": cpu, "error": error, "peak_mb": peak, "ridge": float(ridge)})


def measure_growth(rows: int, seed: int, queue: multiprocessing.Queue) -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 10))
    y = (X[:, 0] * X[:, 1] + X[:, 2] ** 2 > 1.0) ^ (rng.random(rows) < 0.05)
    ours(50).fit(X[:2000], y[:2000])
    before, start = _memory("VmRSS"), time.process_time()
    ours(GROWING_RANK).fit(X, y)
    cpu, peak = time.process_time() - start, _memory("VmHWM") - before
    queue.put({"cpu": cpu, "peak_mb": peak})


def in_a_process(work: Callable[..., None], *args: object) -> dict:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=work, args=(*args, queue))
    process.start()
    found = queue.get()
    process.join()
    return found


def summary(runs: list[dict]) -> dict:
    ratios = [run["scikit-learn"]["cpu"] / run["kernelwise"]["cpu"] for run in runs]
    gaps = [run["kernelwise"]["error"] - run["scikit-learn"]["error"] for run in runs]
    return {
        "times_faster": {"mean": np.mean(ratios), "worst": min(ratios)},
        "error_less_theirs": {"mean": np.mean(gaps), "worst": max(gaps)},
        **{
            name: {key: np.mean([run[name][key] for run in runs]) for key in runs[0][name]}
            for name in MODELS
        },
    }


def growth(seeds: int) -> dict:
    runs = []
    for seed in range(seeds):
        runs.append({rows: in_a_process(measure_growth, rows, seed) for rows in GROWING})
        print(json.dumps(rounded(runs[-1])), flush=True)
    few, many = GROWING
    ratios = [run[many]["cpu"] / run[few]["cpu"] for run in runs]
    ratio = {"mean": np.mean(ratios), "worst": max(ratios)}
    return {"rank": GROWING_RANK, "ratio": ratio, "runs": runs}


def rounded(value: object) -> object:
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", default=str(HERE / "lowrank.json"))
    asked = parser.parse_args()
    runs = []
    for seed in range(asked.seeds):
        found = {name: in_a_process(measure, name, seed) for name in MODELS}
        runs.append({"seed": seed, **found})
        print(json.dumps(rounded(runs[-1])), flush=True)
    found = {
        "machine": platform.processor() or platform.machine(),
        "rows": ROWS,
        "rank": RANK,
        "kernel": str(KERNEL),
        "ridges": RIDGES.tolist(),
        "summary": summary(runs),
        "runs": runs,
        "growing_rows": growth(asked.seeds),
    }
    pathlib.Path(asked.out).write_text(json.dumps(rounded(found), indent=1) + "\n")
    print(json.dumps(rounded(found["summary"]), indent=1))
    print(json.dumps(rounded(found["growing_rows"]["ratio"])))


if __name__ == "__main__":
    main()
