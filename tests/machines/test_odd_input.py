"""Odd data, labels, weights and parameters: what scikit-learn refuses, and what is taken."""

import datetime

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.impute import SimpleImputer
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw

X = np.arange(12.0).reshape(6, 2)
Y = [0, 1, 0, 1, 0, 1]
ESTIMATORS = [kw.LSSVC(), kw.KRR(), kw.KernelSelector(kernels=kw.Gaussian(1.0), ridge=1.0)]

every = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
machine = pytest.mark.parametrize("estimator", ESTIMATORS[:2], ids=lambda e: type(e).__name__)


@every
@pytest.mark.parametrize(
    "rows",
    ["rows", [["a", 1]] * 6, [[1, 2], [1]] * 3, {"a": 1}, [[{}, 1]] * 6, 1j * X, X[:, 0], X[:0]],
    ids=["text", "cells", "ragged", "dict", "objects", "complex", "a vector", "nothing"],
)
def test_data_that_are_no_numbers(estimator, rows):
    with pytest.raises((TypeError, ValueError)):
        estimator.fit(rows, Y)


@every
@pytest.mark.parametrize("kind", ["M8[D]", "m8[D]", str, bytes])
def test_dates_and_digits_are_not_read_as_numbers(estimator, kind):
    with pytest.raises(ValueError, match="X holds dates or texts: encode them"):
        estimator.fit(X.astype(kind), Y)


@every
def test_a_frame_of_numbers_and_dates(estimator):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": X[:, 0], "day": X[:, 1].astype("M8[s]")})
    with pytest.raises((TypeError, ValueError)):
        estimator.fit(frame, Y)
    with pytest.raises(ValueError, match="X holds dates or texts: encode them"):
        estimator.fit(frame[["day"]], Y)


@every
def test_gaps_are_refused(estimator):
    gaps = np.where(X == 4.0, np.nan, X)
    for call in (estimator.fit, lambda X, y: estimator.fit(np.nan_to_num(X), y).predict(X)):
        with pytest.raises(ValueError, match="X contains NaN"):
            call(gaps, Y)
    with pytest.raises(ValueError, match="y contains NaN"):
        estimator.fit(X, [np.nan, 1.5, 0.5, 2.5, 3.5, 0.0])
    make_pipeline(SimpleImputer(), StandardScaler(), estimator).fit(gaps, Y).predict(gaps)


def test_sparse_targets_are_refused():
    with pytest.raises(TypeError, match="Sparse data was passed"):
        kw.KRR().fit(X, csr_matrix(np.arange(6.0)[:, None]))


def test_several_targets_need_one_estimator_a_column():
    Z = np.column_stack([X[:, 0] + 0.5, X[::-1, 1] ** 2 + 0.5])
    for estimator in (ESTIMATORS[0], ESTIMATORS[2]):
        for targets in (Z, "target"):
            with pytest.raises(ValueError, match="y should be a 1d array"):
                estimator.fit(X, targets)
    assert MultiOutputRegressor(ESTIMATORS[2]).fit(X, Z).predict(X).shape == (6, 2)


@every
def test_targets_of_different_lengths(estimator):
    with pytest.raises(ValueError, match="sequence"):
        estimator.fit(X, [[1], [2, 3], [1], [2, 3], 1, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimator.fit(X, Y[:5])


@pytest.mark.parametrize(
    "targets",
    [["a", "b"] * 3, [b"a", b"b"] * 3, [datetime.date(2020, 1, d) for d in range(1, 7)],
     np.arange("2020-01-01", "2020-01-07", dtype="M8[D]"), [1, "a", 2, 3, 4, 5]],
    ids=["text", "bytes", "dates", "numpy dates", "mixed"],
)  # fmt: skip
def test_regression_needs_numbers(targets):
    with pytest.raises((TypeError, ValueError)):
        kw.KRR().fit(X, targets)


def test_numbers_in_an_object_array_are_numbers():
    plain = kw.KRR().fit(X, [0.5, 1.5, 2.0] * 2)
    objects = kw.KRR().fit(X, np.array([0.5, 1.5, 2.0] * 2, dtype=object))
    np.testing.assert_array_equal(plain.dual_coef_, objects.dual_coef_)


def test_labels_of_several_types():
    with pytest.raises(ValueError, match="label"):
        kw.LSSVC().fit(X, np.array([1, "a", 2, "b", 1, "a"], dtype=object))


@machine
@pytest.mark.parametrize("weights", ["w", ["a"] * 6, 1j * X[:, 0], -X[:, 0], X[:5, 0], X[:, 0] * 0])
def test_weights_that_are_none(estimator, weights):
    with pytest.raises((TypeError, ValueError)):
        estimator.fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("ridge", 10**400),
        ("ridge", np.array([1, 2])),
        ("ridge", -1.0),
        ("kernel", "gaussian"),
        ("class_weight", "even"),
        ("class_weight", {0: np.nan, 1: 1}),
        ("class_weight", {0: -1, 1: 1}),
        ("class_weight", {2: 1}),
    ],
)
def test_parameters(parameter, value):
    with pytest.raises(ValueError, match=parameter):
        kw.LSSVC(**{parameter: value}).fit(X, Y)


def test_kernels_of_another_shape():
    with pytest.raises(ValueError, match=r"kernel must return a matrix of shape \(6, 6\)"):
        kw.LSSVC(lambda X, Z: np.eye(2)).fit(X, Y)


def test_one_weight_for_all_rows_reaches_foreign_machines():
    selector = kw.KernelSelector(SVC(), kernels=kw.Gaussian(1.0), criterion="kta", ridge=1.0)
    heavy = selector.fit(X, Y, sample_weight=3.0).decision_function(X)
    np.testing.assert_allclose(
        heavy, selector.fit(X, Y, sample_weight=[3.0] * 6).decision_function(X)
    )


def test_sparse_rows_with_entries_out_of_order_and_twice():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(8, 30))
    order = np.concatenate([rng.permutation(30) for _ in range(8)])
    data = np.concatenate([row[o] for row, o in zip(dense, order.reshape(8, 30), strict=True)])
    odd = csr_matrix((data, order, 30 * np.arange(9)), shape=(8, 30))
    K = kw.Linear()(odd)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(K, dense @ dense.T)
    assert not odd.has_sorted_indices  # left as it was
