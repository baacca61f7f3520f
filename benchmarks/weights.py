"""Whether weights of kernels pay on ordinary tables, against one kernel and other libraries.

    .venv/bin/python -m pip install --editable '.[bench]'
    .venv/bin/python benchmarks/weights.py [--splits 5] [--sets ...] [--out FILE.json]
    .venv/bin/python benchmarks/weights.py --times --out weights_times.json

Base kernels "widths": 16 Gaussian widths and the polynomials of degree 1 to 3, on all features;
"features": three Gaussian widths on every feature. Random splits with 70 % of the rows, but at most
280, to learn from and at most 1,000 to test on; two largest classes, missing values set to the
median, features standardised. Test error in %, of the variance for numbers; processor seconds.

All get the same base matrices. Those of the other libraries are centred and of mean diagonal one,
as ours; MKLpy's support vector machine gets its C by five folds on the plain sum, himalaya's random
search the penalties that ours has as ridges. What a set has given is kept in the file: a run that
is interrupted goes on, and methods that are missing are added. With ``--times`` the default is
compared with scoring the same kernels by leave-one-out, on up to 1,000 rows. Needs the data sets
(KERNELWISE_DATA or ../shared/data).
"""

import argparse
import json
import pathlib
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from default_choice import SETS, data_folder, load
from scipy.stats import rankdata
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw

CLASSES = SETS[:10]
NUMBERS = "abalone bodyfat cpusmall eunite2001 housing mpg".split()
MOST, MOST_NEW = 280, 1000
WIDTHS = [*kw.grids.gaussian(-5, 10), *kw.grids.polynomial(1, 3)]
RIDGES = 10.0 ** np.arange(-4.0, 3.0)
OURS = {
    **{
        name: {"method": name}
        for name in ("auto", "l1", "uniform", "align", "alignf", "loo", "lml")
    },
    "sm": {"criterion": "sm"},
}
Predict = Callable[[np.ndarray], np.ndarray]


