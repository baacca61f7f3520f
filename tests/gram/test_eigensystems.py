"""Eigenpairs, short and long decompositions alike."""

import numpy as np
import pytest

from kernelwise.gram import eigensystems
from kernelwise.gram.eigensystems import eigensystem


@pytest.mark.parametrize("long", [1000, 1])
def test_eigenpairs_of_a_symmetric_matrix(long, rng, monkeypatch):
    monkeypatch.setattr(eigensystems, "_LONG", long)
    A = rng.normal(size=(60, 60))
    M = A + A.T
    s, Q = eigensystem(M.copy)
    assert np.all(np.diff(s) >= 0.0)
    np.testing.assert_allclose((Q * s) @ Q.T, M, atol=1e-12 * np.abs(s).max() * 60)
    np.testing.assert_allclose(Q.T @ Q, np.eye(60), atol=1e-12)


@pytest.mark.parametrize("long", [1000, 1])
def test_where_divide_and_conquer_fails_iterations_go_on(long, rng, monkeypatch):
    monkeypatch.setattr(eigensystems, "_LONG", long)
    plain, drivers = eigensystems.eigh, []

    def only_iterations(M, driver="evd", **options):
        drivers.append(driver)
        if driver == "evd":
            raise np.linalg.LinAlgError("Eigenvalues did not converge")
        return plain(M, driver=driver, **options)

    A = rng.normal(size=(30, 30))
    expected = np.linalg.eigvalsh(A @ A.T)
    monkeypatch.setattr(np.linalg, "eigh", only_iterations)
    monkeypatch.setattr(eigensystems, "eigh", only_iterations)
    s, _ = eigensystem(lambda: A @ A.T)
    assert drivers == ["evd", "ev"]
    np.testing.assert_allclose(s, expected, atol=1e-12 * expected[-1])
