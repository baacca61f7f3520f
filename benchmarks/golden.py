"""Golden choices: what 40 default fits choose, how well, and in which time.

    .venv/bin/python benchmarks/golden.py            compare with the recorded choices
    .venv/bin/python benchmarks/golden.py --record   record them anew
    .venv/bin/python benchmarks/golden.py --only abalone,letter

Two classes, several, real targets; weights, sparse rows, a rare class; stacks, sums of kernels and
given matrices; 100 to 8,000 rows, and 20,000 twice. Each fit chooses on standardised rows of a
public data set (KERNELWISE_DATA or ../shared/data) and is judged on 3,000 other rows, or on all
others where there are fewer. golden.json has kernel, ridge, mean loss, error and processor time;
golden_rows.npz has the loss of every new row, so that errors are compared row by row. Ends with
status 1 where a kernel or ridge differs.
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # read once, when numpy loads the libraries

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

HERE = Path(__file__).parent
NEW_ROWS = 3000
REAL = ("cpusmall", "abalone", "space_ga", "housing")  # sets with a real target
SAME = 1e-6  # relative: ridges and losses that differ by rounding alone


class Case(NamedTuple):
    """A fit: which rows of which set, of which form, by which estimator."""

    name: str
    rows: int
    form: str = "selector"  # or stack, sum, views, matrix, matrices
    given: str = ""  # weights, balanced, sparse, rare, two (classes)

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.form, self.name, str(self.rows), self.given)))


CASES = [
    # two classes
    *(Case("a9a", n) for n in (100, 300, 1000, 20000)),
    *(Case("cod-rna", n) for n in (500, 4000, 20000)),
    *(Case("letter", n, given="two") for n in (2000, 8000)),
    *(Case("covtype_10k", n, given="two") for n in (1000, 6000)),
    Case("splice", 800),
    Case("skin_nonskin", 1000),
    Case("german.numer", 500),
    # several
    *(Case("letter", n) for n in (1000, 4000)),
    Case("mnist_20k", 1000),
    Case("pendigits", 2000),
    Case("segment", 300),
    # real targets
    *(Case("cpusmall", n) for n in (300, 1000, 6000)),
    *(Case("abalone", n) for n in (500, 2000)),
    Case("space_ga", 1000),
    Case("housing", 250),
    # weights, sparse rows, a rare class
    Case("abalone", 1000, given="weights"),
    Case("cod-rna", 1000, given="weights"),
    Case("w8a", 2000, given="balanced"),
    Case("a9a", 2000, given="sparse"),
    Case("w8a", 1000, given="sparse"),
    Case("cod-rna", 600, given="rare"),
    # stacks, sums of kernels, given matrices
    Case("cod-rna", 400, "stack"),
    Case("letter", 500, "stack"),
    Case("cpusmall", 1000, "stack"),
    Case("covtype_10k", 3000, "stack", "two"),
    Case("cpusmall", 500, "views"),
    Case("letter", 400, "sum", "two"),
    Case("cod-rna", 500, "matrix"),
    Case("abalone", 300, "matrices"),
]


def load(case: Case) -> tuple[np.ndarray, np.ndarray]:
    folder = os.environ.get("KERNELWISE_DATA") or HERE.parents[1] / "shared" / "data"
    frame = pd.read_csv(Path(folder) / f"{case.name}.csv.gz")
    X, y = frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()
    if case.name in REAL:
        return X, y.astype(float)
    y = y.astype(str)
    if case.given == "two" and case.name == "covtype_10k":
        kept = np.isin(y, ["1", "2"])
        return X[kept], y[kept]
    if case.given == "two":
        y = np.where(y <= "M", "A to M", "N to Z")
    return X, y


class Data:
    """Training and new rows of a case, and what else its fit is given."""

    def __init__(self, case: Case) -> None:
        X, y = load(case)
        rng = np.random.default_rng(CASES.index(case))
        order = rng.permutation(len(y))
        if case.given == "rare":  # one in twenty
            is_rare = y[order] == np.unique(y)[1]
            order = order[~is_rare | (rng.random(len(y)) < 0.1)]
        train, new = order[: case.rows], order[case.rows : case.rows + NEW_ROWS]
        scaler = StandardScaler().fit(X[train])
        self.X, self.X_new = scaler.transform(X[train]), scaler.transform(X[new])
        if case.given == "sparse":
            self.X, self.X_new = sp.csr_matrix(X[train]), sp.csr_matrix(X[new])
        self.y, self.y_new = y[train], y[new]
        self.params = {}
        if case.given == "weights":
            self.params["sample_weight"] = rng.integers(1, 6, case.rows).astype(float)


def grams(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return one matrix for each of four widths."""
    kernels = [kw.Gaussian(tau) for tau in (1.0, 4.0, 16.0, 64.0)]
    return np.array([kernel(X, Z) for kernel in kernels])


