"""Which features a machine uses: the mean squared gradient of its decision function."""

import sys
from functools import partial

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw
import oracles
from helpers import close, points

E = {"m": mpmath}
FAMILIES = {
    kw.Gaussian(2.0): partial(oracles.gaussian, tau=2, **E),
    kw.Laplacian(3.0): partial(oracles.laplacian, scale=3, **E),
    kw.Matern(2.0, 0.5): partial(oracles.matern, scale=2, nu=0.5, **E),
    kw.Matern(2.0, 1.5): partial(oracles.matern, scale=2, nu=1.5, **E),
    kw.Matern(2.0, 2.5): partial(oracles.matern, scale=2, nu=2.5, **E),
    kw.Linear(): oracles.dot,
    kw.Polynomial(3, 1.0, 0.5): partial(oracles.polynomial, degree=3, coef0=1, gamma=0.5),
    kw.Polynomial(1, 0.0, 0.5): partial(oracles.polynomial, degree=1, coef0=0, gamma=0.5),
}
MIXED = {
    kw.Gaussian(2.0) + kw.Laplacian(3.0): lambda x, z: (
        oracles.gaussian(x, z, 2, **E) + oracles.laplacian(x, z, 3, **E)
    ),
    kw.Laplacian(3.0) * kw.Linear() * kw.Laplacian(3.0): lambda x, z: (
        oracles.laplacian(x, z, 3, **E) ** 2 * oracles.dot(x, z)
    ),
    0.25 * (kw.Gaussian(2.0) * (kw.Linear() + kw.Matern(2.0, 0.5))): lambda x, z: (
        (oracles.dot(x, z) + oracles.matern(x, z, 2, 0.5, **E)) * oracles.gaussian(x, z, 2, **E) / 4
    ),
}
KERNELS = FAMILIES | MIXED
TRANSFORMED = [
    kw.Scaled([2.0, 0.5, 0.0], kw.Laplacian(3.0)),
    kw.Scaled([2.0, 0.5, 1.0], kw.Gaussian(2.0) + kw.Linear()),
    kw.Columns([2, 0], kw.Matern(2.0)) * kw.Columns([1], kw.Laplacian(3.0)),
    kw.Columns([2, 1], kw.Scaled([0.5, 3.0], kw.Gaussian(2.0))),
]


