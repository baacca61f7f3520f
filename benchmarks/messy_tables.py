"""How much is lost when a table is written for people: kernelwise against skrub's tabular_pipeline.

    python benchmarks/messy_tables.py [--splits 3] [--out benchmarks/messy_tables.json]

Ten tables, once with plain numbers and ISO dates and once as spreadsheets export them: thousands
apart, currencies, per cent, brackets, decimal commas, dates of either order, blanks, an identifier.
Two made tables follow, which the means leave out: the class depends on the day of the week of a
date ("weekday"), or on a word in a text that never repeats ("words").

Random 70/30 splits; the error is 100 (1 - accuracy), or 100 (1 - R²) for real targets. Needs skrub,
and the data sets (KERNELWISE_DATA or ../shared/data).
"""

import argparse
import json
import os
import pathlib
import tempfile
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from skrub import tabular_pipeline

import kernelwise as kw
from kernelwise.cli.prepare import Wanted, conform, prepare
from kernelwise.cli.read import read_table

BUNDLED = {
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "diabetes_progression": datasets.load_diabetes,
}
MADE = ("weekday", "words")
SETS = "heart australian hepatitis colic liver-disorders mpg housing".split()
START = pd.Timestamp("2015-01-01")


def european(numbers: pd.Series) -> list[str]:
    return [f"{x:,.2f}".translate(str.maketrans(",.", ".,")) for x in numbers]


# How numbers of about a thousand, or dates, are written.
STYLES: list[Callable[[pd.Series], object]] = [
    lambda x: [f"{v:,.2f} " for v in x],
    lambda x: [f"$ {v:,.2f}" for v in x],
    lambda x: [f"€{text}" for text in european(x)],
    lambda x: [f"{v:.2f}%" for v in x],
    lambda x: [f"({-v:.2f})" if v < 0 else f"{v:.2f}" for v in x],
    lambda x: x.dt.strftime("%d/%m/%Y"),
    lambda x: x.dt.strftime("%m/%d/%Y %I:%M %p"),
]
FIRST_DATE = 5


def data_folder() -> pathlib.Path:
    here = pathlib.Path(__file__).parents[2] / "shared" / "data"
    return pathlib.Path(os.environ.get("KERNELWISE_DATA", here))


def load(name: str) -> pd.DataFrame:
    if name not in BUNDLED:
        return pd.read_csv(data_folder() / f"{name}.csv.gz")
    frame = BUNDLED[name](as_frame=True).frame
    if name != "diabetes_progression":
        frame["target"] = frame["target"].map("class {}".format)
    return frame


def made(name: str) -> pd.DataFrame:
    """A class that depends on a number and on the day of the week, or on a word."""
    rng = np.random.default_rng(0)
    n = 600
    size, chosen = rng.normal(size=n).round(3), rng.random(n) < 0.3
    if name == "weekday":
        date = START + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
        chosen, column = date.dayofweek >= 5, date.strftime("%Y-%m-%d")
    else:
        column = [f"{'late' if late else 'fine'}, order {i}" for i, late in enumerate(chosen)]
    target = np.where(size + 2.0 * chosen + rng.normal(0, 0.5, n) > 1.0, "yes", "no")
    return pd.DataFrame({"size": size, "column": column, "target": target})


def both(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table with plain numbers and ISO dates, and the same table as people write it."""
    if name in MADE:
        return made(name), made(name)
    frame = load(name)
    clean, messy, i = {}, {}, 0
    for column in frame.columns.drop("target"):
        values = frame[column]
        if values.nunique() <= 10:
            clean[column] = messy[column] = values
            continue
        style, i = i % len(STYLES), i + 1
        scaled = (1000 * (values - values.mean()) / values.std() + 2500 * (style != 4)).round(2)
        if style >= FIRST_DATE:
            minutes = 720 * (scaled + 5000).round() * (2 if style == FIRST_DATE else 1)
            scaled = START + pd.to_timedelta(minutes, unit="min")
        written = pd.Series(STYLES[style](scaled), index=values.index)
        clean[column], messy[f"{column} "] = scaled, written.where(values.notna())
    messy["customer"] = [f"customer no. {i}" for i in frame.index]
    target = {"target": frame["target"]}
    return pd.DataFrame(clean | target), pd.DataFrame(messy | target)


def by_kernelwise(train: pathlib.Path, test: pathlib.Path) -> object:
    """What ``kernelwise select --single`` and ``predict`` do."""
    data = prepare(read_table(str(train)), "target", "auto", scale=True)
    machine = kw.KernelSelector(task=data.task).fit(data.X, data.y)
    model = Pipeline([("preparation", data.preparation), ("machine", machine)])
    wanted = Wanted.by(model)
    rows, _ = conform(read_table(str(test), text=wanted.texts), wanted)
    return model.predict(rows)


def by_skrub(learner: object) -> Callable[[pathlib.Path, pathlib.Path], object]:
    def predict(train: pathlib.Path, test: pathlib.Path) -> object:
        known, new = (pd.read_csv(path, encoding="utf-8-sig") for path in (train, test))
        y = known.pop("target")
        task = "regression" if y.dtype.kind == "f" or y.nunique() > 20 else "classification"
        model = tabular_pipeline(task if learner is None else learner(task=task))
        return model.fit(known, y).predict(new.drop(columns="target"))

    return predict


METHODS = {
    "kernelwise": by_kernelwise,
    "skrub, then KernelSelector": by_skrub(kw.KernelSelector),
    "skrub, gradient boosting": by_skrub(None),
}


def error(method: Callable, frame: pd.DataFrame, seed: int, folder: pathlib.Path) -> float:
    parts = train_test_split(frame, test_size=0.3, random_state=seed)
    paths = [folder / "train.csv", folder / "test.csv"]
    for part, path in zip(parts, paths, strict=True):
        part.to_csv(path, index=False, encoding="utf-8-sig")
    truth = parts[1]["target"]
    score = r2_score if truth.dtype.kind in "if" and truth.nunique() > 20 else accuracy_score
    if score is accuracy_score:
        return 100 * (1 - score(truth.astype(str), np.asarray(method(*paths)).astype(str)))
    return 100 * (1 - score(truth, method(*paths)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=[*BUNDLED, *SETS, *MADE])
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.sets:
            found[name] = {}
            for look, frame in zip(("clean", "messy"), both(name), strict=True):
                for method, predict in METHODS.items():
                    errors = [
                        error(predict, frame, seed, pathlib.Path(folder))
                        for seed in range(arguments.splits)
                    ]
                    found[name][f"{method}, {look}"] = round(float(np.mean(errors)), 2)
            print(f"{name:21}", *(f"{value:7.2f}" for value in found[name].values()), flush=True)
    means = pd.DataFrame(found).T.drop(index=list(MADE), errors="ignore").mean()
    print(means.to_string())
    if arguments.out:
        text = json.dumps({"errors": found, "means": means.round(2).to_dict()}, indent=1)
        pathlib.Path(arguments.out).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
