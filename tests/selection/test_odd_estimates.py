"""Odd numbers of folds and of resamples, and machines that refuse their own parameters."""

import numpy as np
import pytest
from sklearn.svm import NuSVC

import kernelwise as kw


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=24) > 0.0).astype(int)


@pytest.fixture(scope="module")
def selector(problem):
    return kw.KernelSelector(kernels=kw.grids.gaussian(0, 2), ridge=1.0).fit(*problem)


@pytest.mark.parametrize("cv", [0, 1, True, 2.5, "5", object(), []])
def test_folds(selector, problem, cv):
    with pytest.raises(ValueError, match="cv must be a number of folds"):
        selector.nested_error(*problem, cv=cv)


def test_no_folds_are_five(selector, problem):
    assert selector.nested_error(*problem, cv=None) == selector.nested_error(*problem)


@pytest.mark.parametrize("resamples", [0, None, 2.0, "5"])
def test_resamples(selector, problem, resamples):
    with pytest.raises(ValueError, match="resamples must be a positive integer"):
        selector.pick_stability(*problem, resamples=resamples)


def test_a_machine_that_refuses_its_own_parameters(problem):
    X, _ = problem
    y = np.array([0] * 21 + [1] * 3)
    selector = kw.KernelSelector(NuSVC(nu=0.9), kernels=kw.Gaussian(1.0), criterion="kta")
    with pytest.raises(ValueError, match=r"estimator NuSVC.* cannot be fitted: specified nu"):
        selector.fit(X, y)
