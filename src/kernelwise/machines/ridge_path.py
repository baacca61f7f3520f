r"""The least-squares machine on one kernel matrix, at every ridge.

With :math:`M = K + \lambda W^{-1}` (W the sample weights) and a bias b the machine solves

.. math::

    C \begin{pmatrix} \alpha \\ b \end{pmatrix} = \begin{pmatrix} y \\ 0 \end{pmatrix},
    \qquad C = \begin{pmatrix} M & 1 \\ 1^\top & 0 \end{pmatrix},

without a bias :math:`M \alpha = y`. Everything a user or a criterion asks of a fit follows from
:math:`\alpha` and :math:`C^{-1}`: training residuals :math:`\lambda \alpha_i / w_i`, leave-one-out
residuals :math:`\alpha_i / (C^{-1})_{ii}`.

Weights are worked in by the change of variables :math:`\tilde K = W^{1/2} K W^{1/2}`,
:math:`\tilde y = W^{1/2} y`, :math:`u = W^{1/2} 1`, after which the ridge multiplies the identity.

References
----------
J. A. K. Suykens et al., Least Squares Support Vector Machines, World Scientific 2002.
G. C. Cawley, Leave-one-out cross-validation based model selection criteria for weighted LS-SVMs,
IJCNN 2006.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kernelwise._types import Array
from kernelwise._undefined import Undefined
from kernelwise.gram import Inverse, Need
from kernelwise.gram.cholesky import CholeskyInverse
from kernelwise.gram.inverse import eliminate_intercept
from kernelwise.machines.base import Machine, mean_loss
from kernelwise.machines.folds import Split
from kernelwise.machines.held_out import LeftOut
from kernelwise.targets import Targets

# A held-out value below this share of its target is nothing but the rounding error of y - r.
_ROUNDING = 1e-12


class LostDigitsWarning(UserWarning):
    """Rounding errors of the kernel matrix leave a machine fewer than four digits."""


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A least-squares machine at one ridge."""

    ridge: float
    targets: Array  # y, of shape (n, c)
    coefficients: Array  # alpha, of shape (n, c)
    bias: Array  # b, of shape (c,); zeros for a machine without bias
    mean_diagonal: float  # of it over the weights, the mean
    # alpha_i / (C^-1)_ii = y_i - f(x_i) of the machine refitted without i; NaN for rows not judged.
    loo_residuals: Array
    judged: Array | None  # the rows of which these are known; None for all of them
    weights: Array  # of the rows, ones by default
    solved_ones: Array  # M^-1 u; zeros for a machine without bias
    feature_weights: Array | None  # the same machine by features, where the matrix is made of them
    inverse: Inverse | None  # of M; None in a machine that is done with it
    condition: float  # how many times it magnifies the rounding errors of the kernel matrix
    lost_digits: str | None  # what to do about a solution with fewer than four digits

    @property
    def degrees_of_freedom(self) -> float:
        """The trace of the hat matrix, which takes y to the values on the training rows."""
        return self.weights.size * (1.0 - self.ridge * self.mean_diagonal)

    @property
    def left_out(self) -> LeftOut:
        """What it says of the rows judged when they are left out."""
        return LeftOut(self)

    @property
    def training_residuals(self) -> Array:
        r"""Y - f(x) on the training rows: :math:`\lambda \alpha_i / w_i`."""
        return self.coefficients * (self.ridge / self.weights)[:, None]

    @property
    def loo_values(self) -> Array:
        r""":math:`f_{-i}(x_i) = y_i - r_i`, what the machine refitted without i says of i."""
        return _without_rounding(self.targets - self.loo_residuals, self.targets)

    def held_out_values(self, rows: Array) -> Array:
        r"""Return f(x) on rows B of the machine refitted without them, at the same ridge.

        .. math:: y_B - [(C^{-1})_{BB}]^{-1} \alpha_B
        """
        assert self.inverse is not None
        if self.inverse.is_thin:
            root = np.sqrt(self.weights)
            u = root if self.solved_ones.any() else None
            values = self.inverse.held_out(rows, root[:, None] * self.targets, u)
            return np.asarray(values / root[rows, None])
        factor = cho_factor(self._block(rows), overwrite_a=True, check_finite=False)
        residuals = cho_solve(factor, self.coefficients[rows])
        return _without_rounding(self.targets[rows] - residuals, self.targets[rows])

    def _block(self, rows: Array) -> Array:
        """Return rows and columns B of C^-1."""
        assert self.inverse is not None
        h, root = self.solved_ones, np.sqrt(self.weights)
        block = self.inverse.block(rows)
        if h.any():
            block -= np.outer(h[rows], h[rows] / float(root @ h))
        return np.asarray(root[rows, None] * block * root[rows])

    def times_block(self, rows: Array) -> Callable[[Array], Array]:
        """Return the product with rows and columns B of C^-1, of a machine without weights."""
        assert self.inverse is not None
        times, h = self.inverse.times_block(rows), self.solved_ones
        total = float(h.sum()) if h.any() else 1.0
        return lambda V: times(V) - np.outer(h[rows], (h[rows] @ V) / total)

    def detached(self) -> "RidgeFit":
        """Return the machine without the inverse, which is as large as the kernel matrix."""
        return replace(self, inverse=None)

    @property
    def training_loss(self) -> float:
        """The weighted mean of the squared training residuals, averaged over the targets."""
        squares = np.average(self.training_residuals**2, axis=0, weights=self.weights)
        return float(squares.mean())


