"""Random rows: ``tame`` ones that nobody may refuse, ``wild`` ones that are anything."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars
import scipy.sparse as sp

from fuzz.draw import Rng, chance, log_uniform, pick


def tame_rows(rng: Rng, most: int = 30) -> np.ndarray:
    """Return ordinary rows, now and then with duplicates, ties or a constant column."""
    n, d = int(rng.integers(6, most + 1)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    kind = rng.integers(6)
    if kind == 0:
        X = X[rng.integers(0, n, n)]
    elif kind == 1:
        X = np.round(X)
    elif kind == 2:
        X[:, -1] = X[0, -1] if d > 1 else X[:, -1]
    elif kind == 3:
        X = X * 10.0 ** rng.integers(-3, 4, d)
    return X


@np.errstate(all="ignore")
def wild_rows(rng: Rng) -> Any:
    """Return anything that somebody may take for rows."""
    X = tame_rows(rng) if chance(rng, 0.8) else rng.normal(size=rng.integers(1, 6, 2))
    for _ in range(int(rng.integers(1, 3))):
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.size and X.dtype == float:
            X = pick(rng, _EXTREME if chance(rng, 0.7) else _INVALID)(rng, X)
    return X


def _scaled(rng: Rng, X: np.ndarray) -> np.ndarray:
    return X * log_uniform(rng, -160, 160)


def _columns_scaled(rng: Rng, X: np.ndarray) -> np.ndarray:
    return X * 10.0 ** rng.uniform(-160, 160, X.shape[1])


def _some_scaled(rng: Rng, X: np.ndarray) -> np.ndarray:
    """Scale within what the documentation calls fine, 1e-100 to 1e150."""
    return X * log_uniform(rng, -100, 148)


def _offset(rng: Rng, X: np.ndarray) -> np.ndarray:
    return X + log_uniform(rng, 3, 17)


def _entry(value: Any) -> Callable[[Rng, np.ndarray], Any]:
    def put(rng: Rng, X: np.ndarray) -> Any:
        X = X.astype(object) if isinstance(value, str | Fraction | None) else X.copy()
        X[int(rng.integers(X.shape[0])), int(rng.integers(X.shape[1]))] = value
        return X

    return put


def _frame(rng: Rng, X: np.ndarray) -> Any:
    names = [f"f{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    return pick(
        rng,
        [
            lambda: frame,
            lambda: frame.assign(text="a"),
            lambda: frame.assign(flag=True),
            lambda: frame.assign(when=pd.Timestamp("2024-01-01")),
            lambda: frame.assign(kind=pd.Series(["a"] * len(X), dtype="category")),
            lambda: frame.astype("Float64").mask(frame > 2.0),
            lambda: frame.astype("float32"),
            lambda: frame.set_axis(range(X.shape[1]), axis=1),
            lambda: frame.set_axis(["same"] * X.shape[1], axis=1),
            lambda: frame.rename(columns={"f0": 0}),
            lambda: frame.set_axis(rng.permutation(len(X))),
            lambda: polars.DataFrame(dict(zip(names, X.T, strict=True))),
        ],
    )()


def _frozen(rng: Rng, X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def _raw_sparse(rng: Rng, X: np.ndarray) -> Any:
    """Return rows with entries in any order, some of them twice, some of them zero."""
    n, d = X.shape
    i, j = rng.integers(0, n, 2 * n), rng.integers(0, d, 2 * n)
    values = rng.normal(size=2 * n) * (rng.random(2 * n) < 0.8)
    order = np.argsort(i, kind="stable")
    starts = np.searchsorted(i[order], np.arange(n + 1))
    kind = pick(rng, [np.int32, np.int64])
    return sp.csr_matrix((values[order], j[order].astype(kind), starts.astype(kind)), shape=X.shape)


def _masked(rng: Rng, X: np.ndarray) -> Any:
    return np.ma.masked_array(X, rng.random(X.shape) < 0.1)


def _dates(rng: Rng, X: np.ndarray) -> Any:
    return (X * 1e4).astype(np.int64).astype("datetime64[D]")


def _ragged(rng: Rng, X: np.ndarray) -> Any:
    return [*X.tolist(), [*X[0].tolist(), 1.0]]


# What is valid, or nearly: most of what can go wrong in the depths begins here.
_EXTREME: list[Callable[[Rng, np.ndarray], Any]] = [
    _scaled,
    _some_scaled,
    _some_scaled,
    _columns_scaled,
    _offset,
    lambda rng, X: X * 0.0,
    lambda rng, X: X[np.zeros(len(X), int)],
    lambda rng, X: X[: int(rng.integers(1, 6))],
    lambda rng, X: np.asfortranarray(X),
    lambda rng, X: X[::-1, ::-1],
    lambda rng, X: X.astype(">f8"),
    lambda rng, X: np.tile(X, (1, 2000)),
    _frozen,
    _raw_sparse,
    lambda rng, X: X.astype(np.float32),
    lambda rng, X: X.astype(np.float16),
    lambda rng, X: X.astype(np.longdouble),
    lambda rng, X: (10 * X).astype(np.int8),
    lambda rng, X: (10 * np.abs(X)).astype(np.uint64),
    lambda rng, X: X > 0,
    lambda rng, X: X.tolist(),
    lambda rng, X: tuple(map(tuple, X.tolist())),
    lambda rng, X: X.astype(object),
    _entry(Fraction(1, 3)),
    _entry(1e200),
    _entry(1e149),
    _entry(1e-200),
    _frame,
    lambda rng, X: sp.csr_matrix(np.where(np.abs(X) > 0.7, X, 0.0)),
    lambda rng, X: sp.csr_array(np.where(np.abs(X) > 0.7, X, 0.0)),
    lambda rng, X: sp.csc_matrix(np.where(np.abs(X) > 0.7, X, 0.0)),
    lambda rng, X: sp.coo_array(np.where(np.abs(X) > 0.7, X, 0.0)),
    lambda rng, X: sp.csr_matrix(X * log_uniform(rng, -160, 160)),
    lambda rng, X: sp.csr_matrix(X.shape),
]
_INVALID: list[Callable[[Rng, np.ndarray], Any]] = [
    lambda rng, X: X[:1],
    lambda rng, X: X[:0],
    lambda rng, X: X[:, :0],
    lambda rng, X: X[:, 0],
    lambda rng, X: X[None],
    lambda rng, X: X[0, 0],
    lambda rng, X: X.T,
    lambda rng, X: X.astype(str),
    lambda rng, X: X.astype("S8"),
    lambda rng, X: X.astype(complex),
    _dates,
    _masked,
    _ragged,
    _entry(np.nan),
    _entry(np.inf),
    _entry(-np.inf),
    _entry("text"),
    _entry(None),
    lambda rng, X: sp.csr_matrix(np.where(X > 1.0, np.nan, X)),
    lambda rng, X: sp.csr_matrix((0, 3)),
    lambda rng, X: iter(X.tolist()),
    lambda rng, X: None,
    lambda rng, X: "rows",
    lambda rng, X: 3.0,
    lambda rng, X: {"a": X},
]
