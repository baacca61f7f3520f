"""What machines say of rows that they were not trained on."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.targets import Targets


@dataclass(frozen=True, eq=False)
class HeldOutFit:
    """A least-squares machine at one ridge that knows its values on rows held out of a fit."""

    ridge: float
    bias: Array  # of shape (c,)
    loo_values: Array  # f(x) of the rows judged, NaN for others
    loo_residuals: Array  # the targets less that
    judged: Array | None  # the rows of which these are known; None for all of them
    weights: Array  # of the rows
    lost_digits: str | None = None

    @classmethod
    def of_rows(
        cls, targets: Targets, held: Array, values: Array, bias: Array, ridge: float
    ) -> "HeldOutFit":
        """Return the fit of a machine whose values on the rows held out are known."""
        Y = targets.fit_columns
        placed = np.full(Y.shape, np.nan)
        placed[held] = values
        weights = np.ones(targets.n) if targets.weights is None else targets.weights
        return cls(ridge, bias, placed, Y - placed, held, weights)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The values and residuals of a machine on rows judged without them."""

    fit: Any  # a RidgeFit or a HeldOutFit

    @property
    def values(self) -> Array:
        """What the machine fitted without a row says of it, of shape (rows, c)."""
        return self._of_judged(self.fit.loo_values)

    @property
    def residuals(self) -> Array:
        """The targets less the values."""
        return self._of_judged(self.fit.loo_residuals)

    def _of_judged(self, values: Array) -> Array:
        return values if self.fit.judged is None else np.asarray(values[self.fit.judged])
