"""The error to expect."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import (
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import kernelwise as kw
from helpers import close


def some(load, n):
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return StandardScaler().fit_transform(X[rows]), y[rows]


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_leave_one_out_is_that_of_refits(load):
    X, y = some(load, 60)
    selector = kw.KernelSelector().fit(X, y)
    machine = kw.LSSVC(selector.best_kernel_, selector.best_ridge_)
    wrong = cross_val_predict(machine, X, y, cv=LeaveOneOut()) != y
    estimate = selector.error_estimate()
    assert estimate is selector.error_ and estimate.method == "leave-one-out"
    close(estimate.value, wrong.mean())
    close(estimate.standard_error, wrong.std(ddof=1) / np.sqrt(60))
    close(estimate.baseline, 1 - np.bincount(y).max() / 60)
    assert "% ±" in str(estimate)


def test_regression_has_a_root_mean_square():
    X, y = some(load_diabetes, 70)
    selector = kw.KernelSelector(task="regression").fit(X, y)
    machine = kw.KRR(selector.best_kernel_, selector.best_ridge_, fit_intercept=True)
    squares = (y - cross_val_predict(machine, X, y, cv=LeaveOneOut())) ** 2
    close(selector.error_.value, np.sqrt(squares.mean()), rtol=1e-6)
    constant = [np.delete(y, i).mean() - y[i] for i in range(70)]
    close(selector.error_.baseline, np.sqrt(np.mean(np.square(constant))))
    assert "root mean squared error, leave-one-out" in str(selector.error_)


def test_other_machines_are_refitted():
    X, y = some(load_breast_cancer, 120)
    selector = kw.KernelSelector(SVC()).fit(X, y)
    assert selector.error_ is None
    estimate = selector.error_estimate()
    assert estimate == selector.error_estimate(X, y)
    again = pickle.loads(pickle.dumps(selector))  # the training data stay behind
    with pytest.raises(ValueError, match="X and y are needed to estimate the error of SVC"):
        again.error_estimate()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    wrong = cross_val_predict(selector.best_estimator_, X, y, cv=folds) != y
    close(estimate.value, wrong.mean())
    assert estimate.method == "5-fold"


def test_choosing_among_noise_looks_better_than_it_is():
    """Leave-one-out of the winner forgets how many were tried; folds that choose anew do not."""
    rng = np.random.default_rng(5)
    optimistic, honest = [], []
    for _ in range(4):
        X, y = rng.normal(size=(24, 3)), rng.permutation(24) % 2
        selector = kw.KernelSelector(criterion=kw.criteria.ELOO("error")).fit(X, y)
        optimistic.append(selector.error_estimate().value)
        honest.append(1.0 - cross_val_score(selector, X, y).mean())
    assert np.mean(honest) > np.mean(optimistic) + 0.05


def test_without_a_machine_there_is_no_estimate():
    X, y = some(load_iris, 60)
    selector = kw.KernelSelector(refit=False).fit(X, y)
    assert selector.error_ is None
