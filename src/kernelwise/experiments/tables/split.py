"""One split of one data set: what every criterion picks, and how well the pick does.

A kernel matrix is decomposed once for all criteria and all ridges; the test errors of all kernels
come from the same decompositions. Trade-off parameters that the papers choose by three folds inside
the training rows are chosen so, at every ridge.
"""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kernelwise.criteria import Criterion, Evidence, Undefined
from kernelwise.criteria.losses import misclassified
from kernelwise.experiments.tables.table import Table
from kernelwise.gram import Dense, Targets
from kernelwise.kernels import Kernel, Pairs
from kernelwise.kernels.geometry import Array
from kernelwise.machines import make_splits

_INNER_FOLDS = 3
_CONSTANT = 1e-12  # a spread, relative to the values, that is none
KERNEL = "{} kernel"  # in a file of results, the heading beside a column's own


@dataclass(frozen=True, eq=False)
class Part:
    """Training and test rows, scaled by the training rows."""

    X: Array
    targets: Targets
    X_test: Array
    test_targets: Targets


class Outcome(NamedTuple):
    """What a column of a table picked at one ridge, and its test error."""

    lam: float
    column: str
    kernel: int  # -1 where the criterion was undefined for all, or left out
    error: float


class Scores(NamedTuple):
    """All values on one split: by criterion, and on the test rows, (kernels, ridges) each."""

    values: dict[str, Array]
    errors: Array


def draw(X: Array, targets: Targets, share: float, seed: int, scaling: str = "standard") -> Part:
    """Return a random split; not stratified, as the papers do not say that theirs are.

    A split without two training rows of every class is drawn again.
    """
    rng = np.random.default_rng(seed)
    trained = round(share * targets.n)
    while True:
        order = rng.permutation(targets.n)
        train, test = order[:trained], order[trained:]
        if targets.classes is None or targets.part(train).counts.min() >= 2:
            break
    Z, Z_test = _scaled(X[train], X[test], scaling)
    return Part(Z, targets.part(train), Z_test, targets.part(test))


