"""The weights of a stack and its gate: their formulas, optimality and degenerate cases."""

import numpy as np
import pytest

import oracles
from helpers import close
from inside import PULL, convex_weights, gate, losses


def values_of_members(rng, n=40, c=1, noise=(0.3, 0.5, 0.5, 2.0)):
    """Targets, and values that are off by a shared and an own error each."""
    Y = np.sign(rng.normal(size=(n, c)))
    shared = 0.3 * rng.normal(size=(n, c, 1))
    return Y, Y[:, :, None] + shared + np.asarray(noise) * rng.normal(size=(n, c, len(noise)))


def objective(w, Y, F, share):
    squares = share @ ((Y - F @ w) ** 2).mean(axis=1) / share.sum()
    return squares + PULL * np.sum((w - 1.0 / w.size) ** 2)


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("noise", [(0.5,), (0.3, 0.5, 0.5, 2.0), (5.0, 0.1, 5.0), (0.4, 0.4, 40.0)])
def test_weights_are_those_of_the_best_set_of_members(rng, c, is_weighted, noise):
    Y, F = values_of_members(rng, c=c, noise=noise)
    share = rng.uniform(0.1, 5.0, 40) if is_weighted else np.ones(40)
    close(convex_weights(Y, F, share), oracles.stack_weights(Y, F, weights=share))


@pytest.mark.parametrize("seed", range(10))
def test_weights_satisfy_the_optimality_conditions(seed):
    """The gradient is the same for members of positive weight, and larger for the others."""
    rng = np.random.default_rng(seed)
    Y, F = values_of_members(rng, c=1 + seed % 3, noise=rng.uniform(0.1, 3.0, 5))
    w = convex_weights(Y, F, np.ones(40))
    R = (Y[:, :, None] - F).reshape(-1, 5)
    gradient = R.T @ (R @ w) / len(R) + PULL * w
    level = gradient[w > 0.0].mean()
    assert w.min() >= 0.0
    assert abs(w.sum() - 1.0) <= 5 * np.finfo(float).eps
    close(gradient[w > 0.0], level)
    assert np.all(gradient[w == 0.0] >= level * (1.0 - 1e-9))


def test_no_other_weights_are_better(rng):
    Y, F = values_of_members(rng)
    share = rng.uniform(0.5, 2.0, 40)
    best = objective(convex_weights(Y, F, share), Y, F, share)
    for w in rng.dirichlet(np.ones(4), 200):
        assert objective(w, Y, F, share) >= best


def test_equal_members_share_their_weight(rng):
    Y, F = values_of_members(rng, noise=(0.5, 0.5))
    doubled = np.concatenate([F, F[:, :, 1:]], axis=2)
    w = convex_weights(Y, doubled, np.ones(40))
    close(w[1], w[2])


def test_faultless_members_count_the_same():
    Y = np.ones((5, 1))
    close(convex_weights(Y, np.ones((5, 1, 4)), np.ones(5)), np.full(4, 0.25))


def test_members_of_any_size_leave_sound_weights(rng):
    Y, F = values_of_members(rng, noise=(0.5, 0.5, 1e12, 1e12))
    F[:, :, 3] = F[:, :, 2]
    w = convex_weights(Y, F, np.ones(40))
    close(w[:2], oracles.stack_weights(Y, F[:, :, :2]), rtol=1e-6)
    assert np.all(w[2:] < 1e-12)


@pytest.mark.parametrize("is_real", [False, True])
@pytest.mark.parametrize("penalty", [0.0, 0.7])
def test_gate_by_its_formula(is_real, penalty):
    seen = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        Y, F = values_of_members(rng, c=1 + seed % 2, noise=(0.5, 0.2 + 0.04 * seed))
        single, stack = F[..., 0], F.mean(axis=2)
        gains = losses(Y, single, is_real=is_real) - losses(Y, stack, is_real=is_real)
        expected = oracles.stack_gate(Y, single, stack, is_real, penalty)
        assert gate(gains, penalty) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        seen.add(np.sign(expected - 0.5) if 0.0 < expected < 1.0 else expected)
    assert len(seen) >= 3, "closed, open and in between"


def test_gate_of_gains_that_are_all_the_same():
    assert gate(np.zeros(9)) == 0.0
    assert gate(np.full(9, -1.0)) == 0.0
    assert gate(np.full(9, 1.0)) == 1.0
    assert gate(np.array([0.5])) == 1.0
