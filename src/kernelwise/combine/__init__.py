"""Several kernels together.

``recipe`` says which members a stack has and makes them, one fitted selector each; ``weights`` has
the formulas by which their leave-one-out values are combined; ``stack`` is the estimator::

    X, y ──> recipe: members, each chosen by leave-one-out ──> weights ──> gate ──> KernelStack

``multi`` is the estimator that has one machine on a weighted sum of kernels; ``views`` says which
kernels those are, and ``mkl`` has the formulas of the weights::

    X, y ──> views: base kernels ──> mkl: weights, ridge by leave-one-out ──> MultiKernelSelector

This package imports everything below it; the command line and the report stand above it.
"""

from kernelwise.combine.multi import MultiKernelSelector
from kernelwise.combine.stack import KernelStack

__all__ = ["KernelStack", "MultiKernelSelector"]
