"""Targets of every type: labels, numbers, or an error."""

import datetime
import enum

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
    "booleans": (pair(True, False), [False, True]),
    "dates": (objects(datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)), None),
    "differences": (np.array(pair(1, 2), "m8[D]"), ["1 days", "2 days"]),
    "text and numbers": (objects(1, "a"), ["1", "a"]),
    "huge integers": (objects(2**70, 2**71), [str(2**70), str(2**71)]),
    "unsigned": (np.array(pair(2**63, 2**64 - 1), np.uint64), [2**63, 2**64 - 1]),
    "half precision": (np.array(pair(1, 2), np.float16), [1.0, 2.0]),
    "enumeration": (objects(Colour.RED, Colour.BLUE), ["Colour.BLUE", "Colour.RED"]),
    "numbers as objects": (objects(1, 2), [1, 2]),
    "pandas integers": (pd.Series(pair(1, 2), dtype="Int64"), [1, 2]),
    "pandas categories": (pd.Series(pair("a", "b"), dtype="category"), ["a", "b"]),
    "pandas text": (pd.Series(pair("a", "b"), dtype="string"), ["a", "b"]),
}

REFUSED = {
    "missing among labels": ([1, "a", None, 2.5] * 3, "y contains missing values"),
    "nothing": ([None] * N, "y contains missing values"),
    "not a number": (objects(np.nan), "y contains missing values"),
    "not a number of float32": (objects("a", np.float32("nan")), "y contains missing values"),
    "no time": (np.array(["2020", "NaT", "2021"] * 4, "M8[D]"), "y contains missing values"),
    "no difference": (np.array([1, "NaT", 2] * 4, "m8[D]"), "y contains missing values"),
    "tuples": (objects((1, 2), (3, 4)), "y should be a 1d array"),
    "lists of several lengths": (objects([1], [2, 3]), "inhomogeneous shape"),
    "complex": (objects(1j, 2), "Complex data not supported"),
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


def test_series_of_polars():
    series = pytest.importorskip("polars").Series(pair("a", "b"))
    assert Targets.of(series).classes.tolist() == ["a", "b"]


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("call", CALLS)
def test_refusals(call, name):
    y, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        CALLS[call](y)


@pytest.mark.parametrize("y", [pair("a", "b"), np.array(pair(b"a", b"b"))])
def test_regression_needs_numbers(y):
    with pytest.raises(ValueError, match="y holds dates or texts"):
        Targets.of(y, "regression")


@pytest.mark.parametrize("task", ["both", None, 1, np.array(["auto", "auto"]), ["auto"]])
def test_tasks(task):
    with pytest.raises(ValueError, match="'task' parameter"):
        Targets.of(pair(0, 1), task)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities(value):
    rows = X.copy()
    rows[0, 0] = value
    for machine in (kw.LSSVC(), kw.KRR(), kw.KernelSelector(kernels=kw.Linear(), ridge=1.0)):
        with pytest.raises(ValueError, match="X contains infinity"):
            machine.fit(rows, pair(0, 1))
