"""Weights of features, learnt by the gradient of leave-one-out."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import SVC

import kernelwise as kw
import oracles
from helpers import close
from inside import TrainingSet, log_posterior, weighted_press

KERNELS = [
    kw.Gaussian(3.0),
    kw.Laplacian(4.0),
    kw.Matern(3.0, 0.5),
    kw.Matern(3.0, 2.5),
    kw.Polynomial(2, 1.0, 0.3),
    0.5 * kw.Laplacian(4.0) * (kw.Linear() + kw.Gaussian(3.0)),
    kw.Columns([2, 0], kw.Gaussian(2.0)),
]


def training_set(columns=2, has_bias=True, seed=0):
    """Rows with duplicates, ties and a constant feature."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 4))
    X[3], X[5:9, 1], X[:, 3] = X[0], X[1, 1], 1.0
    weights = rng.uniform(0.5, 2.0, size=20)
    return TrainingSet(X, rng.normal(size=(20, columns)), weights, 0.3, has_bias)


@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_sum_is_that_of_refits_and_its_gradient_that_of_differences(kernel, has_bias):
    data = training_set(has_bias=has_bias)
    scales = np.array([0.7, 1.5, 1.0, 1.2])
    K, w = kernel(data.X * scales), data.weights
    residuals = [oracles.loo_residuals(K, y, data.ridge, has_bias, w) for y in data.Y.T]
    press, gradient = weighted_press(kernel, data, scales)
    close(press, np.sum(w * np.square(residuals)))
    h = 1e-5
    moved = [
        [weighted_press(kernel, data, scales * np.exp(s * step))[0] for s in (1.0, -1.0)]
        for step in h * np.eye(4)
    ]
    close(gradient, np.diff(moved, axis=1)[:, 0] / (-2.0 * h), rtol=1e-6)


def test_the_prior_is_normal_on_logarithms():
    data, kernel, theta = training_set(), kw.Gaussian(3.0), np.array([0.3, -0.2, 0.5, 1.0])
    press, gradient = weighted_press(kernel, data, np.exp(theta))
    value, slope = log_posterior(kernel, data, theta, 0.5)
    half = 0.5 * data.weights.sum()
    close(value, half * np.log(press) + 0.5 * np.sum(theta**2) / 0.25)
    close(slope, half * gradient / press + theta / 0.25)


def problem(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, np.sin(2.0 * X[:, 1]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("kernel", [kw.Gaussian(5.0), kw.Laplacian(5.0)], ids=str)
def test_it_finds_the_feature_that_matters_and_a_better_machine(kernel):
    X, y = problem()
    machine = kw.KRR(kernel, ridge=0.1, fit_intercept=True).fit(X[:80], y[:80])
    metric = kw.learn_metric(machine, prior=1.0)
    assert metric.kernel == kernel
    assert metric.weights[1] > 3.0 * max(np.delete(metric.weights, 1))
    better = kw.KRR(metric, ridge=0.1, fit_intercept=True).fit(X[:80], y[:80])
    assert better.score(X[80:], y[80:]) > machine.score(X[80:], y[80:]) + 0.1


def test_the_search_ends_where_the_gradient_vanishes():
    X, y = problem(60)
    machine = kw.KRR(kw.Gaussian(5.0), ridge=0.1).fit(X, y)
    theta = np.log(kw.learn_metric(machine, prior=1.0, max_steps=500).weights)
    data = TrainingSet(X, y[:, None], np.ones(60), 0.1, False)
    _, start = log_posterior(kw.Gaussian(5.0), data, np.zeros(5), 1.0)
    _, end = log_posterior(kw.Gaussian(5.0), data, theta, 1.0)
    assert abs(end).max() < 1e-3 * abs(start).max()


def test_a_narrow_prior_keeps_the_weights_and_a_constant_feature_has_none_of_its_own():
    X, y = problem(60)
    X[:, 4] = 2.0
    machine = kw.KRR(kw.Gaussian(5.0), ridge=0.1).fit(X, y)
    near = kw.learn_metric(machine, prior=1e-3).weights
    assert 0.0 < abs(np.log(near)).max() < 1e-2
    assert kw.learn_metric(machine).weights[4] == 1.0


def test_classes_selectors_weights_and_sparse_rows():
    X, y = problem(60)
    labels = np.digitize(y, [-0.5, 0.5])
    selector = kw.KernelSelector(kernels=[kw.Gaussian(5.0)], ridge=0.1).fit(X, labels)
    expected = kw.learn_metric(kw.LSSVC(kw.Gaussian(5.0), ridge=0.1).fit(X, labels)).weights
    close(kw.learn_metric(selector).weights, expected, rtol=1e-4)
    sparse = kw.LSSVC(kw.Gaussian(5.0), ridge=0.1).fit(sp.csr_array(X), labels)
    close(kw.learn_metric(sparse).weights, expected, rtol=1e-4)
    padded = kw.LSSVC(kw.Gaussian(5.0), ridge=0.1).fit(
        np.vstack([X, X[:9] + 1.0]),
        np.append(labels, labels[:9]),
        sample_weight=np.repeat([1.0, 0.0], [60, 9]),
    )
    close(kw.learn_metric(padded).weights, expected, rtol=1e-4)
    again = kw.learn_metric(kw.LSSVC(kw.Scaled(expected, kw.Gaussian(5.0))).fit(X, labels))
    assert again.kernel == kw.Gaussian(5.0)


def test_bad_input():
    X, y = problem(60)
    machine = kw.KRR(kw.Gaussian(5.0)).fit(X, y)
    for prior in (0.0, -1.0, np.inf, "wide", True):
        with pytest.raises(ValueError, match="prior must be a number from 1e-6 to 1e6, got"):
            kw.learn_metric(machine, prior=prior)
    for steps in (0, 1.5, None):
        with pytest.raises(ValueError, match="max_steps must be a positive integer, got"):
            kw.learn_metric(machine, max_steps=steps)
    with pytest.raises(TypeError, match="got SVC"):
        kw.learn_metric(SVC().fit(X, y > 0))
    low_rank = kw.KernelSelector(engine=kw.gram.LowRank(rank=20)).fit(X, y > 0)
    with pytest.raises(ValueError, match="leave-one-out values of all its rows, not of landmarks"):
        kw.learn_metric(low_rank)
