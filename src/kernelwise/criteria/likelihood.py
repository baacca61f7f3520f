"""What a Gaussian process user would look at."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kernelwise._sklearn import StrOptions
from kernelwise.criteria.base import PENALTY, Criterion, Needs
from kernelwise.criteria.evidence import Evidence
from kernelwise.criteria.parameters import check_fields
from kernelwise.gram import Need


@dataclass(frozen=True)
class LML(Criterion):
    r"""Probability of the targets under a Gaussian process (log marginal likelihood).

    .. math:: -\frac12 y^\top (K + \lambda I)^{-1} y - \frac12 \log |K + \lambda I|
        - \frac n2 \log 2\pi

    The ridge :math:`\lambda` is the noise variance (scikit-learn's ``alpha``); the process has no
    bias. Labels are taken as ±1; with more than two classes the mean over one-vs-rest targets.

    Parameters
    ----------
    mean : {"zero", "constant"}, default="zero"
        The prior mean: zero, or the mean of the target (scikit-learn's ``normalize_y``, but for the
        scale).

    References
    ----------
    C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, MIT Press 2006,
    eq. 2.30.
    """

    mean: str = "zero"

    name: ClassVar[str] = "lml"
    judges: ClassVar[str] = PENALTY
    greater_is_better: ClassVar[bool | None] = True
    needs: ClassVar[Needs] = frozenset({Need.SOLVE, Need.DIAGONAL, Need.LOGDET})
    formula: ClassVar[str] = "-(y'(K + ridge I)^-1 y + log|K + ridge I| + n log 2 pi) / 2"
    reference: ClassVar[str] = "Rasmussen and Williams 2006"
    uses_ridge: ClassVar[bool] = True
    chooses_ridge: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_fields(self, mean=[StrOptions({"zero", "constant"})])

    def value(self, evidence: Evidence, ridge: float) -> float:
        """Return the log likelihood at one ridge, averaged over the targets."""
        fit, Y = evidence.fit(ridge), evidence.targets.fit_columns
        assert fit.inverse is not None
        Y = Y - Y.mean(axis=0) if self.mean == "constant" else Y
        Y = np.sqrt(fit.weights)[:, None] * Y  # a row of weight w has the noise ridge / w
        fits = np.sum(Y * fit.inverse.solve(Y), axis=0)
        logdet = fit.inverse.logdet() - float(np.log(fit.weights).sum())
        return float(-0.5 * (fits.mean() + logdet + evidence.n * np.log(2.0 * np.pi)))