def fit_ridge(
    inverse: Inverse, y: Any, *, fit_intercept: bool = True, sample_weight: Array | None = None
) -> RidgeFit:
    """Return the machine from the inverse of the (weighted) kernel matrix plus ridge."""
    Y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
    weights = np.ones(Y.shape[0]) if sample_weight is None else np.asarray(sample_weight, float)
    root = np.sqrt(weights)
    found = inverse.fit(root[:, None] * Y, root if fit_intercept else None)
    # One row alone, or all that is left of lost digits, may be nothing to divide by.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        coefficients, diagonal = root[:, None] * found.alpha, weights * found.diagonal
        residuals = coefficients / diagonal[:, None]
    return RidgeFit(
        ridge=inverse.ridge,
        targets=Y,
        coefficients=coefficients,
        bias=found.bias,
        mean_diagonal=found.trace / root.size,
        loo_residuals=residuals,
        judged=inverse.judged,
        weights=weights,
        solved_ones=found.ones,
        feature_weights=found.weights,
        inverse=inverse,
        condition=inverse.condition,
        lost_digits=inverse.lost_digits,
    )


def fit_cholesky(
    K: Array,
    y: Any,
    ridge: float,
    *,
    fit_intercept: bool = True,
    sample_weight: Array | None = None,
) -> RidgeFit:
    """Return the machine on a kernel matrix at one ridge; only its upper triangle is read.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,) or (n, c)
    ridge : float
    fit_intercept : bool, default=True
    sample_weight : array of positive numbers of shape (n,), default=None

    Returns
    -------
    fit : RidgeFit
    """
    M = weighted_matrix(K, sample_weight)
    inverse = CholeskyInverse(np.array(M, order="C") if M is K else M, ridge)
    return fit_ridge(
        inverse, y, fit_intercept=fit_intercept, sample_weight=sample_weight
    ).detached()


def weighted_matrix(K: Array, sample_weight: Array | None) -> Array:
    """Return W^1/2 K W^1/2; K itself where no weight differs from one."""
    if sample_weight is None or np.all(sample_weight == 1.0):
        return K
    root = np.sqrt(sample_weight)
    return np.asarray(root[:, None] * K * root[None, :])


def _without_rounding(values: Array, targets: Array) -> Array:
    """Return values = targets - residuals, zero where they are rounding errors alone.

    So a row far from all others has no class, rather than that of an error's sign.
    """
    return np.where(np.abs(values) <= _ROUNDING * np.abs(targets), 0.0, values)


@dataclass(eq=False, repr=False)
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
    needs: ClassVar[Mapping[Need, frozenset[Need]]] = {
        Need.TRAINING: frozenset({Need.SOLVE}),
        Need.FOLDS: frozenset({Need.SOLVE, Need.DIAGONAL, Need.BLOCKS}),
    }

    _fits: dict[float, RidgeFit] = field(default_factory=dict, init=False)
    _losses: dict[float, float] = field(default_factory=dict, init=False)

    def prefit(self, ridges: Sequence[float]) -> None:
        """Fit at all the ridges there will be; the gram decides how to serve them together."""
        weights, gram = self.targets.weights, self.gram
        if weights is not None:
            gram = gram.scaled(np.sqrt(weights))
        for inverse in gram.inverses(ridges):
            self._fit_by(inverse)

    def _fit_by(self, inverse: Inverse) -> None:
        """Fit at the ridge of an inverse."""
        self._fits[inverse.ridge] = fit_ridge(
            inverse,
            self.targets.fit_columns,
            fit_intercept=self.fit_intercept,
            sample_weight=self.targets.weights,
        )

    def fit(self, ridge: float) -> RidgeFit:
        """Return the machine at one ridge; undefined where rounding ruins it."""
        if ridge not in self._fits:
            self.prefit([ridge])
        fit = self._fits[ridge]
        if fit.lost_digits is not None:
            raise Undefined(fit.lost_digits)
        return fit

    def release(self, *, keep_fits: bool) -> None:
        """Release the fits, or keep them without their inverses."""
        if not keep_fits:
            self._fits.clear()
        for ridge, fit in self._fits.items():
            self._fits[ridge] = fit.detached()

    def training_loss(self, ridge: float) -> float:
        """Return the (weighted) mean of the squared training residuals."""
        if Need.DIAGONAL in self.gram.provides or self.targets.weights is not None:
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
            alpha, _ = eliminate_intercept(alpha, h, ones)
        return float(np.mean((ridge * alpha) ** 2))

    def fold_loss(self, ridge: float, split: Split, loss: str) -> float:
        """Return the mean loss on the tested rows, exactly and without a refit."""
        tested = split.judged(self.gram)
        try:
            scores = self.fit(ridge).held_out_values(split.left_out)[tested]
        except np.linalg.LinAlgError:
            raise Undefined(
                "the rows left out determine the machine, so use a larger ridge"
            ) from None
        return mean_loss(self.targets.part(split.left_out[tested]), scores, loss)

    def error_on(self, ridge: float, cross: Array, targets: Targets) -> float:
        """Return the error on other rows."""
        fit = self.fit(ridge)
        return mean_loss(targets, cross @ fit.coefficients + fit.bias, "error")
