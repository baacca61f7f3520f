"""Weights and ridge by exact leave-one-out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.weights import losses
from kernelwise.gram import Spectrum
from kernelwise.gram.inverse import spectral_inverses
from kernelwise.machines.ridge_path import fit_ridge
from kernelwise.selection.cascade import AUTO_RIDGES

_EPS = float(np.finfo(float).eps)
_ROUNDING = 10.0  # times n and the rounding errors of entries, that of an eigenvalue
_TIE = 1e-12  # relative difference of losses that is rounding


class Proposal(NamedTuple):
    """Weights that a method proposes, at a penalty; NaN where it has none."""

    weights: Array  # (k,)
    penalty: float = np.nan


@dataclass(frozen=True, eq=False)
class Verdict:
    """What leave-one-out says of weights, at the best ridge for them."""

    proposal: Proposal
    ridge: float  # in units of the combined matrix
    values: Array  # (n, c), leave-one-out values in units of the targets
    losses: Array  # (n,), squared hinge or squared error, times the weight of the row

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())


def judge(base: BaseMatrices, proposal: Proposal, ridges: Array | None) -> Verdict:
    """Return what leave-one-out says at the best of several ridges.

    By default they are those of a selector, in units of the mean diagonal. Of equal ones the
    largest wins.
    """
    K = base.combined(proposal.weights)
    unit = float(K.diagonal().mean())
    tried = AUTO_RIDGES * unit if ridges is None else ridges
    s, Q = scipy.linalg.eigh(K, overwrite_a=True, check_finite=False)
    rounding = _ROUNDING * base.rows * float(proposal.weights @ base.noise)
    if s[0] < -max(rounding, _ROUNDING * base.rows * _EPS * s[-1]):
        raise ValueError(
            "a kernel is not positive semidefinite on these rows: leave out kernels such as "
            "Sigmoid, or repair their matrices with kernelwise.gram.repair."
        )
    spectrum = Spectrum(np.maximum(s, 0.0), Q)
    shares = base.targets.relative_weights
    best: Verdict | None = None
    for inverse in spectral_inverses(spectrum, sorted(tried.tolist(), reverse=True)):
        fit = fit_ridge(inverse, base.Y, sample_weight=shares)
        lost = shares * losses(base.Y, fit.loo_values, is_real=base.is_real)
        if best is None or lost.mean() < (1.0 - _TIE) * best.loss:
            best = Verdict(proposal, inverse.ridge, fit.loo_values, lost)
    assert best is not None
    return best


def best_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the one with the least loss; of equal ones the first."""
    return min(verdicts, key=lambda verdict: verdict.loss)
