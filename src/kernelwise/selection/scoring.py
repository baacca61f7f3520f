"""Raw values: every criterion for every candidate, in one pass."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from kernelwise._progress import SILENT, Task, bar
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.criteria import Criterion, Undefined, Value, judge
from kernelwise.gram import Engine, Gram, Targets
from kernelwise.gram.psd import check_matrix, warn_indefinite
from kernelwise.kernels import Kernel, Precomputed
from kernelwise.machines import base as machines
from kernelwise.selection.inputs import (
    Asked,
    as_criteria,
    as_data,
    as_kernels,
    as_ridges,
    name_columns,
    one_ridge,
)
from kernelwise.selection.plan import Kept, Plan, gather
from kernelwise.selection.problem import Problem
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.tradeoff import resolve


class UndefinedCriterionWarning(UserWarning):
    """A criterion has no value for a kernel; the table holds NaN there."""


def score_matrix(
    K: Any,
    y: Any,
    criteria: Asked = ("sm", "ckta"),
    *,
    ridge: float = 1.0,
    task: str = "auto",
    fit_intercept: bool = True,
) -> dict[str, float]:
    """Return the raw values of criteria for one given kernel matrix.

    Parameters
    ----------
    K : array of shape (n, n)
        A symmetric kernel matrix.
    y : array of shape (n,)
        Class labels of any type, or real targets.
    criteria : str, Criterion or list of them, default=("sm", "ckta")
        Names as in ``criteria.available()`` or criteria with parameters.
    ridge : float, default=1.0
        For the criteria that train: added to the diagonal of K as it is.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" regresses on fractions and on integers of more than 20 distinct values.
    fit_intercept : bool, default=True
        Whether the least-squares machine has a bias.

    Returns
    -------
    values : dict of str to float
        By criterion name. NaN, with a warning that says why, where a criterion is undefined.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import score_matrix
    >>> y = np.array([1, 1, -1, -1])
    >>> {name: round(v, 3) for name, v in score_matrix(np.outer(y, y), y, ["kta", "fsm"]).items()}
    {'kta': 1.0, 'fsm': 0.0}
    """
    K = check_matrix(K)
    result = score_kernels(
        K,
        y,
        [Precomputed()],
        criteria,
        ridge=one_ridge(ridge),
        task=task,
        fit_intercept=fit_intercept,
    )
    return {name: float(values[0]) for name, values in result.table.items()}


def score_kernels(  # noqa: PLR0913 (every argument has a default that most users keep)
    X: Any,
    y: Any,
    kernels: Kernel | Iterable[Kernel] | None = None,
    criteria: Asked = ("sm",),
    *,
    ridge: Any = 1.0,
    engine: str | Engine = "auto",
    task: str = "auto",
    fit_intercept: bool = True,
    machine: str = "least-squares",
    memory: str | float | None = None,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> SelectionResult:
    """Return the raw value of every criterion for every kernel.

    All criteria share one sweep over each kernel matrix and at most one eigendecomposition of it,
    however many criteria and ridges there are.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The data; the kernel matrix itself with ``kernels=Precomputed()``.
    y : array of shape (n,)
        Class labels of any type, or real targets.
    kernels : Kernel or list of Kernel, default=None
        The candidates; ``grids.auto(X)`` by default.
    criteria : str, Criterion or list of them, default=("sm",)
        Names as in ``criteria.available()`` or criteria with parameters.
    ridge : float or list of float, default=1.0
        For the criteria that train. With several, every kernel is a candidate with each of them.
    engine : {"auto", "dense", "tiled"} or Engine, default="auto"
        How kernel matrices are looked at; "auto" holds them in memory up to 700 rows and sweeps
        over tiles beyond, or where they do not fit into the memory budget.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" regresses on fractions and on integers of more than 20 distinct values.
    fit_intercept : bool, default=True
        Whether the least-squares machine has a bias.
    machine : {"least-squares", "svm"}, default="least-squares"
        The machine whose training or cross-validation error enters RKS, CVKS, ER, SPS and KFold:
        least squares with the ridge, or the support vector machine with C = 1 / (2 ridge). ELOO,
        GCV, BR and LML are of the least-squares machine always, Span of the support vector machine.
    memory : str, float or None, default=None
        The memory budget: an amount such as "4GB", or a share of what is free (None: 0.8).
    progress : bool or None, default=None
        Whether to draw a bar with the time left on standard error once it takes over a second;
        None draws it in a terminal or a notebook.
    n_jobs : int or None, default=None
        The number of threads, as for :class:`KernelSelector`.

    Returns
    -------
    result : SelectionResult
        NaN, with a warning that says why, where a criterion is undefined.

    Examples
    --------
    >>> import kernelwise as kw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> kw.score_kernels(X, y, kw.grids.gaussian(-4, 4), ["sm", "ckta"]).best("sm")
    Gaussian(tau=4.0)
    """
    targets = Targets.of(y, task)
    columns = name_columns(as_criteria(criteria))
    candidates = as_kernels(kernels, X)
    ridges = as_ridges(ridge)
    problem = Problem.of(
        as_data(X, candidates, targets),
        targets,
        candidates,
        engine,
        fit_intercept=fit_intercept,
        machine=machines.get(machine),
        memory=memory,
    )
    problem.check(columns.values())
    with limited(n_jobs, rows=targets.n), bar("scoring kernels", progress) as whole:
        return score_candidates(problem, candidates, columns, lambda gram: ridges, whole)


def score_candidates(
    problem: Problem,
    kernels: Sequence[Kernel],
    columns: dict[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    progress: Task = SILENT,
    kept: Kept | None = None,
    survivors: int = 1,
) -> SelectionResult:
    """Score validated candidates; ridges may depend on the kernel matrix.

    The evidence of the best by the last column, as many as survive, is kept where that is asked.
    """
    start = time.perf_counter()
    columns, unresolved = _resolve_tradeoffs(problem, kernels, columns, ridges_for, progress)
    rows: list[tuple[Kernel, float, dict[str, Value]]] = []
    resolved = {name: c for name, c in columns.items() if name not in unresolved}
    known = {} if kept is None else kept.begin(survivors)
    plan = Plan.of(problem, kernels, columns.values(), known)
    with progress.part(", ".join(columns), plan.parts) as stage:
        for kernel, evidence in zip(kernels, gather(problem, plan, known, stage), strict=True):
            with stage.part("kernel") if plan.kernels_count else SILENT:
                ridges = np.asarray(ridges_for(evidence.gram), dtype=float).tolist()
                values = [v | unresolved for v in judge(evidence, resolved, ridges)]
            rows += [(kernel, *found) for found in zip(ridges, values, strict=True)]
            if kept is not None:
                kept.offer(evidence, _best_loss(columns, values))
            if evidence.is_psd is False:
                warn_indefinite(str(kernel))
    reasons = {(str(k), n): v.reason for k, _, found in rows for n, v in found.items() if v.reason}
    _warn_undefined(reasons)
    return SelectionResult(
        kernels=tuple(kernel for kernel, _, _ in rows),
        ridges=np.array([ridge for _, ridge, _ in rows]),
        criteria=dict(columns),
        table={name: np.array([v[name].mean for _, _, v in rows]) for name in columns},
        notes={f"{kernel}: {column}": reason for (kernel, column), reason in reasons.items()},
        engine=problem.engine.name,
        engine_reason=problem.engine_reason,
        seconds=time.perf_counter() - start,
        standard_errors={name: np.array([v[name].error for _, _, v in rows]) for name in columns},
    )


def _best_loss(columns: dict[str, Criterion], values: list[dict[str, Value]]) -> float:
    """Return the least loss of a kernel by the last criterion, over its ridges."""
    name, criterion = list(columns.items())[-1]
    means = np.array([found[name].mean for found in values])
    return float(np.fmin.reduce(-means if criterion.greater_is_better else means))


def _resolve_tradeoffs(
    problem: Problem,
    kernels: Sequence[Kernel],
    columns: dict[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    progress: Task,
) -> tuple[dict[str, Criterion], dict[str, Value]]:
    """Return the criteria with every trade-off parameter chosen, at the middle of the ridges.

    And, for those for which none could be chosen, a value that says why.
    """
    if not any(criterion.has_open_tradeoffs for criterion in columns.values()):
        return columns, {}
    ridges = np.sort(ridges_for(next(problem.evidence(kernels[:1])).gram))
    ridge = float(ridges[ridges.size // 2])
    chosen, unresolved = dict(columns), {}
    for name, criterion in columns.items():
        if criterion.has_open_tradeoffs:
            try:
                chosen[name] = resolve(problem, kernels, criterion, ridge, progress)
            except Undefined as reason:
                unresolved[name] = Value(np.nan, np.nan, str(reason))
    return chosen, unresolved


def _warn_undefined(notes: dict[tuple[str, str], str]) -> None:
    """Say what is undefined and why, once for all kernels that share the reason."""
    kernels: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for (kernel, name), reason in notes.items():
        kernels.setdefault(reason, []).append(kernel)
        names.setdefault(reason, []).append(name)
    for reason in kernels:
        first, *others = dict.fromkeys(kernels[reason])
        more = f" and {len(others)} more" if others else ""
        warn_user(
            f"undefined (NaN): {', '.join(dict.fromkeys(names[reason]))} of {first}{more}, "
            f"because {reason}.",
            UndefinedCriterionWarning,
        )
