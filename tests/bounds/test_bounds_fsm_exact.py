"""Equation 15 bounds the training error of the hyperplane of equation 17: in exact arithmetic.

Features are integers, so that means and variances are fractions. The two standard deviations are
roots of fractions; which side of the hyperplane a point is on, and whether the bound holds, are
decided by comparing squares. No tolerance hides anything.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernelwise import bounds


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def variance(values):
    middle = mean(values)
    return sum((v - middle) ** 2 for v in values) / (len(values) - 1)


def sign(value):
    return (value > 0) - (value < 0)


def sign_of_sum(A, a, B, b):
    """The sign of A sqrt(a) + B sqrt(b)."""
    first, second = sign(A) * (a > 0), sign(B) * (b > 0)
    if first * second >= 0:
        return sign(first + second)
    return first * sign(A**2 * a - B**2 * b)


class Exact:
    """Equations 9, 10 and 17 on integer features: u is <phi, phi+ - phi->."""

    def __init__(self, Phi, y):
        Phi = [[Fraction(int(v)) for v in row] for row in Phi]
        columns = range(len(Phi[0]))
        plus = [row for row, label in zip(Phi, y, strict=True) if label > 0]
        minus = [row for row, label in zip(Phi, y, strict=True) if label < 0]
        gap = [mean([r[j] for r in plus]) - mean([r[j] for r in minus]) for j in columns]
        self.y, self.gap_squared = list(y), sum(g * g for g in gap)
        self.u = [sum(r[j] * gap[j] for j in columns) for r in Phi]
        self.of = {
            s: [u for u, label in zip(self.u, y, strict=True) if label == s] for s in (1, -1)
        }
        self.means = {s: mean(self.of[s]) for s in (1, -1)}
        self.variances = {s: variance(self.of[s]) for s in (1, -1)}

    def side(self, u):
        """The sign of u less the threshold, (s- m+ + s+ m-) / (s+ + s-)."""
        A, B = u - self.means[1], u - self.means[-1]
        if self.variances[1] == self.variances[-1] == 0:
            return sign(A + B)  # in the middle
        return sign_of_sum(A, self.variances[-1], B, self.variances[1])

    def wrong(self):
        """How many rows lie beyond the hyperplane; those on it are right."""
        return sum(self.side(u) * label < 0 for u, label in zip(self.u, self.y, strict=True))

    def allows(self, wrong):
        """Whether wrong / n <= FSM^2 / (1 + FSM^2), FSM = (s+ + s-) / gap^2 for spreads of u."""
        right = len(self.y) - wrong
        a, b = self.variances[1], self.variances[-1]
        excess = wrong * self.gap_squared**2 - right * (a + b)
        return excess <= 0 or excess**2 <= 4 * right**2 * a * b

    def clearly_wrong(self):
        """How many rows are wrong by more than rounding could hide."""
        s = {label: float(v) ** 0.5 for label, v in self.variances.items()}
        share = s[-1] / (s[1] + s[-1]) if s[1] + s[-1] else 0.5
        threshold = share * float(self.means[1]) + (1 - share) * float(self.means[-1])
        slack = 1e-6 * (1 + max(abs(float(u)) for u in self.u))
        return sum(
            label * (float(u) - threshold) < -slack for u, label in zip(self.u, self.y, strict=True)
        )


@st.composite
def rows_of_two_classes(draw):
    """Sizes from equal to one against twenty; ties, outliers and constant classes among them."""
    n_plus, n_minus = draw(st.integers(2, 40)), draw(st.integers(2, 4))
    number = draw(st.sampled_from([st.integers(-1, 1), st.integers(-3, 3), st.integers(-999, 999)]))
    Phi = [[draw(number)] for _ in range(n_plus + n_minus)]
    if draw(st.booleans()):  # a second direction
        Phi = [[*row, draw(st.integers(-2, 2))] for row in Phi]
    y = [1] * n_plus + [-1] * n_minus
    return Phi, (y if draw(st.booleans()) else [-label for label in y])


@settings(max_examples=80)
@given(rows_of_two_classes())
@example(([[0]] * 4 + [[3], [5]], [1] * 4 + [-1] * 2))  # a class without variance
@example(([[0]] * 3 + [[1]] * 2, [1] * 3 + [-1] * 2))  # neither has any
@example(([[0]] * 38 + [[999]] + [[1], [1]], [1] * 39 + [-1] * 2))  # one outlier, 39 against 2
@example(([[0], [0], [0], [-9], [1], [1], [1], [10]], [1] * 4 + [-1] * 4))
def test_the_error_of_equation_17_is_within_equation_15(data):
    Phi, y = data
    exact = Exact(Phi, y)
    K = np.array(Phi, dtype=float) @ np.array(Phi, dtype=float).T
    if exact.gap_squared == 0:
        assert bounds.fsm_training_error(K, y).value == 1.0
        return
    assert exact.allows(exact.wrong())
    wrong = round(bounds.fsm_hyperplane_error(K, y) * len(y))
    assert exact.clearly_wrong() <= wrong <= exact.wrong()
    fsm = sum(float(v) ** 0.5 for v in exact.variances.values()) / float(exact.gap_squared)
    value = bounds.fsm_training_error(K, y).value
    assert value == pytest.approx(fsm**2 / (1 + fsm**2), rel=1e-6, abs=1e-9)


def test_the_bound_is_nearly_reached():
    """Two-point classes, as in Chebyshev's inequality: a fifth of each just beyond."""
    rows = 400
    far = rows // 5
    Phi = [[999]] * (rows - far) + [[-1]] * far + [[-999]] * (rows - far) + [[1]] * far
    y = [1] * rows + [-1] * rows
    K = np.array(Phi, dtype=float) @ np.array(Phi, dtype=float).T
    error, value = bounds.fsm_hyperplane_error(K, y), bounds.fsm_training_error(K, y).value
    assert error == 0.2
    assert error < value < 1.01 * error


def test_another_hyperplane_is_not_bounded():
    """With the two spreads exchanged it passes through the middle of the wider class."""
    exact = Exact([[0]] * 2 + [[9]] * 10 + [[11]] * 10, [1] * 2 + [-1] * 20)
    assert exact.allows(exact.wrong())
    exact.variances = {1: exact.variances[-1], -1: exact.variances[1]}
    assert exact.wrong() == 10
    assert not exact.allows(10)
