import numpy as np
import pandas as pd
import pytest

from inside import Targets


@pytest.mark.filterwarnings("ignore::kernelwise.targets.IntegerTargetWarning")
@pytest.mark.parametrize(
    ("y", "kind"),
    [
        ([0, 1, 1], "binary"),
        ([-1.0, 1.0, 1.0], "binary"),
        ([True, False, True], "binary"),
        (["a", "b", "b"], "binary"),
        (np.array(["a", "b", "b"], object), "binary"),
        (pd.Series(["x", "y", "x"], dtype="category"), "binary"),
        ([0.5, 2.5, 0.5], "regression"),  # fractions are no classes, as for scikit-learn
        (np.array([True, False, True], object), "binary"),
        (np.array([1, 2, 1], object), "binary"),
        (pd.Series([1, 2, 1], dtype="Int64"), "binary"),
        (pd.Series([True, False, True], dtype="boolean"), "binary"),
        (np.array([1, "a", 1], object), "binary"),
        (np.array([10**30, 10**31, 10**30], object), "binary"),
        (np.array([b"x", b"y", b"x"]), "binary"),
        ([0, 1, 2] * 2, "multiclass"),
        (np.arange(60) % 20, "multiclass"),
        (np.arange(60) % 21, "regression"),
        ([0.5, 1.0, 2.0], "regression"),
        (np.array([0.1, 0.2, 0.3], object), "regression"),
        (np.arange(9.0)[:, None] / 7, "regression"),
    ],
)
def test_auto_tells_classes_from_numbers(y, kind):
    assert Targets.of(y).kind == kind


def test_task_decides_where_the_target_does_not():
    assert Targets.of([0, 1, 2] * 4, "regression").kind == "regression"
    assert Targets.of(np.arange(60) % 25, "classification").kind == "multiclass"


def test_columns_and_their_sums():
    t = Targets.of(["b", "a", "b", "c", "a", "b"])
    assert t.classes.tolist() == ["a", "b", "c"] and t.counts.tolist() == [2, 3, 1]
    np.testing.assert_array_equal(t.columns.sum(axis=0), t.column_sums)
    np.testing.assert_array_equal(t.columns.sum(axis=1), 1.0)
    np.testing.assert_array_equal(t.fit_columns, 2 * t.columns - 1)
    np.testing.assert_array_equal(Targets.of([0, 1, 1]).fit_columns[:, 0], [-1, 1, 1])
    r = Targets.of([1.5, 2.5, 6.0])
    np.testing.assert_array_equal(r.columns[:, 1], r.y - r.y.mean())
    np.testing.assert_array_equal(r.column_sums, [3, 0])


@pytest.mark.parametrize(
    ("y", "task", "message"),
    [
        (None, "auto", "y should be a 1d array"),
        ([0, 1], "auto", "2 sample"),
        ([1, 1, 1], "auto", r"y has only one class \[1\]: at least two classes are needed"),
        (["a"] * 3, "auto", r"y has only one class \['a'\]"),
        ([2.0, 2.0, 2.0], "regression", "y is constant: there is nothing to choose a kernel by"),
        ([1e51, 0.0, 1.0], "regression", "y has entries beyond 1e\\+50"),
        ([1e-51, 0.0, 0.0], "regression", "or differences below 1e-50: rescale y"),
        (["a", "b", "c"], "auto", "y has 3 classes on 3 rows: use task='regression'"),
        ([0.5, 1.0, 2.0, 0.5], "classification", "Unknown label type: y holds fractions"),
        (["a", "b", "a"], "regression", "y holds dates or texts"),
        ([0.0, np.nan, 1.0], "auto", "y contains NaN"),
        ([0.0, np.inf, 1.0], "auto", "y contains infinity"),
        (np.array(["2020-01-01", "NaT", "2020-01-01"], "datetime64[D]"), "auto", "missing values"),
        ([[1], [1, 2]], "auto", "inhomogeneous shape"),
        (["a", None, "b"], "auto", "y contains missing values: drop those rows first"),
        (pd.Series(["a", pd.NA, "b"]), "auto", "y contains missing values"),
        (np.array(["a", float("nan"), "b"], object), "auto", "y contains missing values"),
        (np.ones((4, 2)), "auto", r"y should be a 1d array, got an array of shape \(4, 2\)"),
        ([1j, 2j, 1j], "auto", "Complex data not supported"),
        ([0, 1, 1], "clustering", "'task' parameter"),
    ],
)
def test_bad_targets(y, task, message):
    with pytest.raises(ValueError, match=message):
        Targets.of(y, task)
