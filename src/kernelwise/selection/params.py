"""A kernel and a ridge as scikit-learn's parameters: gamma, C, alpha."""

import math
from dataclasses import fields
from typing import Any

import numpy as np

from kernelwise.kernels import Kernel
from kernelwise.machines import SupportVectors

_SVM_KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")  # known to SVMs by name


def params_of(kernel: Kernel, ridge: float, estimator: Any = None) -> dict[str, Any]:
    """Return a kernel and a ridge in scikit-learn's terms.

    Parameters
    ----------
    kernel : Kernel
    ridge : float
    estimator : estimator or None, default=None
        Only what this one takes: C of a support vector machine, alpha of KernelRidge; else both.
    """
    known = set() if estimator is None else set(estimator.get_params(deep=False))
    params = kernel.to_sklearn()
    if "C" in known and params["kernel"] not in _SVM_KERNELS:
        params = {"kernel": kernel}
    if np.isnan(ridge):  # of a kernel that met no criterion with a ridge
        return params
    if "alpha" not in known:
        params["C"] = SupportVectors.from_ridge(ridge)
    if "C" not in known:
        params["alpha"] = ridge
    return params


def numeric_params(kernel: Kernel, ridge: float) -> dict[str, float]:
    """Return those of :func:`params_of` that are numbers and that the kernel does not name so."""
    own = {field.name for field in fields(kernel)}
    params = params_of(kernel, ridge if 0.0 < ridge < math.inf else math.nan)
    return {k: v for k, v in params.items() if isinstance(v, float) and k not in own}


def told_params(kernel: Kernel, ridge: float) -> str:
    """Return those of :func:`numeric_params` as a person reads them."""
    return ", ".join(f"{k} = {v:.4g}" for k, v in numeric_params(kernel, ridge).items())
