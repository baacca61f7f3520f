"""Models beside each other on splits of data sets: errors and times, and what they say.

The stack and what it is compared with, for ``default_choice.py --stack`` and ``stack.py``. A run
writes its file after every set, and one that was stopped goes on where it was. Random 70/30 splits
whose seeds, 1000 + split, no other benchmark uses; gaps set to the median, features standardised by
the training rows. Times are processor seconds and seconds of fitting alone. Set
OPENBLAS_NUM_THREADS and OMP_NUM_THREADS to 1.
"""

import copy
import json
import pathlib
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelwise as kw
from kernelwise.combine.weights import gate, losses

FIRST_SEED = 1000
SINGLE, STACK, CAUTIOUS = "KernelSelector()", "KernelStack()", "KernelStack, cautious gate"
FOREST, BOOSTING, LIGHTGBM = "random forest, 500 trees", "histogram boosting", "LightGBM"
CAUTION = 2.0

Fit = Callable[[np.ndarray, np.ndarray], Any]


class Split(NamedTuple):
    """Training and test rows."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, y: np.ndarray, seed: int, **sizes: float) -> "Split":
        """Draw, fill gaps and standardise."""
        sizes = sizes or {"test_size": 0.3}
        X, X_test, y, y_test = train_test_split(X, y, random_state=seed, **sizes)
        prepare = make_pipeline(
            SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
        )
        return cls(prepare.fit_transform(X), y, prepare.transform(X_test), y_test)


def models(is_real: bool = False) -> dict[str, Fit]:
    """Return the stack and its rivals; LightGBM where it is installed."""
    forest = RandomForestRegressor if is_real else RandomForestClassifier
    boosting = HistGradientBoostingRegressor if is_real else HistGradientBoostingClassifier
    made = {
        SINGLE: lambda: kw.KernelSelector(random_state=0),
        STACK: lambda: kw.KernelStack(random_state=0),
        FOREST: lambda: forest(500, random_state=0),
        BOOSTING: lambda: boosting(random_state=0),
    }
    try:
        import lightgbm
    except ImportError:
        print("LightGBM is not installed: left out.")
    else:
        light = lightgbm.LGBMRegressor if is_real else lightgbm.LGBMClassifier
        made[LIGHTGBM] = lambda: light(random_state=0, n_jobs=1, verbose=-1)
    return {name: lambda X, y, make=make: make().fit(X, y) for name, make in made.items()}


def cautious(stack: kw.KernelStack) -> kw.KernelStack:
    """Return a fitted stack with the gate of z - 2 sqrt(d/n), from its own leave-one-out values."""
    F = np.stack([_columns(m.best_estimator_.loo_values_) for m in stack.members_.values()], -1)
    Y = _columns(stack.loo_values_ + stack.loo_residuals_)
    is_real = not hasattr(stack, "classes_")
    single, together = F[..., 0], F @ stack.stack_weights_
    gains = losses(Y, single, is_real=is_real) - losses(Y, together, is_real=is_real)
    again = copy.copy(stack)
    again.gate_ = gate(gains, CAUTION * np.sqrt(stack.n_features_in_ / gains.size))
    again.weights_ = again.gate_ * stack.stack_weights_
    again.weights_[0] += 1.0 - again.gate_
    return again


def _columns(values: np.ndarray) -> np.ndarray:
    return values[:, None] if values.ndim == 1 else values


def variants(name: str, fitted: Any) -> dict[str, Any]:
    """Return a fitted model, and of a stack what it can be turned into without another fit."""
    if not isinstance(fitted, kw.KernelStack):
        return {name: fitted}
    members = {f"{who} alone": m for who, m in list(fitted.members_.items())[1:]}
    return {name: fitted, CAUTIOUS: cautious(fitted)} | members


def measure(name: str, fit: Fit, split: Split) -> dict[str, dict[str, float]]:
    """Return error in percent (of the variance for real targets), and times."""
    wall, cpu = time.perf_counter(), time.process_time()
    fitted = fit(split.X, split.y)
    times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    found = {}
    for variant, model in variants(name, fitted).items():
        share = 1.0 - model.score(split.X_test, split.y_test)
        found[variant] = {"error": 100.0 * share} | times
        if hasattr(model, "gate_"):
            found[variant]["gate"] = model.gate_
    return found


class Record:
    """What is known so far, by set and model, in a file."""

    def __init__(self, path: str | None) -> None:
        self.path = None if path is None else pathlib.Path(path)
        known = self.path is not None and self.path.is_file()
        self.found: dict[str, Any] = json.loads(self.path.read_text()) if known else {}

    def save(self) -> None:
        if self.path is not None:
            self.path.write_text(json.dumps(self.found, indent=1, default=float) + "\n")

    def run(
        self,
        load: Callable[[str], tuple[np.ndarray, np.ndarray]],
        names: Iterable[str],
        fits: Mapping[str, Fit],
        *,
        splits: int,
        rows: int | None = None,
        part: str = "sets",
    ) -> None:
        """Measure what is missing."""
        for name in names:
            done = self.found.setdefault(part, {}).setdefault(name, {})
            missing = {who: fit for who, fit in fits.items() if who not in done}
            if missing:
                X, y = load(name)
                done |= measured(X, y, missing, splits=splits, rows=rows)
                self.save()
            shown = (f"{np.mean(done[who]['error']):7.2f}" for who in fits)
            print(f"{name:15}", *shown, flush=True)


def measured(
    X: np.ndarray, y: np.ndarray, fits: Mapping[str, Fit], *, splits: int, rows: int | None
) -> dict[str, dict[str, list[float]]]:
    """Return lists over splits, of all models on one set."""
    sizes: dict[str, float] = {}
    if rows is not None and 0.7 * len(y) > rows:
        sizes = {"train_size": rows, "test_size": min(len(y) - rows, 4 * rows)}
    found: dict[str, dict[str, list[float]]] = {}
    for i in range(splits):
        split = Split.of(X, y, FIRST_SEED + i, **sizes)
        for who, fit in fits.items():
            for variant, values in measure(who, fit, split).items():
                for key, value in values.items():
                    found.setdefault(variant, {}).setdefault(key, []).append(round(value, 6))
        found[next(iter(fits))].setdefault("rows", []).append(len(split.y))
    return found


def warm_up(is_real: bool = False, classes: int = 2) -> None:
    """Fit once: what is compiled or loaded at first use is nobody's time."""
    rng = np.random.default_rng(0)
    for n in (60, 800):
        X = rng.normal(size=(n, 5))
        y = X[:, 0] if is_real else np.arange(n) % classes
        for fit in models(is_real).values():
            fit(X, y)


