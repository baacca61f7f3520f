"""Odd data, labels, weights and parameters: one sentence that names the argument."""

import datetime
import re

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
    [
        "rows",
        [["a", 1]] * 6,
        [[1, 2], [1]] * 3,
        {"a": 1},
        [[10**400, 1]] * 6,
        [[{}, 1]] * 6,
        X.astype("M8[D]"),
        X.astype(str),
        X.astype(bytes),
    ],
    ids=["text", "cells", "ragged", "dict", "huge", "objects", "dates", "digits", "bytes"],
)
def test_data_that_are_no_numbers(estimator, rows):
    with pytest.raises((TypeError, ValueError), match="X argument must be a table of numbers"):
        estimator.fit(rows, Y)


@every
def test_a_frame_of_numbers_and_dates(estimator):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": X[:, 0], "day": X[:, 1].astype("M8[s]")})
    with pytest.raises((TypeError, ValueError), match="X argument must be a table of numbers"):
        estimator.fit(frame, Y)


@every
def test_gaps_are_named_with_a_remedy(estimator):
    """One line, without advice to use other models; the remedy works."""
    gaps = np.where(X == 4.0, np.nan, X)
    remedy = re.escape("fill the gaps first, as make_pipeline(SimpleImputer(), StandardScaler(), ")
    for call in (estimator.fit, lambda X, y: estimator.fit(np.nan_to_num(X), y).predict(X)):
        with pytest.raises(ValueError, match=f"^Input X contains NaN: {remedy}.*$"):
            call(gaps, Y)
    with pytest.raises(ValueError, match=r"^Input y contains NaN: drop those rows first\.$"):
        estimator.fit(X, [np.nan, 1.5, 0.5, 2.5, 3.5, 0.0])
    make_pipeline(SimpleImputer(), StandardScaler(), estimator).fit(gaps, Y).predict(gaps)


def test_several_targets_are_led_to_one_estimator_a_column():
    Z = np.column_stack([X[:, 0] + 0.5, X[::-1, 1] ** 2 + 0.5])
    message = r"got an array of shape \(6, 2\) instead: fit one estimator a column, as MultiOutputR"
    for estimator in (ESTIMATORS[0], ESTIMATORS[2]):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, Z)
    with pytest.raises(ValueError, match=r"got an array of shape \(\) instead\.$"):
        ESTIMATORS[2].fit(X, "target")
    assert MultiOutputRegressor(ESTIMATORS[2]).fit(X, Z).predict(X).shape == (6, 2)


@every
def test_targets_of_different_lengths(estimator):
    with pytest.raises(ValueError, match=r"y must"):
        estimator.fit(X, [[1], [2, 3], [1], [2, 3], 1, 1])


@pytest.mark.parametrize(
    "targets",
    [["a", "b"] * 3, [b"a", b"b"] * 3, [datetime.date(2020, 1, d) for d in range(1, 7)],
     np.arange("2020-01-01", "2020-01-07", dtype="M8[D]"), [10**400, 1] * 3, [1, "a", 2, 3, 4, 5]],
    ids=["text", "bytes", "dates", "numpy dates", "huge", "mixed"],
)  # fmt: skip
def test_regression_needs_numbers(targets):
    with pytest.raises(ValueError, match="y must be numeric"):
        kw.KRR().fit(X, targets)


def test_numbers_in_an_object_array_are_numbers():
    plain = kw.KRR().fit(X, [0.5, 1.5, 2.0] * 2)
    objects = kw.KRR().fit(X, np.array([0.5, 1.5, 2.0] * 2, dtype=object))
    np.testing.assert_array_equal(plain.dual_coef_, objects.dual_coef_)


@pytest.mark.parametrize("labels", [[1, "a", 2, "b", 1, "a"], [0.5, -0.5, 1.5] * 2])
def test_labels_that_are_none(labels):
    with pytest.raises(ValueError, match="label"):
        kw.LSSVC().fit(X, np.array(labels, dtype=object if "a" in labels else float))


@machine
@pytest.mark.parametrize("weights", ["w", ["a"] * 6, [10**400] * 6])
def test_weights_that_are_no_numbers(estimator, weights):
    with pytest.raises(ValueError, match="sample_weight must hold one non-negative number per row"):
        estimator.fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"ridge": 10**400}, "ridge must be a positive number"),
        ({"ridge": np.array([1, 2])}, "ridge must be a positive number"),
        ({"class_weight": {0: "a", 1: 1}}, "class_weight must map classes to numbers"),
        ({"class_weight": {0: np.nan, 1: 1}}, "class_weight must not be negative"),
    ],
)
def test_parameters(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        kw.LSSVC(**parameters).fit(X, Y)


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


def test_weights_of_classes_that_are_dates():
    labels = np.array(["2020-01-01", "2021-01-01"] * 3, dtype="M8[D]")
    # Older versions of scikit-learn look for 0 among the labels.
    words = "class_weight must map classes to numbers|class_weight names 0, which is no class of y"
    with pytest.raises((TypeError, ValueError), match=words):
        kw.LSSVC(class_weight={0: 2.0}).fit(X, labels)


def test_a_ridge_too_large_for_a_float():
    with pytest.raises(ValueError, match="ridge must be a positive number"):
        kw.score_matrix(np.eye(6), Y, "eloo", ridge=10**400)
