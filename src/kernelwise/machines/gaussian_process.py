r"""A kernel and a ridge handed over to scikit-learn's Gaussian processes.

The width and the noise, :math:`K + \mathrm{ridge}\, I`, are fixed; the amplitude of both together
is left to the process, which fits it by marginal likelihood. The mean prediction of a regressor is
then that of kernel ridge regression without a bias.
"""

import math
from typing import Any

from sklearn.gaussian_process import kernels as gp

from kernelwise.kernels import Gaussian, Kernel, Linear, Matern


def process_kernel(kernel: Kernel, ridge: float | None) -> Any:
    """Return the kernel for a Gaussian process; a ridge is the noise of a regressor."""
    if type(kernel) is Gaussian:
        fixed = gp.RBF(math.sqrt(kernel.tau), "fixed")
    elif type(kernel) is Matern:
        fixed = gp.Matern(kernel.scale, "fixed", kernel.nu)
    elif type(kernel) is Linear:
        fixed = gp.DotProduct(0.0, "fixed")
    else:
        raise ValueError(
            f"kernels has {kernel}, which a Gaussian process cannot be given: offer Gaussian, "
            "Matern or Linear kernels."
        )
    return gp.ConstantKernel() * (
        fixed if ridge is None else fixed + gp.WhiteKernel(ridge, "fixed")
    )
