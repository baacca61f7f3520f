"""What learns with a kernel.

``ridge_path`` holds the mathematics: one eigendecomposition of the kernel matrix serves every
ridge, a Cholesky factor serves one. ``least_squares`` wraps it as two scikit-learn estimators::

    K, Y ──> RidgePath (eigh)  ──> .at(ridge) ──> RidgeFit: coefficients, bias, training residuals,
             fit_one (Cholesky) ────────────────> leave-one-out residuals, degrees of freedom

The ridge is added to the diagonal as it is: K + ridge I. This package imports gram and kernels.
"""

from kernelwise.machines.least_squares import KRR, LSSVC
from kernelwise.machines.ridge_path import RidgeFit, RidgePath, check_ridge, fit_one

__all__ = ["KRR", "LSSVC", "RidgeFit", "RidgePath", "check_ridge", "fit_one"]
