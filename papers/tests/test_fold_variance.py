"""Cross-validation plus its variance: of the folds' losses, by its definition."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import kernelwise as kw
import oracles
from contracts import criterion
from inside import Targets, make_splits
from kernelwise import criteria as c
from kernelwise_papers.criteria import CVVariance


def problem(n_plus=14, n_minus=9):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(n_plus, 2)), 1.0 + rng.normal(size=(n_minus, 2))])
    return X, np.repeat([1, -1], [n_plus, n_minus])


def value(X, y, asked, **settings):
    [[found]] = kw.score_kernels(X, y, kw.Gaussian(1.0), asked, **settings).table.values()
    return found


def losses_of(X, y, folds, ridge=1.0, bias=True):
    """The mean square of every fold, by refits."""
    K, t = kw.Gaussian(1.0)(X), y.astype(float)
    return [np.mean((t[b] - oracles.refit_scores(K, t, ridge, a, b, bias)) ** 2) for a, b in folds]


def expected(losses, eta):
    """The mean of fold losses plus eta times the variance of a mean of as many."""
    k = len(losses)
    mean = sum(losses) / k
    return mean + eta * sum((loss - mean) ** 2 for loss in losses) / (k - 1) / k


@pytest.mark.parametrize("check", criterion.CHECKS, ids=lambda f: f.__name__)
def test_it_is_a_criterion(check):
    check(CVVariance())


def test_what_it_says_of_itself():
    assert CVVariance() == CVVariance(5, 1.0, None, 1, "fixed", 0)
    assert CVVariance.tradeoffs == {"eta": (1 / 32, 1.0, 32.0, 1024.0)}
    assert CVVariance(eta="cv").has_open_tradeoffs and not CVVariance().has_open_tradeoffs
    assert CVVariance.greater_is_better is False
    assert CVVariance.uses_ridge and CVVariance.chooses_ridge and CVVariance.draws_folds
    X, y = problem()
    assert len({value(X, y, CVVariance(random_state=seed)) for seed in range(3)}) == 3


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_error_and_variance_are_those_of_refits(ridge, bias):
    X, y = problem()
    folds = [(s.train, s.test) for s in make_splits(Targets.of(y), None, 4, 1, 0)]
    losses = losses_of(X, y, folds, ridge, bias)
    for eta in (0.5, 8.0):
        found = value(X, y, CVVariance(4, eta), ridge=ridge, fit_intercept=bias)
        assert found == pytest.approx(expected(losses, eta), rel=1e-9)


def test_with_repeats_it_is_the_mean_of_their_variances():
    X, y = problem()
    splits = make_splits(Targets.of(y), None, 4, 3, 0)
    drawn = np.reshape(losses_of(X, y, [(s.train, s.test) for s in splits]), (3, 4))
    found = value(X, y, CVVariance(4, 3.0, repeats=3))
    assert found == pytest.approx(np.mean([expected(losses, 3.0) for losses in drawn]), rel=1e-9)
    each = [value(X, y, CVVariance(4, 3.0, random_state=seed)) for seed in range(3)]
    assert found == pytest.approx(np.mean(each), rel=1e-9)


def test_two_folds_are_enough():
    X, y = problem()
    folds = list(StratifiedKFold(2).split(X, y))
    found = value(X, y, CVVariance(eta=3.0, cv=folds))
    assert found == pytest.approx(expected(losses_of(X, y, folds), 3.0), rel=1e-9)
    with pytest.warns(kw.selection.UndefinedCriterionWarning, match="a single fold"):
        value(X, y, CVVariance(cv=folds[:1]))


@pytest.mark.parametrize("count", [3, 4])
def test_given_folds_are_not_repeated(count):
    X, y = problem()
    folds = list(StratifiedKFold(count).split(X, y))
    found = value(X, y, CVVariance(eta=3.0, cv=folds, repeats=2))
    assert found == pytest.approx(expected(losses_of(X, y, folds), 3.0), rel=1e-9)


def test_the_support_vector_machine_has_a_variance_too():
    X, y = problem()
    found = value(X, y, CVVariance(4, 1e-9), machine="svm")
    assert found == pytest.approx(value(X, y, c.KFold(4, "hinge"), machine="svm"), rel=1e-6)


def test_a_weight_is_positive():
    with pytest.raises(ValueError, match="'eta' parameter of CVVariance"):
        CVVariance(eta=0.0)
