"""Dask collections as this library sees them: arrays and frames whose rows come when needed.

Nothing here imports Dask: whoever gives a collection has it.
"""

from typing import Any

import numpy as np


def is_collection(X: Any) -> bool:
    """Say whether something is an array or a frame of Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def lazily(estimator: Any, method: str, X: Any) -> Any:
    """Return what a method of a fitted estimator says of a collection, as a collection.

    Parameters
    ----------
    method : {"predict", "decision_function", "predict_proba"}
    """
    classes = getattr(estimator, "classes_", None)
    count = 0 if classes is None else len(classes)
    columns = {"predict": 0, "decision_function": count if count > 2 else 0}.get(method, count)
    dtype = np.dtype(float) if classes is None or method != "predict" else classes.dtype
    if hasattr(X, "map_partitions") and hasattr(X, "columns"):
        width = [np.zeros(0, dtype)] if columns == 0 else list(np.zeros((columns, 0), dtype))
        return X.map_partitions(_on_frame, estimator, method, meta=_frame(width, None))
    X = X.rechunk({1: -1})
    if columns == 0:
        return X.map_blocks(_on_rows, estimator, method, dtype=dtype, drop_axis=1)
    chunks = X.chunks[0], (columns,)
    return X.map_blocks(_on_rows, estimator, method, dtype=dtype, chunks=chunks)


def _on_rows(rows: Any, estimator: Any, method: str) -> Any:
    return getattr(estimator, method)(rows)


def _on_frame(frame: Any, estimator: Any, method: str) -> Any:
    found = np.asarray(getattr(estimator, method)(frame)) if len(frame) else None
    if found is None:
        return frame.iloc[:, 0]
    return _frame([found] if found.ndim == 1 else list(found.T), frame.index)


def _frame(columns: list[Any], index: Any) -> Any:
    """Return a series, or a frame of several columns."""
    import pandas as pd

    if len(columns) == 1:
        return pd.Series(columns[0], index=index)
    return pd.DataFrame(dict(enumerate(columns)), index=index)
