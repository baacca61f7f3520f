"""Kernels of scikit-learn's Gaussian processes as kernels of this package."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as gp

from kernelwise.kernels.base import Kernel
from kernelwise.kernels.gaussian import Gaussian
from kernelwise.kernels.given import Function
from kernelwise.kernels.linear import Linear
from kernelwise.kernels.matern import Matern
from kernelwise.kernels.polynomial import Polynomial
from kernelwise.kernels.transform import Scaled

_SMOOTHNESS = (0.5, 1.5, 2.5)


def from_process(kernel: Any) -> Kernel:
    """Return the same kernel; one that this package does not have is taken as a function.

    The parameters are taken as they are: bounds and gradients play no role.
    """
    return _TRANSLATIONS.get(type(kernel), _as_function)(kernel)


def _as_function(kernel: Any) -> Kernel:
    return Function(kernel, psd=True)


def _radial(kernel: Any, of_scale: Callable[[float], Kernel]) -> Kernel:
    """Return a kernel of one length scale, or of one for every feature."""
    scales = np.atleast_1d(np.asarray(kernel.length_scale, dtype=float))
    if scales.size == 1:
        return of_scale(float(scales[0]))
    return Scaled(tuple((1.0 / scales).tolist()), of_scale(1.0))


def _rbf(kernel: Any) -> Kernel:
    return _radial(kernel, lambda scale: Gaussian(scale**2))


def _matern(kernel: Any) -> Kernel:
    if math.isinf(kernel.nu):
        return _rbf(kernel)
    if kernel.nu not in _SMOOTHNESS:
        return _as_function(kernel)
    return _radial(kernel, lambda scale: Matern(scale, kernel.nu))


def _dot_product(kernel: Any) -> Kernel:
    return Polynomial(1, kernel.sigma_0**2) if kernel.sigma_0 else Linear()


def _power(kernel: Any) -> Kernel:
    base, exponent = kernel.kernel, kernel.exponent
    if type(base) is gp.DotProduct and float(exponent).is_integer() and exponent >= 1:
        return Polynomial(int(exponent), base.sigma_0**2)
    return _as_function(kernel)


def _product(kernel: Any) -> Kernel:
    for constant, other in ((kernel.k1, kernel.k2), (kernel.k2, kernel.k1)):
        if type(constant) is gp.ConstantKernel:
            return float(constant.constant_value) * from_process(other)
    return from_process(kernel.k1) * from_process(kernel.k2)


def _white(kernel: Any) -> Kernel:
    raise ValueError(
        "kernels has a WhiteKernel, which stands for noise: leave it out, the ridge is chosen in "
        "its place."
    )


_TRANSLATIONS: Mapping[type[Any], Callable[[Any], Kernel]] = MappingProxyType(
    {
        gp.RBF: _rbf,
        gp.Matern: _matern,
        gp.DotProduct: _dot_product,
        gp.Exponentiation: _power,
        gp.Sum: lambda kernel: from_process(kernel.k1) + from_process(kernel.k2),
        gp.Product: _product,
        gp.WhiteKernel: _white,
    }
)
