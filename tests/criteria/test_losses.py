"""Leave-one-out and folds by AUC, log loss and absolute error."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import KFold, LeaveOneOut, cross_val_predict, cross_val_score

import kernelwise as kw
import oracles
from inside import Targets, auc
from kernelwise import criteria as c

KERNEL = kw.Gaussian(4.0)


def some(load, n=60):
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(0).permutation(y.size)[:n]
    return (X[rows] - X.mean(axis=0)) / X.std(axis=0), y[rows]


def value(X, y, criterion, **options):
    result = kw.score_kernels(X, y, [KERNEL], criterion, ridge=0.5, **options)
    return next(iter(result.table.values()))[0]


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_area_and_log_loss_are_those_of_refits(load):
    X, y = some(load)
    scores = cross_val_predict(
        kw.LSSVC(KERNEL, ridge=0.5), X, y, cv=LeaveOneOut(), method="decision_function"
    )
    if scores.ndim == 1:
        expected = roc_auc_score(y, scores)
    else:
        expected = np.mean([roc_auc_score(y == k, scores[:, k]) for k in range(3)])
    assert value(X, y, c.ELOO("auc")) == pytest.approx(expected, rel=1e-10)
    P = kw.LSSVC(KERNEL, ridge=0.5).fit(X, y).calibration_.probabilities(scores)
    assert value(X, y, c.ELOO("log_loss")) == pytest.approx(log_loss(y, P), rel=1e-8)


def test_absolute_error_is_that_of_refits():
    X, y = some(load_diabetes)
    machine = kw.KRR(KERNEL, ridge=0.5, fit_intercept=True)
    loo = cross_val_predict(machine, X, y, cv=LeaveOneOut())
    assert value(X, y, c.ELOO("absolute")) == pytest.approx(np.abs(y - loo).mean(), rel=1e-9)
    folds = KFold(4, shuffle=True, random_state=0)
    expected = -cross_val_score(machine, X, y, cv=folds, scoring="neg_mean_absolute_error").mean()
    ours = value(X, y, c.KFold(loss="absolute", cv=folds))
    assert ours == pytest.approx(expected, rel=1e-9)


def test_areas_of_folds_are_those_of_refits():
    X, y = some(load_breast_cancer, 90)
    folds = KFold(3, shuffle=True, random_state=1)
    machine = kw.LSSVC(KERNEL, ridge=0.5)
    expected = cross_val_score(machine, X, y, cv=folds, scoring="roc_auc").mean()
    assert value(X, y, c.KFold(loss="auc", cv=folds)) == pytest.approx(expected, rel=1e-10)


def test_the_largest_area_is_chosen():
    X, y = some(load_breast_cancer, 120)
    kernels = kw.grids.gaussian(-4, 12)
    criterion = c.ELOO("auc")
    assert criterion.greater_is_better is True and c.ELOO().greater_is_better is False
    selector = kw.KernelSelector(kernels=kernels, criterion=criterion).fit(X, y)
    assert np.nanmax(selector.result_.table["eloo"]) == pytest.approx(
        selector.result_.table["eloo"][kernels.index(selector.best_kernel_)]
    )
    cascade = kw.Cascade(("sm", 4), (criterion, 1))
    assert kw.KernelSelector(kernels=kernels, criterion=cascade).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("measure", ["error", "hinge", "squared_hinge"])
def test_an_expansion_gives_scores_and_not_residuals_alone(load, measure):
    """A square does not know the sign of a residual; these losses do."""
    X, y = some(load)
    targets, losses = Targets.of(y), []
    folds = list(KFold(4).split(X))
    for _, test in folds:
        signs = targets.fit_columns
        residuals = [oracles.taylor_residuals(KERNEL(X), s, 0.5, test, 2) for s in signs.T]
        scores = signs[test] - np.column_stack(residuals)
        winner = scores[:, 0] > 0.0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        margins = np.maximum(0.0, 1.0 - signs[test] * scores)
        powers = {"hinge": margins, "squared_hinge": margins**2, "error": winner != y[test]}
        losses.append(np.mean(powers[measure]))
    assert value(X, y, c.BIF(measure=measure, cv=folds)) == pytest.approx(np.mean(losses), rel=1e-9)


def test_ties_count_half():
    assert auc(np.array([0, 1, 0, 1]), np.zeros((4, 1))) == 0.5


@pytest.mark.parametrize("criterion", [c.ELOO("auc"), c.ELOO("log_loss"), c.KFold(loss="auc")])
def test_areas_and_probabilities_are_for_classes(criterion):
    X, y = some(load_diabetes)
    with pytest.raises(ValueError, match="not defined for regression"):
        kw.score_kernels(X, y, [KERNEL], criterion)


def test_a_fold_without_a_class_has_no_area():
    X, y = some(load_iris)
    order = np.argsort(y)
    with pytest.warns(UserWarning, match="rows of every class"):
        kw.score_kernels(X[order], y[order], [KERNEL], c.KFold(loss="auc", cv=KFold(3)))
