"""Raw values: every criterion for every candidate, in one pass."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernelwise._progress import SILENT, Task, bar
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.criteria import Criterion, Evidence, Undefined
from kernelwise.criteria.base import check_task, defined
from kernelwise.criteria.losses import standard_error
from kernelwise.gram import Engine, Gram, Targets
from kernelwise.gram.psd import check_matrix, warn_indefinite
from kernelwise.kernels import Kernel, Precomputed
from kernelwise.selection.diagnostics import Code, Diagnostic
from kernelwise.selection.inputs import (
    Asked,
    as_criteria,
    as_kernels,
    as_ridges,
    name_columns,
    one_ridge,
)
from kernelwise.selection.plan import Plan, gather
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
    for criterion in columns.values():
        check_task(criterion, targets)
    candidates = as_kernels(kernels, X)
    ridges = as_ridges(ridge)
    problem = Problem.of(
        X,
        targets,
        candidates,
        engine,
        fit_intercept=fit_intercept,
        machine=machine,
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
) -> SelectionResult:
    """Score validated candidates; ridges may depend on the kernel matrix."""
    start = time.perf_counter()
    columns, unresolved = _resolve_tradeoffs(problem, kernels, columns, ridges_for, progress)
    rows: list[tuple[Kernel, float, dict[str, Value]]] = []
    notes: dict[tuple[str, str], str] = {}
    plan = Plan.of(problem, kernels, columns)
    with progress.part(", ".join(columns), plan.parts) as stage:
        for kernel, evidence in zip(kernels, gather(problem, plan, stage), strict=True):
            with stage.part("kernel") if plan.kernels_count else SILENT:
                ridges = ridges_for(evidence.gram)
                scores = _score_one(evidence, columns, ridges, unresolved, notes)
            rows += [(kernel, ridge, values) for ridge, values in scores]
            if evidence.is_psd is False:
                warn_indefinite(str(kernel))
    _warn_undefined(notes)
    return SelectionResult(
        kernels=tuple(kernel for kernel, _, _ in rows),
        ridges=np.array([ridge for _, ridge, _ in rows]),
        criteria=dict(columns),
        table={name: np.array([v[name].mean for _, _, v in rows]) for name in columns},
        notes={
            f"{kernel}: {column}": Diagnostic(reason, Code.UNDEFINED)
            for (kernel, column), reason in notes.items()
        },
        engine=problem.engine.name,
        engine_reason=problem.engine_reason,
        seconds=time.perf_counter() - start,
        standard_errors={name: np.array([v[name].error for _, _, v in rows]) for name in columns},
    )


def _resolve_tradeoffs(
    problem: Problem,
    kernels: Sequence[Kernel],
    columns: dict[str, Criterion],
    ridges_for: Callable[[Gram], Array],
    progress: Task,
) -> tuple[dict[str, Criterion], dict[str, str]]:
    """Return the criteria with every trade-off parameter chosen, at the middle of the ridges.

    And why none could be chosen for some of them.
    """
    if not any(criterion.has_open_tradeoffs for criterion in columns.values()):
        return columns, {}
    first = next(iter(problem.engine.grams(kernels[:1], problem.X, problem.targets)))
    ridges = np.sort(ridges_for(first))
    ridge = float(ridges[ridges.size // 2])
    chosen, unresolved = dict(columns), {}
    for name, criterion in columns.items():
        if criterion.has_open_tradeoffs:
            try:
                chosen[name] = resolve(problem, kernels, criterion, ridge, progress)
            except Undefined as reason:
                unresolved[name] = str(reason)
    return chosen, unresolved


class Value(NamedTuple):
    """A value and, where it is a mean of losses, its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, criterion: Criterion, evidence: Evidence, ridge: float) -> "Value":
        """Ask a criterion."""
        with np.errstate(all="ignore"):  # defined() tells
            losses = criterion.losses(evidence, ridge)
            if losses is None:
                return cls(defined(criterion.value(evidence, ridge)), np.nan)
            return cls(defined(np.mean(losses)), standard_error(losses))


def _score_one(
    evidence: Evidence,
    columns: dict[str, Criterion],
    ridges: Array,
    unresolved: dict[str, str],
    notes: dict[tuple[str, str], str],
) -> list[tuple[float, dict[str, Value]]]:
    """Return the values of one kernel at every ridge; criteria without a ridge are asked once."""

    def value(name: str, ridge: float) -> Value:
        try:
            if evidence.statistics.invalid_reason is not None:
                raise Undefined(evidence.statistics.invalid_reason)
            if name in unresolved:
                raise Undefined(unresolved[name])
            return Value.of(columns[name], evidence, ridge)
        except Undefined as reason:
            notes[str(evidence.kernel), name] = str(reason)
            return Value(np.nan, np.nan)

    costly = [c for c in columns.values() if c.cost != "n^2"]
    fits_are_enough = bool(costly) and all(c.judges_the_fit for c in costly)
    if fits_are_enough and evidence.statistics.invalid_reason is None:
        evidence.prefit([float(ridge) for ridge in ridges])
    fixed = {name: value(name, ridges[0]) for name, c in columns.items() if not c.uses_ridge}
    return [
        (float(r), {name: fixed[name] if name in fixed else value(name, r) for name in columns})
        for r in map(float, ridges)
    ]


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
