"""Several kernels together.

``recipe`` says which members a stack has and makes them, one fitted selector each; ``weights`` has
the formulas by which their leave-one-out values are combined; ``stack`` is the estimator::

    X, y ──> recipe: members, each chosen by leave-one-out ──> weights ──> gate ──> KernelStack

This package imports everything below it; the command line and the report stand above it.
"""

from kernelwise.combine.stack import KernelStack

__all__ = ["KernelStack"]
