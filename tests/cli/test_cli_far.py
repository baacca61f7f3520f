"""predict tells of rows far from all that a model has seen."""

import numpy as np
import pandas as pd
import pytest
from cli_helpers import run

import kernelwise as kw
from inside import main

N = 60


def mixes():
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, N), unit="D")
    frame = pd.DataFrame(
        {
            "kind": rng.choice(["a", "b"], N),
            "cast": days.strftime("%Y-%m-%d"),
            "cement": rng.uniform(100.0, 500.0, N).round(1),
            "water": rng.uniform(100.0, 200.0, N).round(1),
        }
    )
    return frame.assign(strength=frame["cement"] / frame["water"] + 0.01 * rng.normal(size=N))


@pytest.fixture(
    scope="module", params=[["--kernels", "gaussian:2:3"], [], ["--machine", "svm"]], ids=str
)
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("far")
    mixes().to_csv(folder / "t.csv", index=False)
    asked = "select", str(folder / "t.csv"), "--out", str(folder), "--quiet"
    assert main([*asked, *request.param]) == 0
    return folder / "model.skops", "svm" not in request.param


def told(model, frame, tmp_path, capsys):
    frame.to_csv(tmp_path / "new.csv", index=False)
    status, said, notes = run(capsys, "predict", model, tmp_path / "new.csv")
    assert status == 0 and said.count("\n") == 1 + len(frame)
    return [line for line in notes.splitlines() if "far from all" in line]


def test_numbers_and_dates_far_beyond_those_seen(model, tmp_path, capsys):
    file, keeps_rows = model
    new = mixes().drop(columns="strength")
    assert told(file, new, tmp_path, capsys) == []
    new.loc[1, "cement"] = 700.1  # beyond 500 by just more than half of the range of 400
    new.loc[2, "cement"] = 3500.0
    new.loc[4, "cast"] = "2031-05-01"
    new["kind"] = "unseen"
    expected = (
        "warning: the answer for 3 rows is a guess, far from all that the model has seen: "
        "'cement' (700.1 in data row 2), 'cast' (2031-05-01 in data row 5)."
    )
    assert told(file, new, tmp_path, capsys) == ([expected] if keeps_rows else [])


def test_texts_that_are_new(model, tmp_path, capsys):
    new = mixes().drop(columns="strength")
    new.loc[1, "kind"], new.loc[2, "kind"] = "z", ""
    new.to_csv(tmp_path / "new.csv", index=False)
    _, _, notes = run(capsys, "predict", model[0], tmp_path / "new.csv")
    assert "note: texts that the model has not seen: 'kind' ('z')." in notes
    new.assign(kind="a").to_csv(tmp_path / "new.csv", index=False)
    _, _, notes = run(capsys, "predict", model[0], tmp_path / "new.csv")
    assert "has not seen" not in notes


def test_features_have_the_names_of_the_columns(model):
    names = kw.load_model(model[0])[:-1].get_feature_names_out().tolist()
    expected = ["numbers__cement", "numbers__water", "dates__cast", "texts__kind_a"]
    assert names == [*expected, "texts__kind_b"]


def test_a_little_beyond_is_not_far(model, tmp_path, capsys):
    new = mixes().drop(columns="strength")
    new.loc[1, "cement"], new.loc[2, "cement"], new.loc[3, "water"] = 650.0, np.nan, 60.0
    assert told(model[0], new, tmp_path, capsys) == []
