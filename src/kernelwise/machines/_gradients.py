"""Gradients of sums of functions of city-block distances, compiled by numba.

The derivative of |x - z|_1 is the sign of every difference, so that a gradient is a sum over pairs
of rows, features and targets that no matrix product does. The signs of four pairs are found once
for all targets, for as many features as fit into the fastest cache; the loops over features are
plain enough for LLVM to vectorise. The function releases the interpreter lock.
"""

import numpy as np
from numba import njit

import kernelwise.gram._compiling  # noqa: F401 (says that it compiles)
from kernelwise._types import Array

# As in gram/_loops: sums may be reassociated, NaN and infinity keep their meaning.
_OPTIONS = {"nogil": True, "cache": True, "fastmath": {"reassoc", "contract", "arcp", "nsz"}}
_INLINE = {**_OPTIONS, "inline": "always"}
FEATURES = 256  # at once: their signs in four rows, and their sums, stay in the fastest cache


@njit(**_OPTIONS)
def city_block(X: Array, Z: Array, W: Array, A: Array) -> Array:
    """Return sum_i A[c, i] W[a, i] sign(X[a, j] - Z[i, j]) at [c, a, j]; all are contiguous."""
    (m, d), n = X.shape, Z.shape[0]
    out, signs = np.zeros((A.shape[0], m, d)), np.empty((4, d))
    for a in range(m):
        for i in range(0, n - 3, 4):
            _set_four_signs(X[a], Z[i : i + 4], signs)
            for c in range(A.shape[0]):
                _add_four(W[a, i : i + 4], A[c, i : i + 4], signs, out[c, a])
        for i in range(n - n % 4, n):
            _set_signs(X[a], Z[i], signs[0])
            for c in range(A.shape[0]):
                _add_one(W[a, i] * A[c, i], signs[0], out[c, a])
    return out


@njit(**_INLINE)
def _set_four_signs(x, Z, signs):
    for j in range(x.shape[0]):
        v, z0, z1, z2, z3 = x[j], Z[0, j], Z[1, j], Z[2, j], Z[3, j]
        signs[0, j] = (1.0 if v > z0 else 0.0) - (1.0 if v < z0 else 0.0)
        signs[1, j] = (1.0 if v > z1 else 0.0) - (1.0 if v < z1 else 0.0)
        signs[2, j] = (1.0 if v > z2 else 0.0) - (1.0 if v < z2 else 0.0)
        signs[3, j] = (1.0 if v > z3 else 0.0) - (1.0 if v < z3 else 0.0)


@njit(**_INLINE)
def _add_four(w, a, signs, total):
    w0, w1, w2, w3 = w[0] * a[0], w[1] * a[1], w[2] * a[2], w[3] * a[3]
    for j in range(total.shape[0]):
        near = w0 * signs[0, j] + w1 * signs[1, j]
        total[j] += near + (w2 * signs[2, j] + w3 * signs[3, j])


@njit(**_INLINE)
def _set_signs(x, z, signs):
    for j in range(x.shape[0]):
        signs[j] = (1.0 if x[j] > z[j] else 0.0) - (1.0 if x[j] < z[j] else 0.0)


@njit(**_INLINE)
def _add_one(weight, signs, total):
    for j in range(total.shape[0]):
        total[j] += weight * signs[j]
