"""LAPACK called as C functions: as scipy calls it, but for the interpreter."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import lapack

from kernelwise.gram import _lapack
from kernelwise.gram._lapack import factorize, invert


@pytest.fixture(params=[1, 10**9], ids=["C", "scipy"])
def way(request, monkeypatch):
    monkeypatch.setattr(_lapack, "_LONG", request.param)


def definite(n, dtype=np.float64, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return np.asfortranarray((A @ A.T / n + np.eye(n)).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 600])
def test_factor_and_inverse(way, n, dtype):
    M = definite(n, dtype)
    M[np.triu_indices(n, 1)] = np.nan  # only the lower triangle is read
    whole = definite(n, dtype).astype(np.float64)
    tolerance = 50 * n * np.finfo(dtype).eps * np.abs(whole).max()
    L = factorize(M)
    assert L is M and L.dtype == dtype
    np.testing.assert_array_equal(np.triu(L, 1), 0.0)
    np.testing.assert_allclose(L.astype(float) @ L.T, whole, atol=tolerance)
    N = invert(L.copy(order="F"))
    np.testing.assert_allclose(N.astype(float) @ L, np.eye(n), atol=tolerance)


def test_no_factor(way):
    M = definite(40)
    M[20, 20] = -1.0
    assert factorize(M) is None


def test_other_orders_are_left_to_scipy(way):
    M = np.ascontiguousarray(definite(50))[::-1][::-1]
    L = factorize(M)
    np.testing.assert_allclose(L @ L.T, definite(50), atol=1e-12)


def test_scipy_has_these_functions():
    """Where it has not, Ctrl-C waits again; somebody should know."""
    assert all(_lapack._loaded(letter + name) for letter in "sd" for name in ("potrf", "trtri"))


def test_other_integers_are_not_guessed(monkeypatch):
    monkeypatch.setattr(_lapack, "cython_lapack", SimpleNamespace(__pyx_capi__={}))
    _lapack._loaded.cache_clear()
    assert _lapack._loaded("dpotrf") is None
    _lapack._loaded.cache_clear()


def test_the_interpreter_goes_on_meanwhile(monkeypatch):
    """Scipy keeps it: a thread that counts gets nowhere while it factorises."""
    monkeypatch.setattr(_lapack, "_LONG", 1)
    M, ticks, ends = definite(2500), [], threading.Event()

    def count():
        while not ends.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    counting = threading.Thread(target=count)
    counting.start()
    start = time.perf_counter()
    factorize(M.copy(order="F"))
    stop = time.perf_counter()
    ends.set()
    counting.join()
    assert any(start < tick < stop for tick in ticks)
    lower, info = lapack.dpotrf(M, lower=1, clean=1)
    assert info == 0
    np.testing.assert_allclose(factorize(M), lower, atol=1e-10)
