"""--class-weight balanced, and the hint about a rare class where it is not given."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from cli_helpers import run

import kernelwise as kw

FEW = ["--kernels", "gaussian:0:3"]


@pytest.fixture(scope="module")
def rare(tmp_path_factory):
    """A table with a rare class that is hard to find."""
    rng = np.random.default_rng(0)
    y = np.arange(200) < 24
    X = rng.normal(size=(200, 3)) + 1.2 * y[:, None] * np.array([1.0, 0.0, 0.0])
    frame = pd.DataFrame(X.round(4), columns=list("abc")).assign(y=np.where(y, "yes", "no"))
    path = tmp_path_factory.mktemp("rare") / "rare.csv"
    frame.to_csv(path, index=False)
    return path


def found(predictions):
    return sum(label == "yes" for label in json.loads(predictions)["prediction"])


@pytest.mark.parametrize("machine", ["lssvm", "svm"])
def test_weights_enter_choice_model_answer_and_report(rare, tmp_path, capsys, machine):
    out = tmp_path / "chosen"
    argv = "select", rare, "--machine", machine, *FEW, "--out", out
    _, plain, err = run(capsys, *argv)
    assert "weights  " not in plain and "balanced  " not in plain
    hint = re.search("of 24 rows of 'yes', .* ([0-9]+) are recognised: --class-weight", err)
    assert (hint is not None) == (machine == "lssvm")  # it is known by leave-one-out
    assert hint is None or int(hint[1]) < 12
    assert ("are recognised" in (out / "report.html").read_text()) == (machine == "lssvm")
    _, before, _ = run(capsys, "predict", out / "model.skops", rare, "--json")
    status, answer, err = run(capsys, *argv, "--class-weight", "balanced")
    assert status == 0 and "recognised" not in err
    assert "classes are weighted so that each counts equally: no: 0.5682, yes: 4.167." in err
    assert "weights    no: 0.5682, yes: 4.167\n" in answer
    assert "always predicting the same class" not in err  # more errors in all are meant
    _, after, _ = run(capsys, "predict", out / "model.skops", rare, "--json")
    assert found(after) > found(before)
    assert kw.load_model(out / "model.skops")[-1].class_weight == "balanced"
    data = json.loads((out / "result.json").read_text())["data"]
    assert data["class_weight"] == pytest.approx({"no": 100 / 176, "yes": 100 / 24})
    report = (out / "report.html").read_text()
    assert ("Balanced error" in report) == ("balanced   " in answer) == (machine == "lssvm")


def test_the_choice_is_that_of_the_selector(rare, capsys):
    status, out, _ = run(capsys, "select", rare, *FEW, "--class-weight", "balanced", "--json")
    assert status == 0
    found, frame = json.loads(out), pd.read_csv(rare)
    X = frame[list("abc")].to_numpy()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    kernels = kw.grids.gaussian(0, 3)
    selector = kw.KernelSelector(kernels=kernels, class_weight="balanced").fit(X, frame["y"])
    assert found["kernel"]["tau"] == selector.best_kernel_.tau
    assert found["ridge"] == pytest.approx(selector.best_ridge_)
    assert found["error"]["value"] == pytest.approx(selector.error_.value)
    assert found["balanced_error"]["value"] == pytest.approx(selector.balanced_error_.value)
    options = {"ridge": found["ridge"], "class_weight": "balanced"}
    table = kw.score_kernels(X, frame["y"], kernels, kw.criteria.ELOO(), **options).table
    taus = [kernel["tau"] for kernel in found["comparison"]["kernels"]]
    compared = dict(zip(taus, found["comparison"]["table"]["eloo"], strict=True))
    values = [compared[kernel.tau] for kernel in kernels]
    np.testing.assert_allclose(values, table["eloo"], rtol=1e-6)


def test_compare_weighs_too(rare, tmp_path, capsys):
    argv = "compare", rare, *FEW, "--criterion", "eloo", "sm"
    weighted = *argv, "--class-weight", "balanced", "--out", tmp_path / "out"
    status, page, err = run(capsys, *weighted)
    assert status == 0 and "classes are weighted" in err
    assert "classes weighted, " in page
    _, out, _ = run(capsys, *weighted, "--json")
    _, plain, _ = run(capsys, *argv, "--json")
    assert json.loads(out)["class_weight"] == pytest.approx({"no": 100 / 176, "yes": 100 / 24})
    assert "class_weight" not in json.loads(plain)
    tables = [json.loads(text)["table"] for text in (out, plain)]
    assert np.all(np.greater(tables[0]["eloo"], tables[1]["eloo"]))
    np.testing.assert_array_equal(tables[0]["sm"], tables[1]["sm"])  # balanced already


@pytest.mark.parametrize("command", ["select", "compare"])
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["balanced", "--target", "a"], "'a' is regressed on"),
        (["yes=5"], "unknown class weight 'yes=5': choose from balanced"),
    ],
)
def test_what_cannot_be_weighed_is_refused(rare, capsys, command, options, sentence):
    status, out, err = run(capsys, command, rare, "--class-weight", *options)
    assert (status, out) == (2, "")
    assert "--class-weight" in err and sentence in err and err.count("\n") == 1
