"""Whether a learnt metric pays: test error on 20 data sets, and rows per feature.

    .venv/bin/python benchmarks/metrics.py [--splits 3] [--first 0] [--sets ...] [--out FILE.json]

Splits and preparation as in ``default_choice.py``. Each strategy begins with a choice by the
default's rules: Gaussian widths, or Laplacian ones; then it scales the features by the square root
of their relevance, or by weights learnt by leave-one-out, and chooses again. Needs the data sets
(KERNELWISE_DATA or ../shared/data).
"""

import argparse
import warnings

import numpy as np
from default_choice import SETS, error, load, report

import kernelwise as kw

EXTRA = ("splice", "letter", "svmguide3", "svmguide1")  # many rows for their features


def gaussian(X: np.ndarray, y: np.ndarray) -> kw.KernelSelector:
    return kw.KernelSelector().fit(X, y)


def laplacian(X: np.ndarray, y: np.ndarray) -> kw.KernelSelector:
    return kw.KernelSelector(kernels=kw.grids.laplacian_for(X)).fit(X, y)


def by_relevance(X: np.ndarray, y: np.ndarray) -> kw.KernelSelector:
    root = np.sqrt(kw.relevance(laplacian(X, y)).values)
    weights = root / root.mean()
    kernels = [kw.Scaled(weights, k) for k in kw.grids.laplacian_for(weights * X)]
    return kw.KernelSelector(kernels=kernels).fit(X, y)


def by_leave_one_out(choose, prior: float):
    def strategy(X: np.ndarray, y: np.ndarray) -> kw.KernelSelector:
        metric = kw.learn_metric(choose(X, y), prior=prior)
        return kw.KernelSelector(kernels=[metric]).fit(X, y)

    return strategy


STRATEGIES = {
    "Gaussian (the default)": gaussian,
    "Laplacian": laplacian,
    "Laplacian, features scaled by relevance": by_relevance,
    "Gaussian, weights by leave-one-out, prior 1": by_leave_one_out(gaussian, 1.0),
    "Gaussian, weights by leave-one-out, prior 0.3": by_leave_one_out(gaussian, 0.3),
}


def some(X: np.ndarray, y: np.ndarray, rows: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    """Return at most so many rows: the search factorises a matrix of all of them at every step."""
    kept = np.random.default_rng(0).permutation(len(y))[:rows]
    return X[kept], y[kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--sets", nargs="*", default=[*SETS, *EXTRA])
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = {}  # sets x strategies x splits x (error, seconds)
    for name in arguments.sets:
        X, y = some(*load(name))
        runs[name] = [
            [error(strategy, X, y, i + arguments.first) for i in range(arguments.splits)]
            for strategy in STRATEGIES.values()
        ]
        per_feature = 0.7 * len(y) / X.shape[1]
        errors = (f"{np.mean(run, axis=0)[0]:7.2f}" for run in runs[name])
        print(f"{name:15} {per_feature:6.1f} rows a feature", *errors, flush=True)
    report(runs, list(STRATEGIES), arguments.out)


if __name__ == "__main__":
    main()
