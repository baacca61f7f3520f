"""What docs/input.md says is refused is refused, by everything that takes it."""

from typing import Any

import numpy as np
import scipy.sparse as sp

import kernelwise as kw
from fuzz.cases import Trial
from fuzz.draw import Rng, log_uniform, pick
from fuzz.random_kernels import tame_kernel
from fuzz.rows import tame_rows
from fuzz.targets import tame_classes, tame_reals


def refusals(trial: Trial) -> None:
    """Run one case."""
    pick(trial.rng, [_rows, _rows, _targets, _matrices, _ridges])(trial)


def _refuse(trial: Trial, calls: dict[str, Any], *args: Any) -> None:
    name = pick(trial.rng, list(calls))
    trial.refuses(name, calls[name], *args)


def _selector(kernel: kw.kernels.Kernel, **settings: Any) -> kw.KernelSelector:
    return kw.KernelSelector(kernels=[kernel], **settings)


def _rows(trial: Trial) -> None:
    """Rows that are no finite numbers of moderate size, in a table."""
    rng = trial.rng
    X = tame_rows(rng)
    y = tame_classes(rng, len(X))
    kernel = tame_kernel(rng)
    calls = {
        "kernel": kernel,
        "LSSVC.fit": lambda rows: kw.LSSVC(kernel).fit(rows, y),
        "KRR.fit": lambda rows: kw.KRR(kernel).fit(rows, np.arange(len(X)) + 0.5),
        "LSSVC.predict": lambda rows: kw.LSSVC(kernel).fit(X, y).predict(rows),
        "score_kernels": lambda rows: kw.score_kernels(rows, y, kernel),
        "KernelSelector": lambda rows: _selector(kernel).fit(rows, y),
        "grids.auto": kw.grids.auto,
    }
    _refuse(trial, calls, _no_rows(rng, X))


def _no_rows(rng: Rng, X: np.ndarray):
    at = int(rng.integers(X.shape[0])), int(rng.integers(X.shape[1]))

    def with_entry(value, dtype=float):
        rows = X.astype(dtype)
        rows[at] = value
        return rows

    return pick(
        rng,
        [
            with_entry(np.nan),
            with_entry(pick(rng, [np.inf, -np.inf])),
            with_entry(log_uniform(rng, 150.1, 308)),
            with_entry("text", object),
            with_entry(None, object),
            sp.csr_matrix(with_entry(np.nan)),
            sp.csr_matrix(with_entry(1e200)),
            np.ma.masked_array(X, with_entry(np.nan) != X),
            X.astype(str),
            X.astype("S20"),
            X.astype(complex) + 1j,
            (100 * X).astype(np.int64).astype("datetime64[D]"),
            [*X.tolist(), [1.0] * 99],
            X[:0],
            X[:, :0],
            X[:, 0],
            X[None],
            None,
        ],
    )


def _targets(trial: Trial) -> None:
    """Targets that hold nothing to choose by, or no numbers or labels."""
    rng = trial.rng
    X, kernel = tame_rows(rng), tame_kernel(rng)
    n = len(X)
    calls = {
        "score_kernels": lambda y, task: kw.score_kernels(X, y, kernel, task=task),
        "score_matrix": lambda y, task: kw.score_matrix(kernel(X), y, "kta", task=task),
        "KernelSelector": lambda y, task: _selector(kernel, task=task).fit(X, y),
    }
    gaps = np.where(np.arange(n) == 1, np.nan, tame_reals(rng, n))
    alike = np.array([1, "1"] * n, dtype=object)[:n]
    targets = [
        (np.zeros(n, int), "auto"),
        (["only"] * n, "auto"),
        (np.full(n, 0.5), "auto"),
        (gaps, "auto"),
        (np.array([None, *"ab" * n], dtype=object)[:n], "auto"),
        ([f"name {i}" for i in range(n)], "auto"),
        (tame_reals(rng, n), "classification"),
        (np.array(["a", "b"] * n)[:n], "regression"),
        (alike, "auto"),
        (tame_reals(rng, n) * 10.0 ** rng.uniform(105, 300), "regression"),
        (tame_reals(rng, n) * 10.0 ** rng.uniform(-300, -105), "regression"),
        (np.arange(n + 1) % 2, "auto"),
        (tame_reals(rng, n) + 1j, "auto"),
        (np.ones((n, 2)), "auto"),
        (None, "auto"),
    ]
    _refuse(trial, calls, *pick(rng, targets))


def _matrices(trial: Trial) -> None:
    """Kernel matrices that are not square, symmetric and finite."""
    rng = trial.rng
    X = tame_rows(rng)
    K, y = tame_kernel(rng)(X), tame_classes(rng, len(X), most=2)
    calls = {
        "score_matrix": lambda K: kw.score_matrix(K, y, "kta"),
        "score_kernels": lambda K: kw.score_kernels(K, y, kw.Precomputed(), "kta"),
        "LSSVC.fit": lambda K: kw.LSSVC(kw.Precomputed()).fit(K, y),
        "KernelSelector": lambda K: _selector(kw.Precomputed()).fit(K, y),
        "repair": kw.gram.repair,
        "all_bounds": lambda K: kw.bounds.all_bounds(K, y),
    }
    skew = K + np.triu(np.full(K.shape, np.abs(K).max()), 1)
    bad = [K[:-1], K[:, :-1], skew, np.where(np.eye(len(K)), np.nan, K), K[:0, :0], K[0], "K", None]
    _refuse(trial, calls, pick(rng, [*bad, np.where(np.eye(len(K)), np.inf, K)]))


def _ridges(trial: Trial) -> None:
    """Ridges that are not positive, or beyond 1e±100."""
    rng = trial.rng
    X, kernel = tame_rows(rng), tame_kernel(rng)
    y = tame_classes(rng, len(X), most=2)
    calls = {
        "LSSVC.fit": lambda ridge: kw.LSSVC(kernel, ridge).fit(X, y),
        "KRR.fit": lambda ridge: kw.KRR(kernel, ridge).fit(X, np.arange(len(X)) + 0.5),
        "score_kernels": lambda ridge: kw.score_kernels(X, y, kernel, "eloo", ridge=ridge),
        "score_matrix": lambda ridge: kw.score_matrix(kernel(X), y, "eloo", ridge=ridge),
        "KernelSelector": lambda ridge: _selector(kernel, ridge=ridge).fit(X, y),
        "all_bounds": lambda ridge: kw.bounds.all_bounds(kernel(X), y, ridge=ridge),
    }
    size = log_uniform(rng, 100.1, 308)
    ridges = [0, 0.0, -1.0, size, 1.0 / size, np.nan, np.inf, "a", None, [], 10**400, 1j]
    _refuse(trial, calls, pick(rng, ridges))
