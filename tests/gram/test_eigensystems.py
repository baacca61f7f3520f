"""Eigenpairs, short and long decompositions alike."""

import numpy as np
import pytest

from inside import eigensystem, eigensystems
from inside import lapack as _lapack


@pytest.mark.parametrize("long", [1000, 1])
def test_eigenpairs_of_a_symmetric_matrix(long, rng, monkeypatch):
    monkeypatch.setattr(_lapack, "_LONG", long)
    A = rng.normal(size=(60, 60))
    M = A + A.T
    s, Q = eigensystem(M.copy)
    assert np.all(np.diff(s) >= 0.0)
    np.testing.assert_allclose((Q * s) @ Q.T, M, atol=1e-12 * np.abs(s).max() * 60)
    np.testing.assert_allclose(Q.T @ Q, np.eye(60), atol=1e-12)


def test_where_divide_and_conquer_fails_iterations_go_on(rng, monkeypatch):
    A = rng.normal(size=(30, 30))
    expected = np.linalg.eigvalsh(A @ A.T)
    asked = []

    def fails(M):
        asked.append(M.shape)
        M[:] = np.nan  # it may be overwritten before
        raise np.linalg.LinAlgError("Eigenvalues did not converge")

    monkeypatch.setattr(eigensystems, "decompose", fails)
    s, _ = eigensystem(lambda: A @ A.T)
    assert asked == [(30, 30)]
    np.testing.assert_allclose(s, expected, atol=1e-12 * expected[-1])
