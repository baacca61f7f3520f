"""LAPACK called as C functions: as scipy calls it, but for the interpreter."""

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import lapack

from inside import add_square, decompose, factorize, invert, solve_triangle, square
from inside import lapack as _lapack


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 90, 300])
def test_product_of_a_triangle(way, n, dtype):
    L = np.asfortranarray(np.tril(definite(n, dtype)))
    expected = L.T.astype(float) @ L
    L[np.triu_indices(n, 1)] = np.nan  # not read
    found = square(L.copy(order="F"))
    tolerance = 10 * n * np.finfo(dtype).eps * np.abs(expected).max()
    np.testing.assert_allclose(np.tril(found), np.tril(expected), atol=tolerance)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 90, 300])
def test_eigenpairs_in_place(way, n, dtype, order):
    A = definite(n, dtype).astype(float)
    M = A.astype(dtype, order=order)
    s, Q = decompose(M)
    tolerance = 10 * n * np.finfo(dtype).eps * np.abs(A).max() * np.sqrt(n)
    assert np.all(np.diff(s) >= 0.0) and Q.dtype == s.dtype == dtype
    np.testing.assert_allclose((Q.astype(float) * s) @ Q.T, A, atol=tolerance)
    np.testing.assert_allclose(Q.T.astype(float) @ Q, np.eye(n), atol=tolerance)
    assert np.shares_memory(M, Q)


def test_a_decomposition_that_fails(monkeypatch):
    monkeypatch.setattr(_lapack, "_long_function", lambda *_: lambda *given: given[-1].fill(3))
    with pytest.raises(np.linalg.LinAlgError):
        decompose(definite(5))


@pytest.fixture(params=[True, False], ids=["C", "scipy"])
def blas(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(_lapack, "_loaded", lambda name: None)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("columns", [0, 1, 70])
def test_triangles_of_every_form(dtype, order, lower, transposed, columns, rng):
    M = definite(40, dtype).astype(float)
    whole = np.tril(M) if lower else np.triu(M)
    T = M.astype(dtype, order=order)  # the other triangle is not read
    T[np.triu_indices(40, 1) if lower else np.tril_indices(40, -1)] = np.nan
    right = rng.normal(size=(40, columns))
    B = right.astype(dtype, order="F")
    X = solve_triangle(T, B, lower=lower, transposed=transposed)
    assert np.shares_memory(X, B) or columns == 0
    tolerance = 1e3 * np.finfo(dtype).eps * (1.0 + np.abs(X).max(initial=0.0))
    np.testing.assert_allclose((whole.T if transposed else whole) @ X, right, atol=tolerance)


def test_types_that_differ_are_left_to_scipy(rng):
    T, B = np.tril(definite(30)), rng.normal(size=(30, 4)).astype(np.float32)
    np.testing.assert_allclose(T @ solve_triangle(T, B, lower=True), B, atol=1e-5)


@pytest.mark.usefixtures("blas")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 70])
def test_squares_are_added_to_the_upper_triangle(dtype, columns, rng):
    A = rng.normal(size=(50, columns)).astype(dtype, order="F")
    C = definite(50, dtype)
    expected, below = C + A.astype(float) @ A.T, np.tril(C, -1)
    add_square(C, A)
    tolerance = 1e3 * np.finfo(dtype).eps
    np.testing.assert_allclose(np.triu(C), np.triu(expected), atol=tolerance, rtol=tolerance)
    np.testing.assert_array_equal(np.tril(C, -1), below)


@pytest.mark.parametrize("name", ["potrf", "trtri", "lauum", "syevd", "trsm", "syrk"])
def test_scipy_has_these_functions(name):
    """Where it has not, Ctrl-C and other threads wait again; somebody should know."""
    assert all(_lapack._loaded(letter + name) for letter in "sd")


def test_other_integers_are_not_guessed(monkeypatch):
    monkeypatch.setitem(_lapack._INTEGERS, "potrf", 4)
    assert _lapack._loaded.__wrapped__("dpotrf") is None
    monkeypatch.setattr(_lapack, "cython_lapack", SimpleNamespace(__pyx_capi__={}))
    assert _lapack._loaded.__wrapped__("dtrtri") is None


def test_the_interpreter_goes_on_meanwhile(monkeypatch):
    """Scipy keeps it: a thread that counts gets nowhere while it factorises."""
    monkeypatch.setattr(_lapack, "_LONG", 1)
    M, ticks, ends = definite(1500), [], threading.Event()

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
