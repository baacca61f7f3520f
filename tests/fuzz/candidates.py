"""Candidates of every kind: transformed kernels, names, functions, matrices."""

from typing import Any

import numpy as np
import scipy.sparse as sp

import kernelwise as kw
from fuzz.cases import Trial, insist
from fuzz.criteria import tame_criterion
from fuzz.draw import Rng, chance, log_uniform, pick, tame_number, wild_number
from fuzz.random_kernels import tame_kernel, wild_kernel
from fuzz.rows import tame_rows, wild_rows
from fuzz.scoring import check_result
from fuzz.targets import length, tame_classes, wild_target

NAMES = ["rbf", "laplacian", "matern", "poly", "linear", "sigmoid", "auto"]
ENGINES = ["auto", "dense", "tiled", kw.gram.Tiled(tile=7), kw.gram.LowRank(5)]


def candidates(trial: Trial) -> None:
    """Run one case."""
    kind = trial.rng.random()
    if kind < 0.3:
        _transformed(trial)
    elif kind < 0.7:
        _given(trial)
    else:
        _matrices(trial)


# --- transformed kernels ----------------------------------------------------------------------


def _transformed(trial: Trial) -> None:
    rng = trial.rng
    if chance(rng, 0.5):
        _against_transformed_rows(trial)
        return
    X = wild_rows(rng) if chance(rng, 0.5) else tame_rows(rng)
    kernel = trial(_wild_transform, rng, X)
    hash(kernel), repr(kernel), hash(kernel.family)
    K = trial(kernel, X)
    insist(K.shape == (length(X), length(X)), "the matrix has another shape")
    insist(np.isfinite(kernel.roughness), "roughness is not a number")


def _wild_transform(rng: Rng, X: Any) -> Any:
    d = max(1, X.shape[1]) if getattr(X, "ndim", 0) == 2 else 3
    inner = wild_kernel(rng, 1)
    if chance(rng, 0.5):
        weights = [wild_number(rng) if chance(rng, 0.2) else tame_number(rng) for _ in range(d)]
        return kw.Scaled(pick(rng, [weights, weights, np.abs(rng.normal(size=d)), 1.0]), inner)
    columns = [int(c) for c in rng.permutation(d)[: rng.integers(1, d + 1)]]
    return kw.Columns(pick(rng, [columns, columns, [*columns, d], ["a"], [0, 0], []]), inner)


def _against_transformed_rows(trial: Trial) -> None:
    """Compare with the kernel of rows that were transformed first, in every engine."""
    rng = trial.rng
    X = tame_rows(rng)
    inner, d = tame_kernel(rng, 1), X.shape[1]
    if chance(rng, 0.5):
        w = np.where(rng.random(d) < 0.2, 0.0, np.exp(rng.normal(size=d)))
        kernel, Z = kw.Scaled(w, inner), X * w
    else:
        columns = rng.permutation(d)[: rng.integers(1, d + 1)]
        kernel, Z = kw.Columns(columns.tolist(), inner), X[:, columns]
    np.testing.assert_allclose(trial.must(kernel, X), inner(Z), rtol=1e-10, atol=1e-300)
    rows = sp.csr_matrix(X) if chance(rng, 0.3) else X
    np.testing.assert_allclose(trial.must(kernel, rows), inner(Z), rtol=1e-9, atol=1e-300)
    y, engine = tame_classes(rng, len(X)), pick(rng, ["dense", kw.gram.Tiled(tile=5)])
    ours = trial(kw.score_kernels, X, y, kernel, ["sm"], engine=engine).table["sm"]
    theirs = trial(kw.score_kernels, Z, y, inner, ["sm"], engine=engine).table["sm"]
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


# --- what users give for candidates -----------------------------------------------------------


def _given(trial: Trial) -> None:
    rng = trial.rng
    X = wild_rows(rng) if chance(rng, 0.3) else tame_rows(rng)
    n = length(X)
    y = wild_target(rng, n) if chance(rng, 0.2) else tame_classes(rng, max(n, 4))
    given: Any = [_candidate(rng) for _ in range(int(rng.integers(1, 4)))]
    given = pick(rng, [given, given, given[0]])
    if chance(rng, 0.5):
        engine = pick(rng, ENGINES)
        result = trial(kw.score_kernels, X, y, given, tame_criterion(rng, True), engine=engine)
        check_result(trial, result)
        return
    selector = trial(kw.KernelSelector(kernels=given).fit, X, y)
    insist(selector.best_kernel_ in selector.result_.kernels, "the choice was no candidate")
    trial.must(selector.predict, X)
    again = trial.must(type(selector.result_).from_json, selector.result_.to_json())
    insist(list(map(str, again.kernels)) == list(map(str, selector.result_.kernels)), "other names")


def _candidate(rng: Rng) -> Any:
    return pick(
        rng,
        [
            pick(rng, NAMES),
            pick(rng, NAMES),
            tame_kernel(rng),
            _dot,
            _distance,
            _wrong_shape,
            _not_symmetric,
            _broken,
            pick(rng, ["cubic", "", None, 3, kw.Gaussian, {}, kw.Precomputed(), b"rbf"]),
        ],
    )


def _dense(X: Any) -> Any:
    return X.toarray() if sp.issparse(X) else X


def _dot(X: Any, Z: Any) -> Any:
    with np.errstate(all="ignore"):
        return _dense(X) @ _dense(Z).T


def _distance(X: Any, Z: Any) -> Any:
    """A function that is not positive semidefinite."""
    with np.errstate(all="ignore"):
        return np.abs(_dense(X)[:, None] - _dense(Z)[None]).sum(axis=-1)


def _wrong_shape(X: Any, Z: Any) -> Any:
    return np.ones(X.shape[0])


def _not_symmetric(X: Any, Z: Any) -> Any:
    with np.errstate(all="ignore"):
        return _dot(X, Z) + _dense(X)[:, :1]


def _broken(X: Any, Z: Any) -> Any:
    return X["a"]


# --- matrices ---------------------------------------------------------------------------------


def _matrices(trial: Trial) -> None:
    rng = trial.rng
    X = tame_rows(rng)
    n, k = len(X), int(rng.integers(1, 4))
    stack = np.array([tame_kernel(rng, 1)(X) for _ in range(k)])
    y = wild_target(rng, n) if chance(rng, 0.2) else tame_classes(rng, n)
    matrices: Any = _bent(rng, stack) if chance(rng, 0.3) else stack
    if chance(rng, 0.5):
        is_array = isinstance(matrices, np.ndarray) and matrices.ndim == 3
        named = {str(i): K for i, K in enumerate(matrices)} if is_array else matrices
        given = pick(rng, [matrices, named])
        check_result(trial, trial(kw.score_matrices, given, y, tame_criterion(rng, True)))
        return
    if np.ndim(matrices) != 3:
        return  # a table of rows, as elsewhere
    selector = trial(kw.MultiKernelSelector().fit, matrices, y)
    new = matrices[:, : max(1, n // 2)]
    insist(trial.must(selector.predict, new).shape == (new.shape[1],), "another number of rows")


def _bent(rng: Rng, stack: np.ndarray) -> Any:
    """Return what is no stack of kernel matrices, or an odd one."""
    wrong = stack.copy()
    wrong[0, 0, -1] = pick(rng, [np.nan, 1e9, np.inf])
    size = log_uniform(rng, -200, 200)
    return pick(rng, [wrong, stack[:, :-1], stack[:0], stack[0], stack * size, -stack, None, {}])
