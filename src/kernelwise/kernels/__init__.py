"""What a kernel is.

A kernel is a frozen value: a *geometry* of two points (their squared distance, their city-block
distance or their dot product) followed by a scalar *profile*::

    X, Z ──> Pairs(X, Z)[geometry] ──> profile ──> K

``Gaussian(2.0) + 0.1 * Linear()`` is a kernel too: sums, products and positive scalings are values
built from values. Besides its matrix every kernel gives its *deviation* from a constant, computed
without cancellation: very wide kernels are constant up to rounding, and what distinguishes them is
only in that deviation.

This package imports nothing else of kernelwise; everything else may import it.
"""

from kernelwise._registry import load_modules
from kernelwise.kernels import grids
from kernelwise.kernels.base import Kernel, PairKernel, available
from kernelwise.kernels.compose import Product, Scaled, Sum
from kernelwise.kernels.gaussian import Gaussian
from kernelwise.kernels.geometry import Pairs
from kernelwise.kernels.laplacian import Laplacian
from kernelwise.kernels.linear import Linear
from kernelwise.kernels.matern import Matern
from kernelwise.kernels.polynomial import Polynomial
from kernelwise.kernels.precomputed import Precomputed
from kernelwise.kernels.sigmoid import Sigmoid

__all__ = [
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "PairKernel",
    "Pairs",
    "Polynomial",
    "Precomputed",
    "Product",
    "Scaled",
    "Sigmoid",
    "Sum",
    "available",
    "grids",
]

load_modules(__name__, __path__)