def estimator(case: Case, features: int) -> Any:
    weighting = {"class_weight": "balanced"} if case.given == "balanced" else {}
    match case.form:
        case "stack":
            return kw.KernelStack(random_state=0, **weighting)
        case "sum" | "matrices":
            return kw.MultiKernelSelector(random_state=0)
        case "views":
            thirds = np.array_split(np.arange(features), 3)
            names = ("first", "second", "third")
            views = {name: part.tolist() for name, part in zip(names, thirds, strict=True)}
            return kw.MultiKernelSelector(views=views, random_state=0)
        case "matrix":
            return kw.KernelSelector(kernels=kw.Precomputed())
    return kw.KernelSelector(random_state=0, **weighting)


def chosen(model: Any) -> dict[str, Any]:
    """Return what was chosen: every kernel with its ridge, and the weights if there are any."""
    found = {"kernel": repr(model.best_kernel_), "ridge": float(model.best_ridge_)}
    if hasattr(model, "members_"):
        members = model.members_.items()
        found["members"] = {
            name: [repr(m.best_kernel_), float(m.best_ridge_)]
            for name, m in members
            if "Scaled" not in repr(m.best_kernel_)  # its scales are numbers of the data
        }
    if hasattr(model, "weights_"):
        found["weights"] = [round(float(w), 6) for w in model.weights_]
    if isinstance(model, kw.MultiKernelSelector):
        del found["kernel"]  # the weights say it
    return found


def mean_loss(model: Any) -> float:
    """Return the mean leave-one-out loss: what the choice was made by, or the squared residual."""
    if isinstance(model, kw.KernelSelector):
        return float(list(model.result_.table.values())[-1][model.best_index_])
    residuals = getattr(model, "loo_residuals_", None)
    if residuals is None:
        residuals = model.best_estimator_.loo_residuals_
    return float(np.mean(np.square(residuals)))


def run(case: Case) -> tuple[dict[str, Any], np.ndarray]:
    """Return what a case chooses, and its loss on every new row."""
    data = Data(case)
    X, X_new = data.X, data.X_new
    if case.form == "matrix":
        X, X_new = kw.Gaussian(8.0)(X, X), kw.Gaussian(8.0)(X_new, X)
    elif case.form == "matrices":
        X, X_new = grams(X, X), grams(X_new, X)
    model = estimator(case, X.shape[-1])
    if case.name in REAL:
        model.set_params(task="regression")
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, data.y, **data.params)
    seconds = time.process_time() - begun
    predicted = model.predict(X_new)
    if case.name in REAL:  # in units of the variance
        losses = ((predicted - data.y_new) ** 2 / data.y_new.var()).astype(np.float32)
    else:
        losses = predicted != data.y_new
    found = {
        **chosen(model),
        "loss": mean_loss(model),
        "error": float(losses.mean()),
        "new rows": len(losses),
        "seconds": round(seconds, 3),
    }
    return found, losses


def agrees(now: Any, then: Any) -> bool:
    """Say whether choices are the same; numbers may differ by rounding."""
    if isinstance(then, dict):
        return then.keys() == now.keys() and all(agrees(now[name], then[name]) for name in then)
    if isinstance(then, list):
        return len(then) == len(now) and all(map(agrees, now, then))
    if isinstance(then, float):
        return bool(np.isclose(now, then, rtol=SAME, atol=SAME))
    return bool(now == then)


def difference(now: np.ndarray, then: np.ndarray) -> tuple[float, float]:
    """Return the mean difference of the losses of the same rows, and its standard error."""
    gaps = now.astype(float) - then
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))


def compared(cases: list[Case], told: Callable[[str], None]) -> bool:
    """Run cases and tell how they differ from the recorded ones; return whether choices agree."""
    golden = json.loads((HERE / "golden.json").read_text())
    rows = np.load(HERE / "golden_rows.npz")
    picked = {"kernel", "ridge", "members", "weights"}
    all_agree, ratios, times = True, [], []
    for case in cases:
        then = golden[case.title]
        now, losses = run(case)
        same = all(agrees(now[name], then[name]) for name in picked & then.keys())
        all_agree &= same
        mean, error = difference(losses, rows[case.title])
        ratios.append(now["error"] / then["error"])
        times.append(now["seconds"] / then["seconds"])
        verdict = "same" if same else f"DIFFERS: {then} -> {now}"
        told(
            f"{case.title:32} error {now['error']:.4f} ({mean:+.4f} ± {error:.4f})  "
            f"loss {now['loss'] / then['loss']:.6f}  time {times[-1]:.2f}  {verdict}"
        )
    told(
        f"{len(cases)} fits; mean error {np.mean(ratios):.4f}, "
        f"time {np.exp(np.mean(np.log(times))):.2f} of the recorded ones"
    )
    return all_agree


def recorded(cases: list[Case], told: Callable[[str], None]) -> None:
    golden, rows = {}, {}
    for case in cases:
        golden[case.title], rows[case.title] = run(case)
        told(f"{case.title:32} {golden[case.title]}")
    (HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")
    np.savez_compressed(HERE / "golden_rows.npz", **rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--record", action="store_true", help="record the choices anew")
    parser.add_argument("--only", default="", help="parts of the titles of cases, with commas")
    arguments = parser.parse_args()
    parts = arguments.only.split(",")
    cases = [case for case in CASES if any(part in case.title for part in parts)]
    if arguments.record:
        recorded(cases, lambda line: print(line, flush=True))
    elif not compared(cases, lambda line: print(line, flush=True)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
