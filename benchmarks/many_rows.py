"""The default choice among 16,000 to 1,000,000 rows, beside gradient boosting and halving search.

    .venv/bin/python benchmarks/many_rows.py [--seeds 3] [--quick] [--halving] [--out FILE]

Every case runs in a process of its own, which tells its peak memory. CPU seconds, ratios in one
run, errors on other rows. The synthetic labels are the sign of a random network of 200 Gaussian
bumps in ten dimensions, 5 % of them flipped: a task that kernels suit. Needs the data sets
(KERNELWISE_DATA or ../shared/data); ``--halving`` adds HalvingGridSearchCV(SVC) on the letters.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd
from default_choice import data_folder
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

CASES = (
    ("letter", 16_000),
    ("cod-rna", 50_000),
    ("skin_nonskin", 200_000),
    ("synthetic", 200_000),
    ("synthetic", 1_000_000),
)
TEST_ROWS = 20_000


def synthetic(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    fixed = np.random.default_rng(12345)  # one function for all seeds
    centers, heights = fixed.normal(size=(200, 10)), fixed.normal(size=200)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 10))
    bumps = kw.Gaussian(4.0)
    f = np.concatenate(
        [bumps(X[i : i + 20_000], centers) @ heights for i in range(0, rows, 20_000)]
    )
    y = f > np.median(f[:20_000])
    return X, np.where(rng.random(rows) < 0.05, ~y, y).astype(int)


def load(name: str, rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """Return standardised training rows, their labels, and the same of test rows."""
    if name == "synthetic":
        X, y = synthetic(rows + TEST_ROWS, seed)
    else:
        frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
        y = frame["target"].astype(str).to_numpy()
        X = frame.drop(columns="target").to_numpy(float)
        y = np.where(y <= "M", 0, 1) if name == "letter" else np.unique(y, return_inverse=True)[1]
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:rows], order[rows : rows + TEST_ROWS]
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def run(method: str, name: str, rows: int, seed: int) -> dict[str, float]:
    X, y, X_new, y_new = load(name, rows, seed)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    cpu, wall = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        machine = searched(method).fit(X, y)
    found = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "data_gb": before / 1e6,
    }
    found["error"] = 100.0 * float(np.mean(machine.predict(X_new) != y_new))
    if method == "default":
        found["landmarks"] = machine.best_estimator_.X_fit_.shape[0]
        found["estimate"] = 100.0 * machine.error_.value
        found["its_error"] = 100.0 * machine.error_.standard_error
    return found


def searched(method: str):
    if method == "default":
        return kw.KernelSelector()
    if method == "boosting":
        return HistGradientBoostingClassifier()
    from searches import GAMMAS
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV
    from sklearn.svm import SVC

    grid = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": GAMMAS}
    return HalvingGridSearchCV(SVC(), grid, cv=5, n_jobs=2, random_state=0)


def case(method: str, name: str, rows: int, seed: int) -> dict[str, float]:
    asked = [sys.executable, __file__, "--case", method, name, str(rows), str(seed)]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the two smallest only")
    parser.add_argument("--halving", action="store_true")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    if arguments.case:
        method, name, rows, seed = arguments.case
        print(json.dumps(run(method, name, int(rows), int(seed))))
        return
    found: dict[str, dict[str, float]] = {}
    for name, rows in CASES[:2] if arguments.quick else CASES:
        methods = ["boosting", "default"]
        if arguments.halving and name == "letter":
            methods.append("halving")
        for seed in range(arguments.seeds):
            for method in methods:
                key = f"{name}, {rows} rows, seed {seed}, {method}"
                found[key] = case(method, name, rows, seed)
                print(key, {k: round(v, 3) for k, v in found[key].items()}, flush=True)
                if arguments.out:
                    with open(arguments.out, "w") as file:
                        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
