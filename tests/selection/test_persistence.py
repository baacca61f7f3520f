"""Models in files: exact, safe, whole."""

import json
import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import kernelwise as kw
from helpers import rounding, rounding_of_decisions
from inside import Kernel, load_model, members, replacing, save_model

KERNELS = [
    *(
        cls()
        for cls in members(Kernel)
        if issubclass(cls, kw.kernels.PairKernel) and cls is not kw.Precomputed
    ),
    kw.Gaussian(2.0) + 0.5 * kw.Linear() * kw.Polynomial(2),
    kw.Columns([1, 0], kw.Scaled([0.5, 2.0], kw.Laplacian(2.0))) + kw.Gaussian(2.0),
]


def _folded(cv):
    return kw.KernelSelector(criterion=kw.criteria.KFold(cv=cv))


def _process(estimator, kernels):
    return kw.KernelSelector(estimator, kernels=kernels)


# Fitted models of rows X, classes y and a real target z.
MODELS = {
    "selector": lambda X, y, z: kw.KernelSelector(kernels=kw.grids.gaussian(0, 3)).fit(X, y),
    "cascade": lambda X, y, z: kw.KernelSelector(criterion=kw.Cascade(("sm", 3), ("kfold", 1))).fit(
        X, y
    ),
    "engine": lambda X, y, z: kw.KernelSelector(engine=kw.gram.Tiled()).fit(X, y),
    "LSSVC": lambda X, y, z: kw.LSSVC(kw.Gaussian(4.0)).fit(X, np.where(y == 1, "yes", "no")),
    "KRR": lambda X, y, z: kw.KRR(kw.Matern(2.0, 1.5), fit_intercept=True).fit(X, z),
    "SVC": lambda X, y, z: kw.KernelSelector(SVC()).fit(X, y).best_estimator_,
    "SVR": lambda X, y, z: kw.KernelSelector(SVR()).fit(X, z).best_estimator_,
    "pipeline": lambda X, y, z: make_pipeline(StandardScaler(), kw.KernelSelector()).fit(X, y),
    "ridge": lambda X, y, z: kw.KernelSelector(KernelRidge()).fit(X, z),
    "process": lambda X, y, z: _process(GaussianProcessRegressor(), kw.Matern(1.0)).fit(X, z),
    "linear process": lambda X, y, z: _process(GaussianProcessRegressor(), kw.Linear()).fit(X, z),
    "classes": lambda X, y, z: _process(GaussianProcessClassifier(), "auto").fit(X, y),
    "splitter": lambda X, y, z: _folded(StratifiedKFold(3)).fit(X, y),
    "splits": lambda X, y, z: _folded(list(StratifiedKFold(3).split(X, y))).fit(X, y),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_predicts_the_same_after_loading(name, two_blobs, tmp_path):
    X, y = two_blobs
    model = MODELS[name](X, y, X[:, 0] + 0.1 * y)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert type(loaded) is type(model)
    assert np.array_equal(loaded.predict(X), model.predict(X))
    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            assert np.array_equal(getattr(loaded, method)(X), getattr(model, method)(X))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_every_kernel_is_restored(kernel, two_blobs, tmp_path):
    X, y = two_blobs
    machine = kw.KRR(kernel, ridge=10.0).fit(X, y.astype(float))
    save_model(machine, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.kernel == kernel
    assert hash(loaded.kernel) == hash(kernel)
    assert np.array_equal(loaded.predict(X), machine.predict(X))


def test_sparse_rows(two_blobs, tmp_path):
    X, y = two_blobs
    for rows in (sp.csr_matrix(X), sp.csr_array(X)):
        machine = kw.LSSVC().fit(rows, y)
        save_model(machine, tmp_path / "model.skops")
        assert np.array_equal(
            load_model(tmp_path / "model.skops").decision_function(X), machine.decision_function(X)
        )


def test_the_same_predictions_in_a_new_process(wdbc, tmp_path):
    """What was learnt has the same bits; another number of threads adds up in another order."""
    X, y = wdbc
    X, new = X[:200], X[200:]
    model = kw.KernelSelector().fit(X, y[:200]).best_estimator_
    save_model(model, tmp_path / "model.skops")
    np.save(tmp_path / "new.npy", new)
    code = (
        "import os, sys; import numpy as np; from kernelwise import load_model;"
        "os.chdir(sys.argv[1]); m = load_model('model.skops'); X = np.load('new.npy');"
        "np.savez('found.npz', f=m.decision_function(X), p=m.predict_proba(X), a=m.dual_coef_,"
        " b=m.intercept_, X=m.X_fit_, slope=m.calibration_.slope)"
    )
    other = "2" if os.environ["OPENBLAS_NUM_THREADS"] == "1" else "1"
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": other}
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True, env=settings)
    with np.load(tmp_path / "found.npz") as found:
        learnt = {"a": model.dual_coef_, "b": model.intercept_, "X": model.X_fit_}
        for name, array in {**learnt, "slope": model.calibration_.slope}.items():
            np.testing.assert_array_equal(found[name], array)
        apart = rounding_of_decisions(model, new)
        assert apart < 1e-9
        np.testing.assert_allclose(found["f"], model.decision_function(new), rtol=0, atol=apart)
        # p = 1 / (1 + exp(-slope f)) is nowhere steeper than slope / 4; a few roundings of its own
        apart = model.calibration_.slope / 4 * apart + rounding(8)
        np.testing.assert_allclose(found["p"], model.predict_proba(new), rtol=0, atol=apart)


def _skops_file(path, state):
    import skops.io._protocol

    with zipfile.ZipFile(path, "w") as archive:
        schema = {**state, "protocol": skops.io._protocol.PROTOCOL, "_skops_version": "0.16"}
        archive.writestr("schema.json", json.dumps(schema))


def _json(value):
    return {
        "__class__": "str",
        "__module__": "builtins",
        "__loader__": "JsonNode",
        "content": json.dumps(value),
        "is_json": True,
    }


def _calls(module, name, argument):
    """A constructor call, as skops writes objects that reduce to one."""
    return {
        "__class__": name,
        "__module__": module,
        "__loader__": "ConstructorFromReduceNode",
        "content": {
            "__class__": "tuple",
            "__module__": "builtins",
            "__loader__": "TupleNode",
            "content": [_json(argument)],
        },
    }


def _inside_a_machine(state):
    return {
        "__class__": "LSSVC",
        "__module__": "kernelwise.machines.least_squares",
        "__loader__": "ObjectNode",
        "content": {
            "__class__": "dict",
            "__module__": "builtins",
            "__loader__": "DictNode",
            "content": {"kernel": state},
            "key_types": {
                "__class__": "list",
                "__module__": "builtins",
                "__loader__": "ListNode",
                "content": [
                    {"__class__": "str", "__module__": "builtins", "__loader__": "TypeNode"}
                ],
            },
        },
    }


@pytest.mark.parametrize("wrap", [lambda state: state, _inside_a_machine])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("posix", "system"),
        ("subprocess", "getoutput"),
        ("kernelwise.selection.persistence", "os.system"),
        ("kernelwise.selection.persistence.os", "system"),
        ("kernelwise.cli.write", "write_text"),
        ("builtins", "eval"),
        ("evil", "Thing"),
    ],
)
def test_a_malicious_file_executes_nothing(module, name, wrap, tmp_path, monkeypatch):
    witness = tmp_path / "witness"
    (tmp_path / "evil.py").write_text(
        f"open({str(witness)!r}, 'w').close()\nclass Thing:\n    pass\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "model.skops"
    _skops_file(path, wrap(_calls(module, name, f"touch {witness}")))
    with pytest.raises(ValueError, match="is not trusted: nothing was loaded") as caught:
        load_model(path)
    assert f"{module}.{name}" in str(caught.value)
    assert not witness.exists()
    assert "evil" not in sys.modules


class _Bomb:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def test_a_pickle_is_refused(tmp_path):
    witness, path = tmp_path / "witness", tmp_path / "model.skops"
    path.write_bytes(pickle.dumps(_Bomb(f"touch {witness}")))
    with pytest.raises(ValueError, match="is no model of kernelwise"):
        load_model(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", pickle.dumps(_Bomb(f"touch {witness}")))
    with pytest.raises(ValueError, match="is no model of kernelwise"):
        load_model(path)
    assert not witness.exists()


def test_an_array_that_is_a_pickle_is_refused(two_blobs, tmp_path):
    """An .npy file of objects holds a pickle; numpy is told not to read it."""
    X, y = two_blobs
    save_model(kw.LSSVC().fit(X, y), tmp_path / "good.skops")
    witness, path = tmp_path / "witness", tmp_path / "model.skops"
    np.save(tmp_path / "bad.npy", np.array([_Bomb(f"touch {witness}")], dtype=object))
    with zipfile.ZipFile(tmp_path / "good.skops") as good, zipfile.ZipFile(path, "w") as bad:
        for name in good.namelist():
            content = good.read(name)
            bad.writestr(
                name, (tmp_path / "bad.npy").read_bytes() if name.endswith("npy") else content
            )
    with pytest.raises(ValueError, match="is no model of kernelwise"):
        load_model(path)
    assert not witness.exists()


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04junk", b'{"a": 1}'])
def test_a_file_that_is_no_model(content, tmp_path):
    path = tmp_path / "model.skops"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no model of kernelwise"):
        load_model(path)


def test_a_truncated_file(two_blobs, tmp_path):
    path = tmp_path / "model.skops"
    save_model(kw.LSSVC().fit(*two_blobs), path)
    whole = path.read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="is no model of kernelwise"):
            load_model(path)


def test_what_is_no_model(tmp_path):
    _skops_file(tmp_path / "text.skops", _json("hello"))
    with pytest.raises(ValueError, match="holds a str, which is no model"):
        load_model(tmp_path / "text.skops")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.skops")


class Foreign(BaseEstimator):
    """Somebody else's estimator."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


def test_foreign_types_are_named_when_saving_and_may_be_trusted(two_blobs, tmp_path):
    import skops.io

    model, path = Foreign().fit(*two_blobs), tmp_path / "model.skops"
    name = f"{Foreign.__module__}.Foreign"
    with pytest.raises(ValueError, match=name):
        save_model(model, path)
    assert not path.exists()
    skops.io.dump(model, path)
    with pytest.raises(ValueError, match=name):
        load_model(path)
    assert load_model(path, trusted=[name]).mean_ == model.mean_


def test_what_cannot_be_saved(two_blobs, tmp_path):
    machine = kw.KRR(kw.Linear()).fit(two_blobs[0], two_blobs[1].astype(float))
    machine.extra_ = iter([1])
    with pytest.raises(ValueError):
        save_model(machine, tmp_path / "model.skops")
    assert list(tmp_path.iterdir()) == []


def test_replacing_is_all_or_nothing(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as part:
        part.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    with replacing(path) as part:
        part.write_text("new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
