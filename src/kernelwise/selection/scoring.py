"""Raw values: every criterion for every candidate, in one pass."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any

from kernelwise._progress import bar
from kernelwise._sklearn import CLASS_WEIGHT, StrOptions, check_parameters
from kernelwise._threads import limited
from kernelwise.criteria import SM, Criterion
from kernelwise.gram import Engine, Targets
from kernelwise.gram.psd import check_matrix
from kernelwise.gram.refusals import DoesNotFit, NotProvided
from kernelwise.kernels import Precomputed
from kernelwise.kernels.geometry import as_rows
from kernelwise.machines import LeastSquares, SupportVectors, check_ridge
from kernelwise.selection.advice import Change, Way, advised, check_rank, with_engines
from kernelwise.selection.apart import score_apart
from kernelwise.selection.guards import warn_about_picks
from kernelwise.selection.inputs import (
    Asked,
    as_criteria,
    as_kernels,
    as_ridges,
    check_lengths,
    names_of,
    weighted_rows,
)
from kernelwise.selection.problem import Budget, Problem
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.stacks import named_matrices

_MACHINES = {machine.name: machine for machine in (LeastSquares, SupportVectors)}


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
        "auto" regresses on fractions, and on integers that have few rows to each value.
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
        ridge=check_ridge(ridge),
        task=task,
        fit_intercept=fit_intercept,
    )
    return {name: float(values[0]) for name, values in result.table.items()}


def score_matrices(
    matrices: Any,
    y: Any,
    criteria: Asked = ("sm",),
    *,
    ridge: Any = 1.0,
    task: str = "auto",
    fit_intercept: bool = True,
    machine: str = "least-squares",
) -> SelectionResult:
    """Return the raw value of every criterion for several kernel matrices.

    Parameters
    ----------
    matrices : dict of str to array of shape (n, n), or array of shape (k, n, n)
        The matrices, symmetric, by name: of strings, graphs, quantum states, or of your own kernel.
    y : array of shape (n,)
        Class labels of any type, or real targets.
    criteria, ridge, task, fit_intercept, machine
        As for :func:`score_kernels`.

    Returns
    -------
    result : SelectionResult
        Its kernels are ``Matrix(index, name)``.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import score_matrices
    >>> y = np.array([1, 1, -1, -1])
    >>> score_matrices({"labels": np.outer(y, y), "nothing": np.eye(4)}, y, "ckta").best("ckta")
    Matrix(0, 'labels')
    """
    kernels, X = named_matrices(matrices)
    return score_kernels(
        X,
        y,
        kernels,
        criteria,
        ridge=ridge,
        task=task,
        fit_intercept=fit_intercept,
        machine=machine,
    )


def score_kernels(
    X: Any,
    y: Any,
    kernels: Any = None,
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
    sample_weight: Any = None,
    class_weight: Any = None,
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
    kernels : str, Kernel, callable or list of these, default=None
        The candidates, as for :class:`KernelSelector`; ``grids.auto(X)`` by default.
    criteria : str, Criterion or list of them, default=("sm",)
        Names as in ``criteria.available()`` or criteria with parameters.
    ridge : float or list of float, default=1.0
        For the criteria that train. With several, every kernel is a candidate with each of them.
    engine : {"auto", "dense", "tiled", "low_rank"} or Engine, default="auto"
        How to compute with kernel matrices. "auto" keeps them in memory up to 700 rows; beyond
        that, or beyond the memory budget, it sweeps over tiles. Beyond 8,000 rows, or the budget,
        it estimates what costs n^3, and that alone. ``gram.LowRank(rank)`` takes time linear in the
        rows.
    task : {"auto", "classification", "regression"}, default="auto"
        "auto" regresses on fractions, and on integers that have few rows to each value.
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
    sample_weight : array of shape (n,), default=None
        Weights of the rows, for SM and the criteria of a machine, as ``KernelSelector`` uses them.
        Rows of weight zero are left out.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into those of the rows.

    Returns
    -------
    result : SelectionResult
        NaN, with a warning that says why, where a criterion is undefined. Picks on the edge of the
        grid, and picks whose matrices do not tell rows apart, are warned of as well.

    Examples
    --------
    >>> import kernelwise as kw
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> kw.score_kernels(X, y, kw.grids.gaussian(-4, 4), ["sm", "ckta"]).best("sm")
    Gaussian(tau=4.0)
    """
    allowed = {
        "fit_intercept": ["boolean"],
        "machine": [StrOptions(set(_MACHINES))],
        "n_jobs": [Integral, None],
        "class_weight": CLASS_WEIGHT,
    }
    check_parameters(
        "score_kernels",
        allowed,
        fit_intercept=fit_intercept,
        machine=machine,
        n_jobs=n_jobs,
        class_weight=class_weight,
    )
    targets = Targets.of(y, task)
    asked, ridges = as_criteria(criteria), as_ridges(ridge)
    candidates = as_kernels(kernels, X, names_of(X))
    is_matrix = candidates[0].takes_matrix
    X = X if is_matrix else as_rows(X)
    if sample_weight is not None or class_weight is not None:
        X, targets = _weighted(X, targets, sample_weight, class_weight, is_matrix)

    def prepared(change: Change) -> tuple[Problem, dict[str, Criterion]]:
        problem = Problem(
            X,
            targets,
            candidates,
            change.get("engine", engine),
            fit_intercept=fit_intercept,
            machine=_MACHINES[machine],
            budget=Budget(change.get("memory", memory)),
        )
        check_rank(change, candidates)
        return problem, problem.columns(change.get("criteria", asked))

    try:
        problem, columns = prepared({})
    except (DoesNotFit, NotProvided) as error:
        raise advised(error, _ways(engine), prepared) from None
    with limited(n_jobs, rows=targets.n):
        with bar("scoring kernels", progress) as whole:
            result = score_apart(problem, candidates, columns, lambda gram: ridges, whole)
    # Several threads of BLAS would go on spinning, and slow down the next sweep.
    with limited(n_jobs, rows=1):
        warn_about_picks(result, problem.X)
    return result


def _ways(engine: str | Engine) -> Iterator[list[Way]]:
    """Yield what may help where something is refused."""
    cheap = "set criteria to those of cost n^2, such as 'sm'"
    yield from with_engines(engine, (cheap, {"criteria": [SM()]}))


def _weighted(
    X: Any, targets: Targets, sample_weight: Any, class_weight: Any, is_matrix: bool
) -> tuple[Any, Targets]:
    """Return the rows that have a weight, and their targets."""
    if not is_matrix:
        check_lengths(X, targets.n)
    X, y, weights, _ = weighted_rows(
        X, targets.labels, {"sample_weight": sample_weight}, class_weight, targets.task, is_matrix
    )
    return X, Targets.of(y, targets.task).weighted(weights)
