"""All bounds that apply to one kernel matrix."""

from typing import Any

from kernelwise.bounds.base import Bound
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
_REGRESSION = (er_krr, ks_krr_prediction, ks_krr_stability, ks_krr, ks_krr_cv_variance, sps_krr)


def all_bounds(
    K: Any,
    y: Any,
    *,
    ridge: float = 1.0,
    delta: float = 0.05,
    t: int = 4,
    variant: str = "corrected",
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

    Returns
    -------
    bounds : dict of str to Bound
        Without those that are undefined: FSM where a class has a single row.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.bounds import all_bounds
    >>> x = np.linspace(-1.0, 1.0, 12)
    >>> [name for name in all_bounds(np.outer(x, x), np.sin(x)) if name.startswith("ks")]
    ['ks_krr', 'ks_krr_cv_variance', 'ks_krr_prediction', 'ks_krr_stability']
    """
    arguments: dict[Any, dict[str, Any]] = {
        ks_krr: {"delta": delta},
        **{function: {} for function in _ONLY_PRINTED},
        **{function: {"variant": variant} for function in _WITH_VARIANT},
        **{function: {"delta": delta, "variant": variant} for function in _WITH_DELTA},
    }
    for function in (er_svm, er_krr, er_lssvm):
        arguments[function]["t"] = t
    if Targets.of(y).classes is None:
        arguments = {function: arguments[function] for function in _REGRESSION}
    bounds = {f.__name__: f(K, y, ridge=ridge, **given) for f, given in arguments.items()}
    bounds["er_decay"] = er_decay(K, t=t, variant=variant)
    if Targets.of(y).classes is not None:
        try:
            bounds["fsm_training_error"] = fsm_training_error(K, y)
        except Undefined:
            pass  # a class of one row has no variance
    return dict(sorted(bounds.items()))
