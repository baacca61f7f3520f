"""A model of the command line, loaded in Python, reads the columns of a frame as `predict` does."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
from cli_helpers import flowers, run

import kernelwise as kw
from inside import main

FEW = ["--kernels", "gaussian:2:3", "--ridge", "1"]


def messy():
    """Return numbers with gaps and slips that pandas takes for texts, dates, words and texts."""
    table = flowers(80)
    count = np.arange(len(table))
    table["length"] = table["length"].astype(str).mask(count % 9 == 0, "n.d.")
    table["width"] = table["width"].astype(str).mask(count % 7 == 0, "?")
    table["height"] = (3.0 + table["species"].eq("rose") + 0.01 * count).map("{:.2f}".format)
    table["height"] = table["height"].str.replace(".", ",").mask(count % 11 == 0, "-")
    table["found"] = pd.date_range("2024-01-01", periods=len(table)).strftime("%d.%m.%Y")
    return table


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answer")
    messy().to_csv(folder / "table.csv", index=False)
    argv = ["select", str(folder / "table.csv"), "--target", "species", "--out", str(folder)]
    assert main([*argv, *FEW]) == 0
    return folder


@pytest.mark.parametrize("read", [pd.read_csv, pl.read_csv], ids=["pandas", "polars"])
def test_predictions_are_those_of_the_command_line(answer, capsys, read):
    status, told, _ = run(capsys, "predict", answer / "model.skops", answer / "table.csv")
    assert status == 0
    model = kw.load_model(answer / "model.skops")
    expected = pd.read_csv(io.StringIO(told))["prediction"].tolist()
    with pytest.warns(
        UserWarning, match="'(height|length)' holds numbers but for '.+', taken"
    ) as told:
        assert model.predict(read(answer / "table.csv")).tolist() == expected
    assert len(told) == 2
    whole = read(answer / "table.csv")[1:7]  # no slip is in these rows, but gaps are
    assert model.predict(whole).tolist() == expected[1:7]


def test_columns_of_texts_are_no_numbers(answer):
    swapped = messy().rename(columns={"length": "colour", "colour": "length"})
    sentence = "column 'length' is to hold numbers but has '(red|blue|white)' in data row 1: fix it"
    with pytest.raises(ValueError, match=sentence):
        kw.load_model(answer / "model.skops").predict(swapped)


def test_numbers_with_a_unit_are_told(tmp_path, capsys):
    table = flowers()
    table["weight"] = [f"{x:.1f} kg" for x in np.random.default_rng(0).uniform(1, 9, len(table))]
    table["size"] = [f"{x % 4} cm" for x in range(len(table))]  # few values may be names
    table.to_csv(tmp_path / "table.csv", index=False)
    _, _, told = run(capsys, "select", tmp_path / "table.csv", "--target", "species", *FEW)
    assert "these look like numbers with a unit, so remove the unit: 'weight' ('" in told
    assert "'size' ('" not in told


@pytest.mark.parametrize("is_told", [True, False])
def test_a_column_that_tells_the_answer_is_asked_for(tmp_path, capsys, is_told):
    table = flowers(80)
    table["score"] = 10.0 * table["species"].eq("rose") if is_told else 0.1 * np.arange(80)
    table.to_csv(tmp_path / "table.csv", index=False)
    _, _, told = run(capsys, "select", tmp_path / "table.csv", "--target", "species", *FEW)
    assert ("note: hardly any error is left: does a column tell the answer" in told) == is_told
