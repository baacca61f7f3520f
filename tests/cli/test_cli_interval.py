"""kernelwise predict --interval."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from cli_helpers import flowers, run

from inside import main
from kernelwise import load_model


def chosen(frame, folder, *options):
    """Select for a table; return it and what predicts it."""
    frame.to_csv(folder / "f.csv", index=False)
    argv = ["select", folder / "f.csv", "--out", folder, "--single", "--quiet", *options]
    assert main(list(map(str, argv))) == 0
    return frame, ["predict", folder / "model.skops", folder / "f.csv"]


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    """A table with a real target, and what predicts it."""
    frame = flowers().drop(columns="species").assign(size=lambda f: (f["length"] ** 2).round(3))
    return chosen(frame, tmp_path_factory.mktemp("sizes"), "--target", "size")


@pytest.fixture(scope="module")
def species(tmp_path_factory):
    return chosen(flowers(), tmp_path_factory.mktemp("species"))


def test_bounds_of_real_targets(sizes, capsys):
    frame, argv = sizes
    status, out, _ = run(capsys, *argv, "--interval", "0.8")
    found = pd.read_csv(io.StringIO(out))
    assert status == 0 and list(found) == ["prediction", "lower", "upper"]
    model = load_model(argv[1])
    lower, upper = model[-1].predict_interval(model[:-1].transform(frame), 0.8)
    assert np.allclose(found["lower"], lower) and np.allclose(found["upper"], upper)
    assert json.loads(run(capsys, *argv, "--interval", "0.8", "--json")[1])["lower"] == list(lower)


def test_too_few_rows_leave_no_bounds(sizes, capsys):
    _, argv = sizes
    _, out, err = run(capsys, *argv, "--interval", "0.99")
    assert "level=0.99 needs at least 99 training rows, and there are 60" in err
    assert pd.read_csv(io.StringIO(out))[["lower", "upper"]].isna().all(axis=None)
    assert set(json.loads(run(capsys, *argv, "--interval", "0.99", "--json")[1])["upper"]) == {None}


def test_sets_of_classes(species, capsys):
    frame, argv = species
    status, out, _ = run(capsys, *argv, "--interval", "0.9", "--proba")
    found = pd.read_csv(io.StringIO(out), keep_default_na=False)
    assert status == 0 and list(found)[-1] == "set"
    assert set(found["set"]) <= {"", "rose", "violet", "rose|violet"}
    pairs = zip(frame["species"], found["set"], strict=True)
    in_set = [label in cell.split("|") for label, cell in pairs]
    assert np.mean(in_set) >= 0.85
    sets = json.loads(run(capsys, *argv, "--interval", "0.9", "--json")[1])["set"]
    assert ["|".join(labels) for labels in sets] == found["set"].tolist()


def test_empty_sets_are_told(species, capsys):
    _, argv = species
    for level, has_some in (("0.3", True), ("0.99", False)):
        status, out, err = run(capsys, *argv, "--interval", level)
        empty = (pd.read_csv(io.StringIO(out), keep_default_na=False)["set"] == "").sum()
        assert status == 0 and bool(empty) == has_some
        told = f"warning: {empty} rows with an empty set: the model is right more often than 0.3"
        assert (told in err) == has_some


def test_a_machine_that_does_not_know(tmp_path, capsys):
    _, argv = chosen(flowers(), tmp_path, "--machine", "svm", "--kernels", "linear", "--ridge", "1")
    for option, what in (("--interval=0.9", "sure"), ("--proba", "no probabilities")):
        capsys.readouterr()
        status, out, err = run(capsys, *argv, option)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "SVC" in err and what in err


@pytest.mark.parametrize("level", ["0", "1", "90", "nan", "high", "-0.5"])
def test_levels(species, capsys, level):
    status, _, err = run(capsys, *species[1], f"--interval={level}")
    assert status == 2 and f"between 0 and 1, such as 0.9, got '{level}'" in err
