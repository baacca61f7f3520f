"""Odd numbers of folds, and machines that refuse their own parameters."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
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
        selector.error_estimate(*problem, cv=cv)


ONCE = "cv must hold out every row exactly once, but "
NOT_ONCE = [
    (TimeSeriesSplit(), f"{ONCE}TimeSeriesSplit never holds out 4 of 24 rows: give KFold, or"),
    (ShuffleSplit(2, random_state=0), f"{ONCE}ShuffleSplit never holds out"),
    (RepeatedKFold(n_splits=2, n_repeats=2), "RepeatedKFold more than once holds out 24 of 24"),
    ([(np.arange(12), np.arange(12, 20))], f"{ONCE}this list never holds out 16 of 24 rows"),
    ([(np.arange(12), np.arange(12, 99))], "cv must name rows from 0 to 23"),
    ([1, 2], "cv must list pairs of rows"),
]


@pytest.mark.parametrize("cv, message", NOT_ONCE)
def test_folds_that_do_not_hold_out_every_row_once(selector, problem, cv, message):
    with pytest.raises(ValueError, match=message):
        selector.error_estimate(*problem, cv=cv)


def test_the_way_out_of_a_series_in_time(selector, problem):
    assert cross_val_score(selector, *problem, cv=TimeSeriesSplit(3)).shape == (3,)


@pytest.mark.parametrize("cv", [GroupKFold(3), LeaveOneGroupOut()])
def test_splitters_that_need_groups(selector, problem, cv):
    message = "The 'groups' parameter should not be None"
    with pytest.raises(ValueError, match=message):
        selector.error_estimate(*problem, cv=cv)
    with pytest.raises(ValueError, match=message):
        kw.KernelSelector(criterion=kw.criteria.KFold(cv=cv)).fit(*problem)
    folds = list(cv.split(*problem, np.arange(24) // 4))
    assert selector.error_estimate(*problem, cv=folds).method == f"{len(folds)} given folds"


def test_a_machine_that_refuses_its_own_parameters(problem):
    X, _ = problem
    y = np.array([0] * 21 + [1] * 3)
    selector = kw.KernelSelector(NuSVC(nu=0.9), kernels=kw.Gaussian(1.0), criterion="kta")
    with pytest.raises(ValueError, match=r"estimator NuSVC.* cannot be fitted: specified nu"):
        selector.fit(X, y)
