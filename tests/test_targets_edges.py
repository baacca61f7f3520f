"""Targets of every type: labels, numbers, or one sentence."""

import datetime
import enum
import fractions

import numpy as np
import pandas as pd
import pytest

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


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities(value):
    rows = X.copy()
    rows[0, 0] = value
    for machine in (kw.LSSVC(), kw.KRR(), kw.KernelSelector(kernels=kw.Linear(), ridge=1.0)):
        with pytest.raises(ValueError, match="X contains infinity"):
            machine.fit(rows, pair(0, 1))
