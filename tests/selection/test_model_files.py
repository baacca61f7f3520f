"""Model files that hold what a user wrote, or are damaged."""

import gc
import importlib
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kernelwise as kw
from inside import load_model, save_model

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


def _damaged(path):
    with pytest.raises(ValueError, match="is no model of kernelwise, is damaged") as caught:
        load_model(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content", ["[" * 10**5, "{}", "[]", "null", "1" * 5000, "\ufeff{}", '{"a"']
)
def test_descriptions_that_are_none(content, saved):
    write(saved, {**members(saved), "schema.json": content})
    _damaged(saved)
    write(saved, {"other.json": "{}"})
    _damaged(saved)


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
