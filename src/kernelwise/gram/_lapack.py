"""Cholesky factors and their inverses by LAPACK, for which Ctrl-C does not wait.

scipy's functions keep the interpreter until LAPACK returns, which takes seconds for thousands of
rows. The same functions are called here as C functions, as scipy offers them to Cython and numba,
by ctypes, which leaves the interpreter to other threads meanwhile.
"""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.linalg import cython_lapack, get_lapack_funcs

from kernelwise._threads import awaited
from kernelwise._types import Array

_LONG = 1000  # rows from which on a factor takes long enough to be interrupted
_BLOCK = 256  # columns of which the upper triangle is cleared at once
_LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d"}


def factorize(M: Array) -> Array | None:
    """Return the lower Cholesky factor, zeros above it, in place of M if it is in LAPACK's order.

    None if there is none.
    """
    n, call = M.shape[0], _function("potrf", M)
    if call is None:
        L, info = get_lapack_funcs("potrf", (M,))(M, lower=1, clean=1, overwrite_a=1)
        return L if info == 0 else None
    if awaited(partial(call, b"L", n, M)) != 0:
        return None
    for start in range(0, n, _BLOCK):
        columns = slice(start, min(start + _BLOCK, n))
        M[:start, columns] = 0.0
        M[columns, columns] = np.tril(M[columns, columns])
    return M


def invert(L: Array) -> Array:
    """Return the inverse of a lower triangle, in its place if it is in LAPACK's order."""
    call = _function("trtri", L)
    if call is None:
        return np.asarray(get_lapack_funcs("trtri", (L,))(L, lower=1, overwrite_c=1)[0])
    awaited(partial(call, b"LN", L.shape[0], L))
    return L


def _function(name: str, M: Array) -> Callable[[bytes, int, Array], int] | None:
    """Return a function of LAPACK for a large matrix in its order; None if there is none."""
    letter = _LETTERS.get(M.dtype)
    if letter is None or M.shape[0] < _LONG or not M.flags.f_contiguous:
        return None
    found = _loaded(letter + name)
    return None if found is None else partial(_call, found)


def _call(function: Any, options: bytes, n: int, M: Array) -> int:
    """Call f(options, n, M, its leading dimension, info); return info."""
    rows, info = ctypes.c_int(n), ctypes.c_int(0)
    letters = [ctypes.c_char(option) for option in options]
    function(
        *map(ctypes.byref, letters),
        ctypes.byref(rows),
        ctypes.c_void_p(M.ctypes.data),
        ctypes.byref(rows),
        ctypes.byref(info),
    )
    return info.value


@cache
def _loaded(name: str) -> Any:
    """Return a C function of pointers; None where its integers are not those that we know."""
    capsule = getattr(cython_lapack, "__pyx_capi__", {}).get(name)
    if capsule is None:
        return None
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", api)
    )
    signature = name_of(capsule)
    if signature is None or signature.count(b"int *") != 3:  # rows, leading dimension, info
        return None
    arguments = signature.count(b"*")
    prototype = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arguments)
    return prototype(pointer_of(capsule, signature))
