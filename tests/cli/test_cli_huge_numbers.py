"""Integers of hundreds of digits among numbers and texts."""

import math

import pandas as pd
import pytest

from kernelwise._written import read_numbers, to_numeric


@pytest.mark.parametrize("huge", [10**400, "9" * 400])
def test_huge_integers_are_infinite_and_texts_missing(huge):
    column = pd.Series([huge, "x", 2, None], dtype=object)
    for numbers in (to_numeric(column), read_numbers(column, ".")):
        assert numbers[0] == math.inf
        assert numbers[2] == 2.0
        assert numbers.isna().tolist() == [False, True, False, True]


def test_integers_stay_integers():
    assert to_numeric(pd.Series(["1", "2"], dtype=object)).dtype.kind == "i"
