"""The machine that gets the chosen kernel and ridge, and the error of it.

Kernels reach an estimator in one of three ways: as a function of two matrices (the machines of
kernelwise, the support vector machines of scikit-learn, estimators of others), as a precomputed
matrix (scikit-learn's KernelRidge), or translated into a kernel of scikit-learn's Gaussian
processes.
"""

import math
from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.svm import SVC
from sklearn.utils import get_tags

from kernelwise._arguments import shown
from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.criteria.base import LEAVE_ONE_OUT
from kernelwise.gram import Engine, Need, Targets
from kernelwise.kernels import Kernel, Precomputed
from kernelwise.machines import (
    KRR,
    LSSVC,
    LeastSquares,
    Machine,
    PrecomputedAdapter,
    SupportVectors,
)
from kernelwise.machines.base import misclassified, standard_error
from kernelwise.machines.gaussian_process import process_kernel
from kernelwise.selection.left_out import loo_values
from kernelwise.selection.problem import Problem
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.search import CascadeOutcome


class KernelInput(Enum):
    """How an estimator takes a kernel."""

    FUNCTION = "function"
    MATRIX = "matrix"
    PROCESS = "process"


def machine_for(
    estimator: Any, targets: Targets, kernels: Sequence[Kernel], class_weight: Any = None
) -> Any:
    """Return a fresh machine for the targets, or say why the estimator cannot be it."""
    machine = _machine_for(estimator, targets, kernels)
    if class_weight is None:
        return machine
    if "class_weight" not in machine.get_params(deep=False):
        raise ValueError(
            f"class_weight is not for {type(machine).__name__}, which has no such parameter: use "
            "LSSVC or SVC."
        )
    if machine.class_weight is not None:
        raise ValueError(
            "class_weight is given to the selector and to its estimator: give it once."
        )
    return machine.set_params(class_weight=class_weight)


def _machine_for(estimator: Any, targets: Targets, kernels: Sequence[Kernel]) -> Any:
    if estimator is None:
        return KRR(fit_intercept=True) if targets.classes is None else LSSVC()
    _check_instance(estimator)
    name = type(estimator).__name__
    way = _kernel_input(estimator)
    if _TASKS.get(get_tags(estimator).estimator_type) != targets.task:
        raise ValueError(f"estimator {name} does not fit task {targets.task!r}: change either.")
    if way is KernelInput.MATRIX and any(kernel.takes_matrix for kernel in kernels):
        raise ValueError(f"estimator {name} takes a matrix by itself: use LSSVC, KRR or an SVM.")
    if way is KernelInput.PROCESS:
        for kernel in kernels:
            process_kernel(kernel, None)  # refuses those that a process cannot be given
    return clone(estimator)


def _check_instance(estimator: Any) -> None:
    """Refuse a class, of which scikit-learn says in every release something else."""
    if isinstance(estimator, type):
        name = estimator.__name__
        raise TypeError(f"estimator must be an instance, got the class {name}: write {name}().")


_MOST_STEPS = 10_000_000  # libsvm's own limit
_SVM_NAMES = ("linear", "poly", "rbf", "sigmoid")  # "laplacian" is known to other estimators only
_TASKS = {"classifier": "classification", "regressor": "regression"}


def _kernel_input(estimator: Any) -> KernelInput:
    """Return how an estimator takes a kernel, or say that it takes none."""
    name, module = type(estimator).__name__, type(estimator).__module__
    if module.startswith("sklearn.gaussian_process"):
        return KernelInput.PROCESS
    if module.startswith("sklearn.kernel_ridge"):
        return KernelInput.MATRIX
    takes_functions = module.startswith("sklearn.svm") or not module.startswith("sklearn.")
    if takes_functions and "kernel" in estimator.get_params(deep=False):
        return KernelInput.FUNCTION
    raise ValueError(
        f"estimator {name} cannot be given a kernel: use LSSVC, KRR, or KernelRidge, an SVM or a "
        "Gaussian process of scikit-learn."
    )


def has_bias(machine: Any) -> bool:
    """Say whether the machine has a bias, as the criteria that train must know."""
    if hasattr(machine, "fit_intercept"):
        return bool(machine.fit_intercept)
    return _kernel_input(machine) is KernelInput.FUNCTION


def criterion_machine(estimator: Any) -> type[Machine]:
    """Return the machine by which criteria with a training error judge an estimator."""
    return SupportVectors if isinstance(estimator, SVC) else LeastSquares


def knows_by_name(machine: Any, kernels: Sequence[Kernel]) -> bool:
    """Say whether a machine computes, entry by entry as it needs them, kernels given by name."""
    is_svm = type(machine).__module__.startswith("sklearn.svm")
    return is_svm and all(k.to_sklearn()["kernel"] in _SVM_NAMES for k in kernels)


def configure_estimator(
    machine: Any, kernel: Kernel, ridge: float, *, by_name: bool = False
) -> Any:
    """Return the machine with the kernel, or its name, and, in its own terms, the ridge."""
    way = _kernel_input(machine)
    if way is KernelInput.PROCESS:
        return machine.set_params(
            kernel=process_kernel(kernel, ridge if is_regressor(machine) else None)
        )
    if way is KernelInput.MATRIX:
        return PrecomputedAdapter(machine.set_params(kernel="precomputed", alpha=ridge), kernel)
    known = machine.get_params(deep=False)
    settings: dict[str, Any] = kernel.to_sklearn() if by_name else {"kernel": kernel}
    if type(kernel) is Precomputed and type(machine).__module__.startswith("sklearn.svm"):
        settings["kernel"] = "precomputed"  # so that its tags, and folds, know it
    for cls in (criterion_machine(machine), LeastSquares, SupportVectors):
        if cls.ridge_parameter in known:
            settings[cls.ridge_parameter] = cls.from_ridge(ridge)
            break
    if known.get("max_iter") == -1:  # no limit, which a large C needs
        settings["max_iter"] = _MOST_STEPS
    return machine.set_params(**settings)


