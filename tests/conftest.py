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
    max_examples=15,
)
settings.register_profile(
    "fuzz", settings.get_profile("default"), derandomize=False, max_examples=2000
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def wdbc():
    """The Wisconsin diagnostic breast cancer data, standardised: 569 rows, 30 features."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="session")
def cluster():
    """The client of two worker processes, which is that of this process."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture
def few_are_many(monkeypatch):
    """Let 600 rows be more than exact matrices can serve."""
    from inside import landmark_search, problem, screen

    sizes = {
        problem: {"EXACT_ROWS": 500, "FEWEST_ROWS": 300},
        landmark_search: {"START_ROWS": 200, "FEWEST_LANDMARKS": 40, "MOST_LANDMARKS": 160},
        screen: {"_ROWS": 200},
    }
    for module, values in sizes.items():
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)


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
