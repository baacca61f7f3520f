"""--drop leaves columns out of everything: choice, model and what predict asks for."""

import json

import numpy as np
import pytest
from cli_helpers import flowers, run

from inside import BadInput, Table, without

FEW = ["--kernels", "gaussian:0:1", "--ridge", "1"]


def test_a_dropped_column_is_not_used_and_not_asked_for(tmp_path, capsys):
    table = flowers().assign(answer=lambda t: (t["species"] == "rose") * 2.0)
    table.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    asked = ["select", tmp_path / "t.csv", "--target", "species", *FEW, "--out", out]
    status, said, notes = run(capsys, *asked, "--drop", "answer", "--drop", "Colour")
    assert status == 0 and "2 features" in said
    assert "note: not used, as --drop says: 'colour', 'answer'." in notes
    prepared = json.loads((out / "result.json").read_text())["data"]["prepared"]
    assert "not used, as --drop says: 'colour', 'answer'." in prepared
    table[["width", "length"]].to_csv(tmp_path / "new.csv", index=False)
    status, said, _ = run(capsys, "predict", out / "model.skops", tmp_path / "new.csv")
    assert status == 0 and said.count("\n") == 1 + len(table)


def test_several_columns_at_once_are_named_one_by_one(tmp_path, capsys):
    flowers().to_csv(tmp_path / "t.csv", index=False)
    status, _, said = run(capsys, "select", tmp_path / "t.csv", "--drop", "length, colour")
    assert status == 2
    assert "--drop takes one column at a time: write --drop 'length' --drop 'colour'." in said


@pytest.mark.parametrize("command", ["compare", "bounds"])
def test_other_commands_that_look_at_a_table(command, tmp_path, capsys):
    flowers().to_csv(tmp_path / "t.csv", index=False)
    asked = [command, tmp_path / "t.csv", "--kernels", "gaussian:0:0", "--drop", "colour"]
    status, _, notes = run(capsys, *asked)
    assert status == 0 and "as --drop says: 'colour'." in notes


@pytest.mark.parametrize(
    "dropped, target, message",
    [
        (["size"], None, "unknown column in --drop 'size': choose from length, width, colour"),
        (["lngth"], None, "unknown column in --drop 'lngth': did you mean 'length'?"),
        (["Species"], "species", "--drop names the target 'species': leave it out of --drop."),
        (["width"], "weight", "unknown target column 'weight'"),
    ],
)
def test_names_that_cannot_be(dropped, target, message):
    with pytest.raises(BadInput) as error:
        without(Table("t", flowers()), dropped, target)
    assert str(error.value).startswith(message)


def test_the_target_is_looked_for_among_what_is_left(tmp_path, capsys):
    flowers().to_csv(tmp_path / "t.csv", index=False)
    status, _, notes = run(capsys, "select", tmp_path / "t.csv", *FEW, "--drop", "species")
    assert status == 0 and "'colour', the last column, is taken as the target" in notes


def test_sparse_rows_have_no_names():
    with pytest.raises(BadInput, match="--drop takes names of columns, which a LIBSVM file has"):
        without(Table("t", rows=np.eye(3), labels=np.arange(3)), ["1"], None)


def test_texts_that_differ_in_case_alone_are_named(tmp_path, capsys):
    table = flowers()
    table.loc[::7, "colour"] = " Red"
    table.to_csv(tmp_path / "t.csv", index=False)
    status, _, notes = run(capsys, "select", tmp_path / "t.csv", *FEW)
    told = "texts that differ only in case or blanks count as different: 'colour' ('Red', 'red')."
    assert status == 0 and told in notes
