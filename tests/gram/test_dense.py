import numpy as np
import pytest

import kernelwise as kw
from inside import Targets
from inside import arguments as _arguments


def test_a_nearly_constant_matrix_is_shifted_exactly(rng):
    """What a given matrix says beyond its constant is kept to the last bit."""
    X = 1e-4 * rng.normal(size=(10, 2))
    K = kw.Gaussian(1.0)(X)
    [gram] = kw.gram.Dense().grams([kw.Precomputed()], K, Targets.of(np.arange(10) % 2))
    assert gram.statistics.shift == K.min()
    exact = K.astype(np.longdouble)
    H = np.eye(10, dtype=np.longdouble) - np.longdouble(1) / 10
    expected = np.sqrt(((H @ exact @ H) ** 2).sum())
    np.testing.assert_allclose(gram.statistics.centered_frobenius, float(expected), rtol=1e-9)


def test_geometry_is_computed_once(rng, monkeypatch):
    calls = []
    from inside import geometry

    original = geometry.squared_distances

    def counted(X, Z=None):
        calls.append(X.shape)
        return original(X, Z)

    monkeypatch.setattr(geometry, "GEOMETRIES", {**geometry.GEOMETRIES, "sqdist": counted})
    X = rng.normal(size=(300, 2))
    kernels = [kw.Gaussian(2.0**i) for i in range(5)] + [kw.Matern(2.0)]
    for gram in kw.gram.Dense().grams(kernels, X, Targets.of(np.arange(300) % 2)):
        assert gram.statistics.n == 300
    assert calls.count((300, 2)) == 1


def test_what_does_not_fit_is_refused_before_any_work(monkeypatch):
    monkeypatch.setattr(_arguments, "free", lambda: 1e9)
    with pytest.raises(MemoryError, match=r"20000 rows need about 16 GB .* budget is 800 MB"):
        kw.score_kernels(np.zeros((20000, 1)), np.arange(20000) % 2, kw.Linear(), engine="dense")


def test_rows_and_targets_must_match():
    with pytest.raises(ValueError, match="X has 4 rows but y has 5 entries"):
        kw.score_kernels(np.eye(4), [0, 1, 0, 1, 1], kw.Linear())


@pytest.mark.parametrize("method", ["clip", "flip", "shift"])
def test_repair_gives_a_kernel_matrix(rng, method):
    K = kw.Sigmoid(1.0, -1.0)(rng.normal(size=(12, 3)))
    repaired = kw.gram.repair(K, method)
    s, Q = np.linalg.eigh(K)
    new = {"clip": np.maximum(s, 0), "flip": np.abs(s), "shift": s - s[0]}[method]
    np.testing.assert_allclose(repaired, (Q * new) @ Q.T, atol=1e-12)
    np.testing.assert_array_equal(repaired, repaired.T)
    fine = kw.Gaussian(1.0)(rng.normal(size=(5, 2)))
    np.testing.assert_array_equal(kw.gram.repair(fine, method), fine)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((3, 4)), r"K must be a square matrix, got shape \(3, 4\)"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), r"K is not symmetric .* use \(K \+ K.T\) / 2"),
        (np.array([[1.0, 0.5], [0.5 + 1e-6, 1.0]]), "K is not symmetric"),
        ([["a", "b"], ["c", "d"]], "could not convert"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "K contains NaN"),
        (np.ones((0, 0)), "0 sample"),
    ],
)
def test_bad_matrices(K, message):
    with pytest.raises(ValueError, match=message):
        kw.score_matrix(K, [0, 1, 1, 0][: max(len(K), 3)])


def test_repair_knows_three_methods():
    with pytest.raises(ValueError, match="'method' parameter of repair"):
        kw.gram.repair(np.eye(2), "cut")


def test_a_matrix_of_any_scale(rng):
    y = np.arange(8) % 2
    K = kw.Gaussian(1.0)(rng.normal(size=(8, 2)))
    expected = kw.score_matrix(K, y, ["kta", "ckta", "fsm"])
    for scale in (1e-50, 1e50):
        values = kw.score_matrix(scale * K, y, ["kta", "ckta", "fsm"])
        for name, value in expected.items():
            np.testing.assert_allclose(values[name], value, rtol=1e-9)