def fit_estimator(
    machine: Any,
    problem: Problem,
    found: CascadeOutcome,
    params: dict[str, Any],
    class_weight: Any,
) -> None:
    """Fit the machine; one that fits by least squares takes the solution of the choice.

    That knows the sample weights among the parameters, and the class weights given here.
    """
    if takes_over(machine, params, class_weight):
        try:
            solution = found.known or problem.solution(found.evidence, found.ridge)
        except Undefined:
            pass  # not to be trusted: the machine says why
        else:
            machine.adopt(solution.rows, problem.targets, solution.fit, solution.coefficients)
            return
    try:
        machine.fit(problem.X, problem.targets.labels, **params)
    except ValueError as error:
        if isinstance(machine, LSSVC | KRR):
            raise
        # Errors from compiled code do not say which estimator they concern.
        inner = machine.estimator if isinstance(machine, PrecomputedAdapter) else machine
        raise ValueError(f"estimator {shown(inner)} cannot be fitted: {error}") from error


def fit_needs(
    machine: Any, params: dict[str, Any], class_weight: Any, engine: Engine
) -> frozenset[Need]:
    """Return what a fit takes of the kernel matrix: of the choice's own, or else all of it."""
    if not takes_over(machine, params, class_weight):
        return frozenset({Need.ENTRIES})
    is_weighted = bool(params) or class_weight is not None
    return LEAVE_ONE_OUT | (engine.needs_to_scale if is_weighted else frozenset())


def takes_over(machine: Any, params: dict[str, Any], class_weight: Any) -> bool:
    """Say whether the solution of the choice, with its class weights, is that of the machine."""
    is_same = getattr(machine, "class_weight", None) is class_weight
    return _adopts(machine) and is_same and not params.keys() - {"sample_weight"}


def _adopts(machine: Any) -> bool:
    """Say whether a machine can take the least-squares solution that the choice left behind."""
    return "adopt" in vars(type(machine))  # a class that inherits it may fit in a way of its own


def task_of(estimator: Any) -> str:
    """Return the task that an estimator decides, "auto" where it does not."""
    _check_instance(estimator)
    if is_regressor(estimator):
        return "regression"
    return "classification" if is_classifier(estimator) else "auto"


def leave_one_out(
    machine: Any, targets: Targets, method: str = "leave-one-out"
) -> ErrorEstimate | None:
    """Return the leave-one-out error of a fitted machine, None if it does not know its own."""
    values, sound = loo_values(machine, targets)
    if values is None:
        return None
    if targets.classes is None:
        losses = machine.loo_residuals_**2
    else:
        losses = misclassified(targets.y, values)
    return mean_error(targets, losses[sound], method)


def balanced_leave_one_out(
    machine: Any, targets: Targets, method: str = "leave-one-out"
) -> ErrorEstimate | None:
    """Return the mean over classes of the leave-one-out error rate in each, None as above."""
    values, sound = loo_values(machine, targets)
    if targets.classes is None or values is None:
        return None
    losses = misclassified(targets.y, values)
    parts = [losses[rows[sound[rows]]] for rows in targets.members]
    if not all(part.size for part in parts):
        return None
    c = len(parts)
    rate = float(np.mean([part.mean() for part in parts]))
    spread = math.hypot(*map(standard_error, parts)) / c
    return ErrorEstimate("balanced error rate", rate, spread, method, 1.0 - 1.0 / c)


def favours_rare_classes(machine: Any) -> bool:
    """Say whether a machine accepts more errors in all for fewer in a rare class."""
    has_weights = getattr(machine, "class_weight", None) is not None
    return has_weights or getattr(machine, "threshold", "zero") != "zero"


def mean_error(targets: Targets, losses: Array, method: str) -> ErrorEstimate:
    """Return the mean of losses: a rate, or the root of a mean square."""
    if losses.ndim == 2:
        return _mean_error_of_several(targets, losses, method)
    mean = float(losses.mean())
    spread = standard_error(losses)
    if targets.classes is not None:
        baseline = 1.0 - float(targets.counts.max()) / targets.n
        return ErrorEstimate("error rate", mean, spread, method, baseline)
    baseline = float(targets.y.std() * targets.n / (targets.n - 1))  # the mean, leaving one out
    return ErrorEstimate("root mean squared error", *_root(mean, spread), method, baseline)


def _mean_error_of_several(targets: Targets, losses: Array, method: str) -> ErrorEstimate:
    """Return the same for several real targets, each in units of its spread."""
    rows = (losses / targets.y.var(axis=0)).mean(axis=1)
    root, error = _root(float(rows.mean()), standard_error(rows))
    baseline = targets.n / (targets.n - 1)
    return ErrorEstimate("standardised root mean squared error", root, error, method, baseline)


def _root(mean: float, spread: float) -> tuple[float, float]:
    """Return the root of a mean and, by the delta method, its error: over twice the root."""
    root = math.sqrt(mean)
    return root, spread / (2.0 * root) if root > 0.0 else 0.0
