"""All bounds that apply to one kernel matrix."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kernelwise._threads import limited
from kernelwise.bounds.base import Bound, check_delta, is_corrected
from kernelwise.bounds.decay import er_decay
from kernelwise.bounds.eigenratio import er_krr, er_lssvm, er_svm
from kernelwise.bounds.feature_space import fsm_training_error
from kernelwise.bounds.perturbation import sps_krr, sps_svm
from kernelwise.bounds.spectral import sm_lssvm, sm_svm
from kernelwise.bounds.stability import (
    ks_krr,
    ks_krr_prediction,
    ks_krr_stability,
    ks_svm,
    ks_svm_stability,
)
from kernelwise.bounds.variance import ks_krr_cv_variance, ks_svm_cv_variance
from kernelwise.criteria import Undefined
from kernelwise.gram import Targets

_WITH_DELTA = (sm_lssvm, sm_svm, er_svm, er_krr, er_lssvm, ks_svm, sps_krr, sps_svm)
_WITH_VARIANT = (ks_svm_stability, ks_krr_cv_variance, ks_svm_cv_variance)
_ONLY_PRINTED = (ks_krr_prediction, ks_krr_stability)
_REAL = (er_decay, er_krr, ks_krr_prediction, ks_krr_stability, ks_krr, ks_krr_cv_variance, sps_krr)
_FOR_REAL_TARGETS = frozenset(function.__name__ for function in _REAL)
FROM_BELOW = frozenset({"er_decay"})  # the others bound from above


class Overview(NamedTuple):
    """Bounds by function name, and why others are missing.

    Attributes
    ----------
    bounds : dict of str to Bound
    left_out : dict of str to str
        The reason, by function name.
    """

    bounds: dict[str, Bound]
    left_out: dict[str, str]


def all_bounds(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    t: int = 4,
    variant: str = "corrected",
    task: str = "auto",
) -> dict[str, Bound]:
    """Return every bound that is defined for a kernel matrix and a target, by function name.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
        Two classes or a real target.
    ridge : float, default=1.0
        Added to the diagonal of K; the SVM has C = 1 / (2 ridge).
    delta : float, default=0.05
        The probability that a bound fails.
    t : int, default=4
        How many eigenvalues lead in the bounds by their ratio.
    variant : {"corrected", "printed"}, default="corrected"
    task : {"auto", "classification", "regression"}, default="auto"
        What y is; "regression" also takes a few integers for a real target.

    Returns
    -------
    bounds : dict of str to Bound
        Without those that are undefined, as FSM where a class has a single row, or a bound beyond
        float64; :func:`kernelwise.bounds.overview.evaluate` says why.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import all_bounds
    >>> x = np.linspace(-1.0, 1.0, 12)
    >>> [name for name in all_bounds(np.outer(x, x), np.sin(x)) if name.startswith("ks")]
    ['ks_krr', 'ks_krr_cv_variance', 'ks_krr_prediction', 'ks_krr_stability']
    """
    return evaluate(K, y, ridge=ridge, delta=delta, t=t, variant=variant, task=task).bounds


def evaluate(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    t: int = 4,
    variant: str = "corrected",
    task: str = "auto",
) -> Overview:
    """Return every bound that is defined, and why the others are not.

    Parameters
    ----------
    K, y, ridge, delta, t, variant, task
        As for :func:`all_bounds`.

    Returns
    -------
    overview : Overview
        Both parts sorted by function name.
    """
    targets = Targets.of(y, task)
    is_real = targets.classes is None
    is_corrected(variant)
    check_delta(delta)
    calls: dict[str, Callable[[], Bound]] = {
        "er_decay": partial(er_decay, K, t=t, variant=variant),
        "fsm_training_error": partial(fsm_training_error, K, targets),
    }
    for function, given in _arguments(delta, t, variant).items():
        calls[function.__name__] = partial(function, K, targets, ridge=ridge, **given)
    found, left_out = {}, {}
    with limited(rows=targets.n):
        for name, call in sorted(calls.items()):
            if is_real and name not in _FOR_REAL_TARGETS:
                left_out[name] = "is for two classes, and the target is real"
                continue
            try:
                found[name] = call()
            except Undefined as reason:  # as of a class of one row, which has no variance
                left_out[name] = str(reason)
    return Overview(found, left_out)


def references() -> dict[str, str]:
    """Return the theorem behind every bound, by function name."""
    found = all_bounds(np.eye(6), np.repeat([0, 1], 3))
    return {name: bound.reference for name, bound in found.items()}


def _arguments(delta: float, t: int, variant: str) -> dict[Any, dict[str, Any]]:
    """Return what each function that takes a ridge gets besides it."""
    arguments: dict[Any, dict[str, Any]] = {
        ks_krr: {"delta": delta},
        **{function: {} for function in _ONLY_PRINTED},
        **{function: {"variant": variant} for function in _WITH_VARIANT},
        **{function: {"delta": delta, "variant": variant} for function in _WITH_DELTA},
    }
    for function in (er_svm, er_krr, er_lssvm):
        arguments[function]["t"] = t
    return arguments
