"""What must hold whatever the numbers: sums, scales, special cases, flags and what is refused."""

import math
from functools import partial

import numpy as np
import pytest

from bounds import oracles
from kernelwise import Gaussian, bounds


def problem(n=30, seed=1, tau=2.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] > 0.1 * rng.normal(size=n), 1, 0)
    y[:2] = 0, 1
    return Gaussian(tau)(X), y


def by_text(bound, fragment):
    [found] = [a.holds for a in bound.assumptions if fragment in a.text]
    return found


SUMS = [name for name in bounds.__all__ if name[:3] in ("sm_", "er_", "ks_", "sps")]
SUMS = sorted(set(SUMS) - {"er_decay", "ks_empirical_stability"})
WITH_DELTA = ["sm_lssvm", "sm_svm", "er_svm", "er_krr", "er_lssvm", "ks_krr", "ks_svm", "sps_krr"]
PRINTS = ["sm_svm", "er_svm", "er_krr", "er_lssvm", "ks_svm", "ks_svm_stability", "sps_krr"]
PRINTS += ["sps_svm", "ks_krr_cv_variance", "ks_svm_cv_variance"]


@pytest.mark.parametrize("name", SUMS)
def test_terms_add_up(name):
    K, y = problem()
    bound = getattr(bounds, name)(K, y, ridge=2.0)
    assert bound.value == pytest.approx(sum(bound.terms.values()))
    assert type(bound.vacuous) is bool
    assert bound.vacuous == (bound.value >= bound.trivial)


@pytest.mark.parametrize("name", WITH_DELTA)
def test_more_confidence_costs_more(name):
    K, y = problem()
    values = [getattr(bounds, name)(K, y, delta=delta).value for delta in (0.5, 0.1, 0.01)]
    assert values == sorted(values) and values[0] < values[-1]


@pytest.mark.parametrize("name", PRINTS)
def test_print_and_correction_differ(name):
    K, y = problem()
    function = getattr(bounds, name)
    printed, corrected = (function(K, y, ridge=2.0, variant=v) for v in ("printed", "corrected"))
    assert printed.value != pytest.approx(corrected.value, rel=1e-4)
    assert printed.variant == "printed" and corrected.variant == "corrected"
    if name != "er_krr":
        assert printed.valid is False
        assert by_text(printed, "the print follows from its proof") is False


def test_spectral_measure_variants_agree_at_the_papers_ridge():
    K, y = problem()
    same = partial(bounds.sm_lssvm, K, y, normalizer="sum")
    printed, corrected = (same(variant=v) for v in ("printed", "corrected"))
    assert printed.value == corrected.value
    assert not any("print" in a.text for a in printed.assumptions)
    above = [same(ridge=5.0, variant=v) for v in ("printed", "corrected")]
    assert above[0].value < above[1].value
    assert above[0].valid is False


def test_a_printed_bound_can_be_below_every_error_rate():
    """An error rate cannot be negative: the print is not a matter of taste."""
    y = np.repeat([0, 1], 30)
    K = np.equal.outer(y, y).astype(float)
    assert bounds.sm_lssvm(K, y, ridge=1e4, variant="printed").value < 0.0
    assert bounds.sm_svm(K, y, variant="printed").value < 0.0
    assert bounds.sm_lssvm(K, y, ridge=1e4).value > 1.0


@pytest.mark.parametrize("ridge", [0.1, 0.5, 1.0, 7.0])
def test_lemma_1_holds_as_corrected(ridge):
    K, y = problem()
    signs = 2.0 * y - 1.0
    mean_margin = np.mean(signs * (K @ oracles.krr(K, signs, ridge)))
    for normalizer in ("trace", "sum"):
        fit = -bounds.sm_lssvm(K, y, ridge=ridge, normalizer=normalizer).terms["fit"]
        assert mean_margin >= fit
    wide = np.full((30, 30), 1.0) * np.outer(signs, signs)
    margin = np.mean(signs * (wide @ oracles.krr(wide, signs, 7.0)))
    assert margin < -bounds.sm_lssvm(wide, y, ridge=7.0, variant="printed").terms["fit"]


