r"""A kernel and a ridge handed over to scikit-learn's Gaussian processes.

The width and the noise, :math:`K + \mathrm{ridge}\, I`, are fixed; the amplitude of both together
is left to the process, which fits it by marginal likelihood. The mean prediction of a regressor is
then that of kernel ridge regression without a bias.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as gp

from kernelwise.kernels import Gaussian, Kernel, Linear, Matern, Polynomial, Scaled
from kernelwise.kernels.compose import Multiple, Product, Sum

_LARGEST_LOG = math.log(1e300)  # of an amplitude within float64


def process_kernel(kernel: Kernel, ridge: float | None) -> Any:
    """Return the kernel for a Gaussian process; a ridge is the noise of a regressor."""
    fixed = _translate(kernel)
    noisy = fixed if ridge is None else fixed + gp.WhiteKernel(ridge, "fixed")
    return gp.ConstantKernel() * noisy


def check_translatable(kernel: Kernel, estimator: str) -> None:
    """Say so where scikit-learn's Gaussian processes have no such kernel."""
    try:
        _translate(kernel)
    except KeyError:
        raise ValueError(
            f"estimator {estimator} has no kernel like {kernel}: offer Gaussian, Matern, Linear or "
            "Polynomial kernels."
        ) from None


def _constant(value: float) -> Any:
    return gp.ConstantKernel(value, "fixed")


def _polynomial(kernel: Polynomial) -> Any:
    """Return (gamma x.z + c)^d as gamma^d (x.z + c / gamma)^d."""
    offset = kernel.coef0 / kernel.gamma
    log_amplitude = kernel.degree * math.log(kernel.gamma)
    if not (0.0 <= offset < math.inf and abs(log_amplitude) < _LARGEST_LOG):
        raise KeyError
    inner = gp.DotProduct(math.sqrt(offset), "fixed")
    return _constant(kernel.gamma**kernel.degree) * gp.Exponentiation(inner, kernel.degree)


def _scaled(kernel: Scaled) -> Any:
    """Return a kernel with a length scale per feature."""
    inner, weights = kernel.kernel, np.array(kernel.weights)
    if type(inner) not in (Gaussian, Matern) or not weights.all():
        raise KeyError
    isotropic = _translate(inner)
    return isotropic.set_params(length_scale=isotropic.length_scale / weights)


def _combined(kernel: Sum | Product) -> Any:
    first, *others = map(_translate, kernel.parts)
    for other in others:
        first = first + other if isinstance(kernel, Sum) else first * other
    return first


_TRANSLATIONS: dict[type[Kernel], Callable[[Any], Any]] = {
    Gaussian: lambda k: gp.RBF(math.sqrt(k.tau), "fixed"),
    Matern: lambda k: gp.Matern(k.scale, "fixed", k.nu),
    Linear: lambda k: gp.DotProduct(0.0, "fixed"),
    Polynomial: _polynomial,
    Multiple: lambda k: _constant(k.factor) * _translate(k.part),
    Scaled: _scaled,
    Sum: _combined,
    Product: _combined,
}


def _translate(kernel: Kernel) -> Any:
    return _TRANSLATIONS[type(kernel)](kernel)
