"""The threshold of a least-squares classifier."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.helpers import close

import kernelwise as kw
from inside import conformal


def rare(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 10, "rare", "usual")
    return rng.normal(size=(n, 2)) + 1.2 * (y == "rare")[:, None], y


def test_zero_lies_midway_between_the_means_of_the_classes():
    X, y = rare()
    plain = kw.LSSVC(kw.Gaussian(4.0)).fit(X, y)
    moved = kw.LSSVC(kw.Gaussian(4.0), threshold="midpoint").fit(X, y)
    means = [plain.loo_values_[y == label].mean() for label in plain.classes_]
    close(plain.intercept_ - moved.intercept_, np.mean(means))
    close(plain.decision_function(X) - np.mean(means), moved.decision_function(X))
    close(sum(moved.loo_values_[y == label].mean() for label in moved.classes_) + 1.0, 1.0)
    close(moved.loo_values_ + moved.loo_residuals_, np.where(y == "usual", 1.0, -1.0))


def test_predictions_and_probabilities_follow():
    X, y = rare()
    moved = kw.LSSVC(kw.Gaussian(4.0), threshold="midpoint").fit(X, y)
    plain = kw.LSSVC(kw.Gaussian(4.0)).fit(X, y)
    is_rare = y == "rare"
    assert np.mean(moved.predict(X)[is_rare] == "rare") > np.mean(
        plain.predict(X)[is_rare] == "rare"
    )
    likely = moved.classes_[moved.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(likely, moved.predict(X))


def test_means_are_weighted_and_rows_of_weight_zero_left_out():
    X, y = rare()
    w = np.random.default_rng(1).uniform(0.0, 2.0, size=len(y))
    w[::7] = 0.0
    settings = {"kernel": kw.Gaussian(4.0), "class_weight": "balanced"}
    plain = kw.LSSVC(**settings).fit(X, y, sample_weight=w)
    moved = kw.LSSVC(**settings, threshold="midpoint").fit(X, y, sample_weight=w)
    means = [
        np.average(plain.loo_values_[rows], weights=w[rows])
        for rows in ((y == label) & (w > 0.0) for label in plain.classes_)
    ]
    close(plain.intercept_ - moved.intercept_, np.mean(means))


def test_a_selector_takes_it_and_a_file_keeps_it(tmp_path):
    X, y = rare()
    selector = kw.KernelSelector(kw.LSSVC(threshold="midpoint")).fit(X, y)
    again = clone(selector.best_estimator_).fit(X, y)
    close(selector.decision_function(X), again.decision_function(X), 1e4)
    wrong = selector.best_estimator_.loo_values_ > 0.0
    close(selector.error_.value, np.mean(wrong != (y == "usual")))
    kw.save_model(selector, tmp_path / "model.skops")
    loaded = kw.load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.decision_function(X), selector.decision_function(X))
    assert loaded.balanced_error_ == selector.balanced_error_


def test_it_is_for_two_classes():
    X, y = rare()
    y = np.where(X[:, 0] > 1.0, "third", y)
    with pytest.raises(ValueError, match="threshold='midpoint' is for two classes, y has 3"):
        kw.LSSVC(threshold="midpoint").fit(X, y)
    with pytest.raises(ValueError, match="'threshold' parameter of LSSVC must be a str among"):
        kw.LSSVC(threshold=0.5).fit(X, y)


def test_sets_of_classes_follow():
    X, y = rare(60)
    new = np.random.default_rng(5).normal(size=(9, 2))
    moved = kw.LSSVC(kw.Gaussian(4.0), threshold="midpoint").fit(X, y)
    own = np.where(y == "usual", -moved.loo_values_, moved.loo_values_)
    margins = np.outer(moved.decision_function(new), [1.0, -1.0])
    exceeded = (margins[:, :, None] > own).sum(axis=2)
    expected = exceeded < conformal.rank(0.8, 60)
    np.testing.assert_array_equal(moved.predict_set(new, 0.8), expected)
    assert expected.sum() not in (0, 9, 18)
