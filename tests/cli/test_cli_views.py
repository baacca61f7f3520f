"""kernelwise select --views weighs kernels on groups of columns."""

import json

import numpy as np
import pandas as pd
import pytest
from cli_helpers import run

import kernelwise as kw


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)).round(4)
    colour = rng.choice(["red", "green", "blue"], 120)
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] + 1.5 * (colour == "red")
    frame = pd.DataFrame(X, columns=list("abcde")).assign(colour=colour, flat=1.0)
    frame.assign(kind=np.where(f > 0.5, "high", "low")).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def views_file(folder, groups):
    path = folder / "views.json"
    path.write_text(groups if isinstance(groups, str) else json.dumps(groups))
    return path


GROUPS = {"wave": ["a", "b"], "noise": ["c", "d", "e"], "colour": ["colour"]}


def test_a_file_names_the_columns(table, tmp_path, capsys):
    path = views_file(tmp_path, GROUPS)
    out = tmp_path / "out"
    status, printed, _ = run(capsys, "select", table, "--views", path, "--out", out, "--json")
    assert status == 0
    found = json.loads(printed)
    weights = found["views"]["weights"]
    assert list(weights) == list(GROUPS) and abs(sum(weights.values()) - 1.0) < 1e-9
    assert weights["noise"] == min(weights.values())
    assert found["views"]["single_error"]["value"] > found["error"]["value"]
    model = kw.load_model(out / "model.skops")
    assert type(model[-1]).__name__ == "LSSVC"
    assert "Which views matter" in (out / "report.html").read_text("utf-8")
    status, printed, _ = run(capsys, "predict", out / "model.skops", table)
    assert status == 0 and printed.startswith("prediction")
    status, _, _ = run(capsys, "report", out / "result.json", "--out", tmp_path / "again.html")
    assert status == 0


def test_the_answer_says_what_matters(table, tmp_path, capsys):
    status, printed, _ = run(capsys, "select", table, "--views", views_file(tmp_path, GROUPS))
    assert status == 0
    lines = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert lines["kernel"].startswith("A sum of") and lines["kernel"].endswith("of 3 views")
    assert "wave" in lines["views"] and "%" in lines["views"]
    assert "best kernel" in lines["alone"] and "equal weights" in lines["alone"]
    assert "the loss of the sum is lower by" in lines["alone"]
    assert "runner-up" not in lines


def test_views_by_kind_and_by_column(table, capsys):
    status, printed, _ = run(capsys, "select", table, "--views", "kinds", "--json")
    assert status == 0 and set(json.loads(printed)["views"]["weights"]) == {"numbers", "texts"}
    status, printed, _ = run(capsys, "select", table, "--views", "columns", "--json")
    expected = {"a", "b", "c", "d", "e", "colour"}
    assert status == 0 and set(json.loads(printed)["views"]["weights"]) == expected


def test_other_options_go_with_them(table, tmp_path, capsys):
    path = views_file(tmp_path, GROUPS)
    options = ("--criterion", "sm", "--kernels", "linear", "--ridge", "1", "--nested")
    status, printed, _ = run(capsys, "select", table, "--views", path, *options, "--json")
    found = json.loads(printed)
    assert status == 0 and found["nested"]["method"] == "nested 5-fold" and found["ridge"] == 1.0


def test_columns_in_no_view_are_told(table, tmp_path, capsys):
    path = views_file(tmp_path, {"one": ["a", "flat"], "two": ["b"]})
    status, _, told = run(capsys, "select", table, "--views", path)
    assert status == 0 and "in no view, and not used: 'c', 'd', 'e', 'colour'" in told


def test_sparse_rows_have_numbers_for_names(tmp_path, capsys):
    X = np.random.default_rng(1).normal(size=(80, 2)).round(3)
    lines = [f"{1 if a > 0.0 else -1} 1:{a:g} 90:{b:g}" for a, b in X]
    (tmp_path / "t.libsvm").write_text("\n".join(lines))
    path = views_file(tmp_path, {"first": ["1"], "other": ["90"]})
    status, printed, told = run(capsys, "select", tmp_path / "t.libsvm", "--views", path, "--json")
    assert status == 0 and "sparse rows stay sparse" in told
    assert json.loads(printed)["views"]["weights"]["first"] > 0.7
    status, _, told = run(capsys, "select", tmp_path / "t.libsvm", "--views", "kinds", "--quiet")
    assert status == 2 and "is for tables, and these are sparse rows" in told


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ({"one": ["a", "x"]}, "--views, 'one': unknown column 'x'"),
        ({"one": ["kind"]}, "--views, 'one': unknown column 'kind'"),
        ({"one": ["a"], "two": ["flat"]}, "all columns of 'two' were left out"),
        ([1], "must name columns by view"),
        ({}, "must name columns by view"),
        ({"one": []}, "must name columns by view"),
        ({"one": [1]}, "must name columns by view"),
        ("{", "views cannot be read from"),
        ("[" * 100_000, "views cannot be read from"),
    ],
)
def test_files_that_cannot_be_used(table, tmp_path, capsys, groups, sentence):
    path = views_file(tmp_path, groups)
    status, _, told = run(capsys, "select", table, "--views", path, "--quiet")
    assert status == 2 and sentence in told and told.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["nowhere.json"], "there is no file 'nowhere.json'"),
        (["columns", "--single"], "leave out --single"),
        (["columns", "--machine", "svm"], "leave out --machine svm"),
        (["columns", "--criterion", "eloo"], "criterion must be one of sm, md, er, rks, sps"),
        (["columns", "--criterion", "sm", "er"], "--views takes one criterion"),
    ],
)
def test_options_that_do_not_go_with_them(table, capsys, options, sentence):
    status, _, told = run(capsys, "select", table, "--quiet", "--views", *options)
    assert status == 2 and sentence in told and told.count("\n") == 1
