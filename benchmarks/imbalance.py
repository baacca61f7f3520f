"""A rare class: balanced accuracy on data sets with one class thinned to 5 %.

    .venv/bin/python benchmarks/imbalance.py [--seeds 10] [--first 0] [--sets NAME] [--out FILE]

The two largest classes of every set, missing values set to the median, features standardised. Half
of the rows, stratified, are for training, at most 600 of them; there the smaller class is thinned
at random to 5 % of the rows. The test rows are all others: balanced accuracy does not depend on how
many rows a class has. Needs the data sets (KERNELWISE_DATA or ../shared/data).
"""

import argparse
import json
import time
import warnings

import numpy as np
from default_choice import RIDGES, choose, load
from sklearn.impute import SimpleImputer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw

SETS = (
    "german.numer diabetes australian tic-tac-toe splice fourclass svmguide1 svmguide3 wdbc "
    "a1a vote segment breast-w cod-rna"
).split()
RARE = 0.05
MOST_ROWS = 600


def grid_search(X: np.ndarray, y: np.ndarray) -> GridSearchCV:
    """The search a user would run, over the widths and C that the default chooses from."""
    gammas = [0.5 / kernel.tau for kernel in kw.grids.auto(X, random_state=0)]
    search = GridSearchCV(
        SVC(class_weight="balanced", max_iter=1_000_000),
        {"gamma": gammas, "C": 0.5 / RIDGES},
        scoring="balanced_accuracy",
        cv=5,
    )
    return search.fit(X, y)


MIDPOINT = kw.LSSVC(threshold="midpoint")
STRATEGIES = {
    'GridSearchCV(SVC(class_weight="balanced"), scoring="balanced_accuracy")': grid_search,
    "KernelSelector()": choose(),
    'KernelSelector(class_weight="balanced")': choose(class_weight="balanced"),
    'KernelSelector(LSSVC(threshold="midpoint"))': choose(estimator=MIDPOINT),
    'KernelSelector(LSSVC(threshold="midpoint"), class_weight="balanced")': choose(
        estimator=MIDPOINT, class_weight="balanced"
    ),
    'KernelSelector(class_weight="balanced", scoring="balanced_accuracy")': choose(
        class_weight="balanced", scoring="balanced_accuracy"
    ),
    'KernelSelector(SVC(), class_weight="balanced")': choose(
        estimator=SVC(), class_weight="balanced"
    ),
}


def thinned(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return rows among which the smaller class has a share of 5 %."""
    labels, counts = np.unique(y, return_counts=True)
    rare, usual = labels[counts.argsort(kind="stable")]
    others = rng.permutation(np.flatnonzero(y == usual))[: round((1 - RARE) * MOST_ROWS)]
    few = max(2, round(RARE / (1 - RARE) * others.size))
    return np.concatenate([others, rng.permutation(np.flatnonzero(y == rare))[:few]])


def split(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[np.ndarray, ...]:
    """Return training and test rows, prepared."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
    train = train[thinned(y[train], np.random.default_rng(seed))]
    prepare = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    return prepare.fit_transform(X[train]), prepare.transform(X[test]), y[train], y[test]


def measure(strategy, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[float, float]:
    X_train, X_test, y_train, y_test = split(X, y, seed)
    start = time.perf_counter()
    chosen = strategy(X_train, y_train)
    seconds = time.perf_counter() - start
    return 100 * balanced_accuracy_score(y_test, chosen.predict(X_test)), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # a rare class is
    runs = {}  # sets x strategies x seeds x (balanced accuracy, seconds)
    for name in arguments.sets:
        X, y = load(name)
        runs[name] = [
            [measure(strategy, X, y, arguments.first + i) for i in range(arguments.seeds)]
            for strategy in STRATEGIES.values()
        ]
        print(f"{name:15}", *(f"{np.mean(r, axis=0)[0]:7.2f}" for r in runs[name]), flush=True)
    report(runs, arguments.out)


def report(of_sets: dict, out: str | None) -> None:
    """Print means over sets, and paired differences to the grid search."""
    runs = np.array(list(of_sets.values()))
    scores, seeds = runs[..., 0], runs.shape[2]
    means = scores.mean(axis=2)
    found = {}
    for s, name in enumerate(STRATEGIES):
        difference = means[:, s] - means[:, 0]
        spreads = scores[:, s].std(axis=1, ddof=1) / np.sqrt(seeds)
        found[name] = {
            "balanced accuracy": means[:, s].mean(),
            "difference": difference.mean(),
            "its standard error": difference.std(ddof=1) / np.sqrt(difference.size),
            "better on": int(np.sum(difference > 0.0)),
            "worse on": int(np.sum(difference < 0.0)),
            "seconds": runs[:, s, :, 1].mean(),
            "of sets": {
                each: {"mean": mean, "standard error": spread}
                for each, mean, spread in zip(of_sets, means[:, s], spreads, strict=True)
            },
        }
        told = found[name]
        print(
            f"{told['balanced accuracy']:6.2f} %  {told['difference']:+6.2f} ± "
            f"{told['its standard error']:4.2f}  better on {told['better on']:2}, worse on "
            f"{told['worse on']:2}  {told['seconds']:7.3f} s  {name}"
        )
    if out:
        with open(out, "w") as file:
            json.dump({"sets": list(of_sets), "seeds": seeds, **found}, file, indent=1)


if __name__ == "__main__":
    main()
