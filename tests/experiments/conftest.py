"""Small data sets with the names of the papers'."""

import csv
import gzip

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from kernelwise.experiments import datasets


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two small sets: heart, of two classes with gaps, and mpg, to regress on."""
    (tmp_path / "MANIFEST.csv").write_text("name\nheart\nmpg\n")
    X, y = load_breast_cancer(return_X_y=True)
    text = [
        [f"{v:.6g}" for v in row[:5]] + [f"c{t}"] for row, t in zip(X[:90], y[:90], strict=True)
    ]
    text[3][2] = ""
    Z, t = load_diabetes(return_X_y=True)
    numbers = [[f"{v:.6g}" for v in row] for row in np.column_stack([Z, t])[:60]]
    for name, rows in (("heart", text), ("mpg", numbers)):
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt", newline="") as file:
            heads = [f"f{i}" for i in range(len(rows[0]) - 1)] + ["target"]
            csv.writer(file).writerows([heads, *rows])
    monkeypatch.setenv(datasets.VARIABLE, str(tmp_path))
    return tmp_path
