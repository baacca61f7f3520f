"""What it costs to take the gradient of a machine at some of its rows only.

    .venv/bin/python benchmarks/relevance_rows.py [--seeds 5] [--rows 1000] [--sets ...] [--out F]

A Laplacian machine is chosen on standardised training rows, every feature is scaled by the square
root of its relevance, and another one is chosen on the scaled rows; its test error, on at most
2,000 other rows, is compared between relevances at some and at all training rows. Up to ten
classes, the largest ones. Needs the data sets (KERNELWISE_DATA or ../shared/data).
"""

import argparse
import json
import time
import warnings

import numpy as np
import pandas as pd
from default_choice import data_folder
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

SETS = (
    "mnist_20k splice letter pendigits segment covtype_10k a9a w8a svmguide1 german.numer anneal "
    "tic-tac-toe cod-rna vehicle"
).split()
SAMPLES = 50, 100, 200, 500
MOST_TEST_ROWS = 2000


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
    frame = frame[frame["target"].isin(frame["target"].value_counts().index[:10])]
    return frame.drop(columns="target").to_numpy(float), frame["target"].astype(str).to_numpy()


def split(X: np.ndarray, y: np.ndarray, rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return training rows, test rows and their labels."""
    rows = min(rows, int(0.7 * len(y)))
    left, right, y_left, y_right = train_test_split(
        X, y, train_size=rows, test_size=min(MOST_TEST_ROWS, len(y) - rows), random_state=seed
    )
    prepare = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    return prepare.fit_transform(left), prepare.transform(right), y_left, y_right


def choose(X: np.ndarray, y: np.ndarray) -> kw.KernelSelector:
    return kw.KernelSelector(kernels=kw.grids.laplacian_for(X)).fit(X, y)


def measure(name: str, rows: int, seed: int) -> dict[str, dict[str, float]]:
    """Return the error, in per cent, and the seconds of the gradient, by number of its rows."""
    X, X_test, y, y_test = split(*load(name), rows, seed)
    plain = choose(X, y)
    found = {"without": {"error": 100 * (1 - plain.score(X_test, y_test)), "seconds": 0.0}}
    for some in (*SAMPLES, len(y)):
        start = time.process_time()
        M = np.sqrt(kw.relevance(plain, rows=some, random_state=seed).values)
        seconds, weights = time.process_time() - start, M / M.mean()
        error = 100 * (1 - choose(weights * X, y).score(weights * X_test, y_test))
        found["all" if some == len(y) else str(some)] = {"error": error, "seconds": seconds}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    of_sets = {}
    for name in arguments.sets:
        runs = [measure(name, arguments.rows, seed) for seed in range(arguments.seeds)]
        of_sets[name] = {
            key: {what: float(np.mean([run[key][what] for run in runs])) for what in runs[0][key]}
            for key in runs[0]
        }
        print(name, *(f"{k}: {v['error']:.2f}" for k, v in of_sets[name].items()), flush=True)
    report(of_sets, arguments.out)


def report(of_sets: dict[str, dict[str, dict[str, float]]], out: str | None) -> None:
    """Print the mean over the sets, and what some rows lose against all; write everything."""
    keys = next(iter(of_sets.values()))
    mean = {}
    for key in keys:
        errors = np.array([found[key]["error"] for found in of_sets.values()])
        lost = errors - [found["all"]["error"] for found in of_sets.values()]
        mean[key] = {"error": errors.mean(), "lost": lost.mean(), "most lost": lost.max()}
        print(f"{key:>8} {errors.mean():6.2f} % {lost.mean():+6.2f}, at most {lost.max():+.2f}")
    if out:
        with open(out, "w") as file:
            json.dump({"mean": mean, "sets": of_sets}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
