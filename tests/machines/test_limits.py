"""Machines at the limits of their arguments, and parts of them that engines alone ask for."""

import math

import numpy as np
import pytest

import kernelwise as kw
import oracles
from helpers import close, given_gram
from inside import (
    HeldOutFit,
    LeastSquares,
    LeftOut,
    Need,
    Targets,
    Tiled,
    Undefined,
    base,
    check_range,
    check_ridge,
    fit_squared_hinge,
    make_splits,
    midpoint,
    svm,
)


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n)


# --- limits ------------------------------------------------------------------------------------


def test_ridges_and_weights_may_lie_at_their_limits():
    assert (check_ridge(1e-100), check_ridge(1e100)) == (1e-100, 1e100)
    weights = np.array([0.0, 1e-100, 1e100])
    assert check_range(weights, "w") is weights
    for extreme in (0.5e-100, 2e100):
        with pytest.raises(ValueError, match="w must be zero or lie between 1e-100 and 1e100"):
            check_range(np.array([1.0, extreme]), "w")


def test_relevance_may_be_taken_at_one_row():
    machine = kw.KRR(kw.Gaussian(5.0)).fit(*rows())
    assert kw.relevance(machine, rows=1).rows == 1


def test_defaults_of_the_machines():
    common = {"kernel": kw.Gaussian(1.0), "ridge": 1.0}
    assert common.items() <= kw.KRR().get_params().items()
    assert common.items() <= kw.LSSVC().get_params().items()
    assert (kw.KRR().fit_intercept, kw.LSSVC().fit_intercept) == (False, True)


def test_folds_without_rows_are_refused():
    with pytest.raises(ValueError, match="cv must name rows from 0 to 5, at least one of them"):
        make_splits(Targets.of([0, 1] * 3), [(np.arange(6), np.array([], int))], 5, 1, 0)


# --- losses ------------------------------------------------------------------------------------


def test_standard_errors_are_those_of_a_mean():
    close(base.standard_error(np.array([1.0, 4.0])), 1.5)
    assert base.standard_error(np.zeros(2)) == 0.0
    assert math.isnan(base.standard_error(np.ones(1)))


def test_areas_need_one_row_of_either_class():
    one = np.array([0, 0, 1])
    assert base.auc(one, np.array([[0.1], [0.3], [0.2]])) == 0.5
    assert base.auc(1 - one, np.array([[0.1], [0.3], [0.2]])) == 0.5
    for codes in (np.zeros(3, int), np.ones(3, int)):
        with pytest.raises(Undefined, match="needs rows of every class"):
            base.auc(codes, np.ones((3, 1)))


def test_a_value_of_zero_names_the_first_class():
    assert base.winners(np.array([0.0, 1e-300, -1.0])).tolist() == [0, 1, 0]
    assert base.winners(np.array([[0.0], [2.0]])).tolist() == [0, 1]
    assert base.winners(np.array([[0.0, -1.0], [1.0, 2.0]])).tolist() == [0, 1]


def test_losses_of_real_targets_and_of_margins():
    real, signs = Targets.of([0.5, 1.0, 3.5], "regression"), Targets.of([0, 1, 1, 0])
    scores = np.array([[1.0], [3.0], [3.0]])
    close(base.mean_loss(real, scores, "error"), (0.25 + 4.0 + 0.25) / 3)
    close(base.mean_loss(real, scores, "absolute"), (0.5 + 2.0 + 0.5) / 3)
    scores = np.array([[0.5], [0.25], [2.0], [-3.0]])  # margins -0.5, 0.25, 2, 3
    close(base.mean_loss(signs, scores, "hinge"), (1.5 + 0.75) / 4)
    close(base.mean_loss(signs, scores, "squared_hinge"), (1.5**2 + 0.75**2) / 4)
    close(base.mean_loss(signs, scores, "square"), (1.5**2 + 0.75**2 + 1.0 + 4.0) / 4)


def test_the_middle_of_two_classes():
    values, codes = np.array([1.0, 3.0, np.nan, 10.0]), np.array([0, 0, 0, 1])
    assert midpoint(values, codes, np.array([3.0, 1.0, 9.0, 2.0])) == (1.5 + 10.0) / 2
    assert midpoint(values[:3], codes[:3], np.ones(3)) == 0.0  # one class alone


def test_a_machine_with_squared_hinge_loss_and_no_bias():
    """Rows that are alone: f = y / (1 + ridge) where that is below one."""
    y = np.array([1.0, -1.0, 1.0])
    fit = fit_squared_hinge(np.eye(3), y, 0.25, fit_intercept=False)
    close(fit.scores(np.eye(3)), y / 1.25)
    assert fit.bias == 0.0 and not fit.to_bias.any()


