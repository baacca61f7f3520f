"""Every criterion against its textbook form, on random, uneven, duplicate and degenerate data."""

import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import kernelwise as kw
import oracles
from helpers import EPS, biases, close, labelled, real_targets, ridges
from kernelwise import criteria as c

# Narrow enough for K = I, up to wide enough for K = 11' in float64.
widths = st.sampled_from([1e-8, 1e-2, 0.3, 1.0, 10.0, 1e4, 1e9])
EXTENDED_DIGITS = 60


def gaussian_matrices(X, tau):
    """The kernel matrix from X in float64 and in extended precision."""
    Xe = oracles.extended(X)
    Ke = oracles.matrix(lambda x, z: oracles.gaussian(x, z, mpmath.mpf(tau), mpmath), Xe)
    return np.array(Ke, float), Ke


def score(X, y, tau, criteria, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # undefined values are compared as NaN
        return kw.score_kernels(X, y, kw.Gaussian(tau), criteria, **settings).table


def mean_over_pairs(f, K, codes):
    pairs = [oracles.restrict(K, codes, p, q) for p, q in oracles.class_pairs(codes)]
    return float(sum(f(Kpq, y) for Kpq, y in pairs) / len(pairs))


def check_matrix_criteria(X, codes, tau):
    """All O(n^2) criteria against oracles in extended precision."""
    codes = codes.tolist()
    with mpmath.workdps(EXTENDED_DIGITS):
        _, Ke = gaussian_matrices(X, tau)
        Y = oracles.target_matrix(codes)
        columns = oracles.contrasts(codes)
        expected = {"kta": float(oracles.kta(Ke, Y)), "ckta": float(oracles.ckta(Ke, Y))}
        for name, f in [
            ("fsm", oracles.fsm),
            ("fsm_error", oracles.fsm_error),
            ("md", oracles.mean_discrepancy),
            ("ncut", oracles.ncut),
        ]:
            expected[name] = mean_over_pairs(f, Ke, codes)
        measures = [
            c.SM(r=r, normalizer=norm, weighted=weighted)
            for r in (1, 2, 3, 4)
            for norm in ("trace", "sum")
            for weighted in (True, False)
        ]
        for m in measures:
            ys = [oracles.weighted_labels(y) if m.weighted else y for y in columns]
            values = [oracles.sm(Ke, y, m.r, m.normalizer) for y in ys]
            expected[m.label] = float(sum(values) / len(values))
        condition = max(contrast_condition(Ke, y) for y in columns)
        for p, q in oracles.class_pairs(codes):
            condition = max(condition, contrast_condition(*oracles.restrict(Ke, codes, p, q)))
    table = score(X, codes, tau, ["kta", "ckta", "fsm", "fsm_error", "md", "ncut", *measures])
    for name, value in expected.items():
        # FSM is zero where every point is alone, Ncut where classes are; their terms are not
        floor = {"fsm": 1e-4, "fsm_error": 1e-4, "ncut": 1e-30}.get(name, 0.0)
        close(table[name][0], value, condition, scale=max(abs(value), floor))


def contrast_condition(K, y):
    """sum |w_i E_ij w_j| / |w'Ew| for the difference w of two class means, E = K - 1 or K.

    How far a relative error of eps in distances moves the distance of the means.
    """
    n = len(y)
    w = [v / n for v in oracles.weighted_labels(y)]
    wide = sum(map(sum, K)) > mpmath.mpf(n * n) / 2
    E = [[v - 1 if wide else v for v in row] for row in K]
    terms = [w[i] * E[i][j] * w[j] for i in range(n) for j in range(n)]
    return float(sum(map(abs, terms)) / abs(sum(terms)))


@settings(max_examples=12)
@given(labelled(max_rows=9), widths)
def test_matrix_criteria_of_two_classes(problem, tau):
    check_matrix_criteria(*problem, tau)


@settings(max_examples=12)
@given(labelled(n_classes=3, max_rows=9), widths)
def test_matrix_criteria_of_three_classes(problem, tau):
    check_matrix_criteria(*problem, tau)


@given(real_targets(), widths)
def test_matrix_criteria_of_real_targets(problem, tau):
    X, y = problem
    with mpmath.workdps(EXTENDED_DIGITS):
        _, Ke = gaussian_matrices(X, tau)
        mean = sum(map(mpmath.mpf, map(float, y))) / len(y)
        yc = [mpmath.mpf(float(v)) - mean for v in y]
        Y = oracles.outer(yc)
        expected = {
            "kta": oracles.kta(Ke, Y),
            "ckta": oracles.ckta(Ke, Y),
            "sm(r=1)": oracles.sm(Ke, yc, 1),
            "sm": oracles.sm(Ke, yc, 3),
            "sm(r=2, normalizer='sum')": oracles.sm(Ke, yc, 2, "sum"),
        }
        terms = [
            yc[i] * (Ke[i][j] - (tau > 1)) * yc[j] for i in range(len(y)) for j in range(len(y))
        ]
        condition = float(sum(map(abs, terms)) / abs(sum(terms)))
        condition *= np.abs(y).max() / np.ptp(y)  # y carries a rounding error of eps |y|
    measures = [c.SM(r=1), c.SM(), c.SM(r=2, normalizer="sum")]
    table = score(X, y, tau, ["kta", "ckta", *measures], task="regression")
    for name, value in expected.items():
        close(table[name][0], float(value), condition)


@given(labelled(), widths, st.floats(1.0, 4.0), st.sampled_from(["trace", "sum"]), biases)
def test_spectral_forms(problem, tau, r, normalizer, weighted):
    X, codes = problem
    K, _ = gaussian_matrices(X, tau)
    y = oracles.one_vs_rest(codes.tolist(), 1)
    y = [float(v) for v in oracles.weighted_labels(y)] if weighted else y
    h = 0.05
    N = np.array(oracles.normalised(K.tolist(), normalizer), float)
    assume(np.abs(np.linalg.eigvalsh(N) - h).min() > 1e-9)
    expected = {
        "sm": oracles.sm_spectral(K, y, lambda s: max(s, 0.0) ** r, normalizer),
        "sm_hinge": oracles.sm_spectral(K, y, lambda s: s if s > h else 0.0, normalizer),
    }
    measures = [c.SM(r, normalizer, weighted), c.SMHinge(h, normalizer, weighted)]
    table = score(X, codes, tau, measures)
    # eigenvalues are known to eps of the largest: that much of |y|^2 / n is uncertain
    scale = float(np.dot(y, y)) / len(y)
    for name, value in expected.items():
        assert abs(table[name][0] - value) <= 1e-9 * abs(value) + 20 * EPS * scale


def machine_condition(K, ridge, bias):
    return np.linalg.cond(oracles.lssvm(K, np.ones(len(K)), ridge, bias)[2])


@given(labelled(), widths, ridges, biases)
def test_training_criteria_of_two_classes(problem, tau, ridge, bias):
    X, codes = problem
    K, _ = gaussian_matrices(X, tau)
    y = np.array(oracles.one_vs_rest(codes.tolist(), 1), float)
    n = len(y)
    residuals = oracles.loo_residuals(K, y, ridge, bias)
    assume(np.abs(y - residuals).min() > 1e-7)  # no tie in the leave-one-out class
    press = np.mean(residuals**2)
    condition = machine_condition(K, ridge, bias)
    asked = [c.RKS(eta=0.5), c.SPS(delta=2.0), c.ELOO("press"), c.ELOO("error")]
    asked += [c.ELOO("squared_hinge"), c.GCV(), c.BR(), c.LML()]
    asked += [c.ER(t=2, eta=0.3), c.ER(t=1, scale="printed")]
    table = score(X, codes, tau, asked, ridge=ridge, fit_intercept=bias)
    check = {name: (value[0]) for name, value in table.items()}
    close(check["rks"], oracles.rks(K, y, ridge, 0.5, bias), condition)
    close(check["sps"], oracles.sps_first_order(K, y, ridge, 2.0, bias), condition)
    close(check["eloo"], press, condition)
    assert check["eloo(loss='error')"] == np.mean(y * (y - residuals) < 0)
    hinge = oracles.squared_hinge(y, residuals)
    close(check["eloo(loss='squared_hinge')"], hinge, condition, scale=max(press, hinge))
    close(check["gcv"], oracles.gcv(K, y, ridge, bias), condition)
    theta = [1 / (2 * tau)]
    expected = oracles.bayesian_regularisation(press * n, n, theta)
    close(check["br"], expected, condition, scale=max(abs(expected), n))
    expected = oracles.log_marginal_likelihood(K, y, ridge)
    close(check["lml"], expected, condition, scale=max(abs(expected), n))
    # the eigenvalues of the tail are known to eps times the trace
    for name, t, eta, scale in [
        ("er(t=2, eta=0.3)", 2, 0.3, "plain"),
        ("er(t=1, scale='printed')", 1, 0.6, "printed"),
    ]:
        expected = oracles.er(K, y, ridge, t, eta, scale, bias)
        lead = np.linalg.eigvalsh(K)[-t:].sum()
        close(check[name], expected, condition, scale=abs(expected) + n / lead)


@given(labelled(n_classes=3), st.sampled_from([0.3, 10.0]), ridges, biases)
def test_training_criteria_of_three_classes_are_means_over_columns(problem, tau, ridge, bias):
    X, codes = problem
    K, _ = gaussian_matrices(X, tau)
    columns = [np.array(y, float) for y in oracles.contrasts(codes.tolist())]
    residuals = np.column_stack([oracles.loo_residuals(K, y, ridge, bias) for y in columns])
    scores = np.column_stack(columns) - residuals
    top = np.sort(scores, axis=1)
    assume((top[:, -1] - top[:, -2]).min() > 1e-7)
    condition = machine_condition(K, ridge, bias)
    asked = [c.RKS(), c.ELOO("press"), c.ELOO("error"), c.ELOO("squared_hinge"), "gcv", "lml"]
    table = score(X, codes, tau, asked, ridge=ridge, fit_intercept=bias)
    press = np.mean(residuals**2)
    mean = lambda f: np.mean([f(y) for y in columns])  # noqa: E731
    close(table["rks"][0], mean(lambda y: oracles.rks(K, y, ridge, 0.25, bias)), condition)
    close(table["eloo"][0], press, condition)
    assert table["eloo(loss='error')"][0] == np.mean(scores.argmax(axis=1) != codes)
    hinge = np.mean(
        [oracles.squared_hinge(y, r) for y, r in zip(columns, residuals.T, strict=True)]
    )
    close(table["eloo(loss='squared_hinge')"][0], hinge, condition, scale=max(press, hinge))
    close(table["gcv"][0], mean(lambda y: oracles.gcv(K, y, ridge, bias)), condition)
    expected = mean(lambda y: oracles.log_marginal_likelihood(K, y, ridge))
    close(table["lml"][0], expected, condition, scale=max(abs(expected), len(codes)))


@given(real_targets(), st.sampled_from([0.3, 10.0, 1e6]), ridges, biases)
def test_training_criteria_of_real_targets(problem, tau, ridge, bias):
    X, y = problem
    K, _ = gaussian_matrices(X, tau)
    condition = machine_condition(K, ridge, bias)
    table = score(
        X,
        y,
        tau,
        ["rks", "eloo", "gcv", "lml"],
        ridge=ridge,
        fit_intercept=bias,
        task="regression",
    )
    y2 = np.mean(y**2)  # a bias fits a large mean: what is left is known to eps |y|
    press = np.mean(oracles.loo_residuals(K, y, ridge, bias) ** 2)
    close(table["eloo"][0], press, condition, scale=max(press, y2))
    expected = oracles.rks(K, y, ridge, 0.25, bias)
    close(table["rks"][0], expected, condition, scale=max(expected, y2))
    expected = oracles.gcv(K, y, ridge, bias)
    close(table["gcv"][0], expected, condition, scale=max(expected, y2))
    expected = oracles.log_marginal_likelihood(K, y, ridge)
    close(table["lml"][0], expected, condition, scale=max(abs(expected), len(y)))


@given(labelled(), widths)
def test_kernel_stability_is_the_spectral_norm(problem, tau):
    X, codes = problem
    K, _ = gaussian_matrices(X, tau)
    close(score(X, codes, tau, ["ks"])["ks"][0], oracles.kernel_stability(K))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("exponent", [-15, 0, 15])
def test_matrix_criteria_survive_scales_and_the_ends_of_the_grid(rng, scale, exponent):
    X = scale * rng.normal(size=(10, 3))
    check_matrix_criteria(X, np.repeat([0, 1], [6, 4]), 2.0**exponent)


def test_the_raw_one_pass_formula_fails_for_wide_kernels(rng):
    """Why statistics carry K - 1: |HKH|^2 from K itself is rounding noise, often negative."""
    X = 1e-6 * rng.normal(size=(12, 3))
    K = kw.Gaussian(2.0**15)(X)
    u = K.sum(axis=1)
    raw = (K**2).sum() - 2 * (u @ u) / 12 + (u.sum() / 12) ** 2
    with mpmath.workdps(EXTENDED_DIGITS):
        _, Ke = gaussian_matrices(X, 2.0**15)
        centred = oracles.centred(Ke)
        exact = float(oracles.frobenius_inner(centred, centred))
    targets = kw.gram.Targets.of([0] * 6 + [1] * 6)
    [gram] = kw.gram.Dense().grams([kw.Gaussian(2.0**15)], X, targets)
    assert abs(raw - exact) > 0.5 * exact
    close(gram.statistics.centered_frobenius**2, exact)
