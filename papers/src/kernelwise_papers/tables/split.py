"""One split of one data set: what every criterion picks, and how well the pick does.

A kernel matrix is decomposed once for all criteria and all ridges; the test errors of all kernels
come from the same decompositions. Trade-off parameters that the papers choose by three folds inside
the training rows are chosen so, at every ridge.
"""

import itertools
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence, Need, Undefined, ask, judge
from kernelwise.gram import Dense, Targets
from kernelwise.kernels import Kernel, Pairs
from kernelwise.machines import LeastSquares, Split, SupportVectors, make_splits
from kernelwise_papers.experiment import Job
from kernelwise_papers.tables.eigenvalue_gap import ROWS
from kernelwise_papers.tables.table import PaperTable

_INNER_FOLDS = 3
_FEWEST = 2  # training rows of a class
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

    values: dict[Any, Array]
    errors: Array


def part_of(table: PaperTable, job: Job) -> Part:
    """Return the split of a table that a job is about."""
    data = table.load(job.dataset, job.rows)
    targets = Targets.of(data.y, table.task)
    return draw(data.X, targets, table.train_share, job.seed, table.scaling)


def draw(X: Array, targets: Targets, share: float, seed: int, scaling: str = "standard") -> Part:
    """Return a random split; not stratified, as the papers do not say that theirs are.

    A split without two training rows of every class is drawn again.
    """
    rng = np.random.default_rng(seed)
    trained = round(share * targets.n)
    fewest = 1 if targets.classes is None else _FEWEST * targets.counts.size
    if trained < fewest or (targets.classes is not None and targets.counts.min() < _FEWEST):
        raise ValueError(
            f"{targets.n} rows are too few for a split with {_FEWEST} training rows of every "
            "class: take more rows."
        )
    while True:
        order = rng.permutation(targets.n)
        train, test = order[:trained], order[trained:]
        if targets.classes is None or targets.part(train).counts.min() >= _FEWEST:
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


def outcomes(part: Part, table: PaperTable) -> list[Outcome]:
    """Return what every column of a table picks on a split, and the best that could be picked."""
    ridges = np.array([table.ridge(lam, part.targets.n) for lam in table.lambdas])
    rows = part.targets.n
    variants = {
        name: _variants(criterion)
        for name, criterion in table.columns.items()
        if rows <= table.up_to.get(name, rows)
    }
    scores = score(part, table, _flat(variants), ridges)
    chosen = _choose_variants(part, table, variants, ridges)
    found = []
    for r, lam in enumerate(table.lambdas):
        for name in table.columns:
            kernel = -1
            if name in variants:
                i = int(chosen[name][r])
                kernel = pick(scores.values[name, i][:, r], variants[name][i])
            found.append(Outcome(lam, name, kernel, _at(scores.errors[:, r], kernel)))
        best = _lowest(scores.errors[:, r])
        found.append(Outcome(lam, "best possible", best, _at(scores.errors[:, r], best)))
    return found


def _variants(criterion: Criterion) -> list[Criterion]:
    """Return a criterion with every combination of the trade-off parameters that are open."""
    grids = {f: g for f, g in criterion.tradeoffs.items() if getattr(criterion, f) == "cv"}
    choices = itertools.product(*grids.values())
    return [
        replace(criterion, **{f: int(v) if f == "t" else v for f, v in zip(grids, c, strict=True)})
        for c in choices
    ]


def _flat(variants: dict[str, list[Criterion]]) -> dict[Hashable, Criterion]:
    """Return all variants of all columns, by column and position."""
    return {(name, i): each for name, found in variants.items() for i, each in enumerate(found)}


def _choose_variants(
    part: Part, table: PaperTable, variants: dict[str, list[Criterion]], ridges: Array
) -> dict[str, Array]:
    """Return, by column and ridge, the variant whose picks err least on three inner folds."""
    errors = {name: np.zeros((len(found), ridges.size)) for name, found in variants.items()}
    several = {name: found for name, found in variants.items() if len(found) > 1}
    if several:
        for split in make_splits(part.targets, None, _INNER_FOLDS, 1, 0):
            scores = score(_inner(part, split), table, _flat(several), ridges)
            for name, found in several.items():
                errors[name] += [_pick_errors(scores, (name, i), c) for i, c in enumerate(found)]
    return {name: found.argmin(axis=0) for name, found in errors.items()}


def _inner(part: Part, split: Split) -> Part:
    """Return training and test rows out of the training rows; they keep their scale."""
    train, test = split.train, split.test
    return Part(part.X[train], part.targets.part(train), part.X[test], part.targets.part(test))


def _pick_errors(scores: Scores, key: Hashable, criterion: Criterion) -> list[float]:
    """Return the test error of what a criterion picks at every ridge; infinite for nothing."""
    picks = [pick(column, criterion) for column in scores.values[key].T]
    found = [_at(scores.errors[:, r], kernel) for r, kernel in enumerate(picks)]
    return [np.inf if np.isnan(error) else error for error in found]


def _at(errors: Array, kernel: int) -> float:
    """Return the error of a kernel, NaN where none was picked."""
    return float(errors[kernel]) if kernel >= 0 else float("nan")


def score(part: Part, table: PaperTable, columns: Mapping[Any, Criterion], ridges: Array) -> Scores:
    """Return every criterion and the test error of every kernel at every ridge."""
    kernels: Sequence[Kernel] = table.kernels
    shape = len(kernels), len(ridges)
    values = {name: np.full(shape, np.nan) for name in columns}
    errors = np.full(shape, np.nan)
    test_pairs = Pairs(part.X_test, part.X)
    judged_by = SupportVectors if table.machine == "svm" else LeastSquares
    for k, gram in enumerate(Dense().grams(kernels, part.X, part.targets)):
        evidence = Evidence(gram, part.targets, kernels[k], table.fit_intercept, judged_by)
        evidence.shared[ROWS] = part.X
        if evidence.statistics.invalid_reason is not None:
            continue
        for name, found in judge(evidence, columns, ridges.tolist()).items():
            values[name][k] = [value.mean for value in found]
        evidence.prefit([float(ridge) for ridge in ridges], frozenset({Need.TRAINING}))
        K_test = kernels[k].values(test_pairs)
        test_error = _balanced_error if table.measure == "balanced" else _test_error
        errors[k] = [test_error(evidence, part, K_test, float(ridge)) for ridge in ridges]
    return Scores(values, errors)


def value_of(criterion: Criterion, evidence: Evidence) -> float:
    """Return a criterion's value at ridge 1, NaN where it is undefined."""
    return ask(criterion, evidence, 1.0).mean


def _test_error(evidence: Evidence, part: Part, K_test: Array, ridge: float) -> float:
    try:
        return evidence.machine.error_on(ridge, K_test, part.test_targets)
    except Undefined:
        return float("nan")


def _balanced_error(evidence: Evidence, part: Part, K_test: Array, ridge: float) -> float:
    """Return the mean over classes of the share of their test rows that are wrong."""
    targets, errors = part.test_targets, []
    for rows in targets.members:
        of_class = replace(part, test_targets=targets.part(rows))
        errors.append(_test_error(evidence, of_class, K_test[rows], ridge))
    return float(np.mean(errors))


def pick(values: Array, criterion: Criterion) -> int:
    """Return the kernel that a criterion picks, of equals the first; -1 where it is undefined."""
    return _lowest(-values if criterion.greater_is_better else values)


def _lowest(losses: Array) -> int:
    return -1 if np.isnan(losses).all() else int(np.nanargmin(losses))
