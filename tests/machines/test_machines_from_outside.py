"""A machine from outside the package: one file, judged by, selected for, saved and loaded."""

import importlib
import sys

import numpy as np
import pytest
from sklearn.svm import SVC

import kernelwise as kw
from contracts import machine as contract
from helpers import close, load_page
from inside import (
    Dense,
    LeastSquares,
    Need,
    SupportVectors,
    Targets,
    Tiled,
    base,
    criterion_machine,
    make_splits,
    needs_with,
)
from kernelwise import criteria as c

ESTIMATOR = '''
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from kernelwise.machines import Machine

class Prototypes(ClassifierMixin, BaseEstimator):
    """The nearest class mean in feature space."""

    def __init__(self, kernel=None, shrinkage=1.0):
        self.kernel, self.shrinkage = kernel, shrinkage

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        T = (codes[:, None] == np.arange(self.classes_.size)).astype(float)
        self.weights_ = T / (T.sum(axis=0) + self.shrinkage)
        self.X_ = X
        self.lengths_ = np.einsum("ij,ij->j", self.weights_, self.kernel(X) @ self.weights_)
        return self

    def predict(self, X):
        distances = self.lengths_ - 2.0 * self.kernel(X, self.X_) @ self.weights_
        return self.classes_[distances.argmin(axis=1)]
'''


@pytest.fixture
def machine(tmp_path):
    return load_page("add_a_machine.md", tmp_path).NearestMean


@pytest.fixture
def prototypes(tmp_path, monkeypatch):
    """The estimator, in a module that can be imported again by its name."""
    (tmp_path / "prototypes_of_ones_own.py").write_text(ESTIMATOR)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("prototypes_of_ones_own").Prototypes
    sys.modules.pop("prototypes_of_ones_own")


def test_it_keeps_the_contract(machine):
    for check in contract.CHECKS:
        check(machine)


def test_criteria_judge_by_it(machine, prototypes, two_blobs):
    X, y = two_blobs
    kernel, targets = kw.Gaussian(2.0), Targets.of(y)
    table = kw.score_kernels(X, y, kernel, ["rks", c.KFold(4)], ridge=0.5, machine="nearest-mean")
    fitted = prototypes(kernel, 0.5).fit(X, y)
    beta = kw.score_kernels(X, y, kernel, "ks").table["ks"][0]
    close(table.table["rks"][0], np.mean(fitted.predict(X) != y) + 0.25 / len(y) * beta)
    errors = [
        np.mean(prototypes(kernel, 0.5).fit(X[s.train], y[s.train]).predict(X[s.test]) != y[s.test])
        for s in make_splits(targets, None, 4, 1, 0)
    ]
    close(table.table["kfold"][0], np.mean(errors))


def test_products_are_enough_for_it(machine, two_blobs):
    X, y = two_blobs
    assert needs_with(machine, frozenset({Need.FOLDS})) == {Need.PRODUCTS}
    settings = {"ridge": 0.5, "machine": "nearest-mean"}
    swept = kw.score_kernels(X, y, kw.Gaussian(2.0), c.KFold(4), engine=Tiled(), **settings)
    held = kw.score_kernels(X, y, kw.Gaussian(2.0), c.KFold(4), engine=Dense(), **settings)
    assert swept.table["kfold"][0] == held.table["kfold"][0]


def test_trade_offs_are_chosen_by_it(machine, two_blobs):
    X, y = two_blobs
    kernels = kw.grids.gaussian(-1, 2)
    table = kw.score_kernels(X, y, kernels, c.RKS(eta="cv"), machine="nearest-mean").table
    assert np.isfinite(table["rks"]).all()


def test_an_estimator_of_the_kind_is_selected_for_saved_and_loaded(
    machine, prototypes, two_blobs, tmp_path, monkeypatch
):
    X, y = two_blobs
    claim = classmethod(lambda cls, estimator: isinstance(estimator, prototypes))
    monkeypatch.setattr(machine, "is_machine_of", claim)
    assert criterion_machine(prototypes()) is machine
    selector = kw.KernelSelector(
        prototypes(), kernels=kw.grids.gaussian(-1, 3), criterion=c.KFold(4), ridge=[0.1, 1.0, 9.0]
    ).fit(X, y)
    assert selector.best_estimator_.shrinkage == selector.best_ridge_
    assert selector.score(X, y) > 0.8
    trusted = ["prototypes_of_ones_own.Prototypes"]
    kw.save_model(selector, tmp_path / "model.skops", trusted=trusted)
    again = kw.load_model(tmp_path / "model.skops", trusted=trusted)
    np.testing.assert_array_equal(again.predict(X), selector.predict(X))


def test_ours_are_found_by_name_and_by_estimator():
    assert base.get("least-squares") is LeastSquares and base.get("svm") is SupportVectors
    assert criterion_machine(SVC()) is SupportVectors
    assert criterion_machine(kw.LSSVC()) is LeastSquares
    with pytest.raises(ValueError, match="unknown machine 'svn': did you mean 'svm'"):
        kw.score_kernels(np.eye(6), [0, 1] * 3, kw.Linear(), "kfold", machine="svn")


def test_a_half_written_machine_says_what_is_missing():
    with pytest.raises(TypeError, match="Mine must say its name, own_loss, ridge_parameter"):
        type("Mine", (base.Machine,), {})
    with pytest.raises(ValueError, match="the name 'svm' is taken by SupportVectors"):
        type("Mine", (base.Machine,), {"name": "svm"})