def problem(n=11, d=3, seed=0):
    """Rows with duplicates and tied entries, and as many labels of three classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[3], X[5:8, 1], X[:, d - 1] = X[0], X[2, 1], np.round(X[:, d - 1])
    return X, np.arange(n) % 3


def by_definition(machine, X=None):
    kernel = KERNELS[machine.kernel]
    rows = machine.X_fit_
    alpha = machine.dual_coef_.reshape(len(rows), -1)
    return oracles.relevance(kernel, rows, alpha, rows if X is None else X)


def by_differences(machine, X, h=1e-6):
    """Return the mean squares of central differences of the decision function itself."""
    f = machine.decision_function if hasattr(machine, "classes_") else machine.predict
    steps = h * np.eye(X.shape[1])
    G = np.array([(f(X + s) - f(X - s)).reshape(len(X), -1) / (2.0 * h) for s in steps])
    return np.mean(np.sum(G**2, axis=2), axis=1)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_it_is_the_mean_square_of_the_gradient_at_ties_and_duplicates(kernel):
    X, y = problem()
    machine = kw.LSSVC(kernel, ridge=0.5).fit(X, y)
    close(kw.relevance(machine).values, by_definition(machine))
    elsewhere = np.vstack([X[:4] + 0.3, X[:1]])
    close(kw.relevance(machine, elsewhere).values, by_definition(machine, elsewhere))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("task", ["two classes", "three classes", "numbers", "two targets"])
def test_finite_differences_of_the_decision_function(kernel, task):
    X, y = problem(n=30)
    numbers = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    machine, target = {
        "two classes": (kw.LSSVC(kernel), y > 0),
        "three classes": (kw.LSSVC(kernel), y),
        "numbers": (kw.KRR(kernel, fit_intercept=True), numbers[:, 0]),
        "two targets": (kw.KRR(kernel), numbers),
    }[task]
    machine.fit(X, target)
    points = np.random.default_rng(1).normal(size=(7, 3))  # no kinks there
    close(kw.relevance(machine, points).values, by_differences(machine, points), rtol=1e-6)


@pytest.mark.parametrize("kernel", TRANSFORMED, ids=str)
def test_kernels_on_transformed_features(kernel):
    X, y = problem(n=30)
    machine = kw.LSSVC(kernel).fit(X, y)
    points = np.random.default_rng(1).normal(size=(7, 3))
    close(kw.relevance(machine, points).values, by_differences(machine, points), rtol=1e-6)


@settings(max_examples=12)
@given(points(), st.sampled_from(list(FAMILIES)), st.integers(0, 2**16))
def test_random_rows(X, kernel, seed):
    alpha = np.random.default_rng(seed).normal(size=(len(X), 2))
    machine = kw.KRR(kernel).fit(X, alpha)
    close(kw.relevance(machine).values, by_definition(machine))


@pytest.mark.parametrize("kernel", [kw.Gaussian(2.0), kw.Laplacian(3.0)], ids=str)
def test_one_feature_a_constant_one_and_many(kernel):
    X, y = problem()
    one = kw.LSSVC(kernel).fit(X[:, :1], y)
    close(kw.relevance(one).values, by_definition(one))
    constant = kw.LSSVC(kernel).fit(np.insert(X, 1, 7.0, axis=1), y)
    found = kw.relevance(constant).values
    assert found[1] == 0.0
    close(np.delete(found, 1), kw.relevance(kw.LSSVC(kernel).fit(X, y)).values)
    many = np.random.default_rng(0).normal(size=(9, 300))  # more than are worked on at once
    machine = kw.LSSVC(kernel).fit(many, np.arange(9) % 2)
    close(
        kw.relevance(machine, many[:3] + 0.1).values,
        by_differences(machine, many[:3] + 0.1),
        rtol=1e-5,
    )


def test_a_selector_and_landmarks_are_asked_for_their_machine():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] * X[:, 1] > 0.0
    selector = kw.KernelSelector().fit(X, y)
    found = kw.relevance(selector)
    np.testing.assert_array_equal(found.values, kw.relevance(selector.best_estimator_).values)
    assert found.values[2] < 0.2 * found.values[:2].min()
    low_rank = kw.KernelSelector(engine=kw.gram.LowRank(rank=40)).fit(X, y)
    machine = low_rank.best_estimator_
    assert kw.relevance(low_rank).rows == machine.X_fit_.shape[0] < 200
    points = rng.normal(size=(5, 3))
    close(kw.relevance(low_rank, points).values, by_differences(machine, points), rtol=1e-5)


@pytest.mark.parametrize("gate", [0.0, 0.7])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_a_stack_is_the_weighted_sum_of_its_members(gate, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    f = np.abs(X[:, 0]) + 0.5 * X[:, 1] + 0.2 * rng.normal(size=60)
    y = f if classes == 0 else np.digitize(f, np.quantile(f, np.arange(1, classes) / classes))
    stack = kw.KernelStack(gate=gate).fit(X, y)
    points = rng.normal(size=(5, 3))
    found = kw.relevance(stack, points)
    close(found.values, by_differences(stack, points), rtol=1e-6)
    if gate == 0.0:
        [single] = [m for m, w in zip(stack.members_.values(), stack.weights_, strict=True) if w]
        np.testing.assert_array_equal(found.values, kw.relevance(single, points).values)
    with pytest.raises(NotFittedError):
        kw.relevance(kw.KernelStack())


def test_rows_of_weight_zero_have_no_influence():
    X, y = problem()
    weights = np.where(np.arange(11) < 9, 2.0, 0.0)
    weighted = kw.LSSVC(kw.Laplacian(2.0)).fit(X, y, sample_weight=weights)
    without = kw.LSSVC(kw.Laplacian(2.0)).fit(X[:9], y[:9], sample_weight=weights[:9])
    close(kw.relevance(weighted).values, kw.relevance(without).values)
    assert kw.relevance(weighted).rows == 9


@pytest.mark.parametrize("kernel", [kw.Gaussian(2.0), kw.Laplacian(3.0), kw.Linear()], ids=str)
def test_sparse_rows(kernel):
    X, y = problem()
    dense, sparse = (kw.LSSVC(kernel).fit(rows, y) for rows in (X, sp.csr_array(X)))
    close(kw.relevance(sparse).values, kw.relevance(dense).values)
    close(kw.relevance(sparse, sp.csr_array(X[:2])).values, kw.relevance(dense, X[:2]).values)


def test_a_sample_of_the_rows_is_the_same_every_time_and_as_good_as_it_says():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    machine = kw.KRR(kw.Gaussian(2.0)).fit(X, np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1])
    whole, part = kw.relevance(machine), kw.relevance(machine, rows=100)
    assert (whole.rows, part.rows) == (400, 100)
    np.testing.assert_array_equal(part.values, kw.relevance(machine, rows=100).values)
    np.testing.assert_array_equal(part.values, kw.relevance(machine, rows=100, random_state=0))
    assert (part.values != kw.relevance(machine, rows=100, random_state=1).values).all()
    assert (abs(part.values - whole.values) < 5.0 * part.standard_errors).all()
    assert kw.relevance(machine, rows=1000).rows == 400


def test_standard_errors_are_those_of_a_mean():
    X, y = problem()
    machine = kw.LSSVC(kw.Gaussian(2.0)).fit(X, y)
    single = np.array([kw.relevance(machine, row[None]).values for row in X])
    close(kw.relevance(machine).standard_errors, single.std(axis=0, ddof=1) / np.sqrt(11))
    assert np.isnan(kw.relevance(machine, X[:1]).standard_errors).all()


def test_much_work_is_limited(monkeypatch):
    X, y = problem(n=40)
    machine = kw.LSSVC(kw.Laplacian(2.0)).fit(X, y)
    module = sys.modules[kw.relevance.__module__]
    monkeypatch.setattr(module, "_WORK", 40 * 3 * 3 * 20.0)
    monkeypatch.setattr(module, "_FEWEST", 5)
    assert kw.relevance(machine).rows == 20
    monkeypatch.setattr(module, "_FEWEST", 30)
    assert kw.relevance(machine).rows == 30


def test_it_converts_to_an_array_and_knows_names():
    pd = pytest.importorskip("pandas")
    X, y = problem()
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    for machine in (kw.LSSVC(), kw.KernelSelector(kernels=kw.Gaussian(2.0), ridge=1.0)):
        found = kw.relevance(machine.fit(frame, y))
        assert found.names.tolist() == ["age", "height", "weight"]
        np.testing.assert_array_equal(np.sqrt(found), np.sqrt(found.values))
        close(kw.relevance(machine, frame).values, found.values)
    assert kw.relevance(kw.LSSVC().fit(X, y)).names.tolist() == ["x0", "x1", "x2"]


def test_columns_may_be_named():
    pd = pytest.importorskip("pandas")
    X, y = problem()
    frame = pd.DataFrame(X, columns=["age", "height", "weight"])
    by_name, by_position = (
        kw.Columns(columns, kw.Laplacian(2.0)) for columns in (["weight", "age"], [2, 0])
    )
    expected = kw.relevance(kw.LSSVC(by_position).fit(X, y)).values
    assert expected[1] == 0.0 < expected[[0, 2]].min()
    for machine in (kw.LSSVC(by_name), kw.KernelSelector(kernels=by_name, ridge=1.0)):
        np.testing.assert_array_equal(kw.relevance(machine.fit(frame, y)), expected)


def test_extreme_widths_are_zero_or_refused():
    X, y = problem()
    narrow = kw.LSSVC(kw.Gaussian(1e-12)).fit(X, y)
    np.testing.assert_array_equal(kw.relevance(narrow).values, 0.0)
    steep = kw.LSSVC(kw.Laplacian(1e-200)).fit(X, y)
    assert not kw.relevance(steep, X + 10.0).values.any()
    kernel = kw.Polynomial(40)
    machine = kw.LSSVC(kernel, ridge=1e30).fit(X, y)
    with pytest.raises(ValueError, match=r"gradients of the machine are not finite: standardise X"):
        kw.relevance(machine, 1e20 * X)


@pytest.mark.parametrize(
    ("machine", "error", "sentence"),
    [
        (kw.LSSVC(), NotFittedError, "LSSVC instance is not fitted yet"),
        (kw.KernelSelector(), NotFittedError, "KernelSelector instance is not fitted yet"),
        (kw.LSSVC, TypeError, "machine must be a fitted LSSVC or KRR, got <class"),
        ("lssvc", TypeError, "machine must be a fitted LSSVC or KRR, got 'lssvc'"),
        (SVC(), TypeError, "KernelSelector that fitted one, got SVC"),
        (kw.KernelSelector(SVC()), TypeError, "KernelSelector that fitted one, got SVC"),
        (make_pipeline(StandardScaler(), kw.LSSVC()), TypeError, "got Pipeline: .* the last step"),
        (kw.LSSVC(lambda X, Z: X @ Z.T), ValueError, "a kernel of features such as Gaussian"),
        (kw.KernelSelector(refit=False), TypeError, "got KernelSelector"),
    ],
)
def test_machines_that_have_none(machine, error, sentence):
    if error is not NotFittedError and hasattr(machine, "fit") and not isinstance(machine, type):
        X, y = problem(n=60)
        machine.fit(X, y > 1)
    with pytest.raises(error, match=sentence):
        kw.relevance(machine)


def test_a_kernel_without_a_slope(monkeypatch):
    machine = kw.LSSVC(kw.Linear() + kw.Gaussian(2.0)).fit(*problem())
    monkeypatch.delattr(kw.Gaussian, "slope")  # as of a kernel from outside
    sentence = "not known: Gaussian has no method slope, see docs/add_a_kernel.md"
    with pytest.raises(ValueError, match=sentence):
        kw.relevance(machine)


def test_bad_arguments():
    X, y = problem()
    given = kw.LSSVC(kw.Precomputed()).fit(X @ X.T, y)
    with pytest.raises(ValueError, match=r"a kernel of features .* got Precomputed\(\)"):
        kw.relevance(given)
    machine = kw.LSSVC().fit(X, y)
    for rows in (0, 2.5, "all"):
        with pytest.raises(ValueError, match="'rows' parameter"):
            kw.relevance(machine, rows=rows)
    with pytest.raises(ValueError, match="X has 2 features, but LSSVC is expecting 3"):
        kw.relevance(machine, X[:, :2])


def test_sparse_rows_beyond_the_memory_are_refused(monkeypatch):
    X, y = problem()
    machine = kw.LSSVC(kw.Linear()).fit(sp.csr_array(X), y)
    module = sys.modules[kw.relevance.__module__]
    monkeypatch.setattr(module, "as_bytes", lambda _: 100.0)
    with pytest.raises(ValueError, match=r"0.264 kB as a dense array, .* keep fewer features"):
        kw.relevance(machine)
