"""Bounds of extreme matrices, targets, ridges and arguments: a number, or why there is none."""

import contextlib
import inspect
import math

import numpy as np
import pytest

import kernelwise as kw
from inside import Undefined, evaluate, observe, references
from kernelwise import bounds

X = np.random.default_rng(0).normal(size=(10, 2))
Y = np.repeat([0, 1], [4, 6])
REAL = np.random.default_rng(1).normal(size=10)
FUNCTIONS = [getattr(bounds, name) for name in bounds.__all__ if name[0].islower()]

MATRICES = {
    "zero": np.zeros((10, 10)),
    "negative": -np.eye(10),
    "ones": np.ones((10, 10)),
    "indefinite": kw.Sigmoid(1.0, -1.0)(X),
    "hollow": np.ones((10, 10)) - np.eye(10),
    "one entry": np.diag([1.0] + 9 * [0.0]),
    "gaussian": kw.Gaussian(1.0)(X),
    "linear": kw.Linear()(X),
    "small": 1e-50 * kw.Gaussian(1.0)(X),
    "large": 1e50 * kw.Gaussian(1.0)(X),
    "uneven": np.diag(10.0 ** np.linspace(-50, 50, 10)),
}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("ridge", [1e-100, 1.0, 1e100])
@pytest.mark.parametrize("y", [Y, REAL, 1e49 * REAL, 1e-49 * REAL], ids=lambda y: f"{y[0]:.0e}")
def test_every_bound_is_a_number_or_left_out_with_a_reason(name, ridge, y):
    task = "classification" if y is Y else "regression"
    for variant in ("corrected", "printed"):
        found = evaluate(MATRICES[name], y, ridge=ridge, variant=variant, task=task)
        assert found.bounds.keys() | found.left_out.keys() == references().keys()
        for bound in found.bounds.values():
            assert not np.isnan([bound.value, bound.trivial, *bound.terms.values()]).any()
            assert str(bound)
        assert all(reason for reason in found.left_out.values())
    seen = observe(MATRICES[name], y, ridge=ridge, task=task)
    assert not np.isnan([number.value for number in seen.values()]).any()


@pytest.mark.parametrize("factor", [1e-200, 1e200])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_matrix_whose_squares_are_no_numbers_is_refused(function, factor):
    K = factor * np.eye(10)
    arguments = {"K": K, "y": Y} if "y" in inspect.signature(function).parameters else {"K": K}
    with pytest.raises(ValueError, match=r"^K has entries up to .* rescale K\.$"):
        function(**arguments)


@pytest.mark.parametrize("n", [3, 4])
def test_few_rows_leave_out_what_needs_more(n):
    found = evaluate(np.eye(n), [0, 1, 1, 0][:n])
    assert found.left_out["er_decay"].startswith("t must be an integer between 1 and")
    assert found.left_out["ks_krr_cv_variance"].startswith("k must be an integer between 2 and")
    assert "ks_krr" in found.bounds
    with pytest.raises(ValueError, match="2 sample"):
        bounds.all_bounds(np.eye(2), [0, 1])


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="y has only one class"):
        bounds.all_bounds(np.eye(5), np.ones(5, int))


class TestZeroMatrix:
    def test_stability_is_zero(self):
        found = evaluate(np.zeros((10, 10)), Y)
        assert found.bounds["ks_svm_stability"].value == 0.0
        assert found.bounds["ks_krr_prediction"].value == 0.0
        assert "no eigenvalue" in found.left_out["er_decay"]
        assert "do not sum to a positive number" in found.left_out["er_krr"]

    def test_machines_say_nothing(self):
        seen = observe(np.zeros((10, 10)), Y)
        assert seen["er_krr"].value == seen["er_svm"].value == 1.0


class TestExtremeRidges:
    K = kw.Gaussian(1.0)(X)

    def test_the_svm_of_a_tiny_ridge_has_the_hard_margin(self):
        """Where the classes can be separated every small ridge has the same machine."""
        tiny, small = (bounds.er_svm(self.K, Y, ridge=r) for r in (1e-100, 1e-8))
        assert tiny.terms["training"] < 1e-9
        assert math.isclose(tiny.value, small.value, rel_tol=1e-6)

    def test_the_svm_of_a_tiny_ridge_on_a_singular_matrix_is_undefined(self):
        with pytest.raises(Undefined, match="did not converge at ridge = 1e-100, so use a larger"):
            bounds.er_svm(kw.Linear()(X), Y, ridge=1e-100)

    def test_bounds_beyond_float64_are_undefined(self):
        with pytest.raises(Undefined, match="beyond float64, so use a larger ridge"):
            bounds.ks_krr_cv_variance(self.K, Y, ridge=1e-100)

    def test_scores_and_norms_follow_the_ridge(self):
        """Of a large ridge f = K y / ridge, to the last digits."""
        bound = bounds.sm_lssvm(self.K, Y, ridge=1e90)
        largest = np.abs(self.K @ np.where(Y == 1, 1.0, -1.0)).max() / 1e90
        text = next(a.text for a in bound.assumptions if "on the sample" in a.text)
        assert f"{largest:.4g}" in text

    @pytest.mark.parametrize("ridge", [0.0, -1.0, 1e-101, 1e101, np.nan, np.inf, "a", None, [1.0]])
    def test_ridges_out_of_range_are_refused(self, ridge):
        with pytest.raises(ValueError, match="'ridge' parameter"):
            bounds.all_bounds(self.K, Y, ridge=ridge)


def test_the_decay_of_a_spectrum_does_not_overflow():
    """i^300 of fifty eigenvalues, most of them zero, is infinite times zero."""
    K = np.diag(np.r_[1.0, 1e-200, np.zeros(48)])
    bound = bounds.er_decay(K, t=1, gamma=300.0)
    assert bound.value > 0.0 and bound.valid and math.isclose(bound.terms["constant"], 0.02)
    assert bounds.er_decay(np.eye(10), gamma=1e300).value == -1.0


HOSTILE = [0, -1, np.nan, np.inf, "a", [1], 1j, np.array([1.0, 2.0]), object()]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_hostile_arguments_are_refused_or_taken(function):
    parameters = inspect.signature(function).parameters
    given = {"K": np.eye(6), "y": np.repeat([0, 1], 3)}
    usual = {name: given[name] for name in given if name in parameters}
    for name in parameters:
        for value in HOSTILE:
            with contextlib.suppress(Undefined, ValueError, TypeError):
                function(**{**usual, name: value})


@pytest.mark.parametrize("value", [1.0, "large", (1.0, 1.0)])
def test_limits_of_another_type_are_refused(value):
    with pytest.raises(TypeError, match=r"limits must be a bounds\.Limits or None, got"):
        bounds.er_krr(np.eye(6), REAL[:6], limits=value)


def test_a_bound_of_terms_beyond_float64_is_undefined():
    for terms, trivial in (({"a": np.inf}, 1.0), ({"a": np.nan}, 1.0), ({"a": 1.0}, np.inf)):
        with pytest.raises(Undefined, match="beyond float64"):
            bounds.Bound.of("a loss", terms, trivial, "Theorem 0")
