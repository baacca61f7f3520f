"""Methods of an estimator inside another."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from kernelwise._collections import is_collection, lazily
from kernelwise._types import Array


def inner_has(name: str) -> Any:
    """Return a check of whether the estimator inside, fitted or to be fitted, has a method."""

    def check(outer: Any) -> bool:
        getattr(outer._inner(), name)
        return True

    return check


class Delegating:
    """Offers ``predict``, and those methods below that the inner estimator has.

    A subclass returns that estimator (``_inner``, fitted or not; ``_fitted``, or an error) and
    calls its methods on rows (``_ask``).
    """

    estimator: Any
    _inner: Callable[[], Any]
    _fitted: Callable[[], Any]
    _ask: Callable[..., Any]

    def predict(self, X: Any, **params: Any) -> Any:
        """Predict with the fitted estimator; parameters such as ``return_std`` are for it."""
        if is_collection(X):
            return lazily(self, "predict", X)
        found = self._ask("predict", X, **params)
        return found if params else np.asarray(found)

    @available_if(inner_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the fitted estimator."""
        if is_collection(X):
            return lazily(self, "decision_function", X)
        return np.asarray(self._ask("decision_function", X))

    @available_if(inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of every class, in the order of ``classes_``."""
        if is_collection(X):
            return lazily(self, "predict_proba", X)
        return np.asarray(self._ask("predict_proba", X))

    @available_if(inner_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of the probabilities."""
        return np.asarray(self._ask("predict_log_proba", X))

    @available_if(inner_has("predict_interval"))
    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Array, Array]:
        """Return an interval for the target of every row, as :meth:`KRR.predict_interval`."""
        lower, upper = self._ask("predict_interval", X, level)
        return lower, upper

    @available_if(inner_has("predict_set"))
    def predict_set(self, X: Any, level: float = 0.9) -> Array:
        """Return a set of classes for every row, as :meth:`LSSVC.predict_set`."""
        return np.asarray(self._ask("predict_set", X, level))