@pytest.mark.parametrize("ridge", [0.05, 0.4, 1.0, 7.0])
@pytest.mark.parametrize("tau", [0.1, 2.0, 50.0])
def test_lemma_2_holds(ridge, tau):
    K, y = problem(tau=tau)
    signs, C = 2.0 * y - 1.0, K.sum()
    mean_margin = np.mean(signs * (K @ oracles.svm(K, signs, 0.5 / ridge)))
    d = min(-1.0, 1.0 - 0.5 / ridge)
    for r in (1, 3):
        assert mean_margin >= C * (oracles.spectral_measure(K, signs, r, C) + d / len(y))


@pytest.mark.parametrize("ridge", [5.0, 50.0])
@pytest.mark.parametrize("theta", [0.05, 0.3, 1.0])
def test_steps_from_the_lemmas_to_the_theorems(ridge, theta):
    """Equations 6 to 8 and 11 of SM 2017: the share of small margins, by their mean."""
    K, y = problem()
    signs, C, n = 2.0 * y - 1.0, K.sum(), len(y)
    d = min(-1.0, 1.0 - 0.5 / ridge)
    sm = oracles.spectral_measure(K, signs, 3, C)
    least = (C / (C + ridge) * sm, C * (sm + d / n))
    machines = oracles.krr(K, signs, ridge), oracles.svm(K, signs, 0.5 / ridge)
    for alpha, by_lemma in zip(machines, least, strict=True):
        margins = signs * (K @ alpha)
        assert margins.max() <= 1.0 + theta  # what equation 7 assumes
        share, hinge = np.mean(margins <= theta), np.maximum(0.0, 1.0 - margins + theta).mean()
        assert share <= hinge == pytest.approx(1.0 + theta - margins.mean())
        assert share <= 1.0 + theta - by_lemma


@pytest.mark.parametrize("r", [2, 3, 4.5])
def test_the_first_power_is_the_tightest(r):
    K, y = problem()
    assert bounds.sm_lssvm(K, y).value <= bounds.sm_lssvm(K, y, r=r).value


