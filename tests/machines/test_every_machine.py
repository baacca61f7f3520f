"""Every machine that criteria judge by."""

import numpy as np
import pytest
from sklearn.svm import SVC

import kernelwise as kw
from inside import (
    Dense,
    KFold,
    LeastSquares,
    Need,
    SupportVectors,
    Targets,
    Undefined,
    criterion_machine,
    lacking,
    make_splits,
    needs_with,
)

RIDGE = 0.7


@pytest.fixture(params=[LeastSquares, SupportVectors])
def machine(request):
    return request.param


def problem(rows=slice(None)):
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(16, 3)), 1.2 + rng.normal(size=(14, 3))])
    return X[rows], np.repeat([0, 1], [16, 14])[rows]


def trained(machine, X, y, kernel=kw.Gaussian(3.0)):  # noqa: B008 (a frozen value)
    targets = Targets.of(y)
    [gram] = Dense().grams([kernel], X, targets)
    return machine(gram, targets)


def test_what_it_takes_is_provided(machine):
    for need in (Need.TRAINING, Need.FOLDS):
        taken = needs_with(machine, frozenset({need}))
        assert taken and taken.isdisjoint({Need.TRAINING, Need.FOLDS})
        assert lacking(Dense(), taken, 30) is None


def test_loses_a_finite_amount_on_its_training_rows(machine):
    assert 0.0 <= trained(machine, *problem()).training_loss(RIDGE) < np.inf


def test_its_error_on_other_rows_is_a_share(machine):
    X, y = problem()
    few = np.arange(30) % 3 > 0
    error = trained(machine, X[few], y[few]).error_on(
        RIDGE, kw.Gaussian(3.0)(X[~few], X[few]), Targets(y[~few], np.array([0, 1]))
    )
    assert 0.0 <= error < 0.5 and error * 10 == round(error * 10)


def test_a_fold_is_a_machine_that_never_saw_it(machine):
    X, y = problem()
    whole = trained(machine, X, y)
    for split in make_splits(Targets.of(y), None, 3, 1, 0):
        refitted = trained(machine, X[split.train], y[split.train])
        cross = kw.Gaussian(3.0)(X[split.test], X[split.train])
        expected = refitted.error_on(RIDGE, cross, Targets(y[split.test], np.array([0, 1])))
        assert whole.fold_loss(RIDGE, split, "error") == expected


def test_criteria_judge_by_it(machine):
    X, y = problem()
    table = kw.score_kernels(X, y, kw.Gaussian(3.0), KFold(3), machine=machine.name).table
    whole = trained(machine, X, y)
    splits = make_splits(Targets.of(y), None, 3, 1, 0)
    expected = np.mean([whole.fold_loss(1.0, split, "error") for split in splits])
    np.testing.assert_allclose(table["kfold"][0], expected)


def test_real_targets_are_trained_or_said_to_be_undefined(machine):
    X, _ = problem()
    try:
        assert np.isfinite(trained(machine, X, X[:, 0] ** 2).training_loss(RIDGE))
    except Undefined as reason:
        assert "classes" in str(reason)


def test_its_ridge_becomes_a_positive_parameter(machine):
    assert machine.from_ridge(RIDGE) > 0.0


def test_machines_are_found_by_name_and_by_estimator():
    assert criterion_machine(SVC()) is SupportVectors
    assert criterion_machine(kw.LSSVC()) is LeastSquares
    with pytest.raises(ValueError, match="'machine' parameter of score_kernels"):
        kw.score_kernels(np.eye(6), [0, 1] * 3, kw.Linear(), "kfold", machine="svn")
