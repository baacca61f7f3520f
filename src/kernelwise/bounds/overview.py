"""All bounds that apply to one kernel matrix."""

import inspect
from typing import Any, NamedTuple

from kernelwise._threads import limited
from kernelwise.bounds.base import Bound, check_delta, is_corrected
from kernelwise.bounds.sample import Sample
from kernelwise.bounds.theorem import statements
from kernelwise.criteria import Undefined


class Overview(NamedTuple):
    """Bounds by function name, and why others are missing."""

    bounds: dict[str, Bound]
    left_out: dict[str, str]  # the reason, by function name


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
        With misprints repaired, or as the papers have it.
    task : {"auto", "classification", "regression"}, default="auto"
        What y is; "regression" also takes a few integers for a real target.

    Returns
    -------
    bounds : dict of str to Bound
        Without those that are undefined, such as FSM where a class has a single row, or a bound
        beyond float64; :func:`kernelwise.bounds.overview.evaluate` says why.

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
    """Return what :func:`all_bounds` does, and why other bounds are not defined; both sorted."""
    sample = Sample.of(K, y, ridge, task=task)
    is_corrected(variant)  # or it says that there is no such variant
    given = {"K": sample, "y": sample.targets, "ridge": sample.ridge}
    given |= {"delta": check_delta(delta), "t": t, "variant": variant}
    found, left_out = {}, {}
    with limited(rows=sample.n):
        for name, (theorem, function) in statements().items():
            if not theorem.takes(sample.targets):
                left_out[name] = "is for two classes, and the target is real"
                continue
            wanted = given.keys() & inspect.signature(function).parameters
            try:
                found[name] = function(**{key: given[key] for key in wanted})
            except Undefined as reason:  # as of a class of one row, which has no variance
                left_out[name] = str(reason)
    return Overview(found, left_out)


def references() -> dict[str, str]:
    """Return where every theorem stands, by function name."""
    return {name: theorem.reference for name, (theorem, _) in statements().items()}
