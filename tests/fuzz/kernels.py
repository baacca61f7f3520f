"""Kernels and grids: any parameters and rows, and ordinary ones against textbook formulas."""

import pickle

import mpmath
import numpy as np
import scipy.sparse as sp

import kernelwise as kw
import oracles
from fuzz.cases import Trial, insist
from fuzz.draw import chance, log_uniform, pick, wild_integer, wild_number
from fuzz.random_kernels import wild_kernel
from fuzz.rows import tame_rows, wild_rows

DISTANCES = 1e-12  # the relative error that squared distances promise
EPS = np.finfo(float).eps


def kernels(trial: Trial) -> None:
    """Run one case."""
    kind = trial.rng.random()
    if kind < 0.35:
        _against_formula(trial)
    elif kind < 0.5:
        _grids(trial)
    else:
        _anything(trial)


def _anything(trial: Trial) -> None:
    rng = trial.rng
    kernel = trial(wild_kernel, rng)
    insist(pickle.loads(pickle.dumps(kernel)) == kernel, "another kernel after pickling")
    hash(kernel), repr(kernel)
    X = wild_rows(rng) if chance(rng, 0.6) else tame_rows(rng)
    K = trial(kernel, X)
    _check_matrix(kernel, K)
    insist(not np.isnan(kernel.origin), "origin is NaN")
    diagonal = trial.must(kernel.diag, X)
    same = np.isclose(diagonal, np.diagonal(K), rtol=1e-9, atol=1e-300)
    insist((same | ~np.isfinite(diagonal)).all(), "diag is not the diagonal")
    Z = wild_rows(rng) if chance(rng, 0.5) else _more_rows(rng, X)
    cross = trial(kernel, X, Z)
    insist(not np.isnan(cross).any() or _mixes_infinities(kernel), "NaN in the cross matrix")
    insist(np.isfinite(kernel.roughness) and kernel.roughness >= 0.0, "roughness is not a number")


def _check_matrix(kernel, K) -> None:
    """Entries are never NaN: those beyond float64 are infinite, as a polynomial says of its own."""
    insist(not np.isnan(K).any() or _mixes_infinities(kernel), "NaN in the matrix")
    if not kernel.takes_matrix:  # a given matrix is returned as it is
        insist(np.array_equal(K, K.T, equal_nan=True), "the matrix is not symmetric")


def _mixes_infinities(kernel) -> bool:
    """Sums and products of infinities of both signs, and with zeros, have no value."""
    return isinstance(kernel, kw.kernels.Sum | kw.kernels.Product | kw.kernels.Multiple)


def _more_rows(rng, X):
    d = X.shape[1] if hasattr(X, "shape") and len(X.shape) == 2 else 3
    Z = rng.normal(size=(4, d)) * pick(rng, [1.0, 1.0, log_uniform(rng, -150, 150)])
    return sp.csr_matrix(Z) if chance(rng, 0.2) else Z


def _grids(trial: Trial) -> None:
    rng = trial.rng
    kind = rng.integers(4)
    if kind == 0:
        grid = trial(kw.grids.auto, wild_rows(rng), random_state=pick(rng, [None, 0, "a", -1]))
    elif kind == 1:
        grid = trial(kw.grids.libsvm, wild_integer(rng))
    else:
        make = pick(rng, [kw.grids.gaussian, kw.grids.gaussian_gamma, kw.grids.polynomial])
        make = pick(rng, [make, kw.grids.laplacian, kw.grids.matern])
        lo = pick(rng, [-5, 0, 1, 3, int(rng.integers(-1100, 1100)), wild_number(rng)])
        hi = pick(rng, [0, 3, 5, lo, wild_integer(rng)])
        if isinstance(hi, int) and isinstance(lo, int) and hi - lo > 5000:
            return  # a long list is what was asked for
        grid = trial(make, lo, hi)
    insist(len(grid) > 0, "the grid is empty")
    insist(all(isinstance(k, kw.kernels.Kernel) for k in grid), "the grid holds no kernels")


# --- against textbook formulas ---------------------------------------------------------------


def _against_formula(trial: Trial) -> None:
    rng = trial.rng
    X = tame_rows(rng, most=8) * pick(rng, [1.0, 1.0, log_uniform(rng, -60, 60)])
    size = max(float(np.abs(X).max()), 1e-60)
    Z = X if chance(rng, 0.5) else rng.normal(size=(3, X.shape[1])) * size
    kernel, formula = _kernel_and_formula(rng, size)
    rows = sp.csr_matrix(X) if chance(rng, 0.3) else X
    K = trial.must(kernel, rows, Z) if Z is not X else trial.must(kernel, rows)
    for i, x in enumerate(oracles.extended(X)):
        for j, z in enumerate(oracles.extended(Z)):
            _compare(K[i, j], *formula(x, z), f"{kernel} of {X[i]}, {Z[j]}")


def _compare(found: float, expected, error, what: str) -> None:
    """Compare with a value and the error that its formula amplifies rounding to."""
    largest = np.finfo(float).max
    if abs(expected) + error > largest:
        insist(abs(found) > 0.99 * largest or error > largest, f"{what} is {found}, not {expected}")
        return
    right = abs(found - expected) <= error + 1e-300
    insist(right, f"{what} is {found}, not {float(expected)}")


def _kernel_and_formula(rng, size):
    """Return a kernel and what gives, for two points, its value and how far off it may be."""
    m = mpmath
    s = size * log_uniform(rng, -3, 3)
    nu = pick(rng, [0.5, 1.5, 2.5])
    degree, coef0 = int(rng.integers(1, 8)), pick(rng, [0.0, 1.0, 0.5])

    def by_distance(x, z):
        return _exponential(oracles.gaussian(x, z, m.mpf(s * s), m), oracles.sqdist(x, z) / (s * s))

    def by_city_blocks(x, z):
        steps = sum(abs(a - b) for a, b in zip(x, z, strict=True))
        return _exponential(oracles.laplacian(x, z, m.mpf(s), m), steps / s)

    def by_root(x, z):
        steps = 3 * m.sqrt(oracles.sqdist(x, z)) / s
        return _exponential(oracles.matern(x, z, m.mpf(s), nu, m), steps)

    def by_product(x, z):
        value = oracles.polynomial(x, z, degree, m.mpf(coef0), m.mpf(1.0))
        terms = coef0 + sum(abs(a * b) for a, b in zip(x, z, strict=True))
        return value, 100 * EPS * degree * terms**degree

    return pick(
        rng,
        [
            (kw.Gaussian(s * s), by_distance),
            (kw.Laplacian(s), by_city_blocks),
            (kw.Matern(s, nu), by_root),
            (kw.Polynomial(degree, coef0), by_product),
        ],
    )


def _exponential(value, exponent):
    """Return a value that falls as exp(-exponent), the exponent known as well as distances."""
    return value, DISTANCES * (1 + exponent) * value