class Rows(NamedTuple):
    """Rows to learn from and to test on."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    truth: np.ndarray
    is_real: bool

    def error(self, predicted: np.ndarray) -> float:
        if self.is_real:
            return 100 * float(np.mean((predicted - self.truth) ** 2) / self.truth.var())
        return 100 * float(np.mean(predicted != self.truth))

    @property
    def targets(self) -> np.ndarray:
        """The target that least squares fit: centred numbers, or ±1."""
        if self.is_real:
            return (self.y - self.y.mean()) / self.y.std()
        return np.where(self.y == np.unique(self.y)[1], 1.0, -1.0)

    def meant(self, values: np.ndarray) -> np.ndarray:
        """What values of that target stand for."""
        if self.is_real:
            return values * self.y.std() + self.y.mean()
        return np.unique(self.y)[(values > 0.0).astype(int)]


def rows_of(name: str, seed: int, most: int = MOST) -> Rows:
    is_real = name in NUMBERS
    if is_real:
        frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
        X, y = frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy(float)
    else:
        X, y = load(name)
    size = min(most, int(0.7 * len(y)))
    X, new, y, truth = train_test_split(X, y, train_size=size, random_state=seed)
    prepare = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    X, new = prepare.fit_transform(X), prepare.transform(new)
    return Rows(X, y, new[:MOST_NEW], truth[:MOST_NEW], is_real)


def kernels_for(which: str, X: np.ndarray) -> list[kw.kernels.Kernel]:
    if which == "widths":
        return list(WIDTHS)
    views = {str(j): [j] for j in range(X.shape[1]) if np.ptp(X[:, j]) > 0.0}
    return kw.combine.views.base_kernels("auto", views, X, None, 0).kernels


def matrices(rows: Rows, kernels: list) -> tuple[np.ndarray, np.ndarray]:
    """Return centred base matrices of mean diagonal one, and those of new rows, as ours are."""
    own, new = [], []
    for kernel in kernels:
        K, C = kernel(rows.X), kernel(rows.new, rows.X)
        means, total = K.mean(axis=0), K.mean()
        unit = np.trace(K) / len(K) - total
        if unit <= 1e-8 * np.trace(K) / len(K):
            continue
        own.append((K - means - means[:, None] + total) / unit)
        new.append((C - means - C.mean(axis=1)[:, None] + total) / unit)
    return np.array(own), np.array(new)


def single(rows: Rows, kernels: list) -> Predict:
    loss = "press" if rows.is_real else "squared_hinge"
    task = "regression" if rows.is_real else "classification"
    selector = kw.KernelSelector(kernels=kernels, criterion=kw.criteria.ELOO(loss), task=task)
    return selector.fit(rows.X, rows.y).predict


def weighted(how: dict) -> Callable[[Rows, list], Predict]:
    def fit(rows: Rows, kernels: list) -> Predict:
        task = "regression" if rows.is_real else "classification"
        return kw.MultiKernelSelector(kernels, task=task, **how).fit(rows.X, rows.y).predict

    return fit


def mklpy(name: str) -> Callable[[Rows, list], Predict]:
    def fit(rows: Rows, kernels: list) -> Predict:
        import torch
        from MKLpy import algorithms

        torch.set_num_threads(1)
        own, new = matrices(rows, kernels)
        signs = rows.targets
        C = {"C": [0.1, 1.0, 10.0, 100.0, 1000.0]}
        search = GridSearchCV(SVC(kernel="precomputed"), C, cv=5).fit(own.mean(axis=0), signs)
        learner = SVC(kernel="precomputed", C=search.best_params_["C"])
        machine = getattr(algorithms, name)(learner=learner)
        machine.fit([torch.as_tensor(K) for K in own], torch.as_tensor(signs))
        return lambda X: rows.meant(
            np.asarray(machine.predict([torch.as_tensor(K) for K in new]), dtype=float)
        )

    return fit


def himalaya(rows: Rows, kernels: list) -> Predict:
    from himalaya.kernel_ridge import MultipleKernelRidgeCV

    own, new = matrices(rows, kernels)
    settings = {"alphas": RIDGES, "n_iter": 100, "progress_bar": False}
    machine = MultipleKernelRidgeCV("precomputed", solver_params=settings, cv=5, random_state=0)
    machine.fit(own, rows.targets)
    return lambda X: rows.meant(machine.predict(new))


METHODS: dict[str, Callable[[Rows, list], Predict]] = {
    "best single": single,
    **{name: weighted(how) for name, how in OURS.items()},
    "himalaya": himalaya,
    "EasyMKL": mklpy("EasyMKL"),
    "AverageMKL": mklpy("AverageMKL"),
}


def one(name: str, rows: Rows, kernels: list) -> list[float]:
    start = time.process_time()
    predict = METHODS[name](rows, kernels)
    seconds = time.process_time() - start
    return [rows.error(predict(rows.new)), seconds]


def methods_for(name: str) -> list[str]:
    return [m for m in METHODS if not (name in NUMBERS and m.endswith("MKL"))]


def summary(found: dict) -> dict:
    """Return, by kernels and task, the mean error, rank and seconds of every method."""
    table: dict[str, dict] = {}
    for which in ("widths", "features"):
        for task, names in (("classes", CLASSES), ("numbers", NUMBERS)):
            sets = [found[which][n] for n in names if n in found[which]]
            if not sets:
                continue
            methods = [m for m in METHODS if all(m in s for s in sets)]
            means = np.array([[np.mean(s[m], axis=0) for m in methods] for s in sets])
            ranks = np.array([rankdata(np.round(e, 6)) for e in means[..., 0]]).mean(axis=0)
            table[f"{which}, {task}"] = {
                m: {
                    "error": means[:, i, 0].mean(),
                    "rank": ranks[i],
                    "seconds": means[:, i, 1].mean(),
                }
                for i, m in enumerate(methods)
            }
    shared = [m for m in METHODS if all(m in part for part in table.values())]
    per_set = [
        [np.mean(s[m], axis=0)[0] for m in shared] for which in found for s in found[which].values()
    ]
    ranks = np.mean([rankdata(np.round(errors, 6)) for errors in per_set], axis=0)
    table["mean rank, all"] = dict(zip(shared, ranks.tolist(), strict=True))
    return table


def show(table: dict) -> None:
    for title, methods in table.items():
        print(title)
        for m, v in methods.items():
            shown = (
                f"{v:6.2f}" if isinstance(v, float) else " ".join(f"{x:7.2f}" for x in v.values())
            )
            print(f"  {m:12} {shown}")


def times(names: list[str]) -> dict:
    """Return seconds of scoring all kernels by leave-one-out and of the default, best of three."""
    found = {}
    for name in names:
        rows = rows_of(name, 0, most=1000)
        for which in ("widths", "features"):
            kernels = kernels_for(which, rows.X)
            best = {
                m: min(one(m, rows, kernels)[1] for _ in range(3)) for m in ("best single", "auto")
            }
            ratio = best["auto"] / best["best single"]
            found[f"{name}, {which}"] = {"rows": len(rows.y), "kernels": len(kernels), **best}
            print(f"{name:12} {which:8} {len(rows.y):5} rows {len(kernels):4} kernels {ratio:6.2f}")
    both = np.array([[f["best single"], f["auto"]] for f in found.values()])
    ratios = both[:, 1] / both[:, 0]
    print(f"mean ratio {ratios.mean():.2f}, largest {ratios.max():.2f}, total {both.sum(0)}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=[*CLASSES, *NUMBERS])
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.times:
        found = times(given.sets)
        if given.out is not None:
            given.out.write_text(json.dumps(found, indent=1) + "\n")
        return
    saved = given.out is not None and given.out.exists()
    found = json.loads(given.out.read_text())["runs"] if saved else {"widths": {}, "features": {}}
    for name in given.sets:
        for which in ("widths", "features"):
            known = found[which].setdefault(name, {})
            runs: dict[str, list] = {m: [] for m in methods_for(name) if m not in known}
            if not runs:
                continue
            for seed in range(given.splits):
                rows = rows_of(name, seed)
                kernels = kernels_for(which, rows.X)
                for m in runs:
                    runs[m].append(one(m, rows, kernels))
            known |= runs
            print(name, which, {m: np.mean(r, axis=0).round(2).tolist() for m, r in runs.items()})
            if given.out is not None:
                text = json.dumps({"runs": found, "summary": summary(found)}, indent=1)
                given.out.write_text(text + "\n")
    show(summary(found))


if __name__ == "__main__":
    main()
