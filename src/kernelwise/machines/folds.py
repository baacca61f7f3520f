"""Which rows are left out together."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from kernelwise.gram import Targets
from kernelwise.kernels.geometry import Array


class Split(NamedTuple):
    """Rows to train on, and rows to test on among those left out."""

    train: Array
    left_out: Array
    tested: Array  # positions within left_out

    @property
    def test(self) -> Array:
        """The rows to test on."""
        return np.asarray(self.left_out[self.tested])

    @property
    def share_trained(self) -> float:
        """The size of the training set relative to all rows."""
        return self.train.size / (self.train.size + self.left_out.size)


def make_splits(targets: Targets, cv: Any, k: int, repeats: int, random_state: int) -> list[Split]:
    """Return the splits: of a given splitter or list, or of k shuffled folds, again and again.

    Folds are stratified for classes. A row that is neither trained nor tested on is left out.
    """
    if cv is None:
        pairs = _own_folds(targets, k, repeats, random_state)
    elif hasattr(cv, "split"):
        pairs = list(cv.split(np.zeros((targets.n, 1)), targets.y))
    elif isinstance(cv, Iterable):
        pairs = [(train, test) for train, test in cv]
    else:
        raise ValueError(f"cv must be a splitter or a list of (train, test) rows, got {cv!r}.")
    if not pairs:
        raise ValueError("cv has no split: give at least one pair of (train, test) rows.")
    return [_split(targets.n, *pair) for pair in pairs]


def _own_folds(
    targets: Targets, k: int, repeats: int, random_state: int
) -> list[tuple[Array, Array]]:
    if k > targets.n:
        raise ValueError(f"k = {k} folds need at least as many rows, y has {targets.n}.")
    # A class smaller than k cannot be in every fold: scikit-learn would warn of what is no error.
    stratify = targets.classes is not None and targets.counts.min() >= k
    kind = StratifiedKFold if stratify else KFold
    return [
        pair
        for repeat in range(repeats)
        for pair in kind(k, shuffle=True, random_state=random_state + repeat).split(
            np.zeros((targets.n, 1)), targets.y
        )
    ]


def _split(n: int, train: Any, test: Any) -> Split:
    train, test = (_rows(n, rows) for rows in (train, test))
    if np.intersect1d(train, test).size:
        raise ValueError("cv tests on rows that it trains on: the two must be apart.")
    left_out = np.setdiff1d(np.arange(n), train)
    return Split(train, left_out, np.searchsorted(left_out, test))


def _rows(n: int, rows: Any) -> Array:
    rows = np.asarray(rows)
    rows = np.flatnonzero(rows) if rows.dtype == bool else rows.astype(int)
    if rows.size == 0 or rows.min() < 0 or rows.max() >= n:
        raise ValueError(f"cv must name rows from 0 to {n - 1}, at least one of them.")
    return np.asarray(rows)
