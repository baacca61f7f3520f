"""Least-squares SVM and kernel ridge regression as scikit-learn estimators."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted

from kernelwise._sklearn import CLASS_WEIGHT, StrOptions, _fit_context, check_numbers, validate_rows
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.gram.inverse import NotPositiveDefinite
from kernelwise.gram.psd import check_matrix
from kernelwise.kernels import Gaussian, Kernel
from kernelwise.machines.base import winners
from kernelwise.machines.blocks import kernel_sums, matrix_between
from kernelwise.machines.calibration import Calibration, midpoint
from kernelwise.machines.ridge_path import (
    LostDigitsWarning,
    RidgeFit,
    fit_cholesky,
)
from kernelwise.machines.ridges import RIDGE
from kernelwise.machines.uncertainty import PredictsIntervals, PredictsSets
from kernelwise.machines.weights import placed, sample_weights, with_class_weights
from kernelwise.targets import Targets


class _LeastSquaresMachine(BaseEstimator):
    """What the two estimators share: f is fitted, kept and evaluated column by column."""

    kernel: Any
    ridge: Any
    fit_intercept: bool
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "kernel": [callable],
        "ridge": [RIDGE],
        "fit_intercept": ["boolean"],
    }

    def _fit_columns(self, X: Any, Y: Array, weights: Array) -> None:
        """Fit all target columns from one Cholesky factor."""
        used = weights > 0.0
        with limited(rows=X.shape[0]):
            fit = self._solve(X, Y[used], weights[used], used)
        # A row of weight zero keeps its place, without influence and without a residual.
        coefficients = placed(fit.coefficients, used, 0.0)
        values, residuals = (placed(v, used, np.nan) for v in (fit.loo_values, fit.loo_residuals))
        self._store(X, fit, coefficients, values, residuals, flat=Y.ndim == 1)
        self.sample_weight_ = weights

    def _solve(self, X: Any, Y: Array, weights: Array, used: Array) -> RidgeFit:
        ridge, n = float(self.ridge), X.shape[0]
        K = check_matrix(matrix_between(self.kernel, self._names, X, X))
        if K.shape[0] != n:
            raise ValueError(
                f"kernel must return a matrix of shape {(n, n)} for X and X, got {K.shape}."
            )
        K = K if used.all() else K[np.ix_(used, used)]
        try:
            return fit_cholesky(
                K, Y, ridge, fit_intercept=self.fit_intercept, sample_weight=weights
            )
        except NotPositiveDefinite as error:
            raise ValueError(f"{error}.") from None

    def _store(
        self, X: Any, fit: RidgeFit, alpha: Array, values: Array, residuals: Array, *, flat: bool
    ) -> None:
        """Keep a sound solution, its single column as a vector if it is to be flat."""
        if not (np.isfinite(alpha).all() and np.isfinite(fit.bias).all()):
            raise ValueError(
                "the coefficients are not finite: standardise X, rescale y, or use a larger ridge."
            )
        if fit.lost_digits is not None:
            warn_user(f"{type(self).__name__}: {fit.lost_digits}.", LostDigitsWarning)
        column = 0 if flat else slice(None)
        self.X_fit_, self.dual_coef_ = X, alpha[:, column]
        self.loo_values_, self.loo_residuals_ = values[:, column], residuals[:, column]
        self.intercept_ = float(fit.bias[0]) if flat else fit.bias

    def _take(self, X: Any, fit: RidgeFit, alpha: Array) -> None:
        """Keep a solution that is known, a sum over the rows of X with coefficients alpha."""
        flat = alpha.shape[1] == 1
        self._store(X, fit, alpha, fit.loo_values, fit.loo_residuals, flat=flat)
        self.n_features_in_, self.sample_weight_ = X.shape[1], fit.weights

    def _evaluate(self, X: Any) -> Array:
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        with limited(rows=max(X.shape[0], self.X_fit_.shape[0])):
            sums = kernel_sums(self.kernel, self._names, X, self.X_fit_, self.dual_coef_)
            return sums + self.intercept_

    @property
    def _names(self) -> Iterable[str]:
        """The names of the columns that it was fitted to, where they have any."""
        return getattr(self, "feature_names_in_", ())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, Kernel) and self.kernel.takes_matrix
        return tags


class LSSVC(PredictsSets, ClassifierMixin, _LeastSquaresMachine):
    r"""Least-squares support vector classifier.

    Fits :math:`f(x) = \sum_i \alpha_i k(x_i, x) + b` to labels ±1 by

    .. math:: \min_{f, b} \sum_i w_i (y_i - f(x_i))^2 + \lambda |f|_K^2,

    one column of ±1 per class where there are more than two, all from one factorisation.

    Parameters
    ----------
    kernel : Kernel or callable, default=Gaussian(tau=1.0)
        A callable ``kernel(X, Z)`` returns the matrix between two sets of rows. With
        ``Precomputed()``, X is the kernel matrix itself.
    ridge : float, default=1.0
        :math:`\lambda`, added to the diagonal of the kernel matrix as it is.
    fit_intercept : bool, default=True
        Whether there is a bias b.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied into the sample weights.
    threshold : {"zero", "midpoint"}, default="zero"
        Where one class ends and the other begins. "midpoint", for two classes, moves the bias such
        that zero lies midway between the means of the leave-one-out values of the two, which a rare
        class needs. Decision values, predictions and probabilities all follow.

    Attributes
    ----------
    classes_ : array of shape (c,)
        The class labels.
    dual_coef_ : array of shape (n,) or (n, c)
        :math:`\alpha`; one column per class where there are more than two.
    intercept_ : float or array of shape (c,)
        b.
    loo_values_, loo_residuals_ : arrays of shape (n,) or (n, c)
        Leave-one-out decision value of every training row, in closed form, and its ±1 target minus
        that; NaN for rows of weight zero, and for those on which a machine of low rank is not
        judged.
    threshold_ : float
        What was subtracted from the bias of the machine, and so from all its values.
    calibration_ : Calibration
        How decision values become probabilities, fitted to the leave-one-out values.
    X_fit_ : array or sparse matrix of shape (n, d)
        The training rows; the landmarks of a machine that a selector fitted with an engine of low
        rank, which has as many coefficients.
    sample_weight_ : array of shape (n,)
        The weights of the training rows, those of their classes included.

    References
    ----------
    J. A. K. Suykens and J. Vandewalle, Least squares support vector machine classifiers, Neural
    Processing Letters 9 (1999).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import LSSVC, Gaussian
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> machine = LSSVC(Gaussian(2.0), ridge=0.1).fit(X, ["a", "a", "b", "b"])
    >>> machine.predict([[0.5], [4.5]]).tolist()
    ['a', 'b']
    >>> bool(np.all(np.abs(machine.loo_residuals_) < 1.0))  # no row is misclassified without itself
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_LeastSquaresMachine._parameter_constraints,
        "class_weight": CLASS_WEIGHT,
        "threshold": [StrOptions({"zero", "midpoint"})],
    }

    def __init__(
        self,
        kernel: Kernel | Callable[..., Array] = Gaussian(1.0),  # noqa: B008 (a frozen value)
        ridge: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        threshold: str = "zero",
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.threshold = threshold

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "LSSVC":
        """Fit the classifier.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
            Class labels of any type, at least two different ones.
        sample_weight : array of shape (n,), default=None
            Non-negative; a row of weight zero has no influence.
        """
        X, y = validate_rows(self, X, y)
        check_classification_targets(y)
        weights = sample_weights(X, sample_weight)
        weights = with_class_weights(weights, self.class_weight, y)
        self.classes_ = np.unique(y[weights > 0.0])
        if self.classes_.size < 2:
            raise ValueError(
                f"y has only one class {self.classes_.tolist()} of positive sample_weight: at "
                "least two classes are needed."
            )
        signs = np.where(y[:, None] == self.classes_, 1.0, -1.0)
        Y = signs[:, 1] if self.classes_.size == 2 else signs
        self._fit_columns(X, Y, weights)
        return self._finish(np.searchsorted(self.classes_, y), weights)

    def adopt(self, X: Any, targets: Targets, fit: RidgeFit, coefficients: Array) -> "LSSVC":
        """Take a solution that is known, a sum over the rows of X with these coefficients."""
        self.classes_ = np.asarray(targets.classes)
        self._take(X, fit, coefficients)
        return self._finish(targets.y, fit.weights)

    def _finish(self, codes: Array, weights: Array) -> "LSSVC":
        """Place the threshold, then calibrate, by the leave-one-out values."""
        self.threshold_ = 0.0
        if self.threshold == "midpoint":
            self.threshold_ = midpoint(self.loo_values_, codes, weights)
            self.intercept_ -= self.threshold_
            self.loo_values_ = self.loo_values_ - self.threshold_
            self.loo_residuals_ = self.loo_residuals_ + self.threshold_
        self.calibration_ = Calibration.fit(self.loo_values_, codes, weights)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return f(x): one value per row for two classes, one per class otherwise."""
        return self._evaluate(X)

    def predict(self, X: Any) -> Array:
        """Return the predicted class of every row."""
        codes = winners(self.decision_function(X))
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of every class, calibrated on leave-one-out decision values."""
        scores = self.decision_function(X)
        return self.calibration_.probabilities(scores)

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities."""
        scores = self.decision_function(X)
        return self.calibration_.log_probabilities(scores)


class KRR(PredictsIntervals, MultiOutputMixin, RegressorMixin, _LeastSquaresMachine):
    r"""Kernel ridge regression.

    Fits :math:`f(x) = \sum_i \alpha_i k(x_i, x) + b` by

    .. math:: \min_{f, b} \sum_i w_i (y_i - f(x_i))^2 + \lambda |f|_K^2 .

    Parameters
    ----------
    kernel : Kernel or callable, default=Gaussian(tau=1.0)
        As of :class:`LSSVC`.
    ridge : float, default=1.0
        :math:`\lambda`, added to the diagonal of the kernel matrix as it is.
    fit_intercept : bool, default=False
        Whether there is a bias b.

    Attributes
    ----------
    dual_coef_ : array of shape (n,) or (n, m)
        :math:`\alpha`, one column per target.
    intercept_ : float or array of shape (m,)
        b; zero without a bias.
    loo_values_, loo_residuals_ : arrays of shape (n,) or (n, m)
        Leave-one-out prediction of every training row, in closed form, and its target minus that;
        NaN for rows of weight zero, and for those on which a machine of low rank is not judged.
    X_fit_ : array or sparse matrix of shape (n, d)
        The training rows, or landmarks, as of :class:`LSSVC`.
    sample_weight_ : array of shape (n,)
        The weights of the training rows.

    References
    ----------
    C. Saunders, A. Gammerman and V. Vovk, Ridge regression learning algorithm in dual variables,
    ICML 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import KRR, Linear
    >>> X = np.arange(5.0)[:, None]
    >>> line = KRR(Linear(), ridge=1e-8, fit_intercept=True).fit(X, 2.0 * X[:, 0] + 1.0)
    >>> line.predict([[10.0]]).round(6)
    array([21.])
    """

    def __init__(
        self,
        kernel: Kernel | Callable[..., Array] = Gaussian(1.0),  # noqa: B008 (a frozen value)
        ridge: float = 1.0,
        fit_intercept: bool = False,
    ) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.fit_intercept = fit_intercept

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KRR":
        """Fit the regression.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,) or (n, m)
        sample_weight : array of shape (n,), default=None
            Non-negative; a row of weight zero has no influence.
        """
        check_numbers(y, "y")
        X, y = validate_rows(self, X, y, multi_output=True, y_numeric=True)
        weights = sample_weights(X, sample_weight)
        self._fit_columns(X, check_array(y, dtype=np.float64, ensure_2d=False), weights)
        return self

    def adopt(self, X: Any, targets: Targets, fit: RidgeFit, coefficients: Array) -> "KRR":
        """Take a solution that is known, as :meth:`LSSVC.adopt` does."""
        self._take(X, fit, coefficients)
        return self

    def predict(self, X: Any) -> Array:
        """Return f(x) for every row."""
        return self._evaluate(X)
