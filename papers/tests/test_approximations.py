"""Matrices of low rank against their definitions."""

import numpy as np
import pytest

import kernelwise as kw
import oracles
from inside import Dense, Targets
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.papers import approximations as low

X = np.random.default_rng(0).normal(size=(60, 2))
Y = np.where(X[:, 0] > 0.0, 1, -1)


def by_hand(K):
    """The three terms of a matrix, by their naive forms."""
    loss = oracles.training_loss(K, Y.astype(float), 1.0, bias=False)
    return {
        "stability": oracles.kernel_stability(K),
        "perturbation": 60**2 * (oracles.sps_first_order(K, Y, 1.0, 1.0, bias=False) - loss),
        "training": loss,
    }


def test_exact_terms():
    found = low.terms(Dense(), kw.Gaussian(1.0), X, Targets.of(Y))
    assert found == pytest.approx(by_hand(kw.Gaussian(1.0)(X)), rel=1e-8)


def test_a_random_projection_is_that_of_its_definition():
    K = kw.Gaussian(1.0)(X)
    omega = np.random.default_rng(3).normal(size=(60, 8))
    C = K @ omega
    sketch = C @ np.linalg.pinv(omega.T @ C, rcond=1e-12) @ C.T
    phi = low.projected(K, 8, 3)
    np.testing.assert_allclose(phi @ phi.T, sketch, atol=1e-9)
    found = low.approximate(low.METHODS[2], 8, kw.Gaussian(1.0), X, Targets.of(Y), 3)
    assert found == pytest.approx(by_hand(sketch), rel=1e-5)


@pytest.mark.parametrize("method", low.METHODS)
def test_a_wide_kernel_has_a_small_rank(method):
    """Twenty features are enough for a kernel that is nearly a polynomial."""
    exact = low.terms(Dense(), kw.Gaussian(200.0), X, Targets.of(Y))
    found = low.approximate(method, 20, kw.Gaussian(200.0), X, Targets.of(Y), 0)
    assert found == pytest.approx(exact, rel=1e-4)


def test_the_page(folder, monkeypatch):
    monkeypatch.setattr(low, "_SETS", {"heart": low.KS_TABLE2})
    monkeypatch.setattr(low, "RANKS", (5, 20))
    monkeypatch.setattr(low, "_TAUS", (1.0, 64.0))
    experiment = EXPERIMENTS["approximations"]
    [job] = experiment.jobs(low_effort())
    lines = [{"dataset": "heart", "repetition": "0"} | as_text(x) for x in experiment.work(job)]
    assert len(lines) == 2 * 3 * 2
    assert "| Nyström, uniform | 20 |" in experiment.page(lines)
    assert experiment.figure(lines).axes and "rank 20" in experiment.summary(lines)


def low_effort():
    from kernelwise_papers.experiment import Effort

    return Effort(1, None, ("heart",))


def as_text(line):
    return {name: str(value) for name, value in line.items()}
