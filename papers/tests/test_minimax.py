"""The minimax probability machine looks in all directions, FSM in one (FSM 2007, section 3.4)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import kernelwise as kw
from helpers import labelled
from kernelwise.bounds import fsm_training_error
from kernelwise.criteria import Undefined
from kernelwise_papers.criteria import minimax_error


def smallest_spread(Phi, y, regularisation=0.0):
    """min_a of the two deviations along a with a'(mean+ - mean-) = 1, by a general optimiser."""
    plus, minus = (Phi[np.asarray(y) == label] for label in (1, -1))
    difference = plus.mean(axis=0) - minus.mean(axis=0)

    def spread(a):
        variances = [np.var(rows @ a, ddof=1) for rows in (plus, minus)]
        return sum(np.sqrt(v + regularisation * a @ a) for v in variances)

    start = difference / (difference @ difference)
    rng = np.random.default_rng(0)
    starts = [start] + [start + 0.1 * rng.normal(size=start.size) for _ in range(5)]
    side = {"type": "eq", "fun": lambda a: a @ difference - 1.0}
    options = {"ftol": 1e-14, "maxiter": 2000}
    found = [
        minimize(spread, a, constraints=[side], method="SLSQP", options=options) for a in starts
    ]
    return min(each.fun for each in found)


@settings(deadline=None, derandomize=True, max_examples=8)
@given(labelled(max_rows=10), st.sampled_from([1e-2, 0.3, 5.0]))
def test_against_a_general_optimiser(data, added):
    X, codes = data
    y = np.where(codes > 0, 1, -1)
    assume(min(np.sum(y > 0), np.sum(y < 0)) > 1 and np.ptp(X) > 0.5)
    means = [X[y == label].mean(axis=0) for label in (1, -1)]
    assume(np.linalg.norm(means[0] - means[1]) > 0.1)
    found = minimax_error(X @ X.T, y, regularisation=added)
    m = smallest_spread(X, y, added)
    assert found == pytest.approx(m**2 / (1 + m**2), rel=1e-4)


@settings(deadline=None, derandomize=True, max_examples=15)
@given(labelled(), st.sampled_from([0.3, 1.0, 10.0]))
def test_at_most_the_bound_by_the_direction_of_the_means(data, tau):
    X, codes = data
    assume(min(np.bincount(codes)) > 1)
    K = kw.Gaussian(tau)(X)
    value = fsm_training_error(K, codes).value
    assert minimax_error(K, codes) <= value + 1e-9


def test_equal_where_the_direction_is_an_eigenvector_of_both():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1.0, 2.0, 0.5]
    y = np.repeat([1, -1], 20)
    for label in (1, -1):  # whitened, so that the axes are eigenvectors; then means on an axis
        rows = X[y == label] - X[y == label].mean(axis=0)
        _, _, axes = np.linalg.svd(rows, full_matrices=False)
        X[y == label] = rows @ axes.T + [label, 0.0, 0.0]
    found = minimax_error(X @ X.T, y)
    assert found == pytest.approx(fsm_training_error(X @ X.T, y).value, rel=1e-6)


def test_a_kernel_of_full_rank_separates_without_variance(two_blobs):
    X, y = two_blobs
    assert minimax_error(kw.Gaussian(0.1)(X), y) == 0.0


def test_what_is_refused(two_blobs):
    X, y = two_blobs
    K = X @ X.T
    with pytest.raises(ValueError, match="'regularisation' parameter"):
        minimax_error(K, y, regularisation=-1.0)
    with pytest.raises(ValueError, match="is for two classes, y is a real target"):
        minimax_error(K, X[:, 0])
    with pytest.raises(Undefined, match="class means coincide"):
        minimax_error(np.ones((4, 4)), [1, 1, -1, -1])
    with pytest.raises(Undefined, match="negative eigenvalues"):
        minimax_error(np.diag([1.0, 2.0, -3.0, 4.0]), [1, 1, -1, -1])
