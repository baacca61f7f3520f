"""Time and peak memory of weights of many kernels, and on many rows.

    .venv/bin/python benchmarks/many_views.py rows|features [--out FILE.json]

"rows": 20 kernels, two widths on each of ten views, on 20,000 rows within 4 GB. "features":
three widths on each of 100 features, on 1,000 rows. Peak memory is that of the whole process, with
numpy and scikit-learn. Times are processor seconds.
"""

import argparse
import json
import pathlib
import resource
import time

import numpy as np

import kernelwise as kw


def part(V: np.ndarray) -> np.ndarray:
    return np.sin(1.5 * V[:, 0]) + V[:, 1] * V[:, 2]


def on_many_rows(rng: np.random.Generator) -> tuple:
    X = rng.normal(size=(20_000, 30))
    y = part(X[:, :3]) + part(X[:, 3:6]) + 0.3 * rng.normal(size=len(X))
    views = {f"view {i}": list(range(3 * i, 3 * i + 3)) for i in range(10)}
    kernels = [kw.Gaussian(2.0), kw.Gaussian(8.0)]
    return kw.MultiKernelSelector(kernels, views=views, memory="4GB"), X, y


def of_many_features(rng: np.random.Generator) -> tuple:
    X = rng.normal(size=(1000, 100))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=len(X))
    return kw.MultiKernelSelector(views={f"feature {j}": [j] for j in range(100)}), X, y


CASES = {"rows": on_many_rows, "features": of_many_features}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("case", choices=list(CASES))
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    model, X, y = CASES[given.case](np.random.default_rng(0))
    start, began = time.process_time(), time.perf_counter()
    model.fit(X, y)
    found = {
        "rows": len(y),
        "kernels": len(model.kernels_),
        "processor seconds": round(time.process_time() - start, 1),
        "seconds": round(time.perf_counter() - began, 1),
        "peak memory, GB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        "weight on the two that matter": round(sum(list(model.view_weights_.values())[:2]), 4),
        "error": round(model.error_.value, 4),
        "error of the best kernel alone": round(model.single_error_.value, 4),
    }
    print(json.dumps(found, indent=1))
    if given.out is not None:
        known = json.loads(given.out.read_text()) if given.out.exists() else {}
        given.out.write_text(json.dumps(known | {given.case: found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
