"""How often intervals and sets at level 0.9 are right, on ten real and ten class targets.

    .venv/bin/python benchmarks/intervals.py [--splits 20] [--out FILE.json]

Random splits: 70 % of the rows for training, at most 500, the others for testing, at most 1,000.
Missing values are set to the median, features standardised. Every split chooses kernel and ridge
anew by the default ``KernelSelector``. Needs the data sets (KERNELWISE_DATA or ../shared/data).
"""

import argparse
import json
import warnings

import numpy as np
import pandas as pd
from default_choice import data_folder
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

LEVEL = 0.9
REAL = "abalone bodyfat cpusmall eunite2001 housing mg mpg pyrim space_ga triazines".split()
CLASSES = (
    "australian diabetes german.numer glass heart ionosphere letter pendigits segment vehicle"
).split()
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def split(name: str, seed: int) -> Split:
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
    X, y = frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()
    y = y.astype(float) if name in REAL else y.astype(str)
    trained = min(500, int(0.7 * len(y)))
    tested = min(1000, len(y) - trained)
    X, Z, y, z = train_test_split(X, y, train_size=trained, test_size=tested, random_state=seed)
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    prepare = make_pipeline(fill, StandardScaler()).fit(X)
    return prepare.transform(X), prepare.transform(Z), y, z


def judged_intervals(
    bounds: tuple[np.ndarray, np.ndarray], y: np.ndarray, z: np.ndarray
) -> dict[str, float]:
    """Coverage, and the mean width in standard deviations of the target."""
    lower, upper = bounds
    covered = np.mean((lower <= z) & (z <= upper))
    return {"coverage": covered, "width": np.mean(upper - lower) / np.std(y)}


def judged_sets(members: np.ndarray, classes: np.ndarray, z: np.ndarray) -> dict[str, float]:
    """Coverage, the mean number of classes in a set, and the shares of empty and single ones."""
    sizes = members.sum(axis=1)
    covered = np.mean((members & (z[:, None] == classes)).any(axis=1))
    shares = {"empty": np.mean(sizes == 0), "single": np.mean(sizes == 1)}
    return {"coverage": covered, "size": np.mean(sizes), **shares}


def judged(name: str, seed: int) -> dict[str, float]:
    X, Z, y, z = split(name, seed)
    task = "regression" if name in REAL else "classification"
    selector = kw.KernelSelector(task=task, random_state=seed).fit(X, y)
    if name in REAL:
        return judged_intervals(selector.predict_interval(Z, LEVEL), y, z)
    found = judged_sets(selector.predict_set(Z, LEVEL), selector.classes_, z)
    return found | {"error": np.mean(selector.predict(Z) != z)}


def measured(names: list[str], splits: int) -> dict[str, dict[str, float]]:
    """Return the means over splits."""
    found = {}
    for name in names:
        runs = [judged(name, seed) for seed in range(splits)]
        found[name] = {what: float(np.mean([run[what] for run in runs])) for what in runs[0]}
        numbers = " ".join(f"{what} {value:.4g}" for what, value in found[name].items())
        print(f"{name:13}", numbers, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # a rare class may be missing from a split
    found = {
        "level": LEVEL,
        "splits": arguments.splits,
        "real": measured(REAL, arguments.splits),
        "classes": measured(CLASSES, arguments.splits),
    }
    for kind in ("real", "classes"):
        covered = [of["coverage"] for of in found[kind].values()]
        print(f"{kind}: mean {np.mean(covered):.4f}, least {min(covered):.4f}")
    if arguments.out:
        with open(arguments.out, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
