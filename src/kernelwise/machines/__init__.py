"""What learns with a kernel.

A :class:`Machine` is a strategy by which criteria judge: its training loss, its losses on folds,
its error on other rows. ``ridge_path`` has the least-squares machine, ``svm`` the support vector
machine, each on one kernel matrix at every ridge, which is added to the diagonal as it is::

    Gram ──> inverses(ridges) ──> fit_ridge ──> RidgeFit: coefficients, bias, residuals
    Gram ──> entries() ─────────> SupportVectors

``least_squares`` wraps the first as two scikit-learn estimators, ``calibration`` turns decision
values into probabilities, ``conformal`` leave-one-out values into intervals and sets (the methods
are in ``uncertainty``), ``precomputed`` and ``gaussian_process`` hand a kernel to scikit-learn's
estimators. ``folds`` says which rows are left out together, ``relevance`` which features a machine
uses. numba appears in ``_smo`` and ``_gradients`` only.
"""

from kernelwise.machines.base import Machine as Machine
from kernelwise.machines.base import needs_with as needs_with
from kernelwise.machines.folds import Split as Split
from kernelwise.machines.folds import as_cv as as_cv
from kernelwise.machines.folds import make_splits as make_splits
from kernelwise.machines.least_squares import KRR as KRR
from kernelwise.machines.least_squares import LSSVC as LSSVC
from kernelwise.machines.precomputed import PrecomputedAdapter as PrecomputedAdapter
from kernelwise.machines.ridge_path import LeastSquares as LeastSquares
from kernelwise.machines.ridge_path import LostDigitsWarning as LostDigitsWarning
from kernelwise.machines.ridge_path import RidgeFit as RidgeFit
from kernelwise.machines.ridge_path import fit_cholesky as fit_cholesky
from kernelwise.machines.ridges import check_ridge as check_ridge
from kernelwise.machines.squared_hinge import SquaredHingeFit as SquaredHingeFit
from kernelwise.machines.squared_hinge import fit_squared_hinge as fit_squared_hinge
from kernelwise.machines.svm import SupportVectors as SupportVectors
from kernelwise.machines.uncertainty import TooFewRowsWarning as TooFewRowsWarning
