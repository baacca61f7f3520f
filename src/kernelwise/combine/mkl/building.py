"""How base matrices are made: exactly, or from features of thousands of rows."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernelwise._arguments import in_words
from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices, without
from kernelwise.gram.eigensystems import eigensystem_of_features
from kernelwise.gram.features import Features, RowBlocks
from kernelwise.gram.lowrank import distinct_rows
from kernelwise.gram.pairs import EnginePairs
from kernelwise.gram.partial_cholesky import PartialCholesky
from kernelwise.kernels import Kernel
from kernelwise.machines.ridge_path import weighted_matrix
from kernelwise.targets import Targets

MOST_EXACT = 2000  # rows: beyond, decompositions take longer than features of good rank
MOST_COLUMNS = 2000  # of all features together: their Gram matrix is decomposed in seconds
_RANKS = 20, 500  # the fewest and most features of a kernel
_SMALL_PART = 4  # of the rows: a rank up to which a factor pays
# A matrix whose centred diagonal is so small a share of its own is constant but for rounding.
_CONSTANT = 1e-8
_CANCELS = 0.1  # a smaller share loses digits: such a matrix is centred before it is factored
_COPIES = 4  # of all features, at the peak
_SQUARES = 4  # matrices of as many rows and columns as there are features
_MATRICES = 1.2  # as many as there are kernels, at the peak
_EPS = float(np.finfo(float).eps)


class Part(NamedTuple):
    """One base matrix, or a factor of it."""

    values: Array
    scale: float  # what it was divided by; infinite for one that is constant
    diagonal: float  # the mean diagonal before centring
    is_factor: bool = False


def check_memory(kernels: int, rows: int, budget: float, rank: int = 0) -> None:
    """Refuse base matrices, or features of a rank, that do not fit."""
    needed = bytes_for(kernels, rows, rank)
    if needed > budget:
        what = f"the features of {kernels} kernels on" if rank else f"{kernels} base matrices of"
        raise ValueError(
            f"{what} {rows} rows take {in_words(needed)}, memory allows {in_words(budget)}: use "
            "fewer kernels or rows."
        )


def rank_for(kernels: int, rows: int, budget: float) -> int:
    """Return how many features each kernel gets on thousands of rows, such that all fit."""
    half = _COPIES * rows / (2.0 * _SQUARES)  # as many columns as bytes_for finds room for
    columns = min(MOST_COLUMNS, int(np.sqrt(half**2 + budget / (8.0 * _SQUARES)) - half))
    fewest, most = _RANKS
    return int(np.clip(columns // kernels, fewest, min(most, rows // _SMALL_PART)))


def bytes_for(kernels: int, rows: int, rank: int = 0) -> float:
    """Return what base matrices take at the peak, or features of a rank in their place.

    These are kept themselves, their eigenvectors, and squares of as many columns.
    """
    if not rank:
        return _MATRICES * 8.0 * kernels * rows**2
    columns = kernels * rank
    return 8.0 * (_COPIES * rows * columns + _SQUARES * columns**2)


def base_matrices(
    kernels: Sequence[Kernel], X: Any, targets: Targets, *, center: bool, normalize: bool
) -> BaseMatrices:
    """Compute the base matrices on checked rows X, or take them from X where they are given."""
    pairs, root = EnginePairs(X), np.sqrt(targets.relative_weights)
    how = {"center": center, "normalize": normalize}
    parts = (_part(kernel, pairs, root, **how) for kernel in kernels)
    return _collected(parts, len(kernels), targets, np.array([], dtype=int))


def _part(
    kernel: Kernel, pairs: EnginePairs, root: Array, *, center: bool, normalize: bool
) -> Part:
    """Return a base matrix, or a factor of it where its rank is small to rounding."""
    raw, how = float(np.mean(root**2 * np.abs(kernel.diagonal(pairs.X)))), (center, normalize)
    factor = _thin_factor(kernel, pairs.X, root)
    if factor is not None:
        centred = without(factor, root)
        own = float(np.vdot(centred, centred)) / root.size
        if own >= _CANCELS * raw:
            scale = _scale(own, raw, *how)
            return _orthogonal(Part((centred if center else factor) / np.sqrt(scale), scale, raw))
    # Centring takes the constant away, that wide kernels cancel with.
    K = _finite(kernel, kernel.deviations(pairs) if center else kernel.values(pairs))
    K = weighted_matrix(K, root**2)
    centred = without(without(K, root).T, root)
    scale = _scale(float(centred.diagonal().mean()), raw, *how)
    part = Part((centred if center else K) / scale, scale, raw)
    return part if factor is None else _thinner(part)


def feature_matrices(
    kernels: Sequence[Kernel], X: Any, targets: Targets, rank: int, *, center: bool, normalize: bool
) -> BaseMatrices:
    """Replace every base matrix by one of low rank, with features by the same landmarks."""
    root = np.sqrt(targets.relative_weights)
    order = np.random.default_rng(0).permutation(targets.n)
    landmarks = distinct_rows(X, order, rank)

    def parts() -> Iterator[Part]:
        for kernel in kernels:
            F = root[:, None] * _features(kernel, X, landmarks)
            centred = without(F, root)
            raw, own = (float(np.sum(V**2)) / targets.n for V in (F, centred))
            scale = _scale(own, raw, center, normalize)
            yield Part((centred if center else F) / np.sqrt(scale), scale, raw, is_factor=True)

    return _collected(parts(), len(kernels), targets, landmarks)


def _features(kernel: Kernel, X: Any, landmarks: Array) -> Array:
    """Return the features of all rows, (n, rank), block by block."""
    if kernel.is_psd is not True:
        raise ValueError(
            f"more than {MOST_EXACT} rows take positive semidefinite kernels, and {kernel} is not "
            "known to be one: leave it out."
        )
    features = Features.of(kernel, X[landmarks])
    blocks, phi = RowBlocks(X, features.landmarks), np.empty((X.shape[0], features.rank))
    room = blocks.room()
    for i in range(blocks.count):
        [(left, right)] = blocks.strip(i)
        phi[left.rows] = features.values(blocks.pairs(left, right, room))
    return _finite(kernel, phi)


def _scale(own: float, raw: float, center: bool, normalize: bool) -> float:
    """Return what a matrix is divided by, from its mean diagonal, centred and as it is."""
    if own <= _CONSTANT * raw:
        return np.inf
    return (own if center else raw) if normalize else 1.0


def _thin_factor(kernel: Kernel, X: Any, root: Array) -> Array | None:
    """Return a factor of a weighted matrix, from few of its columns, if its rank is small."""
    if kernel.is_psd is not True or kernel.takes_matrix:
        return None
    pairs = EnginePairs(X)

    def columns(rows: Array) -> Array:
        some = EnginePairs(X, X[rows], pairs.entries)
        return root[:, None] * kernel.values(some) * root[rows]

    return _small_factor(columns, root**2 * kernel.diagonal(X))


def _thinner(part: Part) -> Part:
    """Return a matrix, or a factor of it where its rank is small to rounding."""
    K = part.values
    if not np.isfinite(part.scale):
        return part
    factor = _small_factor(lambda rows: K[:, rows], K.diagonal())
    return part if factor is None else _orthogonal(part._replace(values=factor))


def _small_factor(columns: Callable[[Array], Array], diagonal: Array) -> Array | None:
    if not (0.0 < diagonal.sum() < np.inf and diagonal.min() >= 0.0):
        return None
    found = PartialCholesky(columns, diagonal)
    found.grow(diagonal.size // _SMALL_PART)
    return found.factor if found.is_complete else None


def _orthogonal(part: Part) -> Part:
    """Return a factor with orthogonal columns, those above rounding."""
    found = eigensystem_of_features(part.values)
    values = part.values[:, :0] if found is None else found[1] * np.sqrt(found[0])
    return part._replace(values=values, is_factor=True)


def _collected(
    parts: Iterator[Part], kernels: int, targets: Targets, landmarks: Array
) -> BaseMatrices:
    """Put the matrices together, those of small rank side by side."""
    n, columns = targets.n, np.zeros(kernels, dtype=int)
    scales, noise = np.ones(kernels), np.zeros(kernels)
    dense: list[Array] = []
    thin: list[Array] = []
    for k, part in enumerate(parts):
        scales[k] = part.scale
        if not np.isfinite(part.scale):
            continue
        noise[k] = _EPS * part.diagonal / part.scale
        columns[k] = part.values.shape[1] if part.is_factor else 0
        (thin if part.is_factor else dense).append(part.values)
    Y = targets.fit_columns
    if targets.classes is None:
        Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    return BaseMatrices(
        dense=np.array(dense).reshape(-1, n, n),
        factors=np.hstack([np.empty((n, 0)), *thin]),
        columns=columns,
        scales=scales,
        noise=noise,
        targets=targets,
        Y=Y,
        root=np.sqrt(targets.relative_weights),
        landmarks=landmarks,
    )


def _finite(kernel: Kernel, K: Array) -> Array:
    if not np.isfinite(K).all():
        raise ValueError(f"the matrix of {kernel} has entries beyond float64: standardise X.")
    return K
