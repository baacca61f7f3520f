"""Whether weights of kernels pay on ordinary tables, against one kernel and other libraries.

    .venv/bin/python -m pip install --editable '.[bench]'
    .venv/bin/python benchmarks/weights.py [--splits 5] [--sets ...] [--methods ...] [--out FILE]
    .venv/bin/python benchmarks/weights.py --times --out weights_times.json

20 sets of classes, of which weights.json has all but anneal, segment and german.numer, and ten of
numbers; the gate was chosen on other splits of sixteen of these.
Base kernels "widths": 16 Gaussian widths and the polynomials of degree 1 to 3, on all features;
"features": three Gaussian widths on every feature. Random splits with 70 % of the rows, but at most
280, to learn from and at most 1,000 to test on; two largest classes, missing values set to the
median, features standardised. Test error in %, of the variance for numbers; processor seconds.

All get the same base matrices. Those of the other libraries are centred and of mean diagonal one,
as ours; MKLpy's support vector machine gets its C by five folds on the plain sum, himalaya's random
search the penalties that ours has as ridges, and centred targets, as it has no bias. What a set has
given is kept in the file: a run that is interrupted goes on, and methods that are missing are
added. With ``--times`` the default is compared with scoring the same kernels by leave-one-out, on
up to 1,000 rows: processor seconds of the best of three runs in turn, on every split. Needs the
data sets (KERNELWISE_DATA or ../shared/data).
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

CLASSES = SETS
NUMBERS = "abalone bodyfat cpusmall eunite2001 housing mpg mg pyrim space_ga triazines".split()
SEEN = (*CLASSES[:10], *NUMBERS[:6])  # on other splits of these the gate was chosen
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
TIMED = ("best single", "auto")
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

    (own, new), mean = matrices(rows, kernels), rows.targets.mean()  # it has no bias
    settings = {"alphas": RIDGES, "n_iter": 100, "progress_bar": False}
    machine = MultipleKernelRidgeCV("precomputed", solver_params=settings, cv=5, random_state=0)
    machine.fit(own, rows.targets - mean)
    return lambda X: rows.meant(machine.predict(new) + mean)


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
    """Return, by kernels and task, the mean error, rank and seconds of every method.

    Of the sets that the gate was chosen on, and of all others; then mean ranks over both kinds of
    kernels. A method that a set of those does not have is left out.
    """
    table: dict[str, dict] = {}
    groups = {
        f"{task}{title}": [n for n in names if (n in SEEN) == is_seen]
        for title, is_seen in (("", True), (OTHERS, False))
        for task, names in (("classes", CLASSES), ("numbers", NUMBERS))
    }
    for which in ("widths", "features"):
        for task, names in groups.items():
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
    for title, chosen in RANKED.items():
        table[title] = mean_ranks(found, [n for n in (*CLASSES, *NUMBERS) if chosen(n)])
    return table


OTHERS = ", other sets"
RANKED = {
    "mean rank": lambda name: name in SEEN,
    "mean rank, classes": lambda name: name in SEEN and name in CLASSES,
    "mean rank" + OTHERS: lambda name: name not in SEEN,
    "mean rank, all sets": lambda name: True,
}


def mean_ranks(found: dict, names: list[str]) -> dict[str, float]:
    """Return the mean rank of all methods that every set has, over both kinds of kernels."""
    runs = [sets[n] for sets in found.values() for n in names if n in sets]
    shared = [m for m in METHODS if all(m in run for run in runs)]
    errors = [[np.mean(run[m], axis=0)[0] for m in shared] for run in runs]
    ranks = [rankdata(np.round(row, 6)) for row in errors]
    return dict(zip(shared, np.mean(ranks, axis=0).tolist(), strict=True)) if ranks else {}


def show(table: dict) -> None:
    """Print one line a method, as the page on views has them: errors, seconds and mean ranks."""
    parts = [title for title in table if title not in RANKED and OTHERS not in title]
    print("| | " + " | ".join([*parts, "seconds", *RANKED]) + " |")
    for m in METHODS:
        cells = [table[part].get(m) for part in parts]
        errors = ["–" if cell is None else f"{cell['error']:.1f}" for cell in cells]
        seconds = np.mean([cell["seconds"] for cell in cells if cell is not None] or [np.nan])
        ranks = [f"{table[t][m]:.2f}" if m in table[t] else "–" for t in RANKED]
        print(f"| {m} | " + " | ".join([*errors, f"{seconds:.2f}", *ranks]) + " |")


def times(names: list[str], seeds: int) -> dict:
    """Return seconds of scoring all kernels by leave-one-out and of the default, by set."""
    found = {}
    for name in names:
        for which in ("widths", "features"):
            runs, sizes = [], (0, 0)
            for seed in range(seeds):
                rows = rows_of(name, seed, most=1000)
                kernels = kernels_for(which, rows.X)
                sizes = len(rows.y), len(kernels)
                pairs = [[one(m, rows, kernels)[1] for m in TIMED] for _ in range(3)]
                runs.append(np.min(pairs, axis=0))  # best of three, in turn
            seconds = dict(zip(TIMED, np.mean(runs, axis=0).tolist(), strict=True))
            ratio = float(np.mean([auto / alone for alone, auto in runs]))
            found[f"{name}, {which}"] = dict(zip(("rows", "kernels"), sizes, strict=True))
            found[f"{name}, {which}"] |= seconds | {"ratio": ratio}
            print(f"{name:12} {which:8} {sizes[0]:5} rows {sizes[1]:4} kernels {ratio:6.2f}")
    ratios = np.array([f["ratio"] for f in found.values()])
    total = [sum(f[m] for f in found.values()) for m in TIMED]
    found["all"] = {
        "mean ratio": float(ratios.mean()),
        "largest ratio": float(ratios.max()),
        "ratio of totals": total[1] / total[0],
    }
    print(found["all"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=[*CLASSES, *NUMBERS])
    parser.add_argument("--methods", nargs="*", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.times:
        found = times(given.sets, given.splits)
        if given.out is not None:
            given.out.write_text(json.dumps(found, indent=1) + "\n")
        return
    saved = given.out is not None and given.out.exists()
    found = json.loads(given.out.read_text())["runs"] if saved else {"widths": {}, "features": {}}
    for name in given.sets:
        for which in ("widths", "features"):
            known = found[which].setdefault(name, {})
            wanted = [m for m in methods_for(name) if m in given.methods and m not in known]
            runs: dict[str, list] = {m: [] for m in wanted}
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
