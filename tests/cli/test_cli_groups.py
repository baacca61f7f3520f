"""--groups: the error where whole groups of rows are new."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cli_helpers import run
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelwise as kw
from inside import BadInput, Table, Targets, folds_of, set_aside

FEW = ["--kernels", "gaussian:-1:3"]


def patients(kind="regression", groups=15, visits=4):
    """Rows that are nearly the same within a patient, whose own level no feature tells."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(groups), visits)
    X = rng.normal(size=(groups, 2))[who] + 0.01 * rng.normal(size=(groups * visits, 2))
    level = (X[:, 0] + rng.normal(size=groups)[who]).round(4)
    y = level if kind == "regression" else np.where(level > 0, "ill", "well")
    names = [f"P{i}" for i in who]
    frame = pd.DataFrame({"patient": names, "a": X[:, 0], "b": X[:, 1], "outcome": y})
    return frame.sample(frac=1.0, random_state=0)


def by_refits(frame, folds):
    """Return the error of a selector that is refitted without each fold."""
    X, y = frame[["a", "b"]].to_numpy(), frame["outcome"].to_numpy()
    model = make_pipeline(StandardScaler(), kw.KernelSelector(kernels=kw.grids.gaussian(-1, 3)))
    losses = np.empty(len(y))
    for train, test in folds.split(X, y, frame["patient"]):
        found = clone(model).fit(X[train], y[train]).predict(X[test])
        losses[test] = (found - y[test]) ** 2 if y.dtype.kind == "f" else found != y[test]
    return np.sqrt(losses.mean()) if y.dtype.kind == "f" else losses.mean()


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_the_nested_error_is_that_of_refits_without_whole_groups(kind, tmp_path, capsys):
    frame = patients(kind)
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = ["select", tmp_path / "t.csv", "--groups", "Patient", *FEW]
    status, said, notes = run(capsys, *asked, "--json", "--out", tmp_path / "out")
    assert status == 0
    assert "'patient' is not used to predict: it tells which rows belong together" in notes
    assert "together, 15 groups." in notes
    found = json.loads(said)
    assert found["data"]["features"] == 2
    assert found["nested"]["method"] == "nested 5-fold, whole groups left out"
    folds = GroupKFold if kind == "regression" else StratifiedGroupKFold
    expected = by_refits(frame, folds(5, shuffle=True, random_state=0))
    assert found["nested"]["value"] == pytest.approx(expected, rel=1e-6)
    assert found["nested"]["value"] > found["error"]["value"]  # the other visits gave it away
    new = frame[["a", "b"]].head(3)  # which says nothing of patients
    new.to_csv(tmp_path / "new.csv", index=False)
    status, said, _ = run(capsys, "predict", tmp_path / "out/model.skops", tmp_path / "new.csv")
    assert status == 0 and said.count("\n") == 4


def test_rows_without_a_group_and_without_a_target(tmp_path, capsys):
    frame = patients().astype({"outcome": object, "patient": object})
    frame.iloc[:3, 0] = ["", " ", np.nan]
    frame.iloc[5:7, 3] = np.nan
    frame.to_csv(tmp_path / "t.csv", index=False)
    status, said, notes = run(capsys, "select", tmp_path / "t.csv", "--groups", "patient", *FEW)
    assert status == 0 and "on 58 rows" in said
    [line] = [line for line in said.splitlines() if line.startswith("nested")]
    assert "whole groups left out" in line
    assert "together, 18 groups; 3 rows without a value, each alone." in notes


def test_no_group_is_on_both_sides_of_a_fold():
    groups = np.random.default_rng(0).integers(0, 7, 50)
    for y in (np.arange(50.0), np.arange(50) % 2):
        folds = folds_of(groups, Targets.of(y), 5)
        assert sorted(np.concatenate([test for _, test in folds])) == list(range(50))
        for train, test in folds:
            assert not set(groups[train]) & set(groups[test])
    assert len(folds_of(groups % 3, Targets.of(y), 5)) == 3


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("patients", "unknown column in --groups 'patients': did you mean 'patient'?"),
        ("outcome", "--groups names the target 'outcome': name another column."),
        ("a", "--groups 'a' has another value in every row, so no rows belong together: name "),
        ("clinic", "--groups 'clinic' has one value only: name a column with several."),
    ],
)
def test_columns_that_group_nothing(column, sentence, tmp_path, capsys):
    patients().assign(clinic="north").to_csv(tmp_path / "t.csv", index=False)
    asked = "select", tmp_path / "t.csv", "--target", "outcome", "--groups", column
    status, said, errors = run(capsys, *asked, "--quiet")
    assert status == 2 and said == "" and sentence in errors and errors.count("\n") == 1


def test_sparse_rows_have_no_names():
    sparse = Table("t.libsvm", rows=sp.eye(3).tocsr(), labels=np.arange(3))
    with pytest.raises(BadInput, match="--groups takes a name of a column, which a LIBSVM file"):
        set_aside(sparse, "1", None)


def test_a_class_of_one_group_is_said_to_be_too_little(tmp_path, capsys):
    """Without it a fold has one class left: the answer stands, without an error for new groups."""
    frame = pd.DataFrame({"who": ["a"] * 6 + ["b"] * 6, "x": np.arange(12.0) ** 2})
    frame.assign(y=np.repeat(["low", "high"], 6)).to_csv(tmp_path / "t.csv", index=False)
    status, said, notes = run(capsys, "select", tmp_path / "t.csv", "--groups", "who", "--single")
    assert status == 0 and "nested" not in said
    assert "estimating the error of the whole choice was not possible" in notes
