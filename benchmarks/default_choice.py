"""How well the default chooses: test error on 20 data sets, against simpler strategies.

    .venv/bin/python benchmarks/default_choice.py [--splits 8]

Random 70/30 splits, the two largest classes, missing values set to the median, features
standardised, LSSVC with bias. Needs the data sets (KERNELWISE_DATA or ../shared/data).
"""

import argparse
import os
import pathlib
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

SETS = (
    "labor autos hepatitis wpbc sonar glass heart bupa ionosphere colic vote vehicle wdbc "
    "breast-cancer australian diabetes anneal segment tic-tac-toe german.numer"
).split()
GRID = kw.grids.gaussian()
STRATEGIES = {
    "default (SM, then leave-one-out)": {},
    "leave-one-out, all 31 widths and 7 ridges": {
        "kernels": GRID,
        "criterion": kw.criteria.ELOO("squared_hinge"),
    },
    "leave-one-out (press), ridge 1": {"kernels": GRID, "criterion": "eloo", "ridge": 1.0},
    "SM (trace, r=2), ridge 1": {"kernels": GRID, "criterion": kw.criteria.SM(r=2), "ridge": 1.0},
    "SM as printed, ridge 1": {
        "kernels": GRID,
        "criterion": kw.criteria.SM(normalizer="sum"),
        "ridge": 1.0,
    },
}


def data_folder() -> pathlib.Path:
    here = pathlib.Path(__file__).parents[2] / "shared" / "data"
    return pathlib.Path(os.environ.get("KERNELWISE_DATA", here))


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
    frame = frame[frame["target"].isin(frame["target"].value_counts().index[:2])]
    return frame.drop(columns="target").to_numpy(float), frame["target"].astype(str).to_numpy()


def error(settings: dict, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[float, float]:
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=seed)
    prepare = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    X_train, X_test = prepare.fit_transform(X_train), prepare.transform(X_test)
    start = time.perf_counter()
    selector = kw.KernelSelector(**settings).fit(X_train, y_train)
    seconds = time.perf_counter() - start
    return 100 * (1 - selector.score(X_test, y_test)), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=8)
    splits = parser.parse_args().splits
    warnings.simplefilter("ignore")  # a rare class may be missing from a split
    rows = {}
    for name in SETS:
        X, y = load(name)
        runs = {s: [error(kw_, X, y, i) for i in range(splits)] for s, kw_ in STRATEGIES.items()}
        rows[name] = {s: np.mean(r, axis=0) for s, r in runs.items()}
        print(f"{name:15}", *(f"{rows[name][s][0]:7.2f}" for s in STRATEGIES), flush=True)
    for strategy in STRATEGIES:
        mean, seconds = np.mean([rows[name][strategy] for name in SETS], axis=0)
        print(f"{mean:6.2f} %  {seconds:7.3f} s a choice  {strategy}")


if __name__ == "__main__":
    main()
