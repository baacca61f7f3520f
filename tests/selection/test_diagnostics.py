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
from inside import Code, Diagnostic, Record, code_of, has_code

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "selector.md"


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
    X, y = load_iris(return_X_y=True)
    result = kw.score_kernels(X, y, [kw.Linear()], "sm")
    result.notes["Linear(): br"] = Diagnostic("the kernel has no width", Code.UNDEFINED)
    guard = Diagnostic("add kernels", Code.GRID_EDGE)
    record = Record(kw.Linear(), 1.0, "KRR", "regression", result, warnings=(guard, "other"))
    plain = json.loads(record.to_json())
    assert plain["warnings"] == ["add kernels", "other"]
    assert plain["warning_codes"] == ["grid_edge", ""]
    assert plain["result"]["notes"] == {"Linear(): br": "the kernel has no width"}
    assert plain["result"]["note_codes"] == {"Linear(): br": "undefined"}


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
