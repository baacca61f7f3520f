"""Raw values: every criterion for every candidate, in one pass."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from kernelwise._progress import SILENT, Task, bar
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.criteria import Criterion, Evidence, Undefined, Value, judge
from kernelwise.gram import Engine, Gram, Targets
from kernelwise.gram.psd import check_matrix, warn_indefinite
from kernelwise.kernels import Kernel, Precomputed
from kernelwise.machines import base as machines
from kernelwise.selection.diagnostics import Code, Diagnostic
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
        How to compute with kernel matrices. "auto" keeps them in memory up to 700 rows; beyond
        that, or beyond the memory budget, it sweeps over tiles.
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

    If `kept` is given, it keeps the evidence of the best `survivors` by the last column.
    """
    start = time.perf_counter()
    columns, unresolved = _resolve_tradeoffs(problem, kernels, columns, ridges_for, progress)
    known = {} if kept is None else kept.begin(survivors)
    plan = Plan.of(problem, kernels, columns.values(), known)
    scores = _Scores(columns, unresolved)
    with progress.part(", ".join(columns), plan.parts) as stage:
        for kernel, evidence in zip(kernels, gather(problem, plan, known, stage), strict=True):
            with stage.part("kernel") if plan.kernels_count else SILENT:
                loss = scores.add(kernel, evidence, ridges_for(evidence.gram))
            if evidence.is_psd is False:
                warn_indefinite(str(kernel))
            if kept is not None:
                kept.offer(evidence, loss)
    return scores.result(problem, time.perf_counter() - start)


class _Scores:
    """What criteria say of candidates, as it comes in.

    Parameters
    ----------
    columns : dict of str to Criterion
    unresolved : dict of str to str
        Why a trade-off parameter of some of them could not be chosen.
    """

    def __init__(self, columns: dict[str, Criterion], unresolved: dict[str, str]) -> None:
        self._columns, self._unresolved = columns, unresolved
        self._asked = {name: c for name, c in columns.items() if name not in unresolved}
        self._kernels: list[Kernel] = []
        self._ridges: list[float] = []
        self._values: dict[str, list[Value]] = {name: [] for name in columns}

    def add(self, kernel: Kernel, evidence: Evidence, ridges: Array) -> float:
        """Score a kernel at every ridge; return its least loss by the last criterion."""
        judged = judge(evidence, self._asked, ridges.tolist())
        for name, reason in self._unresolved.items():
            judged[name] = [Value(np.nan, np.nan, reason)] * ridges.size
        self._kernels += [kernel] * ridges.size
        self._ridges += ridges.tolist()
        for name, values in judged.items():
            self._values[name] += values
        last, criterion = list(self._columns.items())[-1]
        means = np.array(judged[last], dtype=object)[:, 0].astype(float)
        return float(np.fmin.reduce(-means if criterion.greater_is_better else means))

    def result(self, problem: Problem, seconds: float) -> SelectionResult:
        """Return the table; warn of what is undefined."""
        table, errors, undefined = {}, {}, {}
        for name, values in self._values.items():
            means, spreads, reasons = zip(*values, strict=True)
            table[name], errors[name] = np.array(means), np.array(spreads)
            for kernel, reason in zip(self._kernels, reasons, strict=True):
                if reason is not None:
                    undefined[str(kernel), name] = Diagnostic(reason, Code.UNDEFINED)
        if undefined:
            _warn_undefined(undefined)
        return SelectionResult(
            kernels=tuple(self._kernels),
            ridges=np.array(self._ridges),
            criteria=dict(self._columns),
            table=table,
            notes={": ".join(key): diagnostic for key, diagnostic in undefined.items()},
            engine=problem.engine.name,
            engine_reason=problem.engine_reason,
            seconds=seconds,
            standard_errors=errors,
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


def _warn_undefined(notes: Mapping[tuple[str, str], str]) -> None:
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
