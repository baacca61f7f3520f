"""The default choice against the searches a user would run instead, in one run.

    make bench            # with benchmarks/engines.py
    .venv/bin/python benchmarks/searches.py [--quick] [--splits 2] [--out searches.json]

1. ``HalvingGridSearchCV(SVC, 4 C x 31 gammas, cv=5, n_jobs=2)`` on real data of 1,000 to 16,000
   rows: time, and error on 3,000 other rows (fewer where there are no more). Needs the data sets
   (KERNELWISE_DATA or ../shared/data).
2. ``GridSearchCV(KernelRidge, 31 gammas x 13 alphas, cv=5, n_jobs=2)`` on 2,000 rows against exact
   leave-one-out over the same grid, and against the default.
"""

import argparse
import json
import time
import warnings

import numpy as np
import pandas as pd
from default_choice import data_folder
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw

SETS = ("a9a", "cod-rna", "covtype_10k", "letter")
GAMMAS = [0.5 / kernel.tau for kernel in kw.grids.gaussian()]
ALPHAS = 10.0 ** np.arange(-6.0, 7.0)
TEST_ROWS = 3000
FEWEST_TEST_ROWS = 500


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a set with two classes: covertype 1 and 2, the first half of the alphabet."""
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
    y = frame["target"].astype(str).to_numpy()
    X = frame.drop(columns="target").to_numpy(float)
    if name == "covtype_10k":
        kept = np.isin(y, ["1", "2"])
        return X[kept], y[kept]
    return X, np.where(y <= "M", "A to M", "N to Z") if name == "letter" else y


def timed(call) -> tuple[object, float]:
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def against_halving(sizes: list[int], splits: int, found: dict) -> None:
    data = {name: load(name) for name in SETS}
    grid = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": GAMMAS}
    for n in sizes:
        times, errors = [], []
        for name, (X, y) in data.items():
            if len(y) < n + FEWEST_TEST_ROWS:
                continue
            for split in range(splits):
                rows = np.random.default_rng(split).permutation(len(y))
                train, test = rows[:n], rows[n : n + TEST_ROWS]
                scaler = StandardScaler().fit(X[train])
                A, B = scaler.transform(X[train]), scaler.transform(X[test])
                halving = HalvingGridSearchCV(SVC(), grid, cv=5, n_jobs=2, random_state=split)
                theirs, slow = timed(lambda: halving.fit(A, y[train]))  # noqa: B023
                ours, fast = timed(lambda: kw.KernelSelector().fit(A, y[train]))  # noqa: B023
                times.append((slow, fast))
                errors.append([100 * (1 - m.score(B, y[test])) for m in (theirs, ours)])
                print(
                    f"{n:6} {name:12} halving {slow:6.2f} s {errors[-1][0]:5.2f} %   "
                    f"default {fast:6.2f} s {errors[-1][1]:5.2f} %   "
                    f"{ours.best_kernel_} ridge {ours.best_ridge_:g}",
                    flush=True,
                )
        slow, fast = np.sum(times, axis=0)
        difference = np.diff(errors, axis=1)[:, 0]
        found[f"HalvingGridSearchCV(SVC), mean seconds, n={n}"] = slow / len(times)
        found[f"default, mean seconds, n={n}"] = fast / len(times)
        found[f"ratio Halving / default, n={n}"] = slow / fast
        found[f"mean error of Halving, %, n={n}"] = np.mean(errors, axis=0)[0]
        found[f"mean error of the default, %, n={n}"] = np.mean(errors, axis=0)[1]
        found[f"mean difference in error, n={n}"] = difference.mean()
        found[f"its standard error, n={n}"] = difference.std(ddof=1) / np.sqrt(difference.size)


def against_kernel_ridge(n: int, found: dict) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1.0).astype(int)
    signs = 2.0 * y - 1.0
    grid = {"gamma": GAMMAS, "alpha": ALPHAS}
    search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=5, n_jobs=2)
    _, slow = timed(lambda: search.fit(X, signs))
    kernels = kw.grids.gaussian()
    _, exact = timed(lambda: kw.score_kernels(X, y, kernels, "eloo", ridge=ALPHAS))
    _, fast = timed(lambda: kw.KernelSelector(kernels=kernels, ridge=list(ALPHAS)).fit(X, y))
    found[f"GridSearchCV(KernelRidge), 31 x 13, n={n}"] = slow
    found[f"exact leave-one-out, 31 x 13, n={n}"] = exact
    found[f"default cascade over the same, n={n}"] = fast
    found["ratio GridSearchCV(KernelRidge) / exact leave-one-out"] = slow / exact
    found["ratio GridSearchCV(KernelRidge) / default cascade"] = slow / fast


def second_stage(n: int, found: dict) -> None:
    """The gain of looking at few rows first over decompositions of the five survivors."""
    X, y = load("letter")
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = StandardScaler().fit_transform(X[rows]), y[rows]
    selector, fast = timed(lambda: kw.KernelSelector().fit(X, y))
    survivors = [
        kernel
        for kernel, value in zip(
            selector.result_.kernels, selector.result_.table["sm"], strict=True
        )
        if value >= np.sort(selector.result_.table["sm"])[-5]
    ]
    loss = kw.criteria.ELOO("squared_hinge")
    ridges = 10.0 ** np.arange(-4.0, 3.0)
    plain, slow = timed(lambda: kw.score_kernels(X, y, survivors, loss, ridge=ridges))
    best = float(np.nanmin(plain.table["eloo"]))
    found[f"five decompositions, n={n}"] = slow
    found[f"whole default choice and fit, n={n}"] = fast
    found[f"ratio five decompositions / whole default, n={n}"] = slow / fast
    mine = float(np.nanmin(selector.result_.table["eloo"]))
    found[f"leave-one-out of the pick over the best, n={n}"] = mine / best


def approximation(n: int, found: dict) -> None:
    """BIF against exact folds: time after the factorisation they share, and its error."""
    X, y = load("letter")
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = StandardScaler().fit_transform(X[rows]), y[rows]
    targets = kw.gram.Targets.of(y)
    [gram] = kw.gram.Dense().grams([kw.Gaussian(4.0)], X, targets)
    evidence = kw.criteria.Evidence(gram, targets)
    _, found[f"factorisation, n={n}"] = timed(lambda: evidence.fit(1.0))
    ridges = (0.1, 1.0, 10.0)
    exact = kw.criteria.KFold(5, "square")
    for order in (1, 3, 10):
        bif = kw.criteria.BIF(5, order, measure="square")
        truth, slow = timed(lambda: [np.mean(exact.value(evidence, r)) for r in ridges])
        guess, fast = timed(lambda bif=bif: [np.mean(bif.value(evidence, r)) for r in ridges])
        found[f"ratio exact folds / BIF(order={order}), n={n}"] = slow / fast
        for ridge, t, g in zip(ridges, truth, guess, strict=True):
            found[f"relative error of BIF(order={order}), ridge {ridge:g}, n={n}"] = abs(g / t - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script")
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--out", default="benchmarks/searches.json")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict = {}
    X = np.random.default_rng(0).normal(size=(800, 5))
    kw.KernelSelector().fit(X, X[:, 0] > 0.0)  # load compiled code
    sizes = [700, 1000] if arguments.quick else [1000, 2000, 4000, 8000, 16000]
    against_kernel_ridge(400 if arguments.quick else 2000, found)
    for n in [1000] if arguments.quick else [2000, 4000]:
        second_stage(n, found)
    approximation(300 if arguments.quick else 2000, found)
    against_halving(sizes, 1 if arguments.quick else arguments.splits, found)
    for name, value in found.items():
        print(f"{value:12.4g}  {name}")
    with open(arguments.out, "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
