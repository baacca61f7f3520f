"""Targets of every type: labels, numbers, or one sentence."""

import datetime
import enum
import fractions

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import kernelwise as kw
from inside import Targets
from kernelwise import bounds

N = 12
X = np.random.default_rng(0).normal(size=(N, 2))
K = kw.Gaussian(1.0)(X)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def pair(a, b):
    return [a, b] * (N // 2)


def objects(*entries):
    """Return an object array of the entries, over and over."""
    array = np.empty(N, object)
    array[:] = list(entries) * (N // len(entries))
    return array


LABELS = {
    "bytes": (np.array(pair(b"a", b"b")), ["a", "b"]),
    "bytes beyond ASCII": (np.array(pair(b"a", b"\xff")), [r"\xff", "a"]),
    "booleans": (pair(True, False), [False, True]),
    "dates": (objects(datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)), None),
    "differences": (np.array(pair(1, 2), "m8[D]"), ["1 days", "2 days"]),
    "text and numbers": (objects(1, "a"), ["1", "a"]),
    "huge integers": (objects(2**70, 2**71), [str(2**70), str(2**71)]),
    "unsigned": (np.array(pair(2**63, 2**64 - 1), np.uint64), [2**63, 2**64 - 1]),
    "half precision": (np.array(pair(1, 2), np.float16), [1.0, 2.0]),
    "extended precision": (np.array(pair(1, 2), np.longdouble), [1.0, 2.0]),
    "enumeration": (objects(Colour.RED, Colour.BLUE), ["Colour.BLUE", "Colour.RED"]),
    "tuples": (objects((1, 2), (3, 4)), ["(1, 2)", "(3, 4)"]),
    "pandas text": (pd.Series(pair("a", "b"), dtype="string"), ["a", "b"]),
}

REFUSED = {
    "missing among labels": ([1, "a", None, 2.5] * 3, "y contains missing values"),
    "nothing": ([None] * N, "y contains missing values"),
    "not a number": (objects(np.nan), "y contains missing values"),
    "not a number of float32": (objects("a", np.float32("nan")), "y contains missing values"),
    "no time": (np.array(["2020", "NaT", "2021"] * 4, "M8[D]"), "y contains missing values"),
    "no difference": (np.array([1, "NaT", 2] * 4, "m8[D]"), "y contains missing values"),
    "lists": (objects([1], [2]), "y must hold one label or number per row"),
    "arrays": (objects(np.arange(2), np.arange(3)), "y must hold one label or number per row"),
    "dictionaries": (objects({}), "y must hold one label or number per row"),
    "records": (np.zeros(N, [("a", int)]), "y must hold one label or number per row, got the type"),
    "complex": (objects(1j, 2), "y must be real, got complex numbers"),
    "alike": (objects(1, "1"), "y mixes labels that look alike"),
}

CALLS = {
    "targets": Targets.of,
    "score_kernels": lambda y: kw.score_kernels(X, y, kw.Gaussian(1.0), ["sm", "eloo"]),
    "score_matrix": lambda y: kw.score_matrix(K, y, "kta"),
    "bounds": lambda y: bounds.all_bounds(K, y),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels(name):
    y, classes = LABELS[name]
    found = Targets.of(y)
    assert found.classes is not None and found.classes.size == 2
    assert np.bincount(found.y).tolist() == [N // 2, N // 2]
    if classes is not None:
        assert found.classes.tolist() == classes
    for call in CALLS.values():
        assert call(y)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("call", CALLS)
def test_refusals(call, name):
    y, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as caught:
        CALLS[call](y)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


def test_fractions_are_a_real_target():
    y = [fractions.Fraction(i, 7) for i in range(N)]
    np.testing.assert_allclose(Targets.of(y).y, np.arange(N) / 7)


@pytest.mark.parametrize("y", [pair("a", "b"), np.array(pair(b"a", b"b"))])
def test_regression_needs_numbers(y):
    with pytest.raises(ValueError, match="y must be numeric for task='regression'"):
        Targets.of(y, "regression")


def test_floats_beyond_integers_are_a_real_target():
    """As scikit-learn has it: of every float that large nothing tells that it is a label."""
    assert Targets.of(pair(1e40, 2e40)).kind == "regression"
    with pytest.raises(ValueError, match="Unknown label type: y holds numbers beyond"):
        Targets.of(pair(1e40, 2e40), "classification")


@pytest.mark.parametrize("task", ["both", None, 1, np.array(["auto", "auto"]), ["auto"]])
def test_tasks(task):
    with pytest.raises(ValueError, match="task must be 'auto', 'classification' or 'regression'"):
        Targets.of(pair(0, 1), task)


class TestMachines:
    """What scikit-learn would take for something else, or say in numpy's words."""

    masked = np.ma.array(pair(0, 1), mask=[True] + [False] * (N - 1))

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (masked, "y has masked entries"),
            (objects(np.arange(2), np.arange(3)), "y must hold one label or number per row"),
            (np.array(["2020", "NaT", "2021"] * 4, "M8[D]"), "y contains missing values"),
            (np.zeros(N, [("a", int)]), "y must hold one label per row, got the type"),
            (np.array(pair(1j, 2)), "Complex data not supported: X and y must hold real numbers"),
        ],
    )
    def test_labels_that_are_none(self, y, message):
        for machine in (kw.LSSVC(), kw.LSSVC(class_weight="balanced")):
            with pytest.raises(ValueError, match=message):
                machine.fit(X, y)

    def test_masked_data(self):
        rows = np.ma.array(X, mask=np.zeros_like(X, bool))
        rows[0, 0] = np.ma.masked
        for machine in (kw.LSSVC(), kw.KRR(), kw.KernelSelector(kernels=kw.Linear())):
            with pytest.raises(ValueError, match="X has masked entries"):
                machine.fit(rows, pair(0, 1))

    def test_extended_precision(self):
        y = np.array(pair(1, 2), np.longdouble)
        np.testing.assert_array_equal(
            kw.KRR().fit(X, y).dual_coef_, kw.KRR().fit(X, y.astype(float)).dual_coef_
        )

    @pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="an earlier numpy")
    def test_texts_of_any_length(self):
        y = np.array(pair("a", "b"), dtype=np.dtypes.StringDType())
        assert set(kw.LSSVC().fit(X, y).predict(X)) == {"a", "b"}
        assert Targets.of(y).classes.tolist() == ["a", "b"]


class TestData:
    """Data that numpy or scikit-learn would turn into numbers without a word, or with a warning."""

    machines = (kw.LSSVC(), kw.KRR(), kw.KernelSelector(kernels=kw.Linear(), ridge=1.0))

    def test_frames_of_dates(self):
        frame = pd.DataFrame({"day": pd.date_range("2020", periods=N)})
        for machine in self.machines:
            with pytest.raises(ValueError, match="X argument must be a table of numbers"):
                machine.fit(frame, pair(0, 1))

    @pytest.mark.parametrize("value", [np.inf, -np.inf])
    def test_infinities(self, value):
        rows = X.copy()
        rows[:2] = [[value, -value], [-value, value]]
        for machine in self.machines:
            with pytest.raises(ValueError, match="X contains infinity"):
                machine.fit(rows, pair(0, 1))

    def test_complex_sparse_matrices(self):
        with pytest.raises(ValueError, match="X must hold real numbers, got a sparse matrix of"):
            kw.Linear()(sp.csr_array(1j * X))
