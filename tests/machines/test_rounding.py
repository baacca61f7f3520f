"""Machines at the edge of float64: right to the digits they claim, or a sentence."""

import mpmath as mp
import numpy as np
import pytest

import kernelwise as kw
import oracles
from helpers import EPS, SpectralMachine, close
from inside import BIF, ELOO, ER, KFold, LostDigitsWarning, UndefinedCriterionWarning, fit_cholesky


def exact_loo_residuals(entry, X, y, ridge):
    """Return leave-one-out residuals with a bias, in 60 digits from the data on."""
    with mp.workdps(60):
        rows = [[mp.mpf(float(v)) for v in row] for row in X]
        n = len(rows)
        C = mp.ones(n + 1)
        C[n, n] = 0
        for i in range(n):
            for j in range(n):
                C[i, j] = entry(rows[i], rows[j]) + (mp.mpf(ridge) if i == j else 0)
        inverse = C**-1
        alpha = inverse * mp.matrix([*map(float, y), 0.0])
        return np.array([float(alpha[i] / inverse[i, i]) for i in range(n)])


def polynomial(degree, coef0=1):
    return lambda a, b: (coef0 + mp.fdot(a, b)) ** degree


@pytest.fixture
def table(rng):
    X = rng.normal(size=(16, 3))
    return X, np.where(X[:, 0] > 0.1, 1.0, -1.0)


class TestBiasAtExtremeRidges:
    @pytest.mark.parametrize("ridge", [1e-60, 1e60, 1e200])
    def test_leave_one_out_residuals(self, ridge):
        """At a large ridge the machine is the mean; h = 1 / ridge squares to nothing."""
        y = np.array([1.0, 2.0, 4.0, 9.0])
        K = np.eye(4)
        for fit in (SpectralMachine(K, y).at(ridge), fit_cholesky(K, y, ridge)):
            close(fit.loo_residuals[:, 0], oracles.loo_residuals(K, y, min(ridge, 1e60)))


class TestFewerThanFourDigits:
    def test_the_condition_follows_the_error(self, table):
        """Where a digit is lost, ten times at most are said to be lost, and never none."""
        X, y = table
        for scale in (1e2, 1e4, 1e6):
            kernel, expected = kw.Linear(), exact_loo_residuals(polynomial(1, 0), scale * X, y, 1.0)
            K = kernel(scale * X)
            for fit in (SpectralMachine(K, y).at(1.0), fit_cholesky(K, y, 1.0)):
                error = np.abs(fit.loo_residuals[:, 0] - expected).max() / np.abs(expected).max()
                assert error < 10 * EPS * fit.condition
                assert EPS * fit.condition < 1e3 * max(error, EPS)

    @pytest.mark.parametrize("machine", [kw.LSSVC, kw.KRR])
    def test_machines_warn(self, table, machine):
        X, y = table
        with pytest.warns(LostDigitsWarning, match=r"fewer than four digits at ridge = 1, so use"):
            machine(kw.Linear()).fit(1e6 * X, y)

    def test_criteria_are_undefined(self, table):
        X, y = table
        criteria = [ELOO(), "gcv", KFold(3), "lml", ER(), BIF(3)]
        with pytest.warns(UndefinedCriterionWarning, match="standardise the features"):
            found = kw.score_kernels(1e6 * X, y, kw.Linear(), criteria).table
        assert all(np.isnan(values).all() for values in found.values())

    def test_small_ridges_of_ordinary_kernels_are_none_of_it(self, table):
        X, y = table
        kw.KRR(kw.Gaussian(10.0), ridge=1e-9).fit(X, y)
        values = kw.score_kernels(X, y, kw.Gaussian(10.0), "eloo", ridge=1e-9).table["eloo"]
        assert np.isfinite(values).all()


class TestRowsOfDifferentScales:
    """The polynomial of an outlier is 1e25 times that of the others: eigenvectors lose those."""

    @pytest.fixture
    def spread(self, table):
        X, y = table
        X = X.copy()
        X[0] *= 100.0
        return X, y

    def test_leave_one_out_has_its_digits(self, spread):
        X, y = spread
        K = kw.Polynomial(10)(X)
        expected = exact_loo_residuals(polynomial(10), X, y, 1.0)
        path = SpectralMachine(K, y)
        assert path.inverse(1.0).lost_digits is not None
        for fit in (path.at(1.0), fit_cholesky(K, y, 1.0)):
            np.testing.assert_allclose(fit.loo_residuals[:, 0], expected, rtol=1e-6)

    def test_so_have_folds(self, spread):
        X, y = spread
        K = kw.Polynomial(10)(X)
        path = SpectralMachine(K, y)
        rows = np.arange(3, 8)
        rest = np.setdiff1d(np.arange(len(y)), rows)
        train = fit_cholesky(K[np.ix_(rest, rest)], y[rest], 1.0)
        expected = K[np.ix_(rows, rest)] @ train.coefficients + train.bias
        np.testing.assert_allclose(path.held_out_values(1.0, rows), expected, rtol=1e-4)


class TestWeights:
    @pytest.mark.parametrize("machine", [kw.LSSVC, kw.KRR])
    @pytest.mark.parametrize("extreme", [1e300, 1e-200])
    def test_extreme_weights_are_refused(self, table, machine, extreme):
        X, y = table
        weights = np.ones(len(y))
        weights[3] = extreme
        with pytest.raises(ValueError, match=r"sample_weight must be zero or .* divide it by its"):
            machine().fit(X, y, sample_weight=weights)

    def test_so_are_those_of_classes(self, table):
        X, y = table
        machine = kw.LSSVC(class_weight={1.0: 1e90, -1.0: 1.0})
        with pytest.raises(ValueError, match="sample_weight times class_weight must be"):
            machine.fit(X, y, sample_weight=np.full(len(y), 1e90))

    def test_large_weights_are_a_small_ridge(self, table):
        X, y = table
        heavy = kw.KRR(ridge=1e60).fit(X, y, sample_weight=np.full(len(y), 1e60))
        np.testing.assert_allclose(heavy.predict(X), kw.KRR(ridge=1.0).fit(X, y).predict(X))


@pytest.mark.parametrize("machine", [kw.LSSVC, kw.KRR])
@pytest.mark.parametrize("ridge", [0.0, -1.0, 1e-101, 1e101, np.inf, np.nan, "1"])
def test_machines_check_their_ridge(table, machine, ridge):
    with pytest.raises(ValueError, match="'ridge' parameter"):
        machine(ridge=ridge).fit(*table)


def test_ridges_far_below_rounding_raise_nothing_but_the_reason(rng):
    """Eigenvalues of zero leave u'M^-1 u = 0 up to rounding."""
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    kernels = [kw.Gaussian(1e6), kw.Gaussian(1e10), kw.Linear()]
    with pytest.warns(UndefinedCriterionWarning):
        found = kw.score_kernels(X, y, kernels, ["eloo", "kfold"], ridge=[1.4e-79, 1.0])
    assert np.isnan(found.table["eloo"]).tolist() == [True, False] * 3