def test_products_of_large_multipliers_are_looked_at_again():
    """Rounding errors of the steps grow with the multipliers; of small ones none is felt."""
    b, wrong = np.array([1.0, -1.0]), np.ones(2)
    assert svm._is_sound(np.eye(2), b, wrong)  # without a look
    assert not svm._is_sound(np.eye(2), 1e12 * b, wrong)
    assert svm._is_sound(np.eye(2), 1e12 * b, 1e12 * b)


# --- folds -------------------------------------------------------------------------------------


def test_folds_are_stratified_if_every_class_has_as_many_rows():
    y = np.repeat([0, 1], [27, 3])
    for split in make_splits(Targets.of(y), None, 3, 1, 0):
        assert np.count_nonzero(y[split.test]) == 1
    counts = [np.count_nonzero(y[s.test]) for s in make_splits(Targets.of(y), None, 4, 1, 0)]
    assert sum(counts) == 3 and len(counts) == 4


def test_landmarks_are_left_out_of_the_judgement():
    targets = Targets.of([0, 1] * 6)
    [split, *_] = make_splits(targets, [(np.arange(8), np.arange(8, 12))], 2, 1, 0)
    gram = given_gram(np.eye(12), targets)
    assert split.judged(gram).tolist() == [0, 1, 2, 3]
    assert split.share_trained == 8 / 12
    gram.unsound = np.array([0, 9, 10, 11])
    assert split.judged(gram).tolist() == [0]
    gram.unsound = np.arange(8, 12)
    with pytest.raises(Undefined, match="a fold holds landmarks alone"):
        split.judged(gram)


def test_rows_of_folds_are_numbers_or_flags():
    flags = np.arange(6) < 4
    [split] = make_splits(Targets.of([0, 1] * 3), [(flags, ~flags)], 2, 1, 0)
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 2, 3], [4, 5])
    [part] = make_splits(Targets.of([0, 1] * 3), [([0, 3], [5])], 2, 1, 0)
    assert (part.left_out.tolist(), part.tested.tolist()) == ([1, 2, 4, 5], [3])


def test_held_out_values_are_those_of_the_rows_judged():
    targets = Targets.of([0.5, 1.5, 4.0], "regression")
    values = np.array([[1.0], [3.0]])
    fit = HeldOutFit.of_rows(targets, np.array([0, 2]), values, np.zeros(1), 0.5)
    close(LeftOut(fit).values, values)
    close(LeftOut(fit).residuals, [[-0.5], [1.0]])
    assert np.isnan(fit.loo_values[1]).all() and fit.weights.tolist() == [1.0, 1.0, 1.0]
    heavy = HeldOutFit.of_rows(targets.weighted(np.arange(1.0, 4.0)), *[np.array([0])] * 3, 0.5)
    assert heavy.weights.tolist() == [1.0, 2.0, 3.0]


# --- without the matrix ------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
def test_training_losses_by_products_are_those_of_the_linear_system(bias):
    X, y = rows(60)
    targets, kernel = Targets.of(y, "regression"), kw.Gaussian(4.0)
    [gram] = Tiled(memory=1e3).grams([kernel], X, targets)
    assert Need.DIAGONAL not in gram.provides
    machine = LeastSquares(gram, targets, bias)
    for ridge in (0.1, 3.0):
        expected = oracles.training_loss(kernel(X), y, ridge, bias)
        close(machine.training_loss(ridge), expected, rtol=1e-6)
        assert machine.training_loss(ridge) == machine.training_loss(ridge)


def test_training_losses_by_products_are_means_over_the_classes():
    X, y = rows(60)
    codes, kernel = np.digitize(y, [-0.3, 0.9]), kw.Gaussian(4.0)
    [gram] = Tiled(memory=1e3).grams([kernel], X, Targets.of(codes))
    columns = [np.array(oracles.one_vs_rest(codes, k), float) for k in range(3)]
    expected = np.mean([oracles.training_loss(kernel(X), column, 0.5) for column in columns])
    close(LeastSquares(gram, Targets.of(codes)).training_loss(0.5), expected, rtol=1e-6)


def test_products_do_not_train_kernels_that_are_not_positive_semidefinite():
    X, y = rows(60)
    targets = Targets.of(y, "regression")
    [gram] = Tiled(memory=1e3).grams([kw.Sigmoid(1.0, -1.0)], X, targets)
    with pytest.raises(Undefined, match="only positive semidefinite kernels train"):
        LeastSquares(gram, targets).training_loss(1.0)


# --- features and processes --------------------------------------------------------------------


def test_effects_are_changes_by_a_standard_deviation():
    X, y = rows()
    found = kw.relevance(kw.KRR(kw.Gaussian(2.0)).fit(X, y))
    close(found.effects, np.sqrt(found.values) * X.std(axis=0))
    scaled = kw.relevance(kw.KRR(kw.Scaled([0.1, 0.1, 0.1], kw.Gaussian(2.0))).fit(10.0 * X, y))
    close(scaled.effects, found.effects)
