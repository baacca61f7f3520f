"""Which rows are left out together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from kernelwise._arguments import is_list, shown
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.gram import Gram, Targets


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on, and the rows to test on among the others; compared by identity."""

    train: Array
    left_out: Array
    tested: Array  # positions within left_out

    @property
    def test(self) -> Array:
        """The rows to test on."""
        return np.asarray(self.left_out[self.tested])

    def judged(self, gram: Gram) -> Array:
        """Return the positions of the rows to test on which a machine may be judged."""
        if gram.unsound is None:
            return self.tested
        sound = self.tested[~np.isin(self.test, gram.unsound)]
        if sound.size == 0:
            raise Undefined("a fold holds landmarks alone, so use fewer folds or a lower rank")
        return np.asarray(sound)

    @property
    def share_trained(self) -> float:
        """The size of the training set relative to all rows."""
        return self.train.size / (self.train.size + self.left_out.size)


class GivenSplits:
    """Splits listed by a user: kept as they are, compared by identity, with a short repr."""

    def __init__(self, pairs: Iterable[Any]) -> None:
        self.pairs = list(pairs)

    def __repr__(self) -> str:
        return f"<{len(self.pairs)} given splits>"


def as_cv(cv: Any) -> Any:
    """Return a splitter as it is, a list (or generator) of splits as a value, or complain.

    Parameters
    ----------
    cv : splitter, iterable of (train, test) rows, or None

    Returns
    -------
    cv : splitter, GivenSplits or None
        A generator is used up: the value holds its splits.

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if cv is None or isinstance(cv, GivenSplits):
        return cv
    if is_list(cv):
        return GivenSplits(cv)
    if hasattr(cv, "split") and not isinstance(cv, str | bytes | type):
        return cv
    raise ValueError(f"cv must be a splitter or a list of (train, test) rows, got {shown(cv)}.")


def make_splits(targets: Targets, cv: Any, k: int, repeats: int, random_state: int) -> list[Split]:
    """Return the splits of a splitter or a list, or k shuffled folds, `repeats` times.

    Folds are stratified where every class has at least k rows. A row that is neither trained nor
    tested on is left out. The same target has the same splits every time, also by a splitter that
    is not seeded.

    Parameters
    ----------
    targets : Targets
    cv : splitter, list of (train, test) rows, or None
        Rows are numbers from 0 to n - 1 or a mask; no row may be in both. None: the k folds.
    k : int
        The number of folds, at most that of the rows; without effect where there is a cv.
    repeats : int
        How often the rows are dealt to k folds; without effect where there is a cv.
    random_state : int
        The seed of the first deal; every further one adds 1.

    Returns
    -------
    splits : list of Split

    Raises
    ------
    ValueError
        If there are fewer rows than folds, or what cv lists are no such splits.

    Examples
    --------
    >>> from kernelwise import gram
    >>> from kernelwise.machines import make_splits
    >>> targets = gram.Targets.of([0, 0, 1, 1])
    >>> [split] = make_splits(targets, [([0, 2], [1])], k=5, repeats=1, random_state=0)
    >>> split.left_out, split.test
    (array([1, 3]), array([1]))
    """
    key = (id(cv), k, repeats, random_state)
    if key not in targets.splits:
        pairs = _pairs(targets, cv, k, repeats, random_state)
        if not pairs:
            raise ValueError("cv has no split: give at least one pair of (train, test) rows.")
        # Keeping cv keeps its id.
        targets.splits[key] = cv, [_split(targets.n, pair) for pair in pairs]
    return list(targets.splits[key][1])


def _pairs(targets: Targets, cv: Any, k: int, repeats: int, random_state: int) -> list[Any]:
    cv = as_cv(cv)
    if cv is None:
        return _own_folds(targets, k, repeats, random_state)
    if isinstance(cv, GivenSplits):
        return cv.pairs
    return list(cv.split(np.zeros((targets.n, 1)), targets.y))


def _own_folds(targets: Targets, k: int, repeats: int, random_state: int) -> list[Any]:
    if k > targets.n:
        raise ValueError(f"k = {k} folds need at least as many rows, y has {targets.n}.")
    # A class smaller than k cannot be in every fold: scikit-learn would warn of what is no error.
    stratify = targets.classes is not None and targets.counts.min() >= k
    kind = StratifiedKFold if stratify else KFold
    seeds = range(random_state, random_state + repeats)
    folds = [kind(k, shuffle=True, random_state=seed) for seed in seeds]
    return [pair for fold in folds for pair in fold.split(targets.y[:, None], targets.y)]


def rows_of(n: int, pair: Any) -> tuple[Array, Array]:
    """Return the rows to train on and to test on of one pair, as numbers from 0 to n - 1."""
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise ValueError("cv must list pairs of rows, (train, test).") from None
    return _rows(n, train), _rows(n, test)


def _split(n: int, pair: Any) -> Split:
    train, test = rows_of(n, pair)
    if np.unique(train).size < train.size:
        raise ValueError("cv trains on a row twice: give it a weight, or every row once.")
    if np.intersect1d(train, test).size:
        raise ValueError("cv tests on rows that it trains on: the two must be apart.")
    left_out = np.setdiff1d(np.arange(n), train)
    return Split(train, left_out, np.searchsorted(left_out, test))


def _rows(n: int, rows: Any) -> Array:
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    are_numbers = rows.ndim == 1 and rows.size > 0 and rows.dtype.kind in "iu"
    if not are_numbers or rows.min() < 0 or rows.max() >= n:
        raise ValueError(f"cv must name rows from 0 to {n - 1}, at least one of them.")
    return np.asarray(rows)
