"""Model files that are damaged, hostile, or hold what a user wrote."""

import copy
import gc
import importlib
import io
import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import SVC, SVR

import kernelwise as kw
from inside import TooLarge, Unsound, check_model, load_model, max_size_for, save_model

ROOT = Path(__file__).parents[2]


OWN = """
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
from kernelwise.criteria import Criterion, Need
from kernelwise.kernels import PairKernel

@dataclass(frozen=True)
class Cosine(PairKernel):
    power: int = 1
    geometry: ClassVar[str] = "dot"

    def profile(self, g):
        return 1.0 + np.cosh(0.1 * g) ** self.power

@dataclass(frozen=True)
class Mass(Criterion):
    name: ClassVar[str] = "mass"
    greater_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset] = frozenset({Need.STATISTICS})
    reference: ClassVar[str] = "none"
    formula: ClassVar[str] = "tr K"

    def value(self, evidence, ridge):
        return evidence.statistics.trace
"""
TRUSTED = ["of_ones_own.Cosine", "of_ones_own.Mass"]


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module of a user, with a kernel and a criterion; both are gone after the test."""
    (tmp_path / "of_ones_own.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("of_ones_own")
    del sys.modules["of_ones_own"]
    gc.collect()


def test_a_kernel_of_ones_own(own, two_blobs, tmp_path):
    X, y = two_blobs
    machine, path = kw.KRR(own.Cosine(2), ridge=1.0).fit(X, y.astype(float)), tmp_path / "m.skops"
    with pytest.raises(ValueError, match=r"or trusted=\['of_ones_own.Cosine'\] when saving"):
        save_model(machine, path)
    assert not path.exists()
    save_model(machine, path, trusted=TRUSTED)
    with pytest.raises(
        ValueError, match=r"names the type of_ones_own\.Cosine, which is not trusted"
    ):
        load_model(path)
    loaded = load_model(path, trusted=iter(TRUSTED))
    assert loaded.kernel == own.Cosine(2)
    assert np.array_equal(loaded.predict(X), machine.predict(X))


def test_a_criterion_of_ones_own(own, two_blobs, tmp_path):
    path, kernels = tmp_path / "m.skops", [own.Cosine(1), 0.5 * own.Cosine(2) + kw.Linear()]
    selector = kw.KernelSelector(kernels=kernels, criterion=own.Mass(), ridge=1.0).fit(*two_blobs)
    with pytest.raises(ValueError, match="load_model would refuse"):
        save_model(selector, path, trusted=TRUSTED[:1])
    save_model(selector, path, trusted=TRUSTED)
    loaded = load_model(path, trusted=TRUSTED)
    assert loaded.criterion == own.Mass() and loaded.best_kernel_ == selector.best_kernel_
    assert np.array_equal(loaded.predict(two_blobs[0]), selector.predict(two_blobs[0]))


@pytest.mark.parametrize("trusted", ["module.Class", [kw.LSSVC], [1]])
def test_names_that_are_none(trusted, two_blobs, tmp_path):
    machine = kw.LSSVC().fit(*two_blobs)
    with pytest.raises(TypeError, match="trusted must be a list of names as 'module"):
        save_model(machine, tmp_path / "m.skops", trusted=trusted)
    save_model(machine, tmp_path / "m.skops")
    with pytest.raises(TypeError, match="trusted must be a list of names"):
        load_model(tmp_path / "m.skops", trusted=trusted)


# Limits.


@pytest.fixture
def saved(two_blobs, tmp_path):
    save_model(kw.LSSVC().fit(*two_blobs), tmp_path / "m.skops")
    return tmp_path / "m.skops"


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def test_a_model_may_unpack_to_so_much(saved):
    size = max_size_for(saved.read_bytes())
    load_model(saved, max_size=size)
    with pytest.raises(TooLarge, match="raise max_size if you trust it"):
        load_model(saved, max_size=size - 1)
    load_model(saved, max_size="1MB")
    load_model(saved, max_size=None)
    with pytest.raises(ValueError, match="max_size must be an amount such as '4GB'"):
        load_model(saved, max_size="much")


def test_a_small_file_that_unpacks_to_much(saved):
    write(saved, {**members(saved), "more.npy": bytes(2 * 10**6)})
    assert saved.stat().st_size < 20_000
    load_model(saved)
    with pytest.raises(TooLarge, match="unpacks to more than 1 MB"):
        load_model(saved, max_size="1MB")


def test_an_array_counts_as_often_as_it_is_read(saved):
    files = members(saved)
    schema = json.loads(files["schema.json"])
    attributes = schema["content"]["content"]
    for i in range(50):
        again = {**copy.deepcopy(attributes["X_fit_"]), "__id__": 10**6 + i}
        schema["content"]["content"][f"more{i}"] = again
        schema["content"]["key_types"]["content"].append(
            copy.deepcopy(schema["content"]["key_types"]["content"][0])
        )
    write(saved, {**files, "schema.json": json.dumps(schema)})
    with pytest.raises(TooLarge):
        load_model(saved, max_size=50 * len(files[attributes["X_fit_"]["file"]]))


def test_sparse_rows_are_an_archive_in_the_archive(two_blobs, tmp_path):
    X, y = two_blobs
    machine, path = kw.LSSVC().fit(sp.csr_matrix(X), y), tmp_path / "m.skops"
    save_model(machine, path)
    assert np.array_equal(load_model(path).predict(X), machine.predict(X))
    files = members(path)
    [rows] = [name for name in files if name.endswith(".npz")]
    packed = io.BytesIO(files[rows])
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as inner:
        inner.writestr("more.npy", bytes(2 * 10**6))
    write(path, {**files, rows: packed.getvalue()})
    with pytest.raises(TooLarge):
        load_model(path, max_size="1MB")


def test_a_description_is_limited_too(saved):
    """Empty lists take twenty times their size in memory."""
    write(saved, {**members(saved), "schema.json": "[" + "[]," * 10**5 + "[]]"})
    with pytest.raises(TooLarge, match=r"schema.json of more than 62,500 bytes"):
        load_model(saved, max_size="1MB")


def _list(items, name):
    return {
        "__class__": "list",
        "__module__": "builtins",
        "__loader__": "ListNode",
        "content": items,
        "__id__": name,
    }


def _damaged(path, match="is no model of kernelwise, or is damaged"):
    with pytest.raises(ValueError, match=match) as caught:
        load_model(path)
    assert not isinstance(caught.value, TooLarge)
    assert "\n" not in str(caught.value)


def test_references_that_double_the_work_at_every_step(saved):
    """Looking at forty lists, each of the next one twice, would take 2^40 steps."""
    state = _list([], 1)
    for level in range(2, 42):
        state = _list([state, {"__id__": state["__id__"]}], level)
    schema = {**state, "protocol": 2, "_skops_version": "0.16"}
    write(saved, {"schema.json": json.dumps(schema)})
    _damaged(saved)


@pytest.mark.parametrize(
    ("loader", "module", "name"),
    [
        ("ConstructorFromReduceNode", "scipy.sparse._csr", "csr_matrix"),
        ("NdArrayNode", "numpy", "void"),
    ],
)
def test_numbers_that_would_become_memory(loader, module, name, saved):
    files = members(saved)
    schema = json.loads(files["schema.json"])
    attributes = schema["content"]["content"]
    old = attributes["X_fit_"]
    attributes["X_fit_"] = {**old, "__loader__": loader, "__module__": module, "__class__": name}
    write(saved, {**files, "schema.json": json.dumps(schema)})
    _damaged(saved)


@pytest.mark.parametrize(
    "content", ["[" * 10**5, "{}", "[]", "null", "1" * 5000, "\ufeff{}", '{"a"']
)
def test_descriptions_that_are_none(content, saved):
    write(saved, {**members(saved), "schema.json": content})
    _damaged(saved)
    write(saved, {"other.json": "{}"})
    _damaged(saved)


# Damage.


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes()
    for size in range(0, len(whole), 97):
        saved.write_bytes(whole[:size])
        _damaged(saved)


def test_every_flipped_byte_is_noticed_or_harmless(two_blobs, saved):
    """A checksum guards what is in an archive; what is not guarded does not matter."""
    X, _ = two_blobs
    expected = load_model(saved).decision_function(X)
    whole = saved.read_bytes()
    for place in range(0, len(whole), 61):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place % 8)
        saved.write_bytes(damaged)
        try:
            model = load_model(saved)
        except ValueError as error:
            assert str(saved) in str(error)
        else:
            assert np.array_equal(model.decision_function(X), expected)


def _chosen(machine, X, target):
    return kw.KernelSelector(machine, kernels=kw.grids.gaussian(0, 1)).fit(X, target)


# Fitted to rows, two classes y, three classes and a real target.
MODELS = {
    "LSSVC": lambda X, y, three, real: kw.LSSVC().fit(X, y),
    "three classes": lambda X, y, three, real: kw.LSSVC().fit(X, three),
    "KRR": lambda X, y, three, real: kw.KRR(kw.Matern(), fit_intercept=True).fit(X, real),
    "two targets": lambda X, y, three, real: kw.KRR().fit(X, np.column_stack([real, y])),
    "sparse": lambda X, y, three, real: kw.LSSVC().fit(sp.csr_matrix(X), y),
    "SVC": lambda X, y, three, real: SVC(kernel=kw.Gaussian(2.0)).fit(X, y),
    "SVR": lambda X, y, three, real: SVR(kernel=kw.Gaussian(2.0)).fit(X, real),
    "rbf": lambda X, y, three, real: SVC().fit(X, three),
    "ridge": lambda X, y, three, real: _chosen(KernelRidge(), X, real).best_estimator_,
    "selector": lambda X, y, three, real: _chosen(None, X, y),
    "process": lambda X, y, three, real: _chosen(GaussianProcessRegressor(), X, real),
    "classes": lambda X, y, three, real: _chosen(GaussianProcessClassifier(), X, three),
    "pipeline": lambda X, y, three, real: make_pipeline(StandardScaler(), kw.LSSVC()).fit(X, y),
    "scaled": lambda X, y, three, real: make_pipeline(MaxAbsScaler(), kw.LSSVC()).fit(
        sp.csr_matrix(X), y
    ),
}
OF_MANY_ARRAYS = ("selector", "process", "classes")


def _fitted(name, X, y):
    return MODELS[name](X, y, np.arange(len(y)) % 3, X[:, 0] + 0.1 * y)


@pytest.mark.parametrize("name", MODELS)
def test_sound_models_are_sound(name, two_blobs):
    check_model(_fitted(name, *two_blobs))
    check_model(type(_fitted(name, *two_blobs)).__new__(kw.LSSVC, *[]) if False else kw.LSSVC())


def _npy(array):
    content = io.BytesIO()
    np.save(content, array, allow_pickle=False)
    return content.getvalue()


def _reshaped(array):
    """Return an array in other shapes, and of other kinds."""
    yield array.reshape(-1)[:-1]
    yield array[None]
    yield np.concatenate([np.atleast_1d(array)] * 2)
    yield array.astype(str)
    yield np.zeros(())
    if array.ndim == 2 and array.shape[0] != array.shape[1]:
        yield array.T.copy()


@pytest.mark.parametrize("name", [name for name in MODELS if name not in OF_MANY_ARRAYS])
def test_arrays_of_other_shapes_are_noticed(name, two_blobs, tmp_path):
    """Every array of the model in turn; what an array is for decides how it is noticed."""
    X, y = two_blobs
    model, path = _fitted(name, X, y), tmp_path / "m.skops"
    save_model(model, path)
    files = members(path)
    for file in [file for file in files if file.endswith(".npy")]:
        for other in _reshaped(np.load(io.BytesIO(files[file]))):
            write(path, {**files, file: _npy(other)}, zipfile.ZIP_STORED)
            try:
                loaded = load_model(path)
            except ValueError as error:
                assert "is a damaged model (" in str(error) or "is no model" in str(error)
            else:
                assert len(loaded.predict(X)) == len(X)


def test_a_whole_number_that_is_none_any_more(two_blobs, tmp_path):
    path, scaler = tmp_path / "m.skops", StandardScaler().fit(two_blobs[0])
    scaler.n_samples_seen_ = np.int64(40)  # as scikit-learn before 1.9 counts
    save_model(scaler, path)
    files = members(path)
    [count] = [file for file in files if file.endswith(".npy") and b"'<i8'" in files[file][:128]]
    write(path, {**files, count: _npy(np.array(np.nan))})
    with pytest.raises(ValueError, match="is no model of kernelwise, or is damaged"):
        load_model(path)


ATTRIBUTES = {
    "X_fit_": [np.zeros((3, 40)), np.zeros((40, 2)), np.full((40, 3), np.nan), "rows", None],
    "dual_coef_": [
        np.zeros(39),
        np.zeros((40, 2)),
        np.full(40, np.inf),
        np.zeros(40, int),
        [0.0] * 40,
    ],
    "intercept_": [np.nan, np.zeros(2), "b", None],
    "classes_": [np.array([1]), np.array([1, 1]), np.array([[0, 1]]), [0, 1], np.arange(3)],
    "calibration_": [None, 1.0, kw.machines.calibration.Calibration(np.nan)],
    "loo_residuals_": [np.zeros(39), np.zeros((40, 2))],
    "n_features_in_": [2, "3", None],
    "kernel": ["rbf", None, 3],
    "ridge": [-1.0, "1", np.nan, None],
}


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_parts_that_do_not_fit(attribute, two_blobs):
    for value in ATTRIBUTES[attribute]:
        machine = kw.LSSVC().fit(*two_blobs)
        setattr(machine, attribute, value)
        with pytest.raises(Unsound):
            check_model(make_pipeline(StandardScaler(), machine))


def test_parts_that_are_missing(two_blobs):
    for attribute in (
        "dual_coef_",
        "intercept_",
        "classes_",
        "calibration_",
        "n_features_in_",
        "kernel",
    ):
        machine = kw.LSSVC().fit(*two_blobs)
        delattr(machine, attribute)
        with pytest.raises(Unsound):
            check_model(machine)


def _forced(kernel, **values):
    """A kernel with values that its constructor would refuse."""
    for name, value in values.items():
        object.__setattr__(kernel, name, value)
    return kernel


@pytest.mark.parametrize(
    "kernel",
    [
        _forced(kw.Gaussian(1.0), tau=-1.0),
        _forced(kw.Gaussian(1.0), tau="wide"),
        _forced(kw.Matern(1.0), nu=0.7),
        _forced(kw.Gaussian(1.0) + kw.Linear(), parts=()),
        _forced(kw.Gaussian(1.0) + kw.Linear(), parts=(kw.Linear(), "Linear")),
        _forced(kw.Gaussian(1.0) * _forced(kw.Gaussian(2.0), tau=np.nan)),
    ],
    ids=repr,
)
def test_kernels_that_no_constructor_makes(kernel, two_blobs):
    machine = kw.LSSVC().fit(*two_blobs)
    machine.kernel = kernel
    with pytest.raises(Unsound):
        check_model(machine)


def test_indices_that_lead_nowhere(two_blobs):
    """Compiled loops would follow them."""
    X, y = two_blobs
    for index in (-1, 3, 10**6):
        machine = kw.LSSVC().fit(sp.csr_matrix(X), y)
        machine.X_fit_.indices[5] = index
        with pytest.raises(Unsound):
            check_model(machine)
    for support in (-1, 40):
        machine = SVC(kernel=kw.Gaussian(2.0)).fit(X, y)
        machine.support_[0] = support
        with pytest.raises(Unsound, match="support_ leads astray"):
            check_model(machine)


def test_a_damaged_model_is_one_sentence(two_blobs, tmp_path):
    machine = kw.LSSVC().fit(*two_blobs)
    machine.dual_coef_ = machine.dual_coef_[:-1]
    save_model(machine, tmp_path / "m.skops")
    _damaged(
        tmp_path / "m.skops",
        r"is a damaged model \(dual_coef_ has the shape \(39,\), not \(40,\)\)",
    )


# What the project says of itself.


def test_skops_is_required_from_the_version_that_names_what_it_refuses():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "skops>=0.12" in project["optional-dependencies"]["cli"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository")
def test_what_git_ignores():
    def is_ignored(path):
        command = ["git", "check-ignore", "--quiet", "--no-index", path]
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0

    assert all(map(is_ignored, ["reproduced/index.md", "src/a.nbi", "src/kernelwise/a.nbc"]))
    assert not any(
        map(is_ignored, ["papers/pages/index.md", "papers/src/kernelwise_papers/papers/er.py"])
    )
