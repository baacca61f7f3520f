"""Damaged models on the command line: a prediction, or one sentence and exit status 2."""

import copy
import io
import json
import random
import zipfile
from itertools import pairwise

import numpy as np
import pytest
from cli_helpers import flowers, run
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

import kernelwise as kw
from inside import prepare, read_table, save_model

MACHINES = {
    "lssvm": kw.LSSVC(kw.Gaussian(4.0)),
    "svm": SVC(kernel=kw.Gaussian(4.0)),
    "regression": kw.KRR(kw.Gaussian(4.0)),
    "sparse": kw.LSSVC(kw.Gaussian(4.0)),
}


def _table(kind, folder):
    if kind == "sparse":
        lines = [f"{i % 2} {1 + i % 7}:1 {10 + i % 5}:2 900:1\n" for i in range(30)]
        (folder / "f.libsvm").write_text("".join(lines))
        return folder / "f.libsvm"
    frame = flowers(30).assign(day=[f"2024-01-{1 + i % 28:02}" for i in range(30)])
    if kind == "regression":
        frame["species"] = frame["length"] + 0.5
    frame[["day", "length", "colour", "species"]].to_csv(folder / "f.csv", index=False)
    return folder / "f.csv"


@pytest.fixture(params=MACHINES)
def trial(request, tmp_path, capsys):
    """Return the files of a model, and what predicts by changed ones."""
    table, path = _table(request.param, tmp_path), tmp_path / "model.skops"
    data = prepare(read_table(str(table)), None, "auto", True)
    machine = clone(MACHINES[request.param]).fit(data.X, data.y)
    save_model(Pipeline([("preparation", data.preparation), ("machine", machine)]), path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}

    def predict(changed):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in changed.items():
                archive.writestr(name, content)
        status, out, err = run(capsys, "predict", path, table, "--quiet")
        assert "unexpected" not in err
        if status == 2:
            [line] = err.splitlines()
            assert out == "" and "model.skops" in line
        else:
            assert (status, err, len(out.splitlines())) == (0, "", 31)
        return status

    return files, predict


def _npy(array):
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


def _other(array, rng):
    """Return an array of another shape, of another kind, or of other values."""
    if array.dtype == np.float64 and rng.random() < 0.3:
        return np.full(array.shape, rng.choice([np.nan, 1e308]))
    others = [array.T.copy(), array.reshape(-1)[:-1], array.astype(str), np.zeros(()), array[None]]
    return rng.choice(others)


def test_arrays_that_were_exchanged_or_reshaped(trial):
    files, predict = trial
    assert predict(files) == 0
    rng, names = random.Random(0), [name for name in files if name.endswith(".npy")]
    for name in names:
        predict({**files, name: _npy(_other(np.load(io.BytesIO(files[name])), rng))})
    for first, second in pairwise(names):
        predict({**files, first: files[second], second: files[first]})


def _places(plain, path=()):
    for key, value in plain.items() if isinstance(plain, dict) else enumerate(plain):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


def _at(plain, path):
    for key in path:
        plain = plain[key]
    return plain


def test_descriptions_that_were_changed(trial):
    files, predict = trial
    schema = json.loads(files["schema.json"])
    paths, rng = list(_places(schema)), random.Random(0)
    values = [None, -1, "x", [], {}, "null", "NaN", '"text"', "[1, 2]", "1e999"]
    for _ in range(25):
        changed, path = copy.deepcopy(schema), rng.choice(paths)
        if rng.random() < 0.3:
            del _at(changed, path[:-1])[path[-1]]
        elif rng.random() < 0.5:
            _at(changed, path[:-1])[path[-1]] = rng.choice(values)
        else:
            _at(changed, path[:-1])[path[-1]] = copy.deepcopy(_at(schema, rng.choice(paths)))
        predict({**files, "schema.json": json.dumps(changed)})
