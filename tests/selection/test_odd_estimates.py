"""Odd numbers of folds and of resamples, and machines that refuse their own parameters."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
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
        selector.nested_error(*problem, cv=cv)


def test_no_folds_are_five(selector, problem):
    assert selector.nested_error(*problem, cv=None) == selector.nested_error(*problem)


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
    for estimate in (selector.error_estimate, selector.nested_error):
        with pytest.raises(ValueError, match=message):
            estimate(*problem, cv=cv)


def test_given_matrices_need_every_row_once_too(problem):
    """Rows that no fold holds out had no prediction, and counted as whatever was in memory."""
    X, y = problem
    matrices = np.stack([kw.Gaussian(tau)(X) for tau in (1.0, 4.0)])
    selector = kw.KernelSelector(ridge=1.0)
    with pytest.raises(ValueError, match=ONCE):
        selector.nested_error(matrices, y, cv=TimeSeriesSplit())
    folds = KFold(3, shuffle=True, random_state=0)
    given = selector.nested_error(matrices, y, cv=list(folds.split(X)))
    assert given.value == selector.nested_error(matrices, y, cv=folds).value


def test_the_way_out_of_a_series_in_time(selector, problem):
    assert cross_val_score(selector, *problem, cv=TimeSeriesSplit(3)).shape == (3,)


@pytest.mark.parametrize("cv", [GroupKFold(3), LeaveOneGroupOut()])
def test_splitters_that_need_groups(selector, problem, cv):
    message = rf"cv = {type(cv).__name__}\(.*\) needs groups: give the list of its splits instead"
    for estimate in (selector.error_estimate, selector.nested_error):
        with pytest.raises(ValueError, match=message):
            estimate(*problem, cv=cv)
    with pytest.raises(ValueError, match=message):
        kw.KernelSelector(criterion=kw.criteria.KFold(cv=cv)).fit(*problem)
    folds = list(cv.split(*problem, np.arange(24) // 4))
    assert selector.error_estimate(*problem, cv=folds).method == f"{len(folds)} given folds"


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
