"""Integers of hundreds of digits among numbers and texts."""

import math

import pandas as pd
import pytest

from inside import main, read_numbers, to_numeric


@pytest.mark.parametrize("huge", [10**400, "9" * 400])
def test_huge_integers_are_infinite_and_texts_missing(huge):
    column = pd.Series([huge, "x", 2, None], dtype=object)
    for numbers in (to_numeric(column), read_numbers(column, ".")):
        assert numbers[0] == math.inf
        assert numbers[2] == 2.0
        assert numbers.isna().tolist() == [False, True, False, True]


def test_integers_stay_integers():
    assert to_numeric(pd.Series(["1", "2"], dtype=object)).dtype.kind == "i"


def test_classes_of_numbers_that_reals_do_not_tell_apart(tmp_path, capsys):
    """As a target with gaps is read: whole, and beyond what float64 counts."""
    rows = "\n".join(f"{i},{1e17 if i % 2 else 2e17:.0f}.0" for i in range(12))
    (tmp_path / "t.csv").write_text(f"a,y\n{rows}\n")
    command = ["select", str(tmp_path / "t.csv"), "--target", "y", "--task", "classification"]
    assert main(command) == 2
    assert "too large to tell apart" in capsys.readouterr().err
