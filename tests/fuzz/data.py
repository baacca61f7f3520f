"""Random data, from ordinary to hostile.

``tame_*`` is what nobody may refuse, ``wild_*`` is anything.
"""

import datetime
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars
import scipy.sparse as sp

Rng = np.random.Generator


def pick(rng: Rng, choices: Sequence[Any]) -> Any:
    """Return one of some things, as it is."""
    return choices[int(rng.integers(len(choices)))]


def chance(rng: Rng, probability: float) -> bool:
    return bool(rng.random() < probability)


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """Return 10^u for u between two exponents."""
    return float(10.0 ** rng.uniform(low, high))


# --- rows ------------------------------------------------------------------------------------


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


def odd_ones(rng: Rng, *arguments: str) -> set[str]:
    """Return which arguments of a call are to be odd: mostly one or two, now and then all."""
    count = pick(rng, [0, 1, 1, 1, 1, 2, 2, 2, len(arguments)])
    return {str(name) for name in rng.permutation(arguments)[:count]}


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
    kind = rng.integers(4)
    if kind == 0:
        return polars.DataFrame(dict(zip(names, X.T, strict=True)))
    frame = pd.DataFrame(X, columns=names if kind < 3 else range(X.shape[1]))
    return frame.assign(text="a") if kind == 2 else frame


def _masked(rng: Rng, X: np.ndarray) -> Any:
    return np.ma.masked_array(X, rng.random(X.shape) < 0.1)


def _dates(rng: Rng, X: np.ndarray) -> Any:
    return (X * 1e4).astype(np.int64).astype("datetime64[D]")


def _ragged(rng: Rng, X: np.ndarray) -> Any:
    return [*X.tolist(), X[0].tolist() + [1.0]]


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
    lambda rng, X: None,
    lambda rng, X: "rows",
    lambda rng, X: 3.0,
    lambda rng, X: {"a": X},
]


# --- targets ---------------------------------------------------------------------------------


