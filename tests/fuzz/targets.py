"""Random targets: ``tame`` ones that nobody may refuse, ``wild`` ones that are anything."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars
import scipy.sparse as sp

from fuzz.draw import Rng, chance, log_uniform, pick

_TEXT = np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else object  # from numpy 2 on


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
    lambda rng, n: pd.Series(_codes(rng, n), index=rng.permutation(n)),
    lambda rng, n: pd.Series(["a", "b"] * n, dtype="string")[:n],
    lambda rng, n: pd.DataFrame({"y": _codes(rng, n)}),
    lambda rng, n: polars.Series(_codes(rng, n)),
    lambda rng, n: polars.Series(np.array(["a", "b"])[_codes(rng, n)]),
    lambda rng, n: np.array(["a", "b"], dtype=_TEXT)[_codes(rng, n)],
    lambda rng, n: _codes(rng, n).astype(">i4"),
    lambda rng, n: rng.normal(size=n).astype(">f8"),
    lambda rng, n: rng.normal(size=n).astype(np.float16),
    lambda rng, n: rng.normal(size=n).astype(np.longdouble),
    lambda rng, n: _codes(rng, n).astype(np.uint8),
    lambda rng, n: range(n),
    lambda rng, n: [False, 1, 0.0, True][: n % 4] * n,
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
    lambda rng, n: iter([0, 1] * n),
    lambda rng, n: {0, 1},
    lambda rng, n: pd.DataFrame({"a": _codes(rng, n), "b": "x"}),
    lambda rng, n: np.array([(0, 1.0)] * n, dtype=[("a", int), ("b", float)]),
    lambda rng, n: None,
    lambda rng, n: "labels",
    lambda rng, n: 1,
    lambda rng, n: [],
    lambda rng, n: {"a": 1},
]
