"""The stack on more than two classes and on real targets, and its time.

    .venv/bin/python benchmarks/stack.py [--parts regression classes digits time together]
        [--splits 5] [--out benchmarks/stack.json]

Classes: nine sets with more than two. Regression: ten sets. Both with at most 1,000 training rows.
Time: processor seconds at 300 to 2,000 rows of two classes, and on 1,000 digits of 784 pixels; the
least of several fits (of grid search, of one). Together: nothing is run, the sets of
``default_choice.py --stack``, which compares on two classes, and those of the leaderboard are
tested as one. Splits and models: contest.py. Needs the data sets (KERNELWISE_DATA or
../shared/data).
"""

import argparse
import json
import pathlib
import time
import warnings

import contest
import numpy as np
import pandas as pd
from contest import SINGLE, STACK, Split
from default_choice import data_folder, grid_search

CLASSES = "autos glass vehicle anneal segment pendigits covtype_10k letter mnist_20k".split()
REGRESSION = "pyrim triazines bodyfat eunite2001 mpg housing mg space_ga abalone cpusmall".split()
TIMED = "a9a cod-rna covtype_10k letter splice svmguide1".split()
SIZES = (300, 500, 1000, 2000)
ROWS, TEST_ROWS, DIGITS, REPEATS, SEARCH = 1000, 500, "mnist_20k", 3, "GridSearchCV(SVC)"


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_csv(data_folder() / f"{name}.csv.gz")
    y = frame["target"].astype(float if name in REGRESSION else str)
    return frame.drop(columns="target").to_numpy(float), y.to_numpy()


def load_two(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return two classes: of covertype the largest, of the letters the halves of the alphabet."""
    X, y = load(name)
    if name == "letter":
        return X, np.where(y <= "M", "A to M", "N to Z")
    kept = np.isin(y, pd.Series(y).value_counts().index[:2])
    return X[kept], y[kept]


def run_classes(record: contest.Record, splits: int) -> None:
    contest.warm_up(classes=3)
    record.run(load, CLASSES, contest.models(), splits=splits, rows=ROWS, part="classes")
    record.found["classes, summary"] = contest.summary(record.found["classes"])
    contest.show(record.found["classes, summary"])


def run_regression(record: contest.Record, splits: int) -> None:
    contest.warm_up(is_real=True)
    fits = contest.models(is_real=True)
    record.run(load, REGRESSION, fits, splits=splits, rows=ROWS, part="regression")
    record.found["regression, summary"] = contest.summary(record.found["regression"])
    contest.show(record.found["regression, summary"])


def run_digits(record: contest.Record, splits: int) -> None:
    """Time the fit on 1,000 digits of ten classes."""
    X, y = load(DIGITS)
    fits = {who: fit for who, fit in contest.models().items() if who in (SINGLE, STACK)}
    measure_time(record, f"{DIGITS}, {ROWS}", Split.of(X, y, **sizes(ROWS)), fits)


def run_time(record: contest.Record, splits: int) -> None:
    """Time on two classes; grid search, which takes longest, comes last."""
    contest.warm_up()
    fits = contest.models()
    search = {SEARCH: lambda X, y: grid_search(X, y, n_jobs=None)}
    for asked in (fits, search):
        for rows in SIZES:
            for name in TIMED:
                split = Split.of(*load_two(name), **sizes(rows))
                measure_time(record, f"{name}, {rows}", split, asked)
    record.found["time, summary"] = {
        str(rows): ratios(record.found["time"], rows) for rows in SIZES
    }


def sizes(rows: int) -> dict[str, int]:
    return {"seed": contest.FIRST_SEED, "train_size": rows, "test_size": TEST_ROWS}


def measure_time(record: contest.Record, key: str, split: Split, fits: dict) -> None:
    """Keep the least processor seconds of a few fits, and the least seconds."""
    done = record.found.setdefault("time", {}).setdefault(key, {})
    for who, fit in fits.items():
        if who in done:
            continue
        found = []
        for _ in range(1 if who == SEARCH else REPEATS):
            cpu, wall = time.process_time(), time.perf_counter()
            fit(split.X, split.y)
            found.append((time.process_time() - cpu, time.perf_counter() - wall))
        done[who] = dict(zip(("cpu", "wall"), np.min(found, axis=0).round(4), strict=True))
        record.save()
    if SINGLE in done:
        shown = (f"{who} {t['cpu'] / done[SINGLE]['cpu']:.2f}" for who, t in done.items())
        print(f"{key:20} {done[SINGLE]['cpu']:.3f} s;", *shown, flush=True)


def ratios(timed: dict, rows: int) -> dict[str, dict[str, float]]:
    """Return times over those of the single kernel, and of the stack: sums over sets, extremes."""
    of_sets = [timed[f"{name}, {rows}"] for name in TIMED]
    found = {}
    for who in [name for name in of_sets[0] if all(name in one for one in of_sets)]:
        theirs = np.array([s[who]["cpu"] for s in of_sets])
        single = np.array([s[SINGLE]["cpu"] for s in of_sets])
        stack = np.array([s[STACK]["cpu"] for s in of_sets])
        found[who] = {
            "cpu": theirs.mean(),
            "to the single kernel": theirs.sum() / single.sum(),
            "least": (theirs / single).min(),
            "most": (theirs / single).max(),
            "to the stack": theirs.sum() / stack.sum(),
        }
    return found


def run_together(record: contest.Record, splits: int) -> None:
    """Test the stack against the default on the sets of the other results."""
    here = pathlib.Path(__file__).parents[1]
    twenty = json.loads((here / "benchmarks" / "default_choice_stack.json").read_text())["sets"]
    lines = pd.read_csv(here / "papers" / "pages" / "results" / "leaderboard.csv")
    lines = lines[(lines["quantity"] == "error") & (lines["setting"] == "ridge chosen")]
    board = lines.groupby(["task", "dataset"])[[STACK, SINGLE]].mean()
    means = {
        n: {who: np.mean(s[who]["error"]) for who in (STACK, SINGLE)} for n, s in twenty.items()
    }
    errors = {
        "20 sets": pd.DataFrame(means).T,
        "leaderboard, classes": board.loc["classification"],
        "leaderboard, regression": board.loc["regression"],
        "leaderboard": board.droplevel("task"),
    }
    both = pd.concat([errors["20 sets"], errors["leaderboard"]])
    errors["all"] = both
    errors["each set once"] = both.groupby(level=0).mean()
    record.found["together"] = {
        key: contest.against(of[STACK].to_numpy(), of[SINGLE].to_numpy())
        for key, of in errors.items()
    }
    for key, row in record.found["together"].items():
        print(key, row)


PARTS = {
    "regression": run_regression,
    "classes": run_classes,
    "digits": run_digits,
    "time": run_time,
    "together": run_together,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--parts", nargs="*", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # a rare class may be missing from a split
    record = contest.Record(arguments.out)
    for part in arguments.parts:
        PARTS[part](record, arguments.splits)
        record.save()


if __name__ == "__main__":
    main()
