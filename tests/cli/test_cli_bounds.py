"""kernelwise bounds: the theorems' numbers for a table, beside what was observed."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from cli_helpers import DATA, ROOT, as_libsvm, flowers, run

from inside import observed, overview, prepare, read_table
from kernelwise import Gaussian, bounds

REAL = {
    "er_decay",
    "er_krr",
    "ks_krr",
    "ks_krr_cv_variance",
    "ks_krr_prediction",
    "ks_krr_stability",
    "sps_krr",
}
ONE_FORM = {"fsm_training_error", "ks_krr", "ks_krr_prediction", "ks_krr_stability"}
FIXED = ["--kernel", "gaussian:2:2", "--ridge", "0.5"]


@pytest.fixture
def table(tmp_path):
    flowers().to_csv(tmp_path / "f.csv", index=False)
    return tmp_path / "f.csv"


@pytest.fixture
def sine(tmp_path):
    x = np.linspace(-3.0, 3.0, 40)
    pd.DataFrame({"x": x, "y": np.sin(x)}).to_csv(tmp_path / "sine.csv", index=False)
    return tmp_path / "sine.csv"


def found_in(capsys, *argv):
    status, out, err = run(capsys, "bounds", *argv, "--json", "--quiet")
    assert (status, err) == (0, "")
    return json.loads(out)


def by_name(found):
    return {row["bound"]: row for row in found["bounds"]}


def test_numbers_are_those_of_the_library(table, capsys):
    found = found_in(capsys, table, *FIXED, "--delta", "0.1", "--t", "3")
    data = prepare(read_table(str(table), None), "species", "auto", scale=True)
    K = Gaussian(4.0)(data.X)
    expected = bounds.all_bounds(K, data.y, ridge=0.5, delta=0.1, t=3)
    seen = observed.observe(K, data.y, ridge=0.5, t=3)
    assert list(by_name(found)) == list(expected)
    for name, row in by_name(found).items():
        bound = expected[name]
        assert row["value"] == pytest.approx(bound.value)
        assert row["terms"] == pytest.approx(bound.terms)
        assert row["theorem"] == bound.reference
        assert (row["vacuous"], row["valid"]) == (bound.vacuous, bound.valid)
        assert row["fails"] == [a.text for a in bound.assumptions if a.holds is False]
        assert len(row["assumptions"]) == len(bound.assumptions)
        if name in seen:
            assert row["observed"] == pytest.approx(seen[name].value)
            assert row["observed_by"] == seen[name].method
        else:
            assert row["observed"] is None
    assert found["left_out"] == []
    assert (found["ridge"], found["delta"], found["t"]) == (0.5, 0.1, 3)
    assert found["kernel"] == {"kernel": "Gaussian", "tau": 4.0}


@pytest.mark.parametrize("options", [[], ["--kernel", "laplacian,linear", "--ridge", "0.1,10"]])
def test_kernel_and_ridge_are_those_that_select_chooses(options, table, capsys):
    found = found_in(capsys, table, *options)
    chosen = json.loads(run(capsys, "select", table, *options, "--json")[1])
    assert found["kernel"] == chosen["kernel"]
    assert found["ridge"] == chosen["ridge"]


def test_chosen_by_a_criterion_and_file_at_the_end(table, capsys):
    argv = ["--kernels", "gaussian:-8:4", "--ridge", "1", "--criterion", "ckta"]
    status, out, _ = run(capsys, "bounds", *argv, table)
    chosen = run(capsys, "select", *argv, table)[1]
    assert status == 0
    assert out.splitlines()[0] == chosen.splitlines()[0]


def test_the_page(table, capsys):
    status, out, err = run(capsys, "bounds", table, *FIXED)
    assert status == 0
    assert "'species', the last column, is taken as the target" in err
    head, lines, terms, fails, legend = out.strip().split("\n\n")
    assert "kernel     Gaussian(tau=4.0)\nridge      0.5" in head
    assert "2 classes of 'species' on 60 rows, 3 features" in head
    assert re.search(r"LSSVM +squared loss [\d.]+, error rate [\d.]+ \(leave-one-out", head)
    assert re.search(r"SVM +hinge loss [\d.]+, error rate [\d.]+ \(leave-one-out", head)
    names = [line.split()[0] for line in lines.splitlines()]
    assert names == ["bound", *overview.references()]
    rows = by_name(found_in(capsys, table, *FIXED))
    for line in lines.splitlines()[1:]:
        row = rows[line.split()[0]]
        assert row["theorem"] in line
        assert f"{row['value']:.4g}" in line
        assert ("  yes" in line) == row["vacuous"]
        assert ("  –  " in line) == (row["observed"] is None)
        numbers = re.search(r"(?:yes|no) +([\d ]+)$", line)
        assert (numbers is None) == (row["fails"] == [])
        for number, text in zip(numbers[1].split() if numbers else [], row["fails"], strict=True):
            assert f"\n{number}" in fails
            assert text in fails.splitlines()[int(number)]
    assert "er_krr " in terms and " + complexity " in terms
    assert "fsm_training_error  the training error of the hyperplane of eq. 17 [train" in terms
    vacuous = sum(row["vacuous"] for row in rows.values())
    assert f"{vacuous} of 16 bounds are vacuous, no better than that." in legend


def test_both_variants(table, capsys):
    found = found_in(capsys, table, *FIXED, "--variant", "both")
    forms = [(row["bound"], row["variant"]) for row in found["bounds"]]
    assert len(forms) == len(set(forms))
    for name in overview.references():
        variants = [variant for bound, variant in forms if bound == name]
        assert variants == (["printed"] if name in ONE_FORM else ["corrected", "printed"])
    one = {
        variant: by_name(found_in(capsys, table, *FIXED, "--variant", variant))
        for variant in ("corrected", "printed")
    }
    for row in found["bounds"]:
        if row["bound"] not in ONE_FORM:
            assert row == one[row["variant"]][row["bound"]]
    out = run(capsys, "bounds", table, *FIXED, "--variant", "both")[1]
    assert "sm_svm (printed)" in out and "sm_svm (corrected)" in out


def test_what_contradicts_a_bound_is_marked(tmp_path, capsys):
    """A printed error rate below zero is no matter of luck."""
    x = np.repeat([-1.0, 1.0], 30)
    pd.DataFrame({"x": x, "y": x.astype(int)}).to_csv(tmp_path / "f.csv", index=False)
    argv = [tmp_path / "f.csv", "--kernel", "gaussian:-3:-3", "--ridge", "1"]
    row = by_name(found_in(capsys, *argv, "--variant", "printed"))["sm_svm"]
    assert row["value"] < 0.0 and row["contradicted"] and not row["vacuous"]
    assert row["fails"][-1].startswith("the print follows from its proof; in fact")
    out = run(capsys, "bounds", *argv, "--variant", "printed")[1]
    [line] = [line for line in out.splitlines() if line.startswith("sm_svm   ")][:1]
    assert "0!" in line
    assert "! marks a bound that what was observed contradicts." in out
    assert "!" not in run(capsys, "bounds", *argv)[1]


def test_a_real_target(sine, capsys):
    status, out, _ = run(capsys, "bounds", sine)
    assert status == 0
    assert "KRR        squared loss" in out
    assert "LSSVM" not in out
    found = found_in(capsys, sine)
    assert set(by_name(found)) == REAL
    assert found["task"] == "regression"
    missing = set(overview.references()) - REAL
    assert {row["bound"] for row in found["left_out"]} == missing
    section = out.split("theorems that do not apply:")[1]
    for name in missing:
        reason = f"{overview.references()[name]}: is for two classes, and the target is real"
        assert re.search(rf"^{name} +{re.escape(reason)}$", section, flags=re.MULTILINE)


def test_integers_as_a_real_target(tmp_path, capsys, rng):
    x = rng.normal(size=30)
    pd.DataFrame({"x": x, "y": np.arange(30) % 3}).to_csv(tmp_path / "f.csv", index=False)
    found = found_in(capsys, tmp_path / "f.csv", "--task", "regression", *FIXED)
    assert set(by_name(found)) == REAL
    known = (2 * (1 + 30 / 0.5)) ** 2  # (M (1 + kappa n / ridge))^2: the target reaches 2, not 1
    assert by_name(found)["ks_krr"]["known_without"] == pytest.approx(known)


def test_a_target_far_from_zero(tmp_path, capsys):
    x = np.linspace(0.0, 1.0, 30)
    for shift, said in ((100.0, True), (0.0, False)):
        frame = pd.DataFrame({"x": x, "y": np.sin(6 * x) + shift})
        frame.to_csv(tmp_path / "f.csv", index=False)
        status, _, err = run(capsys, "bounds", tmp_path / "f.csv", *FIXED)
        assert status == 0
        assert ("the theorems know no bias, and the mean of 'y' is far from zero" in err) == said


def test_theorems_that_the_rows_do_not_allow(tmp_path, capsys, rng):
    """A class of one row has no variance; centred rows have linear kernels that sum to zero."""
    frame = pd.DataFrame({"x": rng.normal(size=30), "y": ["u"] * 29 + ["v"]})
    frame.to_csv(tmp_path / "f.csv", index=False)
    status, out, _ = run(capsys, "bounds", tmp_path / "f.csv", "--kernel", "linear")
    assert status == 0
    section = out.split("theorems that do not apply:")[1]
    assert "Nguyen and Ho 2007, eq. 15: class 'v' has one row, so no variance" in section
    assert "Li et al. 2017, Theorem 2: the entries of the kernel matrix sum to zero" in section
    assert "\nsm_lssvm " in out


def test_numbers_that_json_does_not_know(table, capsys, monkeypatch):
    """As of a matrix of few eigenvalues, whose ratio is infinite."""
    infinite = observed.Observed(np.inf, "spectrum")
    real = observed.observe
    monkeypatch.setattr(
        "kernelwise.cli.bounds.observe", lambda *a, **k: real(*a, **k) | {"er_decay": infinite}
    )
    row = by_name(found_in(capsys, table, *FIXED))["er_decay"]
    assert row["observed"] == "inf" and not row["contradicted"]
    assert " inf " in run(capsys, "bounds", table, *FIXED)[1]


def test_rows_that_repeat(tmp_path, capsys):
    (tmp_path / "f.csv").write_text("x,y\n" + "0,a\n1,b\n" * 10)
    rows = by_name(found_in(capsys, tmp_path / "f.csv", *FIXED))
    assert rows["fsm_training_error"]["value"] == pytest.approx(0.0, abs=1e-9)
    assert rows["sm_lssvm"]["observed"] == rows["sm_svm"]["observed"] == 0.0


def test_sparse_rows(tmp_path, capsys, rng):
    X = np.pad(rng.normal(size=(40, 3)).round(3), ((0, 0), (0, 60)))
    X[:, -1] = 0.5 * (np.arange(40) == 7)
    (tmp_path / "f.libsvm").write_text(as_libsvm(X, np.where(X[:, 0] > 0, 1, -1)))
    status, _, err = run(capsys, "bounds", tmp_path / "f.libsvm")
    assert status == 0
    assert "stay sparse" in err


def test_what_is_written(table, tmp_path, capsys):
    out = tmp_path / "deep" / "out"
    out.mkdir(parents=True)
    (out / "mine.txt").write_text("kept")
    status, said, _ = run(capsys, "bounds", table, *FIXED, "--out", out)
    assert status == 0
    assert {entry.name for entry in out.iterdir()} == {"mine.txt", "bounds.json", "bounds.csv"}
    assert said.splitlines()[-1] == f"written    {out / 'bounds.json'}, {out / 'bounds.csv'}"
    plain = json.loads((out / "bounds.json").read_text())
    assert plain == found_in(capsys, table, *FIXED, "--out", out)
    lines = list(csv.DictReader(io.StringIO((out / "bounds.csv").read_text())))
    assert [line["bound"] for line in lines] == [row["bound"] for row in plain["bounds"]]
    for line, row in zip(lines, plain["bounds"], strict=True):
        assert float(line["value"]) == row["value"]
        assert line["fails"] == "; ".join(row["fails"])
        assert all(f"{name}=" in line["terms"] for name in row["terms"])


# name: content, further arguments, what the sentence must hold
FEW = "x,y\n1,a\n2,b\n3,a\n4,b\n"
BAD = {
    "one_class.csv": (flowers().assign(species="rose").to_csv(index=False), [], "only one class"),
    "constant.csv": (
        flowers().assign(species=1.5).to_csv(index=False),
        ["--task", "regression"],
        "is constant",
    ),
    "two_rows.csv": ("x,y\n1,a\n2,b\n", [], "at least 3"),
    "four_rows.csv": (FEW, [], "only 4 rows: the theorems need at least 5."),
    "many_t.csv": (FEW + "5,a\n6,b\n", ["--t", "6"], "less than the 6 rows, got 6."),
    "no_t.csv": (FEW + "5,a\n6,b\n", ["--t", "0"], "--t must be at least 1"),
    "text_t.csv": (FEW, ["--t", "x"], "invalid int value: 'x'"),
    "delta.csv": (FEW, ["--delta", "1"], "'delta' parameter"),
    "text_delta.csv": (FEW, ["--delta", "often"], "invalid float value: 'often'"),
    "variant.csv": (FEW, ["--variant", "prnted"], "did you mean 'printed'"),
    "kernel.csv": (FEW, ["--kernel", "gaussiann"], "did you mean 'gaussian'"),
    "ridge.csv": (FEW, ["--ridge", "0"], "a ridge must be a positive number"),
    "target.csv": (FEW, ["--target", "yy"], "did you mean 'y'"),
    "colours.csv": (
        flowers().drop(columns="species").to_csv(index=False),
        [],
        "and 'colour' has 3 classes: keep the rows of two of them.",
    ),
    "integers.csv": (
        flowers().assign(species=np.arange(60) % 3).to_csv(index=False),
        [],
        "keep the rows of two of them, or use --task regression.",
    ),
    "memory.csv": (
        flowers().to_csv(index=False),
        ["--memory", "200KB"],
        "too little memory for 60 rows: use --rows 30.",
    ),
    "empty.csv": ("", [], "is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(name, tmp_path, capsys):
    content, options, expected = BAD[name]
    (tmp_path / name).write_text(content)
    status, out, err = run(capsys, "bounds", tmp_path / name, "--quiet", *options)
    assert (status, out) == (2, "")
    [line] = err.splitlines()
    assert line.startswith("kernelwise: ")
    assert expected in line


def test_no_file_and_no_folder(table, capsys):
    status, out, err = run(capsys, "bounds")
    assert (status, out) == (2, "")
    assert "FILE is missing (see 'kernelwise bounds --help')." in err
    status, _, err = run(capsys, "bounds", table, "--out", table)
    assert status == 2
    assert "not a folder" in err


def test_many_rows_are_announced(table, capsys, monkeypatch):
    monkeypatch.setattr("kernelwise.cli.bounds._QUICK", 50)
    assert "--rows draws fewer" in run(capsys, "bounds", table, *FIXED)[2]
    assert "--rows draws fewer" not in run(capsys, "bounds", table, *FIXED, "--rows", 40)[2]


def test_help_has_an_example(capsys):
    status, out, err = run(capsys, "bounds", "--help")
    assert (status, err) == (0, "")
    assert "kernelwise bounds data.csv" in out.split("options:")[1]


def test_the_manual_knows_every_bound_and_option(capsys):
    manual = (ROOT / "docs" / "command_line.md").read_text().split("## Bounds")[1].split("\n## ")[0]
    for option in ("--kernel", "--ridge", "--delta", "--t", "--variant"):
        assert f"`{option}`" in manual
        assert option in run(capsys, "bounds", "--help")[1]
    theorems = (ROOT / "docs" / "bounds.md").read_text()
    assert all(f"`{name}`" in theorems for name in overview.references())


@pytest.mark.skipif(not DATA.is_dir(), reason=f"there is no data in {DATA}")
def test_the_example_of_the_manual_is_true(capsys):
    manual = (ROOT / "docs" / "command_line.md").read_text()
    command, said = re.search(
        r"```\n\$ kernelwise (bounds heart\.csv\.gz[^\n]*)\n(.*?)```", manual, flags=re.DOTALL
    ).groups()
    argv = command.replace("heart.csv.gz", str(DATA / "heart.csv.gz")).split()
    status, out, err = run(capsys, *argv)
    assert status == 0
    real = iter([*err.splitlines(), *out.splitlines()])
    shown = [line for line in said.splitlines() if line not in ("", "...")]
    assert len(shown) > 15
    for line in shown:  # in this order; "..." stands for lines that are left out
        assert any(_alike(line, other) for other in real), line


def _alike(line, other):
    """Whether two lines agree in words, and in numbers to one part in a hundred."""
    pairs = list(zip(line.split(), other.split(), strict=False))
    if len(line.split()) != len(other.split()):
        return False
    return all(a == b or _near(a, b) for a, b in pairs)


def _near(a, b):
    try:
        return float(a.rstrip("!,")) == pytest.approx(float(b.rstrip("!,")), rel=1e-2)
    except ValueError:
        return False
