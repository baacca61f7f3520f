"""What learns with a kernel.

A :class:`Machine` is a strategy by which criteria judge: its training loss, its losses on folds,
its error on other rows. ``ridge_path`` has the least-squares machine, ``svm`` the support vector
machine, each on one kernel matrix at every ridge::

    Gram ──> inverses(ridges) ──> fit_ridge ──> RidgeFit: coefficients, bias, training and
                                                leave-one-out residuals, values on folds
    Gram ──> entries() ─────────> SupportVectors

``least_squares`` wraps the first as two scikit-learn estimators, ``calibration`` turns decision
values into probabilities, ``precomputed`` and ``gaussian_process`` hand a kernel to scikit-learn's
estimators. ``folds`` says which rows are left out together, ``losses`` what that costs.

The ridge is added to the diagonal as it is: K + ridge I. numba appears in ``_smo`` only. This
package imports gram and kernels.
"""

from kernelwise._registry import load_modules
from kernelwise.machines.base import Machine, needs_with
from kernelwise.machines.folds import Split, as_cv, make_splits
from kernelwise.machines.least_squares import KRR, LSSVC
from kernelwise.machines.precomputed import PrecomputedAdapter
from kernelwise.machines.ridge_path import (
    LeastSquares,
    LostDigitsWarning,
    RidgeFit,
    check_ridge,
    fit_cholesky,
    fit_ridge,
)
from kernelwise.machines.squared_hinge import SquaredHingeFit, fit_squared_hinge
from kernelwise.machines.svm import SupportVectors

__all__ = [
    "KRR",
    "LSSVC",
    "LeastSquares",
    "LostDigitsWarning",
    "Machine",
    "PrecomputedAdapter",
    "RidgeFit",
    "Split",
    "SquaredHingeFit",
    "SupportVectors",
    "as_cv",
    "check_ridge",
    "fit_cholesky",
    "fit_ridge",
    "fit_squared_hinge",
    "make_splits",
    "needs_with",
]

load_modules(__name__, __path__)
