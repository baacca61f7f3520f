"""The numbers beside the bounds against machines refitted by brute force; what is left out."""

import numpy as np
import pytest

from bounds import oracles
from inside import Learner, Sample, observed, overview, statements
from kernelwise import Gaussian, Linear, bounds

LEAST_SQUARES = ["er_krr", "er_lssvm", "ks_krr", "sps_krr"]


def sample(n=24, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def left_out_svm(K, y, C):
    """Scores, by row left out, on all rows."""
    scores = []
    for i in range(len(y)):
        rows = np.delete(np.arange(len(y)), i)
        scores.append(K[:, rows] @ oracles.svm(K[np.ix_(rows, rows)], y[rows], C))
    return np.array(scores)


@pytest.mark.parametrize("ridge", [0.05, 1.0, 20.0])
def test_least_squares_without_each_row(ridge):
    X, y = sample()
    K, n = Gaussian(1.0)(X), len(y)
    seen = observed.observe(K, y, ridge=ridge)
    outside = np.array([K[i] @ oracles.krr_without(K, y, i, ridge) for i in range(n)])
    for name in LEAST_SQUARES:
        assert seen[name].value == pytest.approx(oracles.square(y, outside))
        assert seen[name].method == "leave-one-out"
    assert seen["sm_lssvm"].value == pytest.approx(np.mean(y * outside < 0.0))
    before = K @ oracles.krr(K, y, ridge)
    moved = [K @ oracles.krr_without(K, y, i, ridge * (n - 1) / n) for i in range(n)]
    assert seen["ks_krr_prediction"].value == pytest.approx(np.abs(before - moved).max())
    stability = bounds.ks_empirical_stability(K, y, ridge=ridge)
    assert seen["ks_krr_stability"].value == stability


@pytest.mark.parametrize("ridge", [0.05, 1.0, 20.0])
def test_support_vector_machine_without_each_row(ridge):
    X, y = sample()
    K = Gaussian(1.0)(X)
    seen = observed.observe(K, y, ridge=ridge)
    without = left_out_svm(K, y, 0.5 / ridge)
    outside = without.diagonal()
    for name in ("er_svm", "ks_svm", "sps_svm"):
        assert seen[name].value == pytest.approx(oracles.hinge(y, outside), rel=2e-3)
    assert seen["sm_svm"].value == pytest.approx(np.mean(y * outside < 0.0))
    before = np.maximum(1.0 - y * (K @ oracles.svm(K, y, 0.5 / ridge)), 0.0)
    change = np.abs(before - np.maximum(1.0 - y * without, 0.0)).max()
    assert seen["ks_svm_stability"].value == pytest.approx(change, rel=2e-3, abs=1e-3)


@pytest.mark.parametrize("tau", [0.3, 3.0, 300.0])
@pytest.mark.parametrize("ridge", [0.01, 1.0, 30.0])
def test_mirror_images_leave_no_bias(tau, ridge):
    """Lopsided classes, where a bias would matter most."""
    rng = np.random.default_rng(5)
    y = np.where(np.arange(30) < 4, 1.0, -1.0)
    K = Gaussian(tau)(rng.normal(size=(30, 2)) + 0.7 * y[:, None])
    objective = _objective(K, y, Sample(K, y, ridge).fitted(Learner.SVM).scores, 0.5 / ridge)
    best = _objective(K, y, K @ oracles.svm(K, y, 0.5 / ridge), 0.5 / ridge)
    assert objective <= best * (1 + 1e-3)


def _objective(K, y, scores, C):
    norm = scores @ np.linalg.pinv(K, rcond=1e-10, hermitian=True) @ scores
    return 0.5 * norm + C * np.maximum(1.0 - y * scores, 0.0).sum()


def test_many_rows_are_left_out_by_folds(monkeypatch):
    X, y = sample(60)
    K = Gaussian(1.0)(X)
    each = observed.observe(K, y)
    monkeypatch.setattr(observed, "MOST_TRAININGS", 59)
    folds = observed.observe(K, y)
    assert folds["er_svm"].method == "10-fold"
    assert folds["er_svm"].value == pytest.approx(each["er_svm"].value, rel=0.2)
    assert folds["er_svm"].value > oracles.hinge(y, K @ oracles.svm(K, y, 0.5))  # not training rows
    assert "ks_svm_stability" not in folds
    assert folds["ks_krr"] == each["ks_krr"]


def test_what_is_observed_of_every_bound_but_variances():
    X, y = sample()
    K = Gaussian(1.0)(X)
    found = bounds.all_bounds(K, y)
    seen = observed.observe(K, y)
    assert set(found) - set(seen) == {"ks_krr_cv_variance", "ks_svm_cv_variance"}
    assert seen["er_decay"].value == found["er_decay"].terms["ratio"]
    assert seen["fsm_training_error"].value == bounds.fsm_hyperplane_error(K, y)
    from_below = {n for n, s in statements().items() if s.theorem.from_below}
    assert from_below == {n for n in found if "from below" in found[n].quantity}
    # what holds for certain, or is far from tight, is not contradicted
    assert all(seen[n].value <= found[n].value for n in seen if n not in from_below)


def test_a_class_of_one_row():
    X, _ = sample()
    y = (np.arange(24) == 7).astype(int)
    K = Gaussian(1.0)(X)
    seen = observed.observe(K, y)
    assert "fsm_training_error" not in seen
    assert seen["er_svm"].value < 1.0  # the machines without the row exist too
    left_out = overview.evaluate(K, y).left_out
    assert list(left_out) == ["fsm_training_error"]
    assert "one row" in left_out["fsm_training_error"]


def test_a_real_target_and_a_matrix_whose_entries_sum_to_zero():
    X, y = sample()
    K = Gaussian(1.0)(X)
    real = overview.evaluate(K, X[:, 0])
    assert set(real.bounds) | set(real.left_out) == set(overview.references())
    assert set(observed.observe(K, X[:, 0])) == set(real.bounds) - {"ks_krr_cv_variance"}
    assert all("two classes" in reason for reason in real.left_out.values())
    X = X - X.mean(axis=0)
    centred = overview.evaluate(Linear()(X), y)
    assert "sum to zero" in centred.left_out["sm_svm"]
    assert "sm_lssvm" in centred.bounds


def test_references_are_those_of_the_bounds():
    X, y = sample()
    found = bounds.all_bounds(Gaussian(1.0)(X), y, variant="printed")
    assert overview.references() == {name: bound.reference for name, bound in found.items()}


@pytest.mark.parametrize("values", [(0, 1), (-1, 0, 1), range(12)])
def test_integers_are_a_real_target_where_asked(values):
    X, _ = sample()
    K, y = Gaussian(1.0)(X), np.resize(list(values), 24)
    found = bounds.all_bounds(K, y, task="regression")
    assert "sm_svm" not in found
    M = np.abs(y).max()
    args = (24, oracles.kernel_stability(K), 1.0, M, 1.0 / 24)
    assert found["ks_krr_prediction"].value == pytest.approx(oracles.ks_theorem_8(*args))
    outside = np.array([K[i] @ oracles.krr_without(K, y, i, 1.0) for i in range(24)])
    seen = observed.observe(K, y, task="regression")
    assert seen["er_krr"].value == pytest.approx(oracles.square(y, outside))


def test_large_integers_are_a_real_target_too():
    y = np.array([2**41, 2**42] * 3)
    found = bounds.all_bounds(np.eye(6), y, task="regression")
    assert found["ks_krr_prediction"].terms and "sm_svm" not in found


def test_a_machine_that_says_nothing_is_not_right():
    """Of so narrow a kernel rounding errors are left, and those of y - residual have y's sign."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    for K in (np.eye(30), Gaussian(1e-6)(X)):
        seen = observed.observe(K, y)
        assert seen["sm_lssvm"].value == seen["sm_svm"].value == 0.5


def test_the_printed_spectral_bound_divides_by_the_sum():
    X, y = sample()
    K = Gaussian(1.0)(X)
    printed = bounds.sm_lssvm(K, y, variant="printed")
    assert printed.terms == bounds.sm_lssvm(K, y, normalizer="sum").terms  # equal at ridge 1
    assert printed.terms["fit"] != bounds.sm_lssvm(K, y).terms["fit"]
