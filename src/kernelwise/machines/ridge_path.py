"""The least-squares machine on one kernel matrix, at every ridge."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.gram import Gram, Inverse, Need
from kernelwise.machines.base import Machine
from kernelwise.machines.folds import Split
from kernelwise.machines.losses import mean_loss
from kernelwise.machines.ridge_fit import RidgeFit, eliminate_intercept, fit_ridge
from kernelwise.targets import Targets


class LeastSquares(Machine):
    """The least-squares machine: LSSVC of classes, KRR of real targets.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import Precomputed, gram
    >>> from kernelwise.machines import LeastSquares
    >>> targets = gram.Targets.of([1, 1, -1, -1])
    >>> [identity] = gram.Dense().grams([Precomputed()], np.eye(4), targets)
    >>> LeastSquares(identity, targets, fit_intercept=False).fit(1.0).coefficients.ravel()
    array([ 0.5,  0.5, -0.5, -0.5])
    """

    name: ClassVar[str] = "least-squares"
    own_loss: ClassVar[str] = "square"
    ridge_parameter: ClassVar[str] = "ridge"
    needs: ClassVar[Mapping[Need, frozenset[Need]]] = MappingProxyType(
        {
            Need.TRAINING: frozenset({Need.SOLVE}),
            Need.FOLDS: frozenset({Need.SOLVE, Need.DIAGONAL, Need.BLOCKS}),
        }
    )

    def __init__(self, gram: Gram, targets: Targets, fit_intercept: bool = True) -> None:
        super().__init__(gram, targets, fit_intercept)
        self._fits: dict[float, RidgeFit] = {}
        self._losses: dict[float, float] = {}

    def prefit(self, ridges: Sequence[float]) -> None:
        """Fit at all the ridges there will be; the gram decides how to serve them together."""
        with suppress(Undefined):  # fit() says at which ridge, and why
            for inverse in self.gram.inverses(ridges):
                self._fit(inverse)

    def fit(self, ridge: float) -> RidgeFit:
        """Return the machine at one ridge; undefined where rounding ruins it."""
        if ridge not in self._fits:
            [inverse] = self.gram.inverses([ridge])
            self._fit(inverse)
        fit = self._fits[ridge]
        if fit.lost_digits is not None:
            raise Undefined(fit.lost_digits)
        return fit

    def _fit(self, inverse: Inverse) -> None:
        columns = self.targets.fit_columns
        self._fits[inverse.ridge] = fit_ridge(inverse, columns, fit_intercept=self.fit_intercept)

    def settle(self) -> None:
        """Keep the machines that are fitted, without their inverses."""
        self._fits = {ridge: fit.detached() for ridge, fit in self._fits.items()}

    def training_loss(self, ridge: float) -> float:
        """Return the mean of the squared training residuals."""
        if Need.DIAGONAL in self.gram.provides:
            return self.fit(ridge).training_loss
        if ridge not in self._losses:
            self._losses[ridge] = self._loss_by_solving(ridge)
        return self._losses[ridge]

    def _loss_by_solving(self, ridge: float) -> float:
        """Return the training loss from the coefficients alone."""
        if self.gram.is_psd is not True:
            raise Undefined("without the matrix in memory only positive semidefinite kernels train")
        Y, ones = self.targets.fit_columns, np.ones(self.targets.n)
        if self.fit_intercept:  # the bias takes up a constant
            Y = Y - Y.mean(axis=0)
        [inverse] = self.gram.inverses([ridge])
        solved = inverse.solve(np.column_stack([Y, ones]))
        alpha, h = solved[:, :-1], solved[:, -1]
        if self.fit_intercept:
            alpha = eliminate_intercept(alpha, np.zeros(ones.size), h, ones)[0]
        return float(np.mean((ridge * alpha) ** 2))

    def fold_loss(self, ridge: float, split: Split, loss: str) -> float:
        """Return the mean loss on the tested rows, exactly and without a refit."""
        entries = self.gram.entries if Need.ENTRIES in self.gram.provides else None
        try:
            scores = self.fit(ridge).held_out_values(split.left_out, entries)[split.tested]
        except np.linalg.LinAlgError:
            raise Undefined(
                "the rows left out determine the machine, so use a larger ridge"
            ) from None
        return mean_loss(self.targets.part(split.test), scores, loss)

    def error_on(self, ridge: float, cross: Array, targets: Targets) -> float:
        """Return the error on other rows."""
        fit = self.fit(ridge)
        return mean_loss(targets, cross @ fit.coefficients + fit.bias, "error")
