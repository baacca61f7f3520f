"""Guards and notes: a text for people, a code for programs."""

import copy
import json
import pathlib
import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

import kernelwise as kw
from inside import Code, Diagnostic, Record, SelectionResult, code_of, former_note, has_code

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "selector.md"

# What score_kernels(...).to_json() wrote before there were codes.
FORMER_RESULT = """{"kernels": [{"kernel": "Gaussian", "tau": 2.0}, {"kernel": "Linear"}],
"ridges": [0.001, 0.001], "criteria": {"sm": {"criterion": "sm", "r": 3, "normalizer": "trace",
"weighted": true}, "br": {"criterion": "br"}}, "table": {"sm": [0.2086444514052702,
1.3846153846153846], "br": [-4.498203097855312, null]}, "standard_errors": {"sm": [null, null],
"br": [null, null]}, "notes": {"Linear(): br": "the kernel has no width"}, "engine": "dense",
"engine_reason": "up to 700 rows the matrices are quick to hold", "seconds": 0.0017, "timings": {}}
"""
# What kernelwise select wrote to result.json.
FORMER_RECORD = """{"format": "kernelwise-record/1", "version": "0.1.0.dev0",
"kernel": {"kernel": "Gaussian", "tau": 2.0}, "ridge": 0.001, "machine": "LSSVC",
"task": "classification", "error": {"measure": "error rate", "value": 1.0, "standard_error": 0.0,
"method": "leave-one-out", "baseline": 0.5}, "nested": null,
"warnings": ["always predicting the same class does as well as the choice, by leave-one-out"],
"data": {"rows": 4}, "seconds": 5.9, "model": "model.skops", "model_sha256": "00",
"result": %s, "comparison": null}"""


def fit(X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kw.KernelSelector(**settings).fit(X, y)


@pytest.fixture
def noise(rng):
    return rng.normal(size=(40, 2)), np.arange(40) % 2


def test_a_diagnostic_is_its_text():
    note = Diagnostic("the trace is zero", Code.UNDEFINED)
    assert note == "the trace is zero" and hash(note) == hash("the trace is zero")
    assert note.code == Code.UNDEFINED == "undefined"
    for again in (pickle.loads(pickle.dumps(note)), copy.deepcopy(note)):
        assert again == note and again.code == note.code
    assert code_of("a text") == "" and not has_code(["a text"], *Code)


def test_codes_of_guards(noise, rng):
    X, y = noise
    y = np.where(np.arange(40) < 38, y, 2)
    codes = {code_of(text) for text in fit(X, y, kernels=kw.grids.gaussian(20, 24)).guards_}
    assert {Code.FEW_ROWS, Code.CONSTANT_MATRIX} <= codes and Code.NO_SIGNAL not in codes
    narrow = fit(X, y, kernels=[kw.Gaussian(1e-9)], ridge=[1e-6, 1e-5, 1e-4], criterion="eloo")
    assert has_code(narrow.guards_, Code.IDENTITY_MATRIX)
    settings = {"kernels": [kw.Gaussian(1.0)], "ridge": [1e3, 1e4, 1e5], "criterion": "eloo"}
    assert has_code(fit(*noise, **settings).guards_, Code.RIDGE_EDGE)
    far = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 9.0])
    settings = {"kernels": kw.grids.gaussian(8, 12), "criterion": "eloo", "ridge": 1.0}
    assert has_code(fit(far, np.arange(40) // 20, **settings).guards_, Code.GRID_EDGE)


def test_codes_of_notes():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(kw.selection.UndefinedCriterionWarning):
        result = kw.score_kernels(X, y, [kw.Linear(), kw.Gaussian(1.0)], ["br", "sm"])
    [note] = result.notes_on("br")
    assert code_of(note) == Code.UNDEFINED and result.notes_on("sm") == []


def test_json_keeps_codes_beside_texts():
    result = SelectionResult.from_json(FORMER_RESULT)
    result.notes["Linear(): br"] = Diagnostic("the kernel has no width", Code.UNDEFINED)
    guard = Diagnostic("add kernels", Code.GRID_EDGE)
    record = Record(kw.Linear(), 1.0, "KRR", "regression", result, warnings=(guard, "other"))
    plain = json.loads(record.to_json())
    assert plain["warnings"] == ["add kernels", "other"]
    assert plain["warning_codes"] == ["grid_edge", ""]
    assert plain["result"]["notes"] == {"Linear(): br": "the kernel has no width"}
    assert plain["result"]["note_codes"] == {"Linear(): br": "undefined"}
    again = Record.from_json(record.to_json())
    assert again.warnings == record.warnings and again.to_json() == record.to_json()
    assert list(map(code_of, again.warnings)) == [Code.GRID_EDGE, ""]
    assert has_code(again.result.notes_on("br"), Code.UNDEFINED)


def test_what_was_written_before_loads():
    result = SelectionResult.from_json(FORMER_RESULT)
    assert result.notes == {"Linear(): br": "the kernel has no width"}
    assert code_of(result.notes["Linear(): br"]) == Code.UNDEFINED
    record = Record.from_json(FORMER_RECORD % FORMER_RESULT)
    assert len(record.warnings) == 1 and code_of(record.warnings[0]) == ""


@pytest.mark.parametrize("codes", [[], ["a", "b"], [1], "ab", None, {}])
def test_codes_that_do_not_fit_are_refused(codes):
    plain = json.loads(FORMER_RECORD % FORMER_RESULT) | {"warning_codes": codes}
    with pytest.raises(ValueError, match="this is no record of a selection"):
        Record.from_json(json.dumps(plain))
    if codes != {}:
        plain = json.loads(FORMER_RESULT) | {"note_codes": codes}
        with pytest.raises(ValueError, match="note_codes is no mapping"):
            SelectionResult.from_json(json.dumps(plain))


def test_a_model_file_keeps_the_texts(noise, tmp_path):
    selector = fit(*noise, kernels=kw.grids.gaussian(20, 24), criterion="eloo")
    selector.result_.notes["Linear(): eloo"] = Diagnostic("set aside", Code.SET_ASIDE)
    assert selector.guards_
    kw.save_model(selector, tmp_path / "model.skops")
    again = kw.load_model(tmp_path / "model.skops")
    assert again.guards_ == selector.guards_ and again.result_.notes == selector.result_.notes
    assert {code_of(text) for text in again.guards_} == {""}


def test_every_code_is_documented():
    page = DOCS.read_text()
    assert [code for code in Code if f"`{code}`" not in page] == []


def test_notes_without_codes_keep_their_meaning():
    former = "set aside after a look at 500 rows"
    assert code_of(former_note(former)) == Code.SET_ASIDE
    assert code_of(former_note("the kernel has no width")) == Code.UNDEFINED