def tame_classes(rng: Rng, n: int, most: int = 4) -> np.ndarray:
    """Return two or more classes of at least two rows, as integers or texts."""
    c = int(rng.integers(2, min(most, n // 2) + 1))
    codes = np.concatenate([np.repeat(np.arange(c), 2), rng.integers(0, c, n - 2 * c)])
    rng.shuffle(codes)
    return pick(rng, [codes, codes - 1, np.array(list("bacd"))[codes]])


def tame_reals(rng: Rng, n: int) -> np.ndarray:
    """Return a real target."""
    return rng.normal(size=n) * log_uniform(rng, -3, 3) + pick(rng, [0.0, 0.0, 10.0])


@np.errstate(all="ignore")
def wild_target(rng: Rng, n: int) -> Any:
    """Return anything that somebody may take for a target."""
    return pick(rng, _UNUSUAL if chance(rng, 0.6) else _NO_TARGETS)(rng, n)


def length(X: Any) -> int:
    """Return the number of rows of anything, 5 where it has none."""
    shape = getattr(X, "shape", None)
    if shape:
        return int(shape[0])
    return len(X) if isinstance(X, list | tuple) else 5


def _mixed(rng: Rng, n: int) -> Any:
    values = pick(rng, [[1, "a"], [1, "1"], [True, "yes"], [1.5, 2], [0, None], [(1, 2), "a"]])
    y = np.empty(n, dtype=object)
    y[:] = [pick(rng, values) for _ in range(n)]
    return y if chance(rng, 0.5) else list(y)


def _with_one(value: Any) -> Callable[[Rng, int], Any]:
    def make(rng: Rng, n: int) -> Any:
        y = rng.normal(size=n)
        y[: n // 2 + 1] = value
        return y

    return make


def _objects(kind: Any) -> Callable[[Rng, int], Any]:
    return lambda rng, n: np.array([kind(int(v)) for v in rng.integers(0, 3, n)], dtype=object)


def _codes(rng: Rng, n: int, c: int = 2) -> np.ndarray:
    return rng.integers(0, c, n)


_UNUSUAL: list[Callable[[Rng, int], Any]] = [
    _codes,
    lambda rng, n: _codes(rng, n, 3),
    lambda rng, n: _codes(rng, n, 30),
    lambda rng, n: np.arange(n),
    lambda rng, n: np.array(["a", "b", ""])[_codes(rng, n, 3)],
    lambda rng, n: np.array(["x\n", "=1", "ß😀"])[_codes(rng, n, 3)].tolist(),
    lambda rng, n: np.array([b"a", b"b"])[_codes(rng, n)],
    lambda rng, n: np.array([b"\xff", b"\xfe"])[_codes(rng, n)],
    lambda rng, n: _codes(rng, n) > 0,
    lambda rng, n: pd.Series(np.array(["u", "v"])[_codes(rng, n)], dtype="category"),
    lambda rng, n: pd.Series(_codes(rng, n), dtype="Int64"),
    lambda rng, n: polars.Series(_codes(rng, n)),
    lambda rng, n: _codes(rng, n)[:, None],
    lambda rng, n: rng.normal(size=(n, 2)),
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: rng.normal(size=n).astype(np.float32),
    lambda rng, n: rng.normal(size=n) * log_uniform(rng, -110, 110),
    lambda rng, n: rng.normal(size=n) * log_uniform(rng, -320, 307),
    lambda rng, n: rng.normal(size=n) + log_uniform(rng, 5, 17),
    lambda rng, n: _codes(rng, n) * log_uniform(rng, -300, 300),
    lambda rng, n: _codes(rng, n) + 2**60,
    _with_one(1e308),
    _mixed,
    _mixed,
    _objects(Fraction),
    _objects(str),
    _objects(bool),
    lambda rng, n: _codes(rng, n).astype("datetime64[D]"),
]
_NO_TARGETS: list[Callable[[Rng, int], Any]] = [
    lambda rng, n: np.zeros(n),
    lambda rng, n: ["only"] * n,
    lambda rng, n: pd.Series([None, *_codes(rng, max(n - 1, 0))], dtype="Int64")[:n],
    lambda rng, n: rng.normal(size=(n, 0)),
    lambda rng, n: rng.normal(size=(n, 1, 1)),
    lambda rng, n: _codes(rng, n + 1),
    lambda rng, n: _codes(rng, max(n - 1, 0)),
    lambda rng, n: [10**30 + int(v) for v in _codes(rng, n)],
    lambda rng, n: [10**400 * int(v) for v in _codes(rng, n)],
    lambda rng, n: (_codes(rng, n) * np.uint64(2**63)).astype(np.uint64),
    _with_one(np.nan),
    _with_one(np.inf),
    _objects(Decimal),
    _objects(complex),
    _objects(lambda v: [v]),
    lambda rng, n: rng.normal(size=n).astype(complex),
    lambda rng, n: _codes(rng, n).astype("timedelta64[s]"),
    lambda rng, n: np.array([datetime.date(2024, 1, 1 + int(v)) for v in _codes(rng, n)]),
    lambda rng, n: np.ma.masked_array(_codes(rng, n), rng.random(n) < 0.2),
    lambda rng, n: sp.csr_matrix(_codes(rng, n)[:, None]),
    lambda rng, n: None,
    lambda rng, n: "labels",
    lambda rng, n: 1,
    lambda rng, n: [],
    lambda rng, n: {"a": 1},
]


# --- numbers and settings --------------------------------------------------------------------

NOT_NUMBERS: tuple[Any, ...] = (None, "a", "auto", [1.0], (), {}, 1j, b"1", np.array([1.0, 2.0]))
ODD_NUMBERS: tuple[Any, ...] = (0, -1, 0.0, -1e-9, np.nan, np.inf, -np.inf, True, False, 10**400)


def tame_number(rng: Rng) -> float:
    """Return a positive number of ordinary size."""
    return pick(rng, [0.1, 1.0, 10.0, log_uniform(rng, -3, 3)])


def wild_number(rng: Rng) -> Any:
    """Return anything that somebody may take for a positive number."""
    kind = rng.random()
    if kind < 0.25:
        return tame_number(rng)
    if kind < 0.65:
        return log_uniform(rng, -310, 308)
    if kind < 0.9:
        return pick(rng, [*ODD_NUMBERS, np.float32(0.1), np.int64(3), Fraction(1, 3), Decimal(2)])
    return pick(rng, NOT_NUMBERS)


def wild_integer(rng: Rng) -> Any:
    """Return anything that somebody may take for a small positive integer."""
    if chance(rng, 0.6):
        return pick(rng, [1, 2, 3, 4, 5, 7, 10, 20, np.int64(3)])
    return pick(rng, [0, -1, 1000, 10**6, 10**30, 2.0, 2.5, *ODD_NUMBERS, *NOT_NUMBERS])


@np.errstate(all="ignore")
def wild_weights(rng: Rng, n: int) -> Any:
    """Return sample weights from none to absurd."""
    w = rng.random(n) + 0.1
    return pick(
        rng,
        [
            None,
            None,
            w,
            w,
            np.where(w > 0.6, w, 0.0),
            w * log_uniform(rng, -320, 308),
            w * log_uniform(rng, -320, 308),
            10.0 ** rng.uniform(-300, 300, n),
            10.0 ** rng.uniform(-30, 30, n),
            np.where(w > 1.0, 1e300, w),
            np.where(w > 1.0, 1e-300, w),
            np.zeros(n),
            -w,
            w[1:],
            np.where(w > 0.6, np.nan, w),
            np.where(w > 0.6, np.inf, w),
            3.0,
            w.tolist(),
            (10 * w).astype(int),
            "w",
            w[:, None],
        ],
    )
