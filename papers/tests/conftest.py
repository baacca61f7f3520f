"""Small data sets with the names of the papers', and where experiments look for them."""

import csv
import gzip

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def two_blobs(rng):
    """Forty points in two overlapping classes of unequal size."""
    X = np.vstack([rng.normal(0.0, 1.0, (26, 3)), rng.normal(1.5, 1.0, (14, 3))])
    return X, np.repeat([0, 1], [26, 14])


@pytest.fixture
def data_folder(tmp_path, monkeypatch):
    """Return what writes data sets, by name features and target, where experiments look for them.

    NaN is a gap; numbers keep six digits.
    """

    def write(sets):
        (tmp_path / "MANIFEST.csv").write_text("\n".join(["name", *sets, ""]))
        for name, (X, y) in sets.items():
            rows = [
                ["" if np.isnan(v) else f"{v:.6g}" for v in x] + [str(t)]
                for x, t in zip(np.asarray(X), y, strict=True)
            ]
            heads = [f"f{i}" for i in range(len(rows[0]) - 1)] + ["target"]
            with gzip.open(tmp_path / f"{name}.csv.gz", "wt", newline="") as file:
                csv.writer(file).writerows([heads, *rows])
        monkeypatch.setenv("KERNELWISE_DATA", str(tmp_path))
        return tmp_path

    return write


@pytest.fixture
def folder(data_folder):
    """A folder with two small sets: heart, of two classes with gaps, and mpg, to regress on."""
    X, y = load_breast_cancer(return_X_y=True)
    X[3, 2] = np.nan
    Z, t = load_diabetes(return_X_y=True)
    labels = [f"c{code}" for code in y[:90]]
    return data_folder({"heart": (X[:90, :5], labels), "mpg": (Z[:60], t[:60])})


@pytest.fixture
def in_this_process():
    """Let experiments work in threads of this process: others take seconds to start.

    Their lines are then the same to the last digit as those of a job that is done here.
    """
    with joblib.parallel_config(backend="threading", n_jobs=2):
        yield
