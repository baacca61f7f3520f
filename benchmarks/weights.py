"""Whether weights of kernels pay on ordinary tables: test error on ten data sets without views.

    .venv/bin/python benchmarks/weights.py [--splits 3] [--sets ...] [--out FILE.json]

Splits and preparation as in ``default_choice.py``, the first ten of its data sets. 16 Gaussian
widths and the polynomials of degree 1 to 3, on all features; the best of them by leave-one-out, and
weighted sums of them. Needs the data sets (KERNELWISE_DATA or ../shared/data).
"""

import argparse
import warnings

import numpy as np
from default_choice import SETS, error, load, report

import kernelwise as kw

KERNELS = [*kw.grids.gaussian(-5, 10), *kw.grids.polynomial(1, 3)]
METHODS = ("l1", "align", "alignf", "uniform", "lml")


def best(X: np.ndarray, y: np.ndarray) -> kw.KernelSelector:
    return kw.KernelSelector(kernels=KERNELS, criterion=kw.criteria.ELOO("squared_hinge")).fit(X, y)


def weighted(method: str):
    return lambda X, y: kw.MultiKernelSelector(KERNELS, method=method).fit(X, y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=SETS[:10])
    parser.add_argument("--out")
    given = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    strategies = {"best single": best, **{name: weighted(name) for name in METHODS}}
    runs = {}  # sets x strategies x splits x (error, seconds)
    for name in given.sets:
        X, y = load(name)
        runs[name] = [
            [error(strategy, X, y, seed) for seed in range(given.splits)]
            for strategy in strategies.values()
        ]
        print(f"{name:15}", *(f"{np.mean(r, axis=0)[0]:7.2f}" for r in runs[name]), flush=True)
    report(runs, list(strategies), given.out)


if __name__ == "__main__":
    main()
