"""Two public data sets whose features come in groups: what weights of kernels say of them.

    python examples/views.py [FOLDER]

FOLDER, by default KERNELWISE_DATA or ../shared/data, has adult.csv.gz and mnist_20k.csv.gz: columns
f0, f1, ... and target, the nominal attributes of adult as 0/1 columns.
"""

import os
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import kernelwise as kw

ROWS = 1000  # to learn from
# The attributes of adult, each with the first of its columns.
ADULT = {
    "age": 0, "work class": 1, "sampling weight": 9, "education": 10, "years of education": 26,
    "marital status": 27, "occupation": 34, "relationship": 48, "race": 54, "sex": 59,
    "capital": 60, "hours": 62, "country": 63,
}  # fmt: skip


def adult(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray, dict[str, list[int]]]:
    """Income above 50,000 from 13 groups of columns: numbers, and attributes as 0/1 columns."""
    frame = pd.read_csv(folder / "adult.csv.gz")
    X = frame.drop(columns="target").fillna(0.0).to_numpy(float)
    X[:, [60, 61]] = np.log1p(X[:, [60, 61]])  # gains and losses of up to 100,000
    ends = [*list(ADULT.values())[1:], X.shape[1]]
    groups = zip(ADULT.items(), ends, strict=True)
    return X, frame["target"].to_numpy(), {name: list(range(a, b)) for (name, a), b in groups}


def digits(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray, dict[str, list[int]]]:
    """Threes and eights from 16 regions of 7 x 7 pixels."""
    frame = pd.read_csv(folder / "mnist_20k.csv.gz")
    frame = frame[frame["target"].isin([3, 8])]
    pixels = np.arange(784).reshape(28, 28)
    corners = [(row, column) for row in range(0, 28, 7) for column in range(0, 28, 7)]
    views = {
        f"row {i // 7 + 1}, column {j // 7 + 1}": pixels[i : i + 7, j : j + 7].ravel().tolist()
        for i, j in corners
    }
    return frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy(), views


def main() -> None:
    """Weigh the views of both sets, and compare with one kernel on all features."""
    default = os.environ.get("KERNELWISE_DATA", pathlib.Path(__file__).parents[2] / "shared/data")
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else default)
    warnings.simplefilter("ignore", UserWarning)
    for name, read in {"adult": adult, "digits 3 and 8": digits}.items():
        X, y, views = read(folder)
        X, new, y, truth = train_test_split(X, y, train_size=ROWS, random_state=0, stratify=y)
        scaler = StandardScaler().fit(X) if name == "adult" else None
        X, new = (scaler.transform(V) if scaler else V / 255.0 for V in (X, new))
        model = kw.MultiKernelSelector(views=views, task="classification").fit(X, y)
        plain = kw.KernelSelector(task="classification").fit(X, y)
        print(f"{name}: {len(views)} views, {len(model.kernels_)} kernels, {len(y)} rows")
        for view, weight in sorted(model.view_weights_.items(), key=lambda pair: -pair[1]):
            print(f"  {view:22} {100 * weight:5.1f} %")
        alone, equal = model.single_error_.short, model.uniform_error_.short
        print(f"  gate {model.gate_:.2f}, {np.count_nonzero(model.weights_)} kernels with a weight")
        print(f"  leave-one-out: {model.error_.short}; best kernel of a view alone {alone}")
        print(f"  equal weights {equal}; gain {model.gain_:.3f} ± {model.gain_standard_error_:.3f}")
        errors = [100 * (1 - m.score(new, truth)) for m in (model, plain)]
        print(f"  test error {errors[0]:.1f} %; one kernel on all features {errors[1]:.1f} %")


if __name__ == "__main__":
    main()
