"""Theorems declare themselves once: lists, docstrings and shared computations follow from that."""

import inspect
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inside import Sample, main, observed, overview, statements, states, theorem
from inside import sample as sample_module
from kernelwise import Gaussian, bounds

STATEMENTS = statements()


def sample(n=30):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 2))
    return Gaussian(1.0)(X), np.where(X[:, 0] > 0.3 * rng.normal(size=n), 1, 0), X[:, 1]


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_theorem_is_a_public_function_that_says_what_its_bound_says(name):
    stated, function = STATEMENTS[name]
    assert getattr(bounds, name) is function
    assert name in bounds.__all__
    K, y, _ = sample()
    variants = (
        ["corrected", "printed"] if "variant" in inspect.signature(function).parameters else []
    )
    for bound in (bounds.all_bounds(K, y, ridge=2.0, variant=v)[name] for v in variants):
        assert bound.reference == stated.reference
        assert bound.quantity == stated.quantity.value.format(t=4)
        wrong = [a for a in bound.assumptions if a.text.startswith("the print follows")]
        assert len(wrong) == (bound.variant == "printed" and stated.misprint is not None)


@pytest.mark.parametrize("name", STATEMENTS)
def test_the_docstring_describes_every_parameter_in_order(name):
    function = STATEMENTS[name].function
    text = inspect.getdoc(function)
    section = text.split("Parameters\n----------\n")[1].split("\n\nReturns\n-------\n")[0]
    described = re.findall(r"^(\w+) : ", section, flags=re.MULTILINE)
    assert described == list(inspect.signature(function).parameters)
    assert "{parameters}" not in text and "%(" not in text
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is not parameter.empty:
            assert f"default={json.dumps(parameter.default)}".replace("null", "None") in section


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_sample_for_the_matrix_gives_the_same_bound(name):
    function = STATEMENTS[name].function
    K, y, _ = sample()
    shared = Sample(K, y, 1.0)
    target = [y] if "y" in inspect.signature(function).parameters else []
    assert function(shared, *target) == function(K, *target)


def test_one_sample_is_decomposed_and_trained_on_once(monkeypatch):
    K, y, _ = sample()
    calls = []
    for name in ("Evidence", "svm_coefficients"):
        real = getattr(sample_module, name)
        monkeypatch.setattr(sample_module, name, counting(real, calls))
    shared = Sample(K, y, 1.0)
    for variant in ("corrected", "printed"):
        overview.evaluate(shared, y, variant=variant)
    observed.observe(shared, y)
    assert sorted(calls) == ["Evidence", "svm_coefficients"]


def counting(function, calls):
    def counted(*args, **kwargs):
        calls.append(function.__name__)
        return function(*args, **kwargs)

    return counted


@pytest.fixture
def mine(monkeypatch):
    """The manual's example of a bound; it is gone after the test."""
    monkeypatch.setattr(theorem, "_STATEMENTS", dict(theorem._STATEMENTS))
    manual = (Path(__file__).parents[2] / "docs" / "bounds.md").read_text()
    example = manual.split("## Add a bound")[1].split("```")[1]
    names = {}
    exec(example, names)
    return names["mine_lssvm"]


def test_a_bound_from_outside_is_listed_observed_and_left_out(mine):
    K, y, reals = sample()
    bound = mine(K, y)
    assert bounds.all_bounds(K, y)["mine_lssvm"] == bound
    assert bound.terms["deviation"] == pytest.approx(np.sqrt(np.log(20.0) / 60.0))
    seen = observed.observe(K, y)
    assert seen["mine_lssvm"] == seen["sm_lssvm"]
    left_out = overview.evaluate(K, reals).left_out
    assert left_out["mine_lssvm"] == "is for two classes, and the target is real"
    with pytest.raises(ValueError, match="this theorem is for two classes, but y is a real target"):
        mine(K, reals)
    assert "The probability that the bound fails." in mine.__doc__
    assert overview.references()["mine_lssvm"] == bound.reference == "Somebody 2030, Theorem 1"


def test_the_command_line_knows_a_bound_from_outside(mine, tmp_path, capsys):
    _, y, _ = sample()
    pd.DataFrame({"x": np.arange(30.0), "y": y}).to_csv(tmp_path / "f.csv", index=False)
    fixed = ["--kernel", "gaussian:2:2", "--ridge", "1"]
    assert main(["bounds", str(tmp_path / "f.csv"), *fixed, "--quiet"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^mine_lssvm +Somebody 2030, Theorem 1 +\d", out, flags=re.MULTILINE)


def test_the_name_of_a_theorem_is_taken():
    def sm_svm(K, y):
        """Bound nothing."""

    with pytest.raises(ValueError, match="'sm_svm' is taken by Li et al"):
        states(STATEMENTS["sm_lssvm"].theorem)(sm_svm)


def test_no_theorem_is_left_after_the_fixture():
    assert list(statements()) == list(STATEMENTS)
