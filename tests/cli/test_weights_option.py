"""Weights of classes on the command line."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from cli_helpers import run

import kernelwise as kw
from inside import Record, SelectionResult, parse


@pytest.fixture
def rare(tmp_path):
    """A table with a rare class that is hard to find."""
    rng = np.random.default_rng(0)
    y = np.arange(200) < 24
    X = rng.normal(size=(200, 3)) + 1.2 * y[:, None] * np.array([1.0, 0.0, 0.0])
    frame = pd.DataFrame(X.round(4), columns=list("abc")).assign(y=np.where(y, "yes", "no"))
    frame.to_csv(tmp_path / "rare.csv", index=False)
    return tmp_path / "rare.csv"


def found(predictions):
    return sum(label == "yes" for label in json.loads(predictions)["prediction"])


@pytest.mark.parametrize("machine", ["lssvm", "svm"])
def test_weights_enter_choice_model_answer_and_report(rare, tmp_path, capsys, machine):
    out = tmp_path / "chosen"
    argv = "select", rare, "--machine", machine, "--kernels", "gaussian:0:4", "--out", out
    _, plain, err = run(capsys, *argv)
    assert "weights  " not in plain and "balanced  " not in plain
    hint = re.search(
        "note: of 24 rows of 'yes', each left out, (.+) are recognised: --class-weight balanced",
        err,
    )
    assert (hint is not None) == (machine == "lssvm")  # it is known by leave-one-out
    assert hint is None or int(hint[1]) < 12
    assert ("are recognised" in (out / "report.html").read_text()) == (machine == "lssvm")
    _, before, _ = run(capsys, "predict", out / "model.skops", rare, "--json")
    status, answer, err = run(capsys, *argv, "--class-weight", "balanced")
    assert status == 0 and "recognised" not in err
    assert "note: classes are weighted so that each counts equally: no: 0.5682, yes: 4.167." in err
    assert "weights    no: 0.5682, yes: 4.167\n" in answer
    assert "always predicting the same class" not in err  # more errors in all are meant
    _, after, _ = run(capsys, "predict", out / "model.skops", rare, "--json")
    assert found(after) > found(before)
    model = kw.load_model(out / "model.skops")
    assert model[-1].class_weight == "balanced"
    record = Record.from_json((out / "result.json").read_text())
    assert record.data["class_weight"] == pytest.approx({"no": 100 / 176, "yes": 100 / 24})
    report = (out / "report.html").read_text()
    assert "(classification, classes weighted)" in report
    assert ("Balanced error" in report) == ("balanced   " in answer) == (machine == "lssvm")
    if machine == "lssvm":  # what the weights are for comes first, beside its own baseline
        assert report.index("<dt>Balanced error</dt>") < report.index("<dt>Error</dt>")
        assert "<dt>Without a model</dt><dd>50.0 %" in report


def test_the_choice_is_that_of_the_selector(rare, capsys):
    argv = "select", rare, "--kernels", "gaussian:0:4", "--class-weight", "yes=7", "--json"
    status, out, _ = run(capsys, *argv)
    assert status == 0
    found, frame = json.loads(out), pd.read_csv(rare)
    X = frame[list("abc")].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernels = kw.grids.gaussian(0, 4)
    selector = kw.KernelSelector(kernels=kernels, class_weight={"yes": 7.0, "no": 1.0})
    selector.fit(X, frame["y"])
    assert found["kernel"]["tau"] == selector.best_kernel_.tau
    assert found["ridge"] == pytest.approx(selector.best_ridge_)
    assert found["data"]["class_weight"] == {"no": 1.0, "yes": 7.0}
    assert found["error"]["value"] == pytest.approx(selector.error_.value)
    assert found["balanced_error"]["value"] == pytest.approx(selector.balanced_error_.value)
    eloo = kw.criteria.ELOO()
    ridge, weights = found["ridge"], {"yes": 7.0, "no": 1.0}
    table = kw.score_kernels(X, frame["y"], kernels, eloo, ridge=ridge, class_weight=weights).table
    compared = dict(zip((k["tau"] for k in found["comparison"]["kernels"]), range(5), strict=True))
    order = [compared[kernel.tau] for kernel in kernels]
    values = np.array(found["comparison"]["table"]["eloo"])[order]
    np.testing.assert_allclose(values, table["eloo"], rtol=1e-6)


def test_numbers_as_labels_are_saved_with_their_weights(rare, tmp_path, capsys):
    frame = pd.read_csv(rare)
    frame["y"] = (frame["y"] == "yes").astype(int)
    frame.to_csv(tmp_path / "coded.csv", index=False)
    out = tmp_path / "chosen"
    argv = "select", tmp_path / "coded.csv", "--kernels", "gaussian:2:3", "--out", out
    assert run(capsys, *argv, "--class-weight", "1=5")[0] == 0
    assert kw.load_model(out / "model.skops")[-1].class_weight == {0: 1.0, 1: 5.0}


def test_compare_weighs_too(rare, tmp_path, capsys):
    argv = "compare", rare, "--kernels", "gaussian:0:3", "--criterion", "eloo", "sm"
    weighted = *argv, "--class-weight", "balanced", "--out", tmp_path / "out"
    status, page, err = run(capsys, *weighted)
    assert status == 0 and "classes are weighted" in err
    assert "4 kernels, ridge 1, classes weighted, " in page
    _, out, _ = run(capsys, *weighted, "--json")
    _, plain, _ = run(capsys, *argv, "--json")
    assert json.loads(out)["class_weight"] == pytest.approx({"no": 100 / 176, "yes": 100 / 24})
    assert "class_weight" not in json.loads(plain)
    tables = [SelectionResult.from_json(text).table for text in (out, plain)]
    assert np.all(tables[0]["eloo"] > tables[1]["eloo"])
    np.testing.assert_array_equal(tables[0]["sm"], tables[1]["sm"])  # balanced already


@pytest.mark.parametrize("command", ["select", "compare"])
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--class-weight", "yees=5"],
            "--class-weight names 'yees', which is no label of 'y': its labels are no, yes.",
        ),
        (
            ["--class-weight", "balanced", "--target", "a"],
            "--class-weight is for classes, but 'a' is regressed on: leave it out, or use --task "
            "classification.",
        ),
        (
            ["--class-weight", "yes"],
            "--class-weight: class weights must be 'balanced', or labels with positive weights "
            "such as 'yes=5,no=1', got 'yes'",
        ),
    ],
)
def test_what_cannot_be_weighed_is_refused(rare, capsys, command, options, sentence):
    status, out, err = run(capsys, command, rare, *options)
    assert (status, out) == (2, "")
    assert sentence in err and err.count("\n") == 1


def test_how_weights_are_written():
    assert parse("balanced") == "balanced"
    assert parse("yes=5,no=1") == {"yes": 5.0, "no": 1.0}
    assert parse("Paris, France=2.5, a b =1e3") == {"Paris, France": 2.5, "a b": 1000.0}
    for wrong in ("", "=", "=1", "a=", "a=0", "a=-1", "a=nan", "a=inf", "a=1,", "a=1,a=2", "a=x"):
        with pytest.raises(ValueError, match="class weights must be 'balanced', or labels"):
            parse(wrong)


def test_a_label_of_many_that_does_not_occur(tmp_path, capsys):
    lines = [f"{i}.5,label{i % 40:02d}" for i in range(160)]
    (tmp_path / "many.csv").write_text("\n".join(["x,y", *lines]))
    status, _, err = run(capsys, "select", tmp_path / "many.csv", "--class-weight", "label40=2")
    assert status == 2
    assert err.endswith("label08, label09 and 30 more.\n")
