"""Integers as classes or as numbers, where nobody says which."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelwise as kw
from inside import IntegerTargetWarning, Targets


def kind(y):
    """Return how a target is taken, and whether that is told."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        targets = Targets.of(y)
    return targets.kind, any(w.category is IntegerTargetWarning for w in told)


@pytest.mark.parametrize("rows", [300, 1000, 20_000])
@pytest.mark.parametrize("first", [0, 1])
def test_letters_are_classes(rng, rows, first):
    y = rng.integers(first, first + 26, size=rows)
    assert kind(y) == ("multiclass", False)
    assert kind(y.astype(float)) == ("multiclass", False)


@pytest.mark.parametrize(
    "y",
    [
        np.repeat(np.arange(17, 91), 40),  # ages: no codes
        np.r_[np.repeat(np.arange(1, 30), 40), 31],  # a gap
        np.repeat(np.arange(1, 30), np.r_[np.arange(1, 15), 300, np.arange(14, 0, -1)]),  # rings
        np.tile(np.arange(101), 2) + 1,  # too many
        np.tile(np.arange(26), 4),  # too few rows to each
    ],
    ids=["ages", "a gap", "uneven", "101 values", "four rows each"],
)
def test_counts_and_measurements_are_numbers(y):
    assert kind(y)[0] == "regression"


def test_regressing_on_what_could_be_classes_is_told():
    ages = np.repeat(np.arange(17, 91), 40)
    assert kind(ages) == ("regression", True)
    with pytest.warns(IntegerTargetWarning, match="74 different integers on 2960 rows"):
        Targets.of(ages)
    assert kind(np.arange(500)) == ("regression", False)  # no class has two rows
    assert kind(np.tile(np.arange(120), 4)) == ("regression", False)
    for task in ("classification", "regression"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Targets.of(ages, task).n == 2960


def test_few_values_need_two_rows_each():
    assert kind(np.arange(12) % 6) == ("multiclass", False)
    assert kind(np.arange(11) % 6)[0] == "regression"
    assert kind([0, 1, 1]) == ("binary", False)


@given(st.lists(st.integers(-50, 150), min_size=3, max_size=300).filter(lambda y: len(set(y)) > 1))
def test_whatever_is_decided_is_possible(y):
    """The other task may be refused, the one decided never is, and order does not matter."""
    found = kind(y)
    assert found == kind(y[::-1])
    distinct = len(set(y))
    if found[1]:
        assert found[0] == "regression" and Targets.of(y, "classification").classes.size == distinct


def test_the_selector_warns_the_user(rng):
    X = rng.normal(size=(120, 2))
    y = np.clip(np.round(10 * X[:, 0]), -20, 20).astype(int)
    with pytest.warns(IntegerTargetWarning, match="set task='classification'"):
        chosen = kw.KernelSelector().fit(X, y)
    assert not hasattr(chosen, "classes_")


def test_the_command_line_says_which_way(tmp_path, capsys, rng):
    pandas = pytest.importorskip("pandas")
    from inside import main

    X = rng.normal(size=(90, 2))
    for column, said in (
        (np.digitize(X[:, 0], [-0.5, 0.5]), "the 3 integers of 'y' are taken as classes; --task"),
        (np.round(9 * X[:, 0]).astype(int), "are regressed on; --task classification takes them"),
    ):
        pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": column}).to_csv(tmp_path / "t.csv")
        assert main(["select", str(tmp_path / "t.csv"), "--target", "y"]) == 0
        assert said in capsys.readouterr().err
