r"""The right-hand sides of the papers' theorems, as numbers.

One module per paper; every function returns a :class:`Bound`: the value, its terms, the theorem's
assumptions (checked where the sample can tell) and whether the value says anything at all::

    K, y, ridge ──> Sample (machines without bias, |f_S|, sup k(x, x)) ──> sm_lssvm(...) ──> Bound

The ridge is what is added to the diagonal of K, as everywhere in this package. Of the papers'
:math:`\lambda` it is :math:`\lambda` itself for SM and ER, :math:`n \lambda` for KS and SPS; the
support vector machine has C = 1 / (2 ridge). No machine here has a bias: the proofs have none.

``variant="printed"`` is the formula as it stands in the paper, ``"corrected"`` (the default) what
its proof gives once misprints are repaired; docs/bounds.md sets the two side by side. Most bounds
are vacuous on samples of ordinary size, and say so.

A new bound is one function in one file, below the :class:`~kernelwise.bounds.theorem.Theorem` that
it states: :func:`all_bounds` and the command line find it there. This package imports criteria,
machines, gram and kernels.
"""

from kernelwise import _registry
from kernelwise.bounds.base import Assumption, Bound, Limits
from kernelwise.bounds.eigenratio import er_decay, er_krr, er_lssvm, er_svm
from kernelwise.bounds.feature_space import fsm_hyperplane_error, fsm_training_error
from kernelwise.bounds.overview import all_bounds
from kernelwise.bounds.perturbation import spectral_perturbation, sps_krr, sps_svm
from kernelwise.bounds.spectral import sm_lssvm, sm_svm
from kernelwise.bounds.stability import (
    ks_empirical_stability,
    ks_krr,
    ks_krr_cv_variance,
    ks_krr_prediction,
    ks_krr_stability,
    ks_svm,
    ks_svm_cv_variance,
    ks_svm_stability,
)

__all__ = [
    "Assumption",
    "Bound",
    "Limits",
    "all_bounds",
    "er_decay",
    "er_krr",
    "er_lssvm",
    "er_svm",
    "fsm_hyperplane_error",
    "fsm_training_error",
    "ks_empirical_stability",
    "ks_krr",
    "ks_krr_cv_variance",
    "ks_krr_prediction",
    "ks_krr_stability",
    "ks_svm",
    "ks_svm_cv_variance",
    "ks_svm_stability",
    "sm_lssvm",
    "sm_svm",
    "spectral_perturbation",
    "sps_krr",
    "sps_svm",
]

_registry.load_modules(__name__, __path__)
