import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import kernelwise as kw
from inside import Calibration


def split(load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_probabilities_are_calibrated(load):
    """Better than those of the base rate and no worse than twice those of logistic regression."""
    Xa, Xb, ya, yb = split(load)
    machine = kw.LSSVC(kw.Gaussian(30.0), ridge=0.1).fit(Xa, ya)
    P = machine.predict_proba(Xb)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-12)
    reference = LogisticRegression(max_iter=1000).fit(Xa, ya).predict_proba(Xb)
    base = np.tile(np.bincount(ya) / ya.size, (yb.size, 1))
    assert log_loss(yb, P) < min(0.5 * log_loss(yb, base), 2.0 * log_loss(yb, reference))
    sure = P.max(axis=1)
    right = machine.classes_[P.argmax(axis=1)] == yb
    assert abs(sure.mean() - right.mean()) < 0.03


def test_overlapping_classes_give_the_true_probabilities():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 1))
    p = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0] + 1.0))
    y = (rng.random(1200) < p).astype(int)
    machine = kw.LSSVC(kw.Linear(), ridge=1.0).fit(X[:600], y[:600])
    ours = machine.predict_proba(X[600:])[:, 1]
    assert np.abs(ours - p[600:]).mean() < 0.05
    assert brier_score_loss(y[600:], ours) < 1.03 * brier_score_loss(y[600:], p[600:])


def test_two_classes_are_platts_sigmoid_without_an_offset():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    f = rng.normal(size=80) + y
    up, down = (y.sum() + 1) / (y.sum() + 2), 1 / ((y == 0).sum() + 2)
    t = np.where(y == 1, up, down)

    def platt(slope):
        return np.sum(np.logaddexp(0.0, slope * f) - t * slope * f)

    a = minimize_scalar(platt, bounds=(0.0, 20.0), options={"xatol": 1e-12}).x
    assert Calibration.fit(f, y).slope == pytest.approx(a, rel=1e-6)
    expected = 1.0 / (1.0 + np.exp(-a * f))
    np.testing.assert_allclose(Calibration.fit(f, y).probabilities(f)[:, 1], expected, rtol=1e-6)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_separable_and_useless_scores_stay_finite(scale):
    y = np.repeat([0, 1], 20)
    sure = Calibration.fit(scale * np.where(y == 1, 1.0, -1.0), y)
    assert 0.9 < sure.probabilities(np.array([scale]))[0, 1] < 1.0
    wrong = Calibration.fit(scale * np.where(y == 1, -1.0, 1.0), y)
    assert wrong.slope == 0.0  # the order of predictions is kept
    np.testing.assert_allclose(wrong.probabilities(np.array([scale])), 0.5, atol=1e-4)
    none = Calibration.fit(np.zeros(40), y)
    np.testing.assert_allclose(none.probabilities(np.zeros(1)), 0.5, atol=1e-6)
    np.testing.assert_allclose(none.probabilities(np.array([scale])), 0.5, atol=1e-6)


def test_rows_of_no_weight_have_no_say():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    weights = (np.arange(60) < 45).astype(float)
    kept = kw.LSSVC().fit(X[:45], y[:45])
    weighted = kw.LSSVC().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(weighted.predict_proba(X), kept.predict_proba(X), rtol=1e-8)


def test_logarithms(rng):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    machine = kw.LSSVC().fit(X, y)
    np.testing.assert_allclose(np.exp(machine.predict_log_proba(X)), machine.predict_proba(X))
