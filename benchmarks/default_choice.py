"""How well the default chooses: test error on 20 data sets, against other strategies.

    .venv/bin/python benchmarks/default_choice.py [--splits 10] [--svm | --stack] [--out FILE.json]

Random 70/30 splits, the two largest classes, missing values set to the median, features
standardised. Without ``--svm`` the machine is LSSVC with bias, with it scikit-learn's SVC, against
``GridSearchCV`` over the same widths and C. ``--stack`` compares the stack with the default, with
forests, boosting and grid search, on other splits (see contest.py). Needs the data sets
(KERNELWISE_DATA or ../shared/data).
"""

import argparse
import json
import os
import pathlib
import time
import warnings
from collections.abc import Callable

import contest
import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw

SETS = (
    "labor autos hepatitis wpbc sonar glass heart bupa ionosphere colic vote vehicle wdbc "
    "breast-cancer australian diabetes anneal segment tic-tac-toe german.numer"
).split()
GRID = kw.grids.gaussian()
RIDGES = 10.0 ** np.arange(-4.0, 3.0)
SCREEN = (kw.criteria.SM(r=2), 5)


def choose(**settings) -> Callable[[np.ndarray, np.ndarray], object]:
    return lambda X, y: kw.KernelSelector(**settings).fit(X, y)


def grid_search(X: np.ndarray, y: np.ndarray, n_jobs: int | None = 2) -> GridSearchCV:
    """The search a user would run, over the widths and C that the default chooses from."""
    gammas = [0.5 / kernel.tau for kernel in kw.grids.auto(X, random_state=0)]
    grid = {"gamma": gammas, "C": 0.5 / RIDGES}
    return GridSearchCV(SVC(), grid, cv=5, n_jobs=n_jobs).fit(X, y)


LEAST_SQUARES = {
    "default: SM, then leave-one-out among five": choose(),
    "5-fold CV over the same widths and ridges": choose(criterion=kw.criteria.KFold(5)),
    "leave-one-out over the same widths and ridges": choose(
        criterion=kw.criteria.ELOO("squared_hinge")
    ),
    "5-fold CV, 31 widths, ridge 1": choose(
        kernels=GRID, criterion=kw.criteria.KFold(5), ridge=1.0
    ),
    "leave-one-out (press), 31 widths, ridge 1": choose(kernels=GRID, criterion="eloo", ridge=1.0),
    "SM (trace, r=2), 31 widths, ridge 1": choose(
        kernels=GRID, criterion=kw.criteria.SM(r=2), ridge=1.0
    ),
    "SM as printed, 31 widths, ridge 1": choose(
        kernels=GRID, criterion=kw.criteria.SM(normalizer="sum"), ridge=1.0
    ),
}
SUPPORT_VECTORS = {
    "SM, then leave-one-out of least squares among five": choose(
        estimator=SVC(),
        criterion=kw.Cascade(SCREEN, (kw.criteria.ELOO("squared_hinge"), 1)),
    ),
    "SM, then 5-fold CV of the SVM among five": choose(
        estimator=SVC(), criterion=kw.Cascade(SCREEN, (kw.criteria.KFold(5), 1))
    ),
    "SM, then span among five": choose(estimator=SVC(), criterion=kw.Cascade(SCREEN, ("span", 1))),
    "GridSearchCV(SVC) over the same widths and C": grid_search,
}


def data_folder() -> pathlib.Path:
    here = pathlib.Path(__file__).parents[2] / "shared" / "data"
    return pathlib.Path(os.environ.get("KERNELWISE_DATA", here))


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
    frame = frame[frame["target"].isin(frame["target"].value_counts().index[:2])]
    return frame.drop(columns="target").to_numpy(float), frame["target"].astype(str).to_numpy()


def error(strategy, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[float, float]:
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=seed)
    prepare = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    X_train, X_test = prepare.fit_transform(X_train), prepare.transform(X_test)
    start = time.perf_counter()
    chosen = strategy(X_train, y_train)
    seconds = time.perf_counter() - start
    return 100 * (1 - chosen.score(X_test, y_test)), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--svm", action="store_true")
    parser.add_argument("--stack", action="store_true")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # a rare class may be missing from a split
    if arguments.stack:
        return stack(arguments.sets, arguments.splits, arguments.out)
    strategies = SUPPORT_VECTORS if arguments.svm else LEAST_SQUARES
    runs = {}  # sets x strategies x splits x (error, seconds)
    for name in arguments.sets:
        X, y = load(name)
        runs[name] = [
            [error(strategy, X, y, i) for i in range(arguments.splits)]
            for strategy in strategies.values()
        ]
        print(f"{name:15}", *(f"{np.mean(r, axis=0)[0]:7.2f}" for r in runs[name]), flush=True)
    report(runs, list(strategies), arguments.out)


def stack(names: list[str], splits: int, out: str | None) -> None:
    """Compare the stack; grid search, which takes longest, comes last."""
    contest.warm_up()
    record, fits = contest.Record(out), contest.models()
    record.run(load, names, fits, splits=splits)
    fits["GridSearchCV(SVC)"] = lambda X, y: grid_search(X, y, n_jobs=None)
    record.run(load, names, fits, splits=splits)
    record.found["summary"] = contest.summary(record.found["sets"])
    contest.show(record.found["summary"])
    record.save()


def report(of_sets: dict, names: list[str], out: str | None) -> None:
    """Print the means over sets, and paired differences to the first strategy."""
    runs = np.array(list(of_sets.values()))
    errors, seconds = runs[..., 0].mean(axis=2), runs[..., 1]
    found = {}
    for s, name in enumerate(names):
        difference = errors[:, s] - errors[:, 0]
        spread = difference.std(ddof=1) / np.sqrt(difference.size) if s else 0.0
        found[name] = {
            "error": errors[:, s].mean(),
            "difference": difference.mean(),
            "its standard error": spread,
            "seconds": seconds[:, s].mean(),
            "ratio of times": seconds[:, s].sum() / seconds[:, 0].sum(),
            "errors": dict(zip(of_sets, errors[:, s], strict=True)),
        }
        print(
            f"{found[name]['error']:6.2f} %  {difference.mean():+5.2f} ± {spread:4.2f}  "
            f"{found[name]['seconds']:7.3f} s ({found[name]['ratio of times']:6.1f} x)  {name}"
        )
    if out:
        with open(out, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