def test_rounding_asymmetry_is_averaged(rng):
    K = kw.Gaussian(1.0)(rng.normal(size=(8, 2)))
    K[0, 1] *= 1 + 1e-12
    y = np.arange(8) % 2
    values = kw.score_matrix(K, y, "kta"), kw.score_matrix((K + K.T) / 2, y, "kta")
    assert values[0] == values[1]


def test_auto_goes_by_the_number_of_rows(monkeypatch, rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    small = kw.score_kernels(X, y, kw.Gaussian(1.0))
    assert small.engine == "dense" and "up to 700 rows" in small.engine_reason
    monkeypatch.setattr("kernelwise.gram.engines.DENSE_ROWS", 50)
    large = kw.score_kernels(X, y, kw.Gaussian(1.0))
    assert large.engine == "tiled" and "one sweep for all" in large.engine_reason
    selector = kw.KernelSelector().fit(X, y)
    assert selector.result_.engine == "tiled"
    given = kw.score_kernels(kw.Gaussian(1.0)(X), y, kw.Precomputed())
    assert given.engine == "dense" and given.engine_reason == "the matrix is given"
    assert kw.score_kernels(X, y, kw.Gaussian(1.0), engine="dense").engine_reason == "as asked"


def test_unknown_engine():
    with pytest.raises(ValueError, match=r"unknown engine 'dens': did you mean 'dense'\?"):
        kw.gram.resolve_engine("dens", 10, given_matrix=False)


@pytest.mark.parametrize("kernel", [kw.Linear(), kw.Scaled([1.0, 0.0, 2.0, 0.5], kw.Linear())])
@pytest.mark.parametrize("case", ["plain", "duplicates", "dependent", "zero", "few rows"])
def test_few_features_are_decomposed_in_place_of_the_matrix(rng, kernel, case):
    """The eigenpairs are those of the matrix, and with them the machines at every ridge."""
    X = rng.normal(size=(7 if case == "few rows" else 30, 4))
    if case == "duplicates":
        X[10:] = X[:20]
    if case == "dependent":
        X[:, 1:] = X[:, :1] * [2.0, -1.0, 3.0]
    if case == "zero":
        X[:] = 0.0
    targets = Targets.of(np.arange(len(X)) % 2)
    weights = rng.uniform(0.5, 2.0, len(X))
    [gram] = kw.gram.Dense().grams([kernel], X, targets)
    for g, K in ((gram, kernel(X)), (gram.scaled(weights), kernel(X) * np.outer(weights, weights))):
        s, Q = g.spectrum().values, g.spectrum().vectors
        np.testing.assert_allclose((Q * s) @ Q.T, K, rtol=0, atol=1e-10)
        np.testing.assert_allclose(Q.T @ Q, np.eye(s.size), rtol=0, atol=1e-7)
        assert case in ("few rows", "zero") or s.size <= 4
        for inverse in g.inverses([0.1, 10.0]):
            expected = np.linalg.inv(K + inverse.ridge * np.eye(len(K)))
            np.testing.assert_allclose(inverse.diagonal(), expected.diagonal(), rtol=1e-9)


@pytest.mark.parametrize("rows", [6, 12])  # one group, and two far apart
def test_a_matrix_on_which_divide_and_conquer_fails(rows, monkeypatch):
    """LAPACK's dsyevd fails for a few graded matrices; QR iterations take over."""
    from inside import eigensystems

    def failing(K):
        K[:] = np.nan  # it was overwritten before it failed
        raise np.linalg.LinAlgError("did not converge")

    monkeypatch.setattr(eigensystems, "decompose", failing)
    X = np.random.default_rng(0).normal(size=(rows, 2))
    X[6:] += 1e4
    [gram] = kw.gram.Dense().grams([kw.Gaussian(1.0)], X, kw.gram.Targets.of(X[:, 0] > 0.0))
    found = gram.spectrum()
    s, Q = found.values, found.vectors
    np.testing.assert_allclose((Q * s) @ Q.T, kw.Gaussian(1.0)(X), atol=1e-12)
