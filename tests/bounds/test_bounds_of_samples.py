"""A theorem's function is written for a sample; what is called takes the parts of one."""

import inspect

import numpy as np
import pytest

from inside import Sample
from kernelwise import bounds

Y = np.repeat([0, 1], 4)
K = np.eye(8) + 0.5 * np.equal.outer(Y, Y)


def test_the_parts_of_a_sample_come_before_the_options():
    assert list(inspect.signature(bounds.ks_krr).parameters) == [
        "K", "y", "ridge", "limits", "delta", "beta",
    ]  # fmt: skip
    assert list(inspect.signature(bounds.fsm_training_error).parameters) == ["K", "y"]
    assert "limits" not in inspect.signature(bounds.sm_lssvm).parameters


def test_ridge_and_limits_reach_the_sample():
    limits = bounds.Limits(kernel=3.0)
    given = bounds.ks_krr(K, Y, ridge=2.0, limits=limits, beta=1.0)
    assert given == bounds.ks_krr(Sample(K, Y, 2.0, limits), Y, beta=1.0)
    assert given != bounds.ks_krr(K, Y, ridge=2.0, beta=1.0)


def test_what_a_theorem_does_not_take_is_a_type_error():
    with pytest.raises(TypeError, match="limits"):
        bounds.sm_svm(K, Y, limits=None)
    with pytest.raises(TypeError, match="'y'"):
        bounds.er_krr(K)
    with pytest.raises(TypeError, match="too many positional"):
        bounds.er_krr(K, Y, 1.0)


def test_all_bounds_decompose_the_matrix_once(monkeypatch):
    """Every bound of a sample takes its eigenvalues from one decomposition."""
    from inside import eigensystems

    calls = []
    plain = eigensystems.decompose
    monkeypatch.setattr(eigensystems, "decompose", lambda M: calls.append("one") or plain(M))
    for name in ("eigh", "eigvalsh", "svd", "inv"):
        monkeypatch.setattr(np.linalg, name, lambda *a, name=name, **o: calls.append(name))
    X = np.random.default_rng(0).normal(size=(30, 2))
    gram = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    assert len(bounds.all_bounds(gram, X[:, 0] > 0.0)) == 16
    assert calls == ["one"]
