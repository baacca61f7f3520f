"""BLAS and LAPACK as C functions, for which neither Ctrl-C nor other threads wait.

scipy's functions keep the interpreter until they return, which for thousands of rows takes seconds,
and lets one thread work at a time. The same functions are called here as scipy offers them to
Cython and numba, by ctypes, which leaves the interpreter to other threads meanwhile.
"""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.linalg import (
    LinAlgError,
    cython_blas,
    cython_lapack,
    eigh,
    get_blas_funcs,
    get_lapack_funcs,
)

from kernelwise._threads import awaited
from kernelwise._types import Array

_LONG = 1000  # rows from which on a factor takes long enough to be interrupted
_BLOCK = 256  # columns of which the upper triangle is cleared at once
_LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}
# How many of a function's arguments are integers; others than we know may be of another length.
_INTEGERS = {"potrf": 3, "trtri": 3, "lauum": 3, "syevd": 6, "trsm": 4, "syrk": 4}
_LARGEST = np.iinfo(np.intc).max


def factorize(M: Array) -> Array | None:
    """Return the lower Cholesky factor, zeros above it, in place of M if it is in LAPACK's order.

    None if there is none.
    """
    n, call = M.shape[0], _long_function("potrf", M)
    if call is None:
        L, info = get_lapack_funcs("potrf", (M,))(M, lower=1, clean=1, overwrite_a=1)
        return L if info == 0 else None
    info = np.zeros(1, np.intc)
    awaited(partial(call, b"L", n, M, n, info))
    if info[0] != 0:
        return None
    for start in range(0, n, _BLOCK):
        columns = slice(start, min(start + _BLOCK, n))
        M[:start, columns] = 0.0
        M[columns, columns] = np.tril(M[columns, columns])
    return M


def invert(L: Array) -> Array:
    """Return the inverse of a lower triangle, in its place if it is in LAPACK's order."""
    n, call = L.shape[0], _long_function("trtri", L)
    if call is None:
        return np.asarray(get_lapack_funcs("trtri", (L,))(L, lower=1, overwrite_c=1)[0])
    awaited(partial(call, b"L", b"N", n, L, n, np.zeros(1, np.intc)))
    return L


def square(L: Array) -> Array:
    """Return the lower triangle of L' L, in place of a lower triangle if it is in LAPACK's order.

    Above it anything may stand.
    """
    n, call = L.shape[0], _long_function("lauum", L)
    if call is None:
        return np.asarray(get_lapack_funcs("lauum", (L,))(L, lower=1, overwrite_c=1)[0])
    awaited(partial(call, b"L", n, L, n, np.zeros(1, np.intc)))
    return L


def decompose(M: Array) -> tuple[Array, Array]:
    """Return the eigenvalues, ascending, and the eigenvectors in place of a symmetric matrix.

    By divide and conquer; LinAlgError where that fails.
    """
    M = M if M.flags.f_contiguous else M.T
    n = M.shape[0]
    size = 1 + 6 * n + 2 * n * n  # of LAPACK's workspace
    call = _long_function("syevd", M) if size <= _LARGEST else None
    if call is None:
        return tuple(eigh(M, driver="evd", overwrite_a=True, check_finite=False))
    values, info = np.empty(n, M.dtype), np.zeros(1, np.intc)
    work, integers = np.empty(size, M.dtype), np.empty(3 + 5 * n, np.intc)
    spaces = work, size, integers, integers.size
    awaited(partial(call, b"V", b"L", n, M, n, values, *spaces, info))
    if info[0] != 0:
        raise LinAlgError("Eigenvalues did not converge")
    return values, M


def solve_triangle(T: Array, B: Array, *, lower: bool, transposed: bool = False) -> Array:
    """Return T^-1 B, or T^-T B, in the place of B if it is in LAPACK's order."""
    if not T.flags.f_contiguous:  # its transpose is, if anything
        T, lower, transposed = T.T, not lower, not transposed
    call = _function("trsm", T, B)
    if call is None:
        trsm = get_blas_funcs("trsm", (T, B))
        return np.asarray(trsm(1.0, T, B, lower=lower, trans_a=transposed, overwrite_b=1))
    (m, n), one = B.shape, np.ones(1, B.dtype)
    letters = b"L", b"L" if lower else b"U", b"T" if transposed else b"N", b"N"
    call(*letters, m, n, one, T, max(m, 1), B, max(m, 1))
    return B


def add_square(C: Array, A: Array) -> None:
    """Add A A' to the upper triangle of C; both in LAPACK's order."""
    call, (m, k) = _function("syrk", A, C), A.shape
    if call is None:
        get_blas_funcs("syrk", (A, C))(1.0, A, beta=1.0, c=C, overwrite_c=1)
    else:
        one = np.ones(1, C.dtype)
        call(b"U", b"N", m, k, one, A, max(m, 1), one, C, max(m, 1))


def _long_function(name: str, M: Array) -> Callable[..., None] | None:
    """Return a function of LAPACK for a large matrix in its order; None if there is none."""
    return None if M.shape[0] < _LONG else _function(name, M)


def _function(name: str, *arrays: Array) -> Callable[..., None] | None:
    """Return a function for matrices of one type in LAPACK's order; None if there is none."""
    letters = {_LETTERS.get(array.dtype) for array in arrays}
    letter = letters.pop()
    if letters or letter is None or not all(array.flags.f_contiguous for array in arrays):
        return None
    found = _loaded(letter + name)
    return None if found is None else partial(_call, found)


def _call(function: Any, *arguments: bytes | int | Array) -> None:
    """Call a function of pointers with letters, integers and arrays."""
    function(*map(_pointer, arguments))


def _pointer(given: bytes | int | Array) -> Any:
    if isinstance(given, np.ndarray):
        return ctypes.c_void_p(given.ctypes.data)
    return ctypes.byref(ctypes.c_int(given) if isinstance(given, int) else ctypes.c_char(given))


@cache
def _loaded(name: str) -> Any:
    """Return a C function of pointers; None where its integers are not those that we know."""
    capsules = (getattr(module, "__pyx_capi__", {}) for module in (cython_blas, cython_lapack))
    capsule = next((known[name] for known in capsules if name in known), None)
    if capsule is None:
        return None
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    signature = name_of(capsule)
    if signature is None or signature.count(b"int *") != _INTEGERS[name[1:]]:
        return None
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * signature.count(b"*"))
    return prototype(pointer_of(capsule, signature))
