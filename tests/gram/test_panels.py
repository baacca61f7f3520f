"""Cholesky factors in steps are LAPACK's, whatever the size of a step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inside import CholeskyInverse, NotPositiveDefinite, Task, panels


class Counter(Task):
    """Counts what it is told."""

    def __init__(self):
        self.told = 0

    def advance(self):
        self.told += 1


@pytest.fixture
def small_steps(monkeypatch):
    """Let matrices of a few rows take many steps."""
    for name, value in {"STEPWISE": 2, "_SMALL": 5, "_THIN": 3, "_STEP": 40}.items():
        monkeypatch.setattr(panels, name, value)


def positive(n, seed, order="F"):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return np.array(A @ A.T + n * np.eye(n), order=order)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [2, 5, 6, 11, 37])
def test_the_factor_and_its_inverse(small_steps, n, order):
    M = positive(n, n, order)
    expected = np.linalg.cholesky(M)
    M[np.triu_indices(n, 1)] = np.nan  # is not read
    seen = Counter()
    L = panels.cholesky_factor(M, seen)
    np.testing.assert_allclose(L, expected, rtol=1e-12, atol=1e-12)
    assert L is M
    assert seen.told == panels.PARTS
    N = panels.inverse_factor(L, seen)
    np.testing.assert_allclose(N @ expected, np.eye(n), atol=1e-12)
    assert np.all(N[np.triu_indices(n, 1)] == 0.0)
    assert seen.told == 2 * panels.PARTS


@settings(deadline=None, max_examples=12)
@given(n=st.integers(2, 25), bad=st.integers(0, 24))
def test_what_is_not_positive_definite_has_no_factor(n, bad):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"STEPWISE": 2, "_SMALL": 4, "_THIN": 2}.items():
            patch.setattr(panels, name, value)
        M = np.eye(n, order="F")
        M[bad % n, bad % n] = -1.0
        assert panels.cholesky_factor(M) is None


def test_the_inverse_of_a_machine_is_the_same_in_steps(monkeypatch):
    K, B = positive(40, 0, "C"), np.random.default_rng(1).normal(size=(40, 2))
    whole = CholeskyInverse(K.copy(), 0.5)
    expected = whole.solve(B), whole.diagonal(), whole.logdet()
    for name, value in {"STEPWISE": 2, "_SMALL": 8, "_THIN": 4}.items():
        monkeypatch.setattr(panels, name, value)
    steps = CholeskyInverse(K.copy(), 0.5)
    for found, wanted in zip(
        (steps.solve(B), steps.diagonal(), steps.logdet()), expected, strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
    with pytest.raises(NotPositiveDefinite):
        CholeskyInverse(-K, 0.5)


def test_no_step_is_long():
    """The longest step of a large factor is a small share of it."""
    n = 30_000
    longest = max(panels._SMALL**3 / 6.0, panels._STEP)
    assert longest < 0.01 * n**3 / 6.0


def test_a_key_ends_it_between_two_steps(small_steps):
    class Pressed(Task):
        def advance(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        panels.cholesky_factor(positive(60, 3), Pressed())
