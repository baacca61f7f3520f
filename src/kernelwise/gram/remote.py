"""Rows that stay on a cluster, in the partitions of a Dask collection: what is asked comes back.

Only sums and samples leave the workers. A partition is read when a task needs it and forgotten
afterwards, so that a worker holds one at a time however many there are.
"""

from typing import Any, NamedTuple

import numpy as np

from kernelwise._threads import cached_property, limited
from kernelwise._types import Array
from kernelwise.gram.cluster import Cluster
from kernelwise.gram.features import Features, Moments, RowBlocks
from kernelwise.gram.runner import Watch, run_strips
from kernelwise.kernels.geometry import in_range

_TARGET = "target of kernelwise"  # the name of a column
_MOST_LABELS = 1000  # distinct values of a target that are told of one by one


class Facts(NamedTuple):
    """What is known of a partition."""

    rows: int
    invalid_reason: str | None  # what is wrong with it
    labels: Array | None  # the distinct values of the target; None if they are many


class RemoteMoments(NamedTuple):
    """Sums over all rows, of their features phi and of B = [Y, u] with u of ones, or of zeros."""

    second: Array  # Phi' Phi
    onto: Array  # Phi' B
    inner: Array  # B' B

    def without(self, other: "RemoteMoments") -> "RemoteMoments":
        """Return the sums over the rows that others are not over."""
        return RemoteMoments(*(a - b for a, b in zip(self, other, strict=True)))


class RemoteRows:
    """The rows and targets of two collections with the same partitions.

    Parameters
    ----------
    cluster : Cluster
    X : Dask array or frame
    y : Dask array or series
    """

    def __init__(self, cluster: Cluster, X: Any, y: Any) -> None:
        self._cluster = cluster
        self.names = list(map(str, X.columns)) if hasattr(X, "columns") else None
        # Of a frame every partition is read once, with its target as the last column.
        self._parts: list[Any] = (
            _partitions(X.assign(**{_TARGET: y})) if self.names is not None else _aligned(X, y)
        )

    @cached_property
    def facts(self) -> list[Facts]:
        """What is known of every partition, from one pass."""
        found: list[Facts] = self._cluster.of_parts(facts_of, self._parts)
        for facts in found:
            if facts.invalid_reason is not None:
                raise ValueError(facts.invalid_reason)
        return found

    @property
    def n(self) -> int:
        """The number of rows."""
        return sum(facts.rows for facts in self.facts)

    @property
    def labels(self) -> Array | None:
        """The distinct values of the target; None if they are many."""
        parts = [facts.labels for facts in self.facts if facts.rows]
        known = [part for part in parts if part is not None]
        return np.unique(np.concatenate(known)) if len(known) == len(parts) else None

    def sample(self, most: int) -> tuple[Array, Array]:
        """Return a random sample of rows and their targets, the same every time."""
        share = min(1.0, most / self.n)
        parts = self._cluster.of_parts(sample_of, self._parts, share)
        X, y = zip(*(part for part in parts if len(part[0])), strict=True)
        return np.concatenate(X), np.concatenate(y)

    def moments(self, features: Features, coding: "Coding") -> RemoteMoments:
        """Return the sums over all rows: 8 m² bytes leave a worker for a rank of m."""
        arrays = self._cluster.total(moments_of, _added, self._parts, (features, coding))
        return RemoteMoments(*arrays)


class Coding(NamedTuple):
    """How a target becomes the columns that machines fit."""

    classes: Array | None
    fit_intercept: bool

    def columns(self, y: Array) -> Array:
        """Return [Y, u]."""
        codes = y if self.classes is None else np.searchsorted(self.classes, y)
        signs = np.asarray(codes, float)[:, None]
        if self.classes is not None:
            signs = 2.0 * np.equal.outer(codes, np.arange(self.classes.size)) - 1.0
            signs = signs[:, 1:] if self.classes.size == 2 else signs
        return np.column_stack([signs, np.full(len(y), float(self.fit_intercept))])


def facts_of(part: Any, place: int) -> Facts:
    """Return what is known of a partition: what a task does."""
    try:
        rows, target = _arrays(part)
    except (TypeError, ValueError) as error:
        return Facts(0, str(error), None)
    labels = np.unique(target)
    few = labels if labels.size <= _MOST_LABELS else None
    return Facts(rows.shape[0], None, few)


def sample_of(part: Any, place: int, share: float) -> tuple[Array, Array]:
    """Return a sample of a partition."""
    rows, target = _arrays(part)
    rng = np.random.default_rng([place, 1])
    chosen = np.sort(rng.permutation(len(rows))[: round(share * len(rows))])
    return rows[chosen], target[chosen]


def moments_of(part: Any, shared: tuple[Features, Coding]) -> list[Array]:
    """Return the sums over a partition."""
    features, coding = shared
    rows, target = _arrays(part)
    B = coding.columns(target)
    blocks = RowBlocks(rows, features.landmarks)
    with limited(1):
        upper, onto = run_strips(blocks, Moments(features, None, B), range(blocks.count), Watch())
    return [np.triu(upper) + np.triu(upper, 1).T, onto, B.T @ B]


def _added(left: list[Array], right: list[Array]) -> list[Array]:
    """Return the sums over two partitions."""
    return [a + b for a, b in zip(left, right, strict=True)]


def _arrays(part: Any) -> tuple[Array, Array]:
    """Return the rows and targets of a partition: of two arrays, or of a frame."""
    X, y = part if isinstance(part, list | tuple) else (part.iloc[:, :-1], part.iloc[:, -1])
    rows, target = np.asarray(X, dtype=np.float64), _plain(np.asarray(y).ravel())
    if len(rows) != len(target):
        raise ValueError(
            f"a partition has {len(rows)} rows of X and {len(target)} of y: give both the same."
        )
    if not np.isfinite(rows).all():
        raise ValueError("X contains NaN or infinity: fill or drop those rows first.")
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        raise ValueError("y contains NaN or infinity: drop those rows first.")
    return (in_range(rows) if rows.size else rows), target


def _plain(labels: Array) -> Array:
    """Return texts as an array of texts, not of objects, which frames have."""
    is_text = labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels)
    return labels.astype(str) if is_text else labels


def _partitions(collection: Any) -> list[Any]:
    return list(np.ravel(collection.to_delayed()))


def _aligned(X: Any, y: Any) -> list[Any]:
    """Return the partitions of an array, each with those of its targets."""
    X = X.rechunk({1: -1})
    if not np.isnan(X.shape[0]) and hasattr(y, "rechunk") and not np.isnan(y.shape[0]):
        if X.shape[0] != y.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows and y has {y.shape[0]}: give one for each.")
        y = y.rechunk((X.chunks[0],))
    rows, targets = _partitions(X), _partitions(y)
    if len(rows) != len(targets):
        raise ValueError(
            f"X has {len(rows)} partitions and y has {len(targets)}: give both the same."
        )
    return list(zip(rows, targets, strict=True))