@pytest.mark.parametrize("ridge", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("tau", [1e-3, 1.0, 1e3])
def test_corrected_theorem_2_is_always_vacuous(ridge, tau):
    K, y = problem(tau=tau)
    assert bounds.sm_svm(K, y, ridge=ridge).vacuous


def test_repaired_spectral_perturbation_is_kernel_stability():
    K, y = problem()
    assert bounds.sps_krr(K, y, ridge=3.0).value == bounds.ks_krr(K, y, ridge=3.0).value
    assert bounds.sps_svm(K, y, ridge=3.0).value == bounds.ks_svm(K, y, ridge=3.0).value


def test_spectral_perturbation_is_below_the_diagonal_and_kernel_stability():
    """So that |K - Lambda| = 0, on which the print rests, is false."""
    K, _ = problem()
    spectral = bounds.spectral_perturbation(K)
    assert spectral <= K.diagonal().max() * (1 + 1e-12)
    assert oracles.kernel_stability(K) > 1.5 * spectral


def test_least_squares_corollary_is_the_theorem_with_unit_targets():
    K, y = problem()
    assert bounds.er_lssvm(K, y).value == bounds.er_krr(K, y).value


@pytest.mark.parametrize("name", ["er_svm", "er_krr", "er_lssvm"])
@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_the_free_factor_is_the_best(name, variant):
    K, y = problem()
    function = getattr(bounds, name)
    best = function(K, y, variant=variant)
    assert by_text(best, "was fixed beforehand") is False
    for k in (1.01, 1.05, 1.1, 1.5, 2.0, 10.0):
        other = function(K, y, variant=variant, k=k)
        assert best.value <= other.value * (1 + 1e-12)
        assert by_text(other, "was fixed beforehand") is None


def test_decay_bounds_the_ratio_from_below_and_the_best_gamma_is_best():
    for tau in (0.1, 1.0, 10.0):
        K, _ = problem(tau=tau)
        for t in (1, 4, 10):
            best = bounds.er_decay(K, t=t)
            assert best.value <= best.terms["ratio"] * (1 + 1e-9)
            for gamma in (1.2, 2.0, 4.0):
                other = bounds.er_decay(K, t=t, gamma=gamma)
                assert other.value <= best.value + 1e-6 * abs(best.value)
                printed = bounds.er_decay(K, t=t, gamma=gamma, variant="printed")
                assert printed.value == pytest.approx(other.value)


def test_decay_flags():
    K, _ = problem()
    assert bounds.er_decay(K).valid is True
    slow = bounds.er_decay(K, gamma=0.9)
    assert slow.value == -1.0 and slow.vacuous and by_text(slow, "gamma = 0.9 > 1") is False
    small = bounds.er_decay(K, gamma=2.0, constant=1e-6)
    assert by_text(small, "eigenvalues of K/n stay below") is False
    assert bounds.er_decay(np.diag([1.0, 1.0, 0.0, 0.0]), t=2).terms["ratio"] == math.inf


def identity_bounds(n, **given):
    """Everything but n fixed: unit kernels that see only themselves, lambda = ridge / n = 2."""
    y = np.repeat([0, 1], n // 2)
    return bounds.ks_krr(np.eye(n), y, ridge=2.0 * n, **given)


def test_stability_bounds_fall_with_n_and_stop_being_vacuous():
    rows = (10, 40, 160, 640)
    values = [identity_bounds(n) for n in rows]
    gaps = [bound.value - bound.terms["training"] for bound in values]
    assert gaps == sorted(gaps, reverse=True)
    assert [bound.vacuous for bound in values] == [True, True, True, False]
    moves = [
        bounds.ks_krr_prediction(np.eye(n), np.repeat([0, 1], n // 2), ridge=2.0 * n).value
        for n in rows
    ]
    assert moves == sorted(moves, reverse=True)


def test_margin_terms_fall_with_n():
    def deviation(n):
        terms = bounds.sm_lssvm(np.eye(n), np.repeat([0, 1], n // 2)).terms
        return terms["margin"] + terms["complexity"] + terms["deviation"]

    values = [deviation(n) for n in (10, 40, 160, 640)]
    assert values == sorted(values, reverse=True)


def test_a_kernel_and_its_ridge_may_be_scaled_together():
    K, y = problem()
    for name in ("ks_krr", "ks_krr_stability", "ks_krr_prediction", "ks_krr_cv_variance"):
        function = getattr(bounds, name)
        plain, scaled = function(K, y, ridge=2.0), function(9.0 * K, y, ridge=18.0)
        assert scaled.value == pytest.approx(plain.value)
    plain, scaled = bounds.sm_lssvm(K, y, ridge=2.0), bounds.sm_lssvm(9.0 * K, y, ridge=18.0)
    assert scaled.value == pytest.approx(plain.value)
    fsm = bounds.fsm_training_error(9.0 * K, y).value
    assert fsm == pytest.approx(bounds.fsm_training_error(K, y).value)
    stability = bounds.ks_empirical_stability(9.0 * K, y, ridge=18.0)
    assert stability == pytest.approx(bounds.ks_empirical_stability(K, y, ridge=2.0))


def test_flags_flip_where_assumptions_are_violated():
    K, y = problem()
    assert by_text(bounds.sm_lssvm(K, y, ridge=1000.0), "|f_S|_K") is True
    assert by_text(bounds.sm_lssvm(K, y, ridge=1e-3), "|f_S|_K") is False
    assert by_text(bounds.er_svm(K, y, ridge=1000.0), "|f_S|_K") is True
    few = bounds.sm_lssvm(K[:4, :4], [0, 1, 0, 1])
    assert by_text(few, "n = 4 >= 5") is False
    signs = 2.0 * y - 1.0
    signed = K * np.outer(signs, signs)
    assert by_text(bounds.sm_svm(signed + np.eye(30), y), "no entry of K is negative") is False
    assert by_text(bounds.sm_svm(K, y), "no entry of K is negative") is True
    far = np.outer(np.arange(30.0) - 14.0, np.arange(30.0) - 14.0)
    assert by_text(bounds.sm_lssvm(far, y, normalizer="sum"), "no eigenvalue of K exceeds") is False
    assert by_text(bounds.sm_lssvm(far, y, normalizer="trace"), "no eigenvalue") is True


def test_flags_of_what_is_known_beforehand():
    K, y = problem()
    assert by_text(bounds.ks_krr(K, y), "kappa = 1") is None
    enough = bounds.ks_krr(K, y, beta="worst", limits=bounds.Limits(kernel=1.0))
    assert enough.valid is True
    small = bounds.ks_krr(K, y, limits=bounds.Limits(kernel=0.5, target=0.5))
    assert by_text(small, "kappa = 0.5") is False and by_text(small, "M = 0.5") is False
    assert by_text(bounds.ks_krr(K, y, beta=0.1), "|K - K^i| <= beta") is False
    assert by_text(bounds.ks_krr(K, y, beta=100.0), "|K - K^i| <= beta") is None
    assert by_text(bounds.ks_krr_prediction(K, y), "|K - K^i| <= beta for this sample") is True
    real = bounds.ks_krr(K, y + 0.25 * np.arange(30))
    assert by_text(real, "|y| <= M") is None
    printed = bounds.sps_krr(K, y, beta=0.1, variant="printed")
    assert by_text(printed, "|s_j(K) - s_j(K^i)|") is None


def test_indefinite_matrices_are_flagged():
    K, y = problem()
    K = K - 0.5 * np.eye(30)
    assert bounds.ks_krr(K, y, ridge=2.0).valid is False
    assert by_text(bounds.ks_krr(K, y, ridge=2.0), "positive semidefinite") is False
    assert by_text(bounds.er_decay(K), "positive semidefinite") is False


def test_text():
    K, y = problem()
    text = str(bounds.sm_lssvm(K, y, ridge=3.0, variant="printed"))
    assert text.startswith("Li et al. 2017, Theorem 1 (printed)\nthe error rate")
    assert "vacuous, 1 without the theorem" in text
    assert "[yes] n = 30 >= 5" in text and "[NO] the print follows" in text and "[?]" in text
    assert "fit: -" in text


def test_what_is_refused():
    K, y = problem()
    real = y + 0.25 * np.arange(30)
    for name in ("sm_lssvm", "sm_svm", "er_svm", "er_lssvm", "ks_svm", "sps_svm"):
        with pytest.raises(ValueError, match="is for two classes"):
            getattr(bounds, name)(K, real)
    with pytest.raises(ValueError, match="two classes or a real target"):
        bounds.ks_krr(K, np.arange(30) % 3)
    with pytest.raises(ValueError, match="K has 30 rows but y has 29 entries"):
        bounds.ks_krr(K, y[1:])
    with pytest.raises(ValueError, match="'variant' parameter"):
        bounds.sps_krr(K, y, variant="exact")
    with pytest.raises(ValueError, match="'delta' parameter"):
        bounds.ks_krr(K, y, delta=1.0)
    with pytest.raises(ValueError, match="t must be an integer between 1 and n - 1 = 29"):
        bounds.er_krr(K, y, t=30)
    with pytest.raises(ValueError, match="k must be above 1"):
        bounds.er_krr(K, y, k=1.0)
    with pytest.raises(ValueError, match="'kernel' parameter"):
        bounds.Limits(kernel=-1.0)
    with pytest.raises(ValueError, match="'beta' parameter"):
        bounds.ks_krr(K, y, beta="largest")
    with pytest.raises(ValueError, match="k must be an integer between 2 and n = 30"):
        bounds.ks_krr_cv_variance(K, y, k=31)
    with pytest.raises(ValueError, match="leave fewer than two to train on"):
        bounds.ks_svm_cv_variance(K[:3, :3], [0, 1, 1], k=2)
    with pytest.raises(ValueError, match="'removed_ridge' parameter"):
        bounds.ks_empirical_stability(K, y, removed_ridge="none")
    with pytest.raises(ValueError, match="'ridge' parameter"):
        bounds.ks_krr(K, y, ridge=0.0)


def test_overview_of_a_real_target_and_of_a_lonely_row():
    K, y = problem()
    real = bounds.all_bounds(K, y + 0.25 * np.arange(30))
    assert set(real) == {
        "er_decay", "er_krr", "ks_krr", "ks_krr_cv_variance", "ks_krr_prediction",
        "ks_krr_stability", "sps_krr",
    }  # fmt: skip
    lonely = np.zeros(30, dtype=int)
    lonely[3] = 1
    found = bounds.all_bounds(K, lonely, variant="printed")
    assert "fsm_training_error" not in found and "sm_svm" in found
    assert found["sps_krr"].variant == "printed"
