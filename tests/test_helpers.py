"""What tests are judged by is tested too."""

import numpy as np
import pytest

import kernelwise as kw
from helpers import assert_same_text, rounding, rounding_of_decisions


@pytest.mark.parametrize(
    ("made", "same"),
    [
        ("SM 12.35 % on 25 sets", True),
        ("SM 12.34 % on 25 sets", True),
        ("SM 12.37 % on 25 sets", False),
        ("SM 12.35 % on 26 sets", False),
        ("KS 12.35 % on 25 sets", False),
        ("SM 12.35 % on 25 sets\nmore", False),
        ("", False),
    ],
)
def test_texts_may_differ_by_one_unit_of_the_last_digit(made, same):
    written = "SM 12.35 % on 25 sets"
    if same:
        assert_same_text(made, written)
    else:
        with pytest.raises(AssertionError):
            assert_same_text(made, written)


def test_units_of_powers_of_ten():
    assert_same_text("1.23e-05", "1.24e-05")
    with pytest.raises(AssertionError):
        assert_same_text("1.23e-05", "1.23e-04")


def test_sums_in_any_order_stay_within_their_bound(rng):
    a, b = rng.normal(size=(2, 1000))
    for _ in range(20):
        order = rng.permutation(1000)
        apart = abs(np.sum(a * b) - np.cumsum((a * b)[order])[-1])
        assert apart <= rounding(1000, np.sum(np.abs(a * b)))


def test_decisions_in_any_order_stay_within_their_bound_and_the_bound_is_small(two_blobs, rng):
    X, y = two_blobs
    machine = kw.LSSVC(kw.Gaussian(4.0)).fit(X, y)
    order = rng.permutation(len(y))
    K = np.exp(-((X[:, None] - X[order]) ** 2).sum(axis=2) / 8.0)
    expected = K @ machine.dual_coef_[order] + machine.intercept_
    bound = rounding_of_decisions(machine, X)
    np.testing.assert_allclose(machine.decision_function(X), expected, rtol=0, atol=bound)
    assert bound < 1e-11