def summary(of_sets: Mapping[str, Mapping[str, Mapping[str, list[float]]]]) -> dict[str, Any]:
    """Return for every model the means over sets, and how it does against the single kernel."""
    names = [n for n in next(iter(of_sets.values())) if all(n in s for s in of_sets.values())]
    errors = np.array([[np.mean(s[n]["error"]) for n in names] for s in of_sets.values()])
    cpu = np.array([[np.mean(s[n]["cpu"]) for n in names] for s in of_sets.values()])
    ranked = [i for i, n in enumerate(names) if n != CAUTIOUS and not n.endswith(" alone")]
    ranks = stats.rankdata(np.round(errors[:, ranked], 9), axis=1).mean(axis=0)
    found = {}
    for i, name in enumerate(names):
        found[name] = against(errors[:, i], errors[:, names.index(SINGLE)]) | {
            "error": errors[:, i].mean(),
            "mean rank": ranks[ranked.index(i)] if i in ranked else None,
            "cpu": cpu[:, i].mean(),
            "ratio of times": cpu[:, i].sum() / cpu[:, names.index(SINGLE)].sum(),
            "median ratio of times": np.median(cpu[:, i] / cpu[:, names.index(SINGLE)]),
        }
        if STACK in names:
            stack = against(errors[:, names.index(STACK)], errors[:, i])
            found[name]["the stack against it"] = stack
    return found


def against(errors: np.ndarray, others: np.ndarray) -> dict[str, Any]:
    """Return how errors compare with other errors on the same sets."""
    difference = np.round(errors - others, 9)
    signs = np.sign(difference)
    known = others > 0.0
    return {
        "relative": errors.mean() / others.mean() - 1.0,
        "median ratio": float(np.median(errors[known] / others[known])),
        "better / equal / worse": [int((signs == s).sum()) for s in (-1, 0, 1)],
        "p": float(stats.wilcoxon(difference).pvalue) if signs.any() else 1.0,
    }


def show(found: Mapping[str, Any]) -> None:
    """Print a summary."""
    for name, row in found.items():
        rank = "    " if row["mean rank"] is None else f"{row['mean rank']:4.2f}"
        theirs = row.get("the stack against it", {})
        print(
            f"{row['error']:6.2f} %  {100 * row['relative']:+6.1f} %  rank {rank}  "
            f"{row['better / equal / worse']!s:12} p {row['p']:.2g}  cpu {row['cpu']:7.3f} s "
            f"({row['ratio of times']:5.1f} x)  {name:28} stack: "
            f"{theirs.get('better / equal / worse')} p {theirs.get('p', 1.0):.2g}"
        )
