"""Definitions, examples and remarks of the papers that stand beside their main criteria."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import close, labelled
from inside import SupportVectors, Targets, make_splits
from kernelwise import criteria as c

widths = st.sampled_from([0.3, 1.0, 10.0])


def problem(n_plus=14, n_minus=9, seed=0):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(n_plus, 2)), 1.0 + rng.normal(size=(n_minus, 2))])
    return X, np.repeat([1, -1], [n_plus, n_minus])


def value(X, y, criterion, tau=1.0, **settings):
    """A criterion of one Gaussian kernel."""
    [found] = kw.score_kernels(X, y, kw.Gaussian(tau), criterion, **settings).table.values()
    return found[0]


def of_matrix(K, y, criterion):
    [found] = kw.score_matrix(K, y, [criterion]).values()
    return found


class TestGeneralizedKernelMatrix:
    """SPS 2014, Definition 2, equation 5 and Theorem 3."""

    def matrices(self, K):
        """K(w) = sum_i w_i C^i + D / 2, as a function of w, from the definition."""
        n = len(K)
        C = np.zeros((n, n, n))
        for i in range(n):
            C[i, i, :], C[i, :, i] = K[i], K[:, i]
        return lambda w: np.tensordot(w, C, axes=1) + np.diag(np.diag(K)) / 2

    def test_it_is_the_matrix_and_the_matrix_without_a_point(self):
        X, _ = problem()
        K = kw.Polynomial(2)(X)
        of = self.matrices(K)
        half = np.full(len(K), 0.5)
        np.testing.assert_allclose(of(half), K, rtol=1e-12)
        for i in range(len(K)):
            w = half.copy()
            w[i] = -0.5
            np.testing.assert_allclose(of(w), oracles.removed(K, i), atol=1e-9)

    def test_theorem_3_is_the_derivative_of_its_eigenvalues(self):
        X, y = problem()
        K, step, n = kw.Gaussian(1.0)(X), 1e-6, len(y)
        of, half = self.matrices(K), np.full(n, 0.5)
        total = 0.0
        for i in range(n):
            up, down = half.copy(), half.copy()
            up[i], down[i] = 0.5 + step, 0.5 - step
            moves = [np.linalg.eigvalsh(of(w)) for w in (up, down)]
            total += np.abs(moves[0] - moves[1]).sum() / (2 * step)
        loss = oracles.training_loss(K, y.astype(float), 1.0, bias=False)
        found = value(X, y, c.SPS(1.0), fit_intercept=False) - loss
        assert found == pytest.approx(total / n**2, rel=1e-5)


class TestNormsOfStability:
    """KS 2019, Remark 2: the trace norm and the Frobenius norm."""

    NORMS = (("spectral", 2), ("frobenius", "fro"), ("trace", "nuc"))

    @given(labelled(), widths)
    def test_against_norms_of_the_difference(self, data, tau):
        X, codes = data
        K = kw.Gaussian(tau)(X)
        for norm, name in self.NORMS:
            close(of_matrix(K, codes, c.KS(norm)), oracles.kernel_stability(K, name))

    def test_the_others_are_larger(self):
        X, y = problem()
        values = [of_matrix(kw.Polynomial(3)(X), y, c.KS(norm)) for norm, _ in self.NORMS]
        assert values == sorted(values)

    def test_of_an_indefinite_matrix(self):
        K = np.array([[-1.0, 2.0, 0.5], [2.0, 0.3, -1.0], [0.5, -1.0, -2.0]])
        for norm, name in self.NORMS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                found = of_matrix(K, [1, -1, 1], c.KS(norm))
            close(found, oracles.kernel_stability(K, name))

    def test_another_norm_is_refused(self):
        with pytest.raises(ValueError, match="'norm' parameter of KS"):
            c.KS("nuclear")


class TestFolds:
    """KS 2019, section VI: folds from one training."""

    def folds(self, y, k=4):
        return make_splits(Targets.of(y), None, k, 1, 0)

    @pytest.mark.parametrize("order", [0, 1, 3])
    @pytest.mark.parametrize("bias", [True, False])
    def test_folds_by_taylor_terms(self, order, bias):
        X, y = problem()
        K = kw.Gaussian(1.0)(X)
        residuals = [
            oracles.taylor_residuals(K, y.astype(float), 1.0, split.left_out, order, bias)
            for split in self.folds(y)
        ]
        expected = np.mean([np.mean(r**2) for r in residuals])
        expected += 0.7 / len(y) * oracles.kernel_stability(K)
        found = value(X, y, c.CVKS(4, 0.7, order=order), fit_intercept=bias)
        assert found == pytest.approx(expected, rel=1e-9)

    def test_many_terms_are_the_exact_folds(self):
        X, y = problem()
        exact, series = value(X, y, c.CVKS(4, 0.7)), value(X, y, c.CVKS(4, 0.7, order=2000))
        assert series == pytest.approx(exact, rel=1e-6)

    def test_of_the_support_vector_machine(self):
        X, y = problem()
        found = value(X, y, c.CVKS(4, 0.7, order=1), machine="svm")
        expected = value(X, y, c.BIF(4, 1, "hinge", "hinge"), machine="svm")
        expected += 0.7 / len(y) * oracles.kernel_stability(kw.Gaussian(1.0)(X))
        assert found == pytest.approx(expected, rel=1e-9)

    def test_what_does_not_go_together(self):
        with pytest.raises(ValueError, match="fold_ridge of CVKS must be 'fixed' where an order"):
            c.CVKS(order=2, fold_ridge="scaled")
        with pytest.raises(ValueError, match="'order' parameter of CVKS"):
            c.CVKS(order=-1)


class TestPlainHinge:
    """The machine without a fold, to first order: by small weights of the rows of the fold."""

    @pytest.mark.parametrize("ridge", [0.05, 0.3, 1.0])
    @pytest.mark.parametrize("seed", range(4))
    def test_against_small_changes_of_the_weights(self, ridge, seed):
        X, y = problem(12, 12, seed)
        K, targets, step = kw.Gaussian(1.0)(X), Targets.of(y), 1e-4
        [gram] = kw.gram.Dense().grams([kw.Gaussian(1.0)], X, targets)
        machine = SupportVectors(gram, targets)
        whole = oracles.svm_scores(K, y, 0.5 / ridge, np.ones(24))
        for split in make_splits(targets, None, 4, 1, 0):
            weights = np.ones(24)
            weights[split.left_out] -= step
            moved = oracles.svm_scores(K, y, 0.5 / ridge, weights)
            expected = (whole + (moved - whole) / step)[split.left_out]
            found = machine.first_order_scores(ridge, split.left_out, 1)[:, 0]
            # the machine itself is trained to a tolerance of 1e-3
            np.testing.assert_allclose(found, expected, atol=2e-2)

    def test_order_zero_is_the_training_error(self):
        X, y = problem()
        scores = oracles.svm_scores(kw.Gaussian(1.0)(X), y, 0.5, np.ones(len(y)))
        folds = make_splits(Targets.of(y), None, 4, 1, 0)
        wrong = [np.mean(y[s.test] * scores[s.test] < 0.0) for s in folds]
        assert value(X, y, c.BIF(4, 0, "hinge"), machine="svm") == pytest.approx(np.mean(wrong))

    def test_it_is_for_classes(self):
        X, _ = problem()
        with pytest.raises(ValueError, match="not defined for regression"):
            value(X, X[:, 0], c.BIF(loss="hinge"), task="regression")

    def test_all_multipliers_at_their_bound(self):
        X, y = problem(12, 12)
        with pytest.warns(UserWarning, match="every support vector is at its bound"):
            assert np.isnan(value(X, y, c.BIF(loss="hinge"), ridge=1e6))
