"""Trade-off parameters chosen by cross-validation inside the training set, as the papers do.

A criterion such as RKS weighs a training error against a stability. With ``eta="cv"`` the weight is
chosen by three folds: on two of them every weight picks a kernel, on the third the kernels picked
are tested; the weight whose kernels err least is taken.
"""

import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernelwise._progress import Task
from kernelwise._types import Array
from kernelwise.criteria import Criterion, Evidence, Undefined, judge
from kernelwise.gram import Gram
from kernelwise.gram.pairs import kernel_between
from kernelwise.kernels import Kernel, Pairs
from kernelwise.machines import Split, make_splits
from kernelwise.selection.stacks import part_of

if TYPE_CHECKING:
    from kernelwise.selection.problem import Problem

_FOLDS = 3
_SEED = 0


def resolve_all(
    problem: "Problem",
    kernels: Sequence[Kernel],
    columns: dict[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    progress: Task,
) -> tuple[dict[str, Criterion], dict[str, str]]:
    """Return the criteria with every trade-off parameter chosen, at the middle of the ridges.

    And why none could be chosen for some of them.
    """
    chosen, unresolved = dict(columns), {}
    for name, criterion in columns.items():
        if criterion.has_open_tradeoffs:
            ridges = np.sort(ridges_for(next(problem.evidence(kernels[:1])).gram))
            try:
                middle = float(ridges[ridges.size // 2])
                chosen[name] = resolve(problem, kernels, criterion, middle, progress)
            except Undefined as reason:
                unresolved[name] = str(reason)
    return chosen, unresolved


def resolve(
    problem: "Problem",
    kernels: Sequence[Kernel],
    criterion: Criterion,
    ridge: float,
    progress: Task,
) -> Criterion:
    """Return the criterion with its trade-off parameters chosen, at one ridge."""
    grids = {f: g for f, g in criterion.tradeoffs.items() if getattr(criterion, f) == "cv"}
    choices = itertools.product(*grids.values())
    candidates = [replace(criterion, **dict(zip(grids, c, strict=True))) for c in choices]
    splits = make_splits(problem.targets, None, _FOLDS, 1, _SEED)
    folds = []
    with progress.part(f"{criterion.name}: trade-off", len(splits)) as task:
        for split in splits:
            with task.part("fold"):
                folds.append(_errors_of_picks(problem, kernels, candidates, ridge, split))
    # Ignore a fold on which nothing is defined; elsewhere the undefined cannot win.
    told = [fold for fold in folds if np.isfinite(fold).any()]
    errors = np.sum(told, axis=0)
    if not told or np.isinf(errors).all():
        raise Undefined(f"no value of {' and '.join(grids)} is defined on {_FOLDS} inner folds")
    return candidates[int(errors.argmin())]


def _errors_of_picks(
    problem: "Problem",
    kernels: Sequence[Kernel],
    candidates: Sequence[Criterion],
    ridge: float,
    split: Split,
) -> Array:
    """Return the test error of the kernel that each candidate picks on the training rows.

    Infinite for a candidate that is defined for no kernel, or picks one whose machine is not.
    """
    part, count = problem.part(split.train), len(candidates)
    losses = np.full((count, len(kernels)), np.inf)
    errors = np.full(len(kernels), np.inf)
    sign = -1.0 if candidates[0].greater_is_better else 1.0
    for k, evidence in enumerate(part.evidence(kernels)):
        judged = judge(evidence, dict(enumerate(candidates)), [ridge])
        found = np.array([judged[c][0].mean for c in range(count)])
        losses[:, k] = np.where(np.isnan(found), np.inf, sign * found)
        with suppress(Undefined), np.errstate(all="ignore"):
            if np.isfinite(losses[:, k]).any():
                errors[k] = _test_error(problem, evidence, ridge, split)
    picks = losses.argmin(axis=1)
    errors[np.isnan(errors)] = np.inf
    is_defined = np.isfinite(losses.min(axis=1))
    return np.asarray(np.where(is_defined, errors[picks], np.inf))


def _test_error(problem: "Problem", evidence: Evidence, ridge: float, split: Split) -> float:
    """Return the error on the test rows of the machine of the training rows."""
    assert evidence.kernel is not None
    if problem.takes_matrix:
        X, train = problem.X, split.train
        pairs = Pairs(part_of(X, split.test, train), part_of(X, train))
        cross = evidence.kernel.values(pairs)
    else:
        cross = kernel_between(evidence.kernel, problem.X[split.test], problem.X[split.train])
    return evidence.machine.error_on(ridge, cross, problem.targets.part(split.test))
