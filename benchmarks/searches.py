"""The default choice against the searches a user would run instead, in one run.

    make bench            # with benchmarks/engines.py
    .venv/bin/python benchmarks/searches.py [--quick] [--splits 5] [--sizes 4000] [--only-halving]
        [--default-again] [--sets letter] [--out searches.json]

1. ``HalvingGridSearchCV(SVC, 4 C x 31 gammas, cv=5, n_jobs=2)`` on real data of 1,000 to 16,000
   rows: time, and error on as many other rows, at least 3,000 (fewer where there are no more).
   Needs the data sets (KERNELWISE_DATA or ../shared/data).
2. ``GridSearchCV(KernelRidge, 31 gammas x 13 alphas, cv=5, n_jobs=2)`` on 2,000 rows against exact
   leave-one-out over the same grid, and against the default.

Runs against halving that the file has are not repeated. After a change of the library,
`--default-again` repeats what the default did in them, on the same machine as before; to measure
both again, remove the file.
"""

import argparse
import itertools
import json
import pathlib
import time
import warnings
from collections.abc import Callable

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
TEST_ROWS = 3000  # at least
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


def against_halving(asked: argparse.Namespace, found: dict, save: Callable) -> None:
    """Measure what is missing; runs are kept one by one."""
    runs = found.setdefault("runs", [])
    known = {(run["rows"], run["set"], run["split"]): run for run in runs}
    for n, name in itertools.product(asked.sizes, asked.sets):
        X, y = load(name)
        for split in range(asked.splits if len(y) >= n + FEWEST_TEST_ROWS else 0):
            run = known.get((n, name, split))
            if run is None:
                run = {"rows": n, "set": name, "split": split}
                runs.append(run)
            elif not asked.default_again:
                continue
            add_to(run, X, y)
            print(json.dumps(run), flush=True)
            save()
    for n in sorted({run["rows"] for run in runs}):
        found |= summary_of([run for run in runs if run["rows"] == n], n)


def add_to(run: dict, X: np.ndarray, y: np.ndarray) -> None:
    """Add times and errors on one split: of both, or of the default where halving's are known."""
    n, split = run["rows"], run["split"]
    rows = np.random.default_rng(split).permutation(len(y))
    train, test = rows[:n], rows[n : n + run.get("tested", max(TEST_ROWS, n))]
    scaler = StandardScaler().fit(X[train])
    A, B = scaler.transform(X[train]), scaler.transform(X[test])
    grid = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": GAMMAS}
    halving = HalvingGridSearchCV(SVC(), grid, cv=5, n_jobs=2, random_state=split)
    ours = kw.KernelSelector()
    told = {key: run.get(key, [np.nan, np.nan]) for key in ("seconds", "errors")}
    for at, search in [(1, ours)] if "seconds" in run else [(0, halving), (1, ours)]:
        _, told["seconds"][at] = timed(lambda search=search: search.fit(A, y[train]))
        told["errors"][at] = 100 * float((search.predict(B) != y[test]).mean())
    run |= {**told, "tested": len(test), "pick": [ours.best_kernel_.tau, ours.best_ridge_]}


def summary_of(runs: list[dict], n: int) -> dict:
    """Return mean times and errors at some number of rows."""
    times, errors = (np.array([run[what] for run in runs]) for what in ("seconds", "errors"))
    (slow, fast), difference = times.mean(axis=0), np.diff(errors, axis=1)[:, 0]
    spread = difference.std(ddof=1) if difference.size > 1 else np.nan
    return {
        f"HalvingGridSearchCV(SVC), mean seconds, n={n}": slow,
        f"default, mean seconds, n={n}": fast,
        f"ratio Halving / default, n={n}": slow / fast,
        f"mean error of Halving, %, n={n}": errors.mean(axis=0)[0],
        f"mean error of the default, %, n={n}": errors.mean(axis=0)[1],
        f"mean difference in error, n={n}": difference.mean(),
        f"its standard error, n={n}": spread / np.sqrt(difference.size),
    }


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
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--sizes", nargs="*", type=int, default=[1000, 2000, 4000, 8000, 16000])
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS)
    parser.add_argument("--only-halving", action="store_true")
    parser.add_argument("--default-again", action="store_true")
    parser.add_argument("--out", default="benchmarks/searches.json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.splits, arguments.sizes = 1, [700, 1000]
    warnings.simplefilter("ignore")
    found: dict = json.loads(arguments.out.read_text()) if arguments.out.exists() else {}

    def save() -> None:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n")

    X = np.random.default_rng(0).normal(size=(1600, 5))
    kw.KernelSelector().fit(X, X[:, 0] > 0.0)  # load compiled code
    if not arguments.only_halving:
        against_kernel_ridge(400 if arguments.quick else 2000, found)
        for n in [1000] if arguments.quick else [2000, 4000]:
            second_stage(n, found)
        approximation(300 if arguments.quick else 2000, found)
    against_halving(arguments, found, save)
    save()
    for name, value in found.items():
        if name != "runs":
            print(f"{value:12.4g}  {name}")


if __name__ == "__main__":
    main()
