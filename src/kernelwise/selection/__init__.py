"""The choice.

``scoring`` gives raw values: every criterion for every candidate, no estimator needed. ``cascade``
describes a choice in stages of rising cost, ``selector`` makes it and fits the machine::

    X, y ──> KernelSelector ──> Cascade: score ──> keep the best ──> score ... ──> kernel, ridge
                                            └──> SelectionResult            └──> fitted machine

This package imports everything below it; the command line and the report stand above it.
"""

from kernelwise.selection.cascade import Cascade
from kernelwise.selection.diagnostics import UndefinedCriterionWarning
from kernelwise.selection.guards import KernelChoiceWarning
from kernelwise.selection.persistence import load_model, save_model
from kernelwise.selection.record import ErrorEstimate, Record
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.scoring import score_kernels, score_matrices, score_matrix
from kernelwise.selection.selector import KernelSelector

__all__ = [
    "Cascade",
    "ErrorEstimate",
    "KernelChoiceWarning",
    "KernelSelector",
    "Record",
    "SelectionResult",
    "UndefinedCriterionWarning",
    "load_model",
    "save_model",
    "score_kernels",
    "score_matrices",
    "score_matrix",
]
