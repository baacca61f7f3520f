"""Regressors that take a kernel matrix in the place of data."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from kernelwise._sklearn import validate_rows
from kernelwise._threads import limited
from kernelwise._types import Array


class PrecomputedAdapter(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """Gives a regressor the kernel matrix of its data: it must be set to a precomputed one.

    Parameters
    ----------
    estimator : regressor
        Such as ``KernelRidge(kernel="precomputed")``.
    kernel : Kernel

    Attributes
    ----------
    estimator_ : regressor
        The regressor fitted to the matrix.
    X_fit_ : array or sparse matrix of shape (n, d)
        The rows it was fitted to.

    Examples
    --------
    >>> from sklearn.kernel_ridge import KernelRidge
    >>> from kernelwise import Gaussian
    >>> from kernelwise.machines import PrecomputedAdapter
    >>> machine = PrecomputedAdapter(KernelRidge(kernel="precomputed", alpha=1e-6), Gaussian(1.0))
    >>> machine.fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0]).predict([[1.0]]).round(3)
    array([1.])
    """

    def __init__(self, estimator: Any, kernel: Any) -> None:
        self.estimator = estimator
        self.kernel = kernel

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "PrecomputedAdapter":
        """Fit the regressor to the kernel matrix of the rows of X."""
        X = validate_rows(self, X)
        self.X_fit_ = X
        with limited(rows=X.shape[0]):
            self.estimator_ = clone(self.estimator).fit(self.kernel(X), y, **fit_params)
        return self

    def predict(self, X: Any) -> Array:
        """Predict from the matrix between X and the training rows."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        with limited(rows=max(X.shape[0], self.X_fit_.shape[0])):
            return np.asarray(self.estimator_.predict(np.asarray(self.kernel(X, self.X_fit_))))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags = get_tags(self.estimator).target_tags
        tags.input_tags.sparse = True
        return tags
