"""What a kernel is.

A kernel is a frozen value: a *geometry* of two points (their squared distance, their city-block
distance or their dot product) followed by a scalar *profile*::

    X, Z ──> Pairs(X, Z)[geometry] ──> profile ──> K

``Gaussian(2.0) + 0.1 * Linear()`` is a kernel too: sums, products and positive multiples are values
built from values, as are kernels on rescaled or selected features (``transform``). Besides its
matrix every kernel gives its *deviation* from a constant, computed without cancellation: very wide
kernels are constant up to rounding, and what distinguishes them is only in that deviation.

This package imports nothing else of kernelwise; everything else may import it.
"""

from kernelwise._registry import load_modules
from kernelwise.kernels import grids as grids
from kernelwise.kernels.base import Kernel as Kernel
from kernelwise.kernels.base import PairKernel as PairKernel
from kernelwise.kernels.base import available as available
from kernelwise.kernels.compose import Multiple as Multiple
from kernelwise.kernels.compose import Product as Product
from kernelwise.kernels.compose import Sum as Sum
from kernelwise.kernels.gaussian import Gaussian as Gaussian
from kernelwise.kernels.geometry import Pairs as Pairs
from kernelwise.kernels.given import Function as Function
from kernelwise.kernels.given import Matrix as Matrix
from kernelwise.kernels.laplacian import Laplacian as Laplacian
from kernelwise.kernels.linear import Linear as Linear
from kernelwise.kernels.matern import Matern as Matern
from kernelwise.kernels.polynomial import Polynomial as Polynomial
from kernelwise.kernels.precomputed import Precomputed as Precomputed
from kernelwise.kernels.sigmoid import Sigmoid as Sigmoid
from kernelwise.kernels.transform import Columns as Columns
from kernelwise.kernels.transform import Scaled as Scaled

load_modules(__name__, __path__)
