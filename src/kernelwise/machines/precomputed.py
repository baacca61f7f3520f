"""Estimators that take a kernel matrix in the place of data."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from kernelwise._sklearn import validate_rows
from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.machines.delegation import Delegating, inner_has


class PrecomputedAdapter(Delegating, MetaEstimatorMixin, BaseEstimator):
    """Gives an estimator the kernel matrix of its data: it must be set to a precomputed one.

    Parameters
    ----------
    estimator : estimator
        Such as ``KernelRidge(kernel="precomputed")``.
    kernel : Kernel

    Attributes
    ----------
    estimator_ : estimator
        The estimator fitted to the matrix.
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

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> "PrecomputedAdapter":
        """Fit the estimator to the kernel matrix of the rows of X."""
        X = validate_rows(self, X)
        self.X_fit_ = X
        with limited(rows=X.shape[0]):
            self.estimator_ = clone(self.estimator).fit(self.kernel(X), y, **fit_params)
        return self

    def _ask(self, method: str, X: Any, *given: Any, **params: Any) -> Any:
        """Return what the estimator says of the matrix between X and the training rows."""
        check_is_fitted(self)
        X = validate_rows(self, X, reset=False)
        with limited(rows=max(X.shape[0], self.X_fit_.shape[0])):
            K = np.asarray(self.kernel(X, self.X_fit_))
            return getattr(self.estimator_, method)(K, *given, **params)

    def _inner(self) -> Any:
        return getattr(self, "estimator_", self.estimator)

    def _fitted(self) -> Any:
        return self.estimator_

    @available_if(inner_has("score"))
    def score(self, X: Any, y: Any = None, **score_params: Any) -> float:
        """Return the score of the estimator."""
        return float(self._ask("score", X, y, **score_params))

    @property
    def classes_(self) -> Array:
        """The class labels."""
        return np.asarray(self.estimator_.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.input_tags.sparse = True
        return tags
