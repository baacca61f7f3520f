"""Weights and ridge by exact leave-one-out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.weights import gate, losses
from kernelwise.gram.inverse import spectral_inverses
from kernelwise.machines.ridge_path import fit_ridge
from kernelwise.selection.cascade import AUTO_RIDGES

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
    values: Array  # (n, c), leave-one-out values in units of the targets; NaN for landmarks
    losses: Array  # of the other rows, squared hinge or error, times the weight of the row

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())


def judge(base: BaseMatrices, proposal: Proposal, ridges: Array | None) -> Verdict:
    """Return what leave-one-out says at the best of several ridges.

    By default they are those of a selector, in units of the mean diagonal. Of equal ones the
    largest wins.
    """
    unit = float(proposal.weights @ base.diagonals.mean(axis=1))
    tried = AUTO_RIDGES * unit if ridges is None else ridges
    spectrum = base.spectrum(proposal.weights)
    shares = base.targets.relative_weights
    best: Verdict | None = None
    for inverse in spectral_inverses(spectrum, sorted(tried.tolist(), reverse=True)):
        fit = fit_ridge(inverse, base.Y, sample_weight=shares)
        values = np.array(fit.loo_values)
        values[base.landmarks] = np.nan
        lost = np.delete(shares * losses(base.Y, values, is_real=base.is_real), base.landmarks)
        if best is None or lost.mean() < (1.0 - _TIE) * best.loss:
            best = Verdict(proposal, inverse.ridge, values, lost)
    assert best is not None
    return best


def best_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the one with the least loss; of equal ones the first."""
    return min(verdicts, key=lambda verdict: verdict.loss)


def until_clearly_worse(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return the verdicts up to the first whose loss is beyond doubt above the least before it.

    It is by three standard errors, row by row. Along a path of falling penalties weights fit more
    and more of the noise.
    """
    tried: list[Verdict] = []
    for verdict in verdicts:
        tried.append(verdict)
        best = best_of(tried)
        if best is not verdict and gate(verdict.losses - best.losses) == 1.0:
            break
    return tried
