"""What the papers prove, and special cases that must coincide."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import LeaveOneOut, cross_val_predict

import kernelwise as kw
import oracles
from helpers import SpectralMachine, close, labelled
from kernelwise import criteria as c

widths = st.sampled_from([0.05, 1.0, 30.0])


def score(K, y, criterion, **settings):
    [value] = kw.score_matrix(K, y, criterion, **settings).values()
    return value


@given(labelled(), widths)
def test_mean_discrepancy_is_the_spectral_measure_of_degree_one(problem, tau):
    X, y = problem
    K = kw.Gaussian(tau)(X)
    square = score(K, y, "md") ** 2
    n = len(y)
    close(score(K, y, c.SM(r=1)), n * square / np.trace(K))
    close(score(K, y, c.SM(r=1, normalizer="sum")), n * square / K.sum())


@given(labelled(), widths)
def test_normalised_cut_is_the_spectral_measure_of_degree_one(problem, tau):
    X, y = problem
    K = kw.Gaussian(tau)(X)
    n = len(y)
    plain = score(K, y, c.SM(r=1, normalizer="sum", weighted=False))
    close(score(K, y, "ncut"), 1 - n * plain, scale=1.0)


@given(st.integers(0, 1000), st.integers(3, 8), widths)
def test_normalised_cut_of_balanced_classes(seed, half, tau):
    """n/4 for balanced classes; the paper prints n/2."""
    X = np.random.default_rng(seed).normal(size=(2 * half, 2))
    y = np.repeat([0, 1], half)
    K = kw.Gaussian(tau)(X)
    weighted = score(K, y, c.SM(r=1, normalizer="sum"))
    close(score(K, y, "ncut"), 1 - 2 * half / 4 * weighted, scale=1.0)


@given(labelled(), widths)
def test_spectral_measure_of_integer_and_spectral_degree_coincide(problem, tau):
    X, y = problem
    K = kw.Gaussian(tau)(X)
    for r in (1, 2, 3, 5):
        exact = score(K, y, c.SM(r=r))
        nearly = score(K, y, c.SM(r=r + 1e-13))
        assert c.SM(r=r + 1e-13).cost == "n^3"
        close(nearly, exact, condition=1e6)
    close(score(K, y, c.SMHinge(h=0.0)), score(K, y, c.SM(r=1)), condition=1e4)


@given(labelled(), st.integers(0, 1000))
def test_feature_space_measure_is_invariant(problem, seed):
    """Translation, rotation and scale in feature space change nothing (FSM, Theorem 1)."""
    X, y = problem
    signs = np.where(y == 1, 1, -1)
    expected = oracles.fsm_from_features(X, signs)
    assume(expected < 1e3)
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(X.shape[1], X.shape[1])))
    for Phi in (X, X + rng.normal(size=X.shape[1]), X @ rotation, 7.5 * X):
        value = score(Phi @ Phi.T, y, "fsm")
        close(value, expected, condition=1e4 * expected**2)
        close(score(Phi @ Phi.T, y, "fsm_error"), value**2 / (1 + value**2))


class TestAlignmentExamples:
    """The three examples of the FSM paper, section 2."""

    @pytest.mark.parametrize("alpha", [-1.0, -0.3, 0.0, 0.5, 0.99])
    @pytest.mark.parametrize("sizes", [(6, 4), (5, 5), (9, 2)])
    def test_example_1_best_case(self, alpha, sizes):
        y = np.repeat([1, -1], sizes)
        same = np.equal.outer(y, y)
        K = np.where(same, 1.0, alpha)
        p, m = sizes
        expected = (p**2 + m**2 - 2 * p * m * alpha) / (
            np.sqrt(p**2 + m**2 + 2 * p * m * alpha**2) * (p + m)
        )
        close(score(K, y, "kta"), expected)
        assert score(K, y, "fsm") < 1e-7

    @pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.3, 0.9])
    @pytest.mark.parametrize("sizes", [(6, 4), (4, 4), (8, 2)])
    def test_example_2_worst_case(self, alpha, sizes):
        y = np.repeat([1, -1], sizes)
        half = np.concatenate([np.arange(n) % 2 for n in sizes])
        K = np.where(np.equal.outer(half, half), 1.0, alpha)
        p, m = sizes
        expected = (p - m) ** 2 * (1 + alpha) / 2 / ((p + m) ** 2 * np.sqrt((1 + alpha**2) / 2))
        close(score(K, y, "kta"), expected, scale=1.0)
        assert score(K, y, "fsm") == np.inf
        assert score(K, y, "fsm_error") == 1.0
        assert score(K, y, "md") == 0.0

    @given(labelled(), widths)
    def test_example_3_popular_case(self, problem, tau):
        """Entries that are not negative bound the alignment, however good the kernel is."""
        X, y = problem
        n_plus, n_minus = (y == 1).sum(), (y == 0).sum()
        bound = np.sqrt(n_plus**2 + n_minus**2) / len(y)
        assert score(kw.Gaussian(tau)(X), y, "kta") <= bound * (1 + 1e-12)


def test_kernel_stability_with_a_negative_diagonal(rng):
    K = kw.Sigmoid(1.0, -2.0)(rng.normal(size=(9, 2)))
    assert np.diag(K).min() < 0
    close(score(K, np.arange(9) % 2, "ks"), oracles.kernel_stability(K))


@pytest.mark.parametrize("ridge", [1e-4, 0.1, 10.0])
def test_likelihood_is_that_of_scikit_learn(rng, ridge):
    X, y = rng.normal(size=(25, 2)), rng.normal(size=25) + 3.0
    for target, mean in ((y, "zero"), (y - y.mean(), "constant")):
        gp = GaussianProcessRegressor(RBF(np.sqrt(2.0)), alpha=ridge, optimizer=None)
        expected = gp.fit(X, target).log_marginal_likelihood_value_
        close(score(kw.Gaussian(2.0)(X), y, c.LML(mean), ridge=ridge), expected, condition=1e4)


@pytest.mark.parametrize("bias", [True, False])
def test_leave_one_out_is_that_of_scikit_learn(two_blobs, bias):
    X, y = two_blobs
    machine = kw.LSSVC(kw.Gaussian(1.0), ridge=0.5, fit_intercept=bias)
    held_out = cross_val_predict(machine, X, y, cv=LeaveOneOut())
    K = kw.Gaussian(1.0)(X)
    value = score(K, y, c.ELOO("error"), ridge=0.5, fit_intercept=bias)
    assert value == np.mean(held_out != y)


def test_two_classes_are_a_case_of_many(two_blobs):
    """The multi-class definitions give the binary values for two classes."""
    X, y = two_blobs
    K = kw.Gaussian(1.0)(X)
    signs = (2 * y - 1).tolist()
    close(score(K, y, "kta"), oracles.alignment(K.tolist(), oracles.outer(signs)))
    centred = oracles.centred(oracles.outer(signs))
    close(score(K, y, "ckta"), float(oracles.alignment(oracles.centred(K.tolist()), centred)))
    both = np.column_stack([signs, [-s for s in signs]])
    one, two = (SpectralMachine(K, Y).at(0.1) for Y in (both[:, :1], both))
    close(one.training_loss, two.training_loss)
    close(np.mean(one.loo_residuals**2), np.mean(two.loo_residuals**2))
    for column in ([1, -1], [-1, 1]):
        close(
            oracles.sm(K.tolist(), oracles.weighted_labels(np.take(column, y).tolist()), 3),
            score(K, y, "sm"),
        )


def test_the_printed_spectral_measure_cannot_tell_identity_from_ideal():
    """4 / n^r for both, with the printed normaliser; the trace tells them apart."""
    n, r = 10, 3
    y = np.repeat([0, 1], n // 2)
    ideal, identity = np.equal.outer(y, y).astype(float), np.eye(n)
    printed = c.SM(r=r, normalizer="sum")
    close(score(ideal, y, printed), 4 / n**r)
    close(score(identity, y, printed), 4 / n**r)
    assert score(ideal, y, c.SM(r=r)) > 10 * score(identity, y, c.SM(r=r))
