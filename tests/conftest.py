import csv
import gzip
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

# The same examples in every run: a failure is a failure for everybody. Nothing looks at the clock:
# a busy machine is slow.
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    max_examples=40,
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def wdbc():
    """The Wisconsin diagnostic breast cancer data, standardised: 569 rows, 30 features."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def two_blobs(rng):
    """Forty points in two overlapping classes of unequal size."""
    X = np.vstack([rng.normal(0.0, 1.0, (26, 3)), rng.normal(1.5, 1.0, (14, 3))])
    return X, np.repeat([0, 1], [26, 14])


@pytest.fixture
def three_blobs(rng):
    X = np.vstack([rng.normal(c, 0.8, (n, 2)) for c, n in ((0.0, 15), (2.0, 10), (4.0, 8))])
    return X, np.repeat([0, 1, 2], [15, 10, 8])


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
def in_this_process(monkeypatch):
    """Let experiments work in threads of this process: others take seconds to start.

    Their lines are then the same to the last digit as those of a job that is done here.
    """
    monkeypatch.setattr(
        "kernelwise.experiments.runner.ProcessPoolExecutor",
        lambda workers, mp_context: ThreadPoolExecutor(workers),
    )