def _scaled(train: Array, test: Array, scaling: str) -> tuple[Array, Array]:
    """Fill gaps with the median and scale, by the training rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without any value
        median = np.nan_to_num(np.nanmedian(train, axis=0))
    filled, filled_test = (np.where(np.isnan(Z), median, Z) for Z in (train, test))
    if scaling == "unit":
        low, high = filled.min(axis=0), filled.max(axis=0)
        middle, spread = (low + high) / 2.0, (high - low) / 2.0
    else:
        middle, spread = filled.mean(axis=0), filled.std(axis=0)
    # The mean of equal numbers may miss them by rounding, and then their spread is not quite zero.
    spread[spread <= _CONSTANT * np.abs(filled).max(axis=0)] = 1.0
    return (filled - middle) / spread, (filled_test - middle) / spread


def outcomes(part: Part, table: Table) -> list[Outcome]:
    """Return what every column of a table picks on a split, and the best that could be picked."""
    ridges = np.array([table.ridge(lam, part.targets.n) for lam in table.lambdas])
    rows = part.targets.n
    variants = {
        name: _variants(criterion)
        for name, criterion in table.columns.items()
        if rows <= table.up_to.get(name, rows)
    }
    flat = {f"{n} {i}": c for n, found in variants.items() for i, c in enumerate(found)}
    scores = score(part, table, flat, ridges)
    chosen = _choose_variants(part, table, variants, flat, ridges)
    found = []
    for r, lam in enumerate(table.lambdas):
        for name in table.columns:
            kernel = -1
            if name in variants:
                i = int(chosen[name][r])
                kernel = pick(scores.values[f"{name} {i}"][:, r], variants[name][i])
            error = float(scores.errors[kernel, r]) if kernel >= 0 else np.nan
            found.append(Outcome(lam, name, kernel, error))
        best = int(np.nanargmin(scores.errors[:, r]))
        found.append(Outcome(lam, "best possible", best, float(scores.errors[best, r])))
    return found


def _variants(criterion: Criterion) -> list[Criterion]:
    """Return a criterion with every combination of the trade-off parameters that are open."""
    grids = {f: g for f, g in criterion.tradeoffs.items() if getattr(criterion, f) == "cv"}
    choices = itertools.product(*grids.values())
    return [
        replace(criterion, **{f: int(v) if f == "t" else v for f, v in zip(grids, c, strict=True)})
        for c in choices
    ]


def _choose_variants(
    part: Part,
    table: Table,
    variants: dict[str, list[Criterion]],
    flat: dict[str, Criterion],
    ridges: Array,
) -> dict[str, Array]:
    """Return, by column and ridge, the variant whose picks err least on three inner folds."""
    errors = {name: np.zeros((len(v), ridges.size)) for name, v in variants.items()}
    is_open = {name for name, found in variants.items() if len(found) > 1}
    if is_open:
        asked = {key: c for key, c in flat.items() if key.rsplit(" ", 1)[0] in is_open}
        for split in make_splits(part.targets, None, _INNER_FOLDS, 1, 0):
            inner = Part(
                part.X[split.train],
                part.targets.part(split.train),
                part.X[split.test],
                part.targets.part(split.test),
            )
            scores = score(inner, table, asked, ridges)
            for name in is_open:
                for i, criterion in enumerate(variants[name]):
                    for r in range(ridges.size):
                        k = pick(scores.values[f"{name} {i}"][:, r], criterion)
                        errors[name][i, r] += scores.errors[k, r] if k >= 0 else np.inf
    return {name: e.argmin(axis=0) for name, e in errors.items()}


def score(part: Part, table: Table, columns: dict[str, Criterion], ridges: Array) -> Scores:
    """Return every criterion and the test error of every kernel at every ridge."""
    kernels: Sequence[Kernel] = table.kernels
    shape = len(kernels), len(ridges)
    values = {name: np.full(shape, np.nan) for name in columns}
    errors = np.full(shape, np.nan)
    test_pairs = Pairs(part.X_test, part.X)
    for k, gram in enumerate(Dense().grams(kernels, part.X, part.targets)):
        evidence = Evidence(gram, part.targets, kernels[k], table.fit_intercept, table.machine)
        if evidence.statistics.trouble is not None:
            continue
        if all(criterion.cost == "n^2" for criterion in columns.values()):
            evidence.expect([float(ridge) for ridge in ridges])  # no spectrum, where it can be
        K_test = kernels[k].values(test_pairs)
        for r, ridge in enumerate(map(float, ridges)):
            errors[k, r] = _test_error(evidence, part, K_test, ridge)
            for name, criterion in columns.items():
                values[name][k, r] = _value(criterion, evidence, ridge)
    return Scores(values, errors)


def _value(criterion: Criterion, evidence: Evidence, ridge: float) -> float:
    try:
        return float(criterion.value(evidence, ridge))
    except Undefined:
        return float("nan")


def _test_error(evidence: Evidence, part: Part, K_test: Array, ridge: float) -> float:
    if evidence.machine == "svm":
        return evidence.support_vectors.error_on(ridge, K_test, part.test_targets.y)
    try:
        fit = evidence.fit(ridge)
    except Undefined:
        return float("nan")
    scores = K_test @ fit.coefficients + fit.bias
    if part.targets.classes is None:
        return float(np.mean((part.test_targets.y - scores[:, 0]) ** 2))
    return float(np.mean(misclassified(part.test_targets.y, scores)))


def pick(values: Array, criterion: Criterion) -> int:
    """Return the kernel that a criterion picks, of equals the first; -1 where it is undefined."""
    losses = -values if criterion.greater_is_better else values
    return -1 if np.isnan(losses).all() else int(np.nanargmin(losses))
