"""Every bound against the paper's formula, written out again in bounds/oracles.py."""

import dataclasses
import inspect
import math

import numpy as np
import pytest

from bounds import oracles
from kernelwise import Gaussian, Polynomial, bounds

DELTA = 0.1


def sample(n=24, seed=0, real=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0.2, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, (X[:, 0] + 0.31 if real else y)


KERNELS = [Gaussian(1.5), Polynomial(degree=2)]
RIDGES = [0.3, 1.0, 40.0]


@pytest.fixture(params=KERNELS, ids=["gaussian", "polynomial"])
def K(request):
    return request.param(sample()[0])


@pytest.fixture
def y():
    return sample()[1]


@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("variant", ["printed", "corrected"])
@pytest.mark.parametrize("r", [1, 3])
def test_spectral_measure(K, y, ridge, variant, r):
    printed = variant == "printed"
    for normalizer, C in (("trace", np.trace(K)), ("sum", K.sum())):
        bound = bounds.sm_lssvm(
            K, y, ridge=ridge, delta=DELTA, r=r, normalizer=normalizer, variant=variant
        )
        expected = oracles.sm_theorem_1(K, y, ridge, DELTA, r, C, printed)
        assert bound.value == pytest.approx(expected, rel=1e-6)
    bound = bounds.sm_svm(K, y, ridge=ridge, delta=DELTA, r=r, variant=variant)
    expected = oracles.sm_theorem_2(K, y, ridge, DELTA, r, printed)
    assert bound.value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("t", [1, 4])
def test_eigenvalues_ratio(K, y, ridge, t):
    k, kappa, limits = 3.0, 2.0 * K.diagonal().max(), bounds.Limits(score=1.7)
    limits = dataclasses.replace(limits, kernel=kappa)
    given = {"ridge": ridge, "delta": DELTA, "t": t, "k": k, "limits": limits}
    square = oracles.square(y, K @ oracles.krr(K, y, ridge))
    common = (K, square, t, k, DELTA, kappa)
    h, B = 2 * (1 + 1.7), (1 + 1.7) ** 2
    lssvm = bounds.er_lssvm(K, y, variant="printed", **given).value
    krr = bounds.er_krr(K, y, variant="printed", **given).value
    assert lssvm == pytest.approx(oracles.er_theorem_3(*common, D=1.7, M=1.0, lost_factor=True))
    assert krr == pytest.approx(oracles.er_theorem_3(*common, D=1.7, M=1.0))
    corrected = bounds.er_lssvm(K, y, **given).value
    assert corrected == pytest.approx(oracles.er_chain(*common, h=h, B=B, M=1.0))
    assert corrected == bounds.er_krr(K, y, **given).value
    hinge = oracles.hinge(y, K @ oracles.svm(K, y, 0.5 / ridge))
    common = (K, hinge, t, k, DELTA, kappa)
    printed = bounds.er_svm(K, y, variant="printed", **given).value
    assert printed == pytest.approx(oracles.er_theorem_2(*common, 1.7), rel=1e-5)
    corrected = bounds.er_svm(K, y, **given).value
    assert corrected == pytest.approx(oracles.er_chain(*common, h=1.0, B=2.7, M=1.0), rel=1e-5)


def test_ratio_on_a_real_target():
    X, y = sample(real=True)
    K, M = Gaussian(1.5)(X), np.abs(y).max()
    bound = bounds.er_krr(K, y, k=2.0, delta=DELTA, limits=bounds.Limits(score=2.0))
    training = oracles.square(y, K @ oracles.krr(K, y, 1.0))
    h, B = 2 * (M + 2.0), (M + 2.0) ** 2
    expected = oracles.er_chain(K, training, 4, 2.0, DELTA, 1.0, h=h, B=B, M=M)
    assert bound.value == pytest.approx(expected)


@pytest.mark.parametrize("t", [1, 3, 8])
def test_decay(K, t):
    s = np.sort(np.linalg.eigvalsh(K / len(K)))[::-1]
    gamma, n = 1.8, len(K)
    A = max(s[i] * (i + 1) ** gamma for i in range(n))
    tail = A * t ** (1 - gamma) / (gamma - 1)
    bound = bounds.er_decay(K, t=t, gamma=gamma)
    assert bound.value == pytest.approx(s.sum() / tail - 1)
    assert bound.terms["ratio"] == pytest.approx(oracles.ratio(K, t))
    printed = bounds.er_decay(K, t=t, gamma=gamma, constant=A, variant="printed")
    assert printed.value == pytest.approx(n * s.sum() / tail - 1)


@pytest.mark.parametrize("ridge", RIDGES)
@pytest.mark.parametrize("real", [False, True])
def test_kernel_stability_of_least_squares(ridge, real):
    X, y = sample(real=real)
    K = Polynomial(degree=2)(X)
    n, lam, kappa, M = len(y), ridge / len(y), K.diagonal().max(), np.abs(y).max()
    beta = oracles.kernel_stability(K)
    args = (n, beta, kappa, M, lam)
    training = oracles.square(y, K @ oracles.krr(K, y, ridge))
    move = bounds.ks_krr_prediction(K, y, ridge=ridge).value
    assert move == pytest.approx(oracles.ks_theorem_8(*args))
    stability = bounds.ks_krr_stability(K, y, ridge=ridge).value
    assert stability == pytest.approx(oracles.ks_equation_15(*args))
    risk = bounds.ks_krr(K, y, ridge=ridge, delta=DELTA).value
    assert risk == pytest.approx(oracles.ks_appendix_c(training, *args, DELTA))
    variance = bounds.ks_krr_cv_variance(K, y, ridge=ridge, k=4, variant="printed").value
    m = 3 * n // 4
    assert variance == pytest.approx(oracles.ks_equation_15(m, *args[1:]) ** 2)
    printed = bounds.sps_krr(K, y, ridge=ridge, delta=DELTA, beta=0.7, variant="printed").value
    args = (n, 0.7, kappa, M, lam)
    assert printed == pytest.approx(oracles.sps_theorem_2(training, *args, DELTA))


@pytest.mark.parametrize("ridge", RIDGES)
def test_kernel_stability_of_the_svm(K, y, ridge):
    n, lam, kappa = len(y), ridge / len(y), K.diagonal().max()
    beta = oracles.kernel_stability(K)
    training = oracles.hinge(y, K @ oracles.svm(K, y, 0.5 / ridge))
    given = {"ridge": ridge, "variant": "printed"}
    gamma = oracles.ks_equation_16(beta, kappa, lam)
    assert bounds.ks_svm_stability(K, y, **given).value == pytest.approx(gamma)
    assert bounds.ks_svm_cv_variance(K, y, **given).value == pytest.approx(gamma**2)
    args = (training, n, beta, kappa, lam, DELTA, 1 + lam * kappa)
    risk = bounds.ks_svm(K, y, delta=DELTA, **given).value
    assert risk == pytest.approx(oracles.ks_appendix_d(*args), rel=1e-5)
    conclusion = bounds.sps_svm(K, y, delta=DELTA, beta=0.7, **given).value
    args = (training, n, 0.7, kappa, DELTA, 1 + kappa / lam)
    assert conclusion == pytest.approx(oracles.sps_conclusion(*args), rel=1e-5)


def test_corrected_svm_stability_is_that_of_one_point_more(K, y):
    """The matrix bordered by a point as far up as kappa allows."""
    n, kappa = len(y), K.diagonal().max()
    rows = []
    for i in range(n):
        bordered = np.zeros((n + 1, n + 1))
        bordered[i, :n] = bordered[:n, i] = K[i]
        bordered[i, n] = bordered[n, i] = kappa
        rows.append(np.linalg.norm(bordered, 2))
    gamma = bounds.ks_svm_stability(K, y, ridge=3.0).value
    assert gamma == pytest.approx(oracles.ks_equation_16(max(rows), kappa, 3.0 / n))
    Q = 1 + kappa * n / 3.0
    training = oracles.hinge(y, K @ oracles.svm(K, y, 0.5 / 3.0))
    risk = bounds.ks_svm(K, y, ridge=3.0, delta=DELTA).value
    args = (training, n, max(rows), kappa, 3.0 / n, DELTA, Q)
    assert risk == pytest.approx(oracles.ks_appendix_d(*args), rel=1e-5)


def test_corrected_variance():
    X, y = sample()
    K = Gaussian(1.0)(X)
    n, k, lam = len(y), 5, 2.0 / len(y)
    gamma = oracles.ks_equation_15(n - 5, oracles.kernel_stability(K), 1.0, 1.0, lam)
    Q = (1 + 1 / lam) ** 2
    expected = n / 2 * (Q / n + 2 * gamma * (k - 1) / k) ** 2
    assert bounds.ks_krr_cv_variance(K, y, ridge=2.0, k=k).value == pytest.approx(expected)


@pytest.mark.parametrize("beta", ["empirical", "worst"])
def test_worst_stability_is_reached_by_the_constant_kernel(y, beta):
    n = len(y)
    args = (n, oracles.kernel_stability(np.full((n, n), 2.0)), 2.0, 1.0, 1.0 / n)
    move = bounds.ks_krr_prediction(np.full((n, n), 2.0), y, beta=beta).value
    assert move == pytest.approx(oracles.ks_theorem_8(*args))


def test_spectral_perturbation(K):
    assert bounds.spectral_perturbation(K) == pytest.approx(oracles.spectral_perturbation(K))


@pytest.mark.parametrize("how", ["scaled", "fixed"])
@pytest.mark.parametrize("real", [False, True])
def test_empirical_stability_is_that_of_refitted_machines(how, real):
    X, y = sample(real=real)
    K, n, ridge = Gaussian(2.0)(X), len(y), 0.7
    smaller = ridge * (n - 1) / n if how == "scaled" else ridge
    before = (y - K @ oracles.krr(K, y, ridge)) ** 2
    largest = 0.0
    for i in range(n):
        after = (y - K @ oracles.krr_without(K, y, i, smaller)) ** 2
        largest = max(largest, np.abs(before - after).max())
    found = bounds.ks_empirical_stability(K, y, ridge=ridge, removed_ridge=how)
    assert found == pytest.approx(largest, rel=1e-9)


def test_every_bound_is_listed_and_documented():
    listed = set(bounds.all_bounds(Gaussian(1.0)(sample()[0]), sample()[1]))
    functions = {f for f in dir(bounds) if inspect.isfunction(getattr(bounds, f))}
    others = {"all_bounds", "fsm_hyperplane_error", "ks_empirical_stability"}
    assert functions == listed | others | {"spectral_perturbation"}
    assert functions <= set(bounds.__all__)


def test_the_infimum_over_margins_is_not_missed():
    y = np.repeat([-1, 1], 30)
    terms = bounds.sm_lssvm(np.eye(60), y).terms
    found = terms["margin"] + terms["complexity"] + terms["deviation"]
    assert found == pytest.approx(oracles.infimum(60, 0.05, 6), rel=1e-7)
    assert found <= oracles.infimum(60, 0.05, 6) * (1 + 1e-12)
    assert math.isclose(terms["margin"], 1.0)  # a small sample wants the widest margin
