"""What makes a kernel good.

A criterion is a frozen value with a name, a direction, a cost, a formula, a reference and a few
lines that compute it from :class:`Evidence`: the statistics of one kernel matrix and, where it
asks, products, a spectrum and the least-squares machine at a ridge. Evidence computes each of
these once, so any number of criteria and ridges costs one eigendecomposition::

    Gram (any engine) + targets ──> Evidence ──> criterion.value(evidence, ridge)

The value is a number, or an array of losses whose mean it is. A criterion that is undefined for a
matrix raises :class:`Undefined`; scoring turns that into NaN and says why. This package imports
machines, gram and kernels; it never sees an engine.
"""

from kernelwise._registry import load_modules
from kernelwise._undefined import Undefined
from kernelwise.criteria.alignment import CKTA, KTA
from kernelwise.criteria.base import (
    Criterion,
    Information,
    Value,
    ask,
    available,
    get,
    judge,
)
from kernelwise.criteria.bouligand import BIF
from kernelwise.criteria.cross_validation import KFold
from kernelwise.criteria.eigenratio import ER
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.feature_space import FSM, FSMError
from kernelwise.criteria.likelihood import LML
from kernelwise.criteria.perturbation import SPS
from kernelwise.criteria.span import Span
from kernelwise.criteria.spectral import MD, SM, Ncut, SMHinge
from kernelwise.criteria.stability import CVKS, KS, RKS
from kernelwise.criteria.validation import BR, ELOO, GCV
from kernelwise.gram import Need, Powers

__all__ = [
    "BIF",
    "BR",
    "CKTA",
    "CVKS",
    "ELOO",
    "ER",
    "FSM",
    "GCV",
    "KS",
    "KTA",
    "LML",
    "MD",
    "RKS",
    "SM",
    "SPS",
    "Criterion",
    "Evidence",
    "FSMError",
    "Information",
    "KFold",
    "Ncut",
    "Need",
    "Powers",
    "SMHinge",
    "Span",
    "Undefined",
    "Value",
    "ask",
    "available",
    "get",
    "judge",
]

load_modules(__name__, __path__)
