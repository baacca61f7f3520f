"""What the displays are made from, checked at the border."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernelwise._types import Array
from kernelwise.gram.psd import check_matrix
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import as_rows
from kernelwise.selection.result import SelectionResult

MAX_ROWS = 2000  # a matrix of 32 MB, whose eigenvalues take a second


class Sample(NamedTuple):
    """A kernel matrix on all rows, or on some drawn at random."""

    matrix: Array  # of shape (m, m)
    rows: Array  # those it is on, in their order
    total: int  # how many rows there are


def sample_matrix(kernel: Any, X: Any, max_rows: int, random_state: Any) -> Sample:
    """Return the kernel matrix on at most ``max_rows`` rows."""
    if isinstance(kernel, type) or not callable(kernel):
        raise ValueError(f"kernel must be a kernel such as Gaussian(1.0), got {kernel!r}.")
    if max_rows < 2:
        raise ValueError(f"max_rows must be at least 2, got {max_rows}.")
    points = as_rows(X)
    total = points.shape[0]
    rows = np.arange(total)
    if total > max_rows:
        rows = np.sort(check_random_state(random_state).choice(total, max_rows, replace=False))
        given = isinstance(kernel, Kernel) and kernel.takes_matrix
        points = points[np.ix_(rows, rows)] if given else points[rows]
    return Sample(check_matrix(kernel(points, points)), rows, total)


def check_lengths(entries: int, rows: int) -> None:
    """Say so where a target is not one of the rows."""
    if entries != rows:
        raise ValueError(
            f"y must have one entry per row of X, got {entries} entries for {rows} rows."
        )


def last_step(estimator: Any) -> Any:
    """Return a fitted estimator, or the last step of a fitted pipeline."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    check_is_fitted(estimator)
    return estimator


def fitted_machine(estimator: Any, attribute: str, remedy: str) -> Any:
    """Return the machine in a pipeline or selector, or say that it lacks an attribute."""
    outer = last_step(estimator)
    machine = last_step(getattr(outer, "best_estimator_", outer))
    if getattr(machine, attribute, None) is None:
        raise ValueError(
            f"estimator must be a fitted LSSVC, KRR or KernelSelector of them, with {attribute}, "
            f"got {type(machine).__name__}: {remedy}."
        )
    return machine


def class_codes(y: Array, classes: Any) -> Array:
    """Return the place of every label among the classes, or say which label is none of them."""
    labels, known_labels = np.asarray(y), np.asarray(classes)
    if not {labels.dtype.kind, known_labels.dtype.kind} <= set("biuf"):
        # Labels of an object array may have become text on the way.
        labels, known_labels = labels.astype(str), known_labels.astype(str)
    same = np.equal.outer(labels, known_labels)
    known = same.any(axis=1)
    if not known.all():
        raise ValueError(
            f"y must hold the classes the estimator was fitted to, got {y[~known][0]!s}: they are "
            f"{', '.join(map(str, classes))}."
        )
    return np.asarray(same.argmax(axis=1))


def check_result(result: Any) -> SelectionResult:
    """Return the result, or say that it is none."""
    if not isinstance(result, SelectionResult):
        raise ValueError(
            "result must be a SelectionResult, from score_kernels or KernelSelector.result_, got "
            f"{type(result).__name__}."
        )
    return result


def check_columns(result: Any, criteria: Any) -> list[str]:
    """Return the columns to show: those asked for, or all that have a value somewhere."""
    defined = [
        name for name, values in check_result(result).table.items() if np.isfinite(values).any()
    ]
    if not defined:
        raise ValueError("result has no criterion with a value: its notes say why.")
    if criteria is None:
        return defined
    asked = [criteria] if isinstance(criteria, str) else list(criteria)
    for name in asked or [None]:
        if name not in defined:
            raise ValueError(
                f"criteria must name columns of the result with values, got {name!r}: choose from "
                f"{', '.join(defined)}."
            )
    return asked


def best_candidates(result: SelectionResult, name: str) -> dict[Kernel, int]:
    """Return the row of every kernel's best ridge, by kernel, in the order of preference.

    A criterion without a direction keeps the order of the table.
    """
    if result.criteria[name].greater_is_better is None:
        order: Sequence[int] = np.flatnonzero(~np.isnan(result.table[name])).tolist()
    else:
        order = result.ranking(name)
    best: dict[Kernel, int] = {}
    for row in order:
        best.setdefault(result.kernels[row], row)
    return best
