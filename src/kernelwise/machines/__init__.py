"""What learns with a kernel.

``ridge_path`` and ``cholesky`` hold the mathematics: one eigendecomposition of the kernel matrix
serves every ridge, a Cholesky factor serves one. ``least_squares`` wraps it as two scikit-learn
estimators::

    K, Y ──> RidgePath (eigh)  ──> .at(ridge) ──> RidgeFit: coefficients, bias, training residuals,
             fit_cholesky (Cholesky) ────────────────> leave-one-out residuals, degrees of freedom

``calibration`` turns decision values into probabilities; ``on_matrix`` and ``gaussian_process``
hand a kernel to scikit-learn's estimators. ``svm`` and ``squared_hinge`` are the other two machines
that criteria ask; ``folds`` says which rows are left out together.

The ridge is added to the diagonal as it is: K + ridge I. This package imports gram and kernels.
"""

from kernelwise.machines.cholesky import fit_cholesky
from kernelwise.machines.folds import Split, as_cv, make_splits
from kernelwise.machines.least_squares import KRR, LSSVC, fit_known
from kernelwise.machines.precomputed import PrecomputedAdapter
from kernelwise.machines.ridge_fit import LostDigitsWarning, RidgeFit, check_ridge
from kernelwise.machines.ridge_path import RidgePath
from kernelwise.machines.squared_hinge import SquaredHingeFit, fit_squared_hinge
from kernelwise.machines.svm import SupportVectors

__all__ = [
    "KRR",
    "LSSVC",
    "LostDigitsWarning",
    "PrecomputedAdapter",
    "RidgeFit",
    "RidgePath",
    "Split",
    "SquaredHingeFit",
    "SupportVectors",
    "as_cv",
    "check_ridge",
    "fit_cholesky",
    "fit_known",
    "fit_squared_hinge",
    "make_splits",
]
