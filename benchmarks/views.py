r"""Whether weights find the views that matter: ten groups of features, two of which do.

    .venv/bin/python benchmarks/views.py [--seeds 10] [--noise 0.3 0.4] [--methods l1 ...] \\
        [--out FILE.json]

The target is a sum of a function of each of the first two views, of variance one each, and of noise
with the standard deviations that --noise gives; the sign of that for classes. 280 rows to learn
from, 2,000 to test on; three Gaussian widths on every view. With noise 0.3 the best single kernel
has 27 % of the classes wrong. For every method: test error in % (of the variance for a real
target), the share of the weight on the two views, how many kernels have a weight, and processor
seconds. What the file has of other methods and noise is kept.
"""

import argparse
import json
import pathlib
import time
import warnings

import numpy as np

import kernelwise as kw

ROWS, NEW, VIEWS, SIZE = 280, 2000, 10, 3
GROUPS = {f"view {i}": list(range(SIZE * i, SIZE * (i + 1))) for i in range(VIEWS)}
METHODS = {
    **{
        name: {"method": name}
        for name in ("auto", "l1", "align", "alignf", "uniform", "loo", "lml")
    },
    **{name: {"criterion": name} for name in ("sm", "md", "er", "rks", "sps")},
}


def part(V: np.ndarray) -> np.ndarray:
    """Return a function of a view, of mean zero and variance one."""
    f = np.sin(1.5 * V[:, 0]) + V[:, 1] * V[:, 2]
    return (f - f.mean()) / f.std()


def draw(seed: int, is_real: bool, noise: float) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS + NEW, SIZE * VIEWS))
    f = part(X[:, :SIZE]) + part(X[:, SIZE : 2 * SIZE])
    f += noise * rng.normal(size=f.size)
    y = f if is_real else (f > 0.0).astype(int)
    return X[:ROWS], y[:ROWS], X[ROWS:], y[ROWS:]


def error(model, X: np.ndarray, y: np.ndarray, is_real: bool) -> float:
    predicted = model.predict(X)
    return 100 * (np.mean((predicted - y) ** 2) / y.var() if is_real else np.mean(predicted != y))


def single(model, X: np.ndarray, y: np.ndarray):
    """Return the machine with the best base kernel."""
    machine = kw.LSSVC if hasattr(model, "classes_") else kw.KRR
    kernel, ridge = model.result_.best("eloo"), model.result_.best_ridge("eloo")
    return machine(kernel, ridge, fit_intercept=True).fit(X, y)


def run(seed: int, is_real: bool, noise: float, methods: list[str]) -> dict[str, list[float]]:
    X, y, new, truth = draw(seed, is_real, noise)
    found: dict[str, list[float]] = {}
    for name in methods:
        if is_real and name == "md":
            continue
        start = time.process_time()
        model = kw.MultiKernelSelector(views=GROUPS, **METHODS[name]).fit(X, y)
        seconds = time.process_time() - start
        share = 100 * sum(model.view_weights_[v] for v in ("view 0", "view 1"))
        used = float(np.count_nonzero(model.weights_))
        found[name] = [error(model, new, truth, is_real), share, used, seconds]
        if "best single" not in found:
            seconds = model.result_.seconds  # of leave-one-out of all base kernels
            on = model.result_.best_index("eloo") < 6
            off = error(single(model, X, y), new, truth, is_real)
            found["best single"] = [off, 100.0 * on, 1.0, seconds]
    return found


def table(is_real: bool, noise: float, given: argparse.Namespace) -> dict[str, list[float]]:
    """Run all seeds; print and return the means by method."""
    rows = [run(seed, is_real, noise, given.methods) for seed in range(given.seeds)]
    means = {m: np.mean([row[m] for row in rows], axis=0).round(3).tolist() for m in rows[0]}
    task = "numbers" if is_real else "classes"
    print(f"{task}, noise {noise}: test error %, % of weight on two views, kernels used, seconds")
    for method, values in sorted(means.items(), key=lambda item: item[1][0]):
        print(f"  {method:12} " + " ".join(f"{value:8.2f}" for value in values), flush=True)
    return means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.3, 0.4])
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    saved = given.out is not None and given.out.exists()
    found = json.loads(given.out.read_text()) if saved else {}
    for noise in given.noise:
        for task, is_real in (("classes", False), ("numbers", True)):
            means = found.setdefault(f"noise {noise}, {task}", {})
            means |= table(is_real, noise, given)
            if given.out is not None:
                given.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
