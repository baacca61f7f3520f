"""What users pass to scoring and selection, checked once, at the border."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernelwise._arguments import is_list, shown
from kernelwise._types import Array
from kernelwise.criteria import Criterion, get
from kernelwise.kernels import Function, Kernel, Pairs
from kernelwise.kernels.geometry import as_rows
from kernelwise.kernels.named import NAMES, canonical, grid_of
from kernelwise.machines import check_ridge
from kernelwise.machines.weights import check_range, checked_weights, with_class_weights
from kernelwise.targets import Targets

_PAGE = "see docs/candidates.md"
_ACCEPTED = (
    f"kernels must be 'auto', names ({', '.join(NAMES)}), kernels such as Gaussian(1.0), functions "
    "k(X, Z), or a list of these"
)
_LOOKED_AT = 50  # rows of a function's matrix
_NEGATIVE = 1e-8  # relative size of an eigenvalue that rounding explains

Asked = str | Criterion | Iterable[str | Criterion]


def as_criteria(criteria: Asked) -> list[Criterion]:
    """Return criteria for names, criteria, or a list of them."""
    if isinstance(criteria, str | Criterion):
        criteria = [criteria]
    if not is_list(criteria):
        raise TypeError(f"criteria must be a name, a Criterion or a list, got {shown(criteria)}.")
    asked = [get(criterion) for criterion in criteria]
    if not asked:
        raise ValueError("criteria is empty: name at least one, as in criteria.available().")
    if len({criterion.label for criterion in asked}) < len(asked):
        raise ValueError("criteria holds the same criterion twice: name each once.")
    return asked


def as_kernels(
    kernels: Any, X: Any, names: Sequence[str] | None = None, random_state: Any = None
) -> list[Kernel]:
    """Return the candidate kernels, from the distances in X by default.

    With the names of its columns, which a DataFrame has, kernels may name those they see.
    """
    is_one = isinstance(kernels, str | Kernel) or callable(kernels) or kernels is None
    if not is_one and not is_list(kernels):
        raise TypeError(f"{_ACCEPTED}, got {shown(kernels)}: {_PAGE}.")
    found: list[Kernel] = []
    for kernel in [kernels] if is_one else list(kernels):
        found += _candidates("auto" if kernel is None and is_one else kernel, X, random_state)
    if not found:
        raise ValueError("kernels is empty: give at least one, or None for a grid made from X.")
    return found if names is None else [kernel.with_positions(list(names)) for kernel in found]


def _candidates(given: Any, X: Any, random_state: Any) -> list[Kernel]:
    """Return the kernels that one entry of a list stands for."""
    if isinstance(given, Kernel):
        return [given]
    if isinstance(given, str):
        return _named(given, X, random_state)
    if isinstance(given, type) or not callable(given):
        raise TypeError(f"{_ACCEPTED}, got {shown(given)}: {_PAGE}.")
    return [_checked(Function(given), as_rows(X))]


def _named(name: str, X: Any, random_state: Any) -> list[Kernel]:
    try:
        canonical(name)
    except ValueError as error:
        raise ValueError(f"kernels: {str(error).rstrip('.?')}; {_ACCEPTED}: {_PAGE}.") from None
    return grid_of(name, as_rows(X), random_state)


def _checked(kernel: Function, rows: Any) -> Function:
    """Return a function of the user's after a look at its matrix of some rows.

    What is no symmetric matrix is refused; of one with negative eigenvalues the kernel says so.
    """
    some = rows[np.unique(np.linspace(0, rows.shape[0] - 1, _LOOKED_AT).astype(int))]
    s = np.linalg.eigvalsh(kernel.values(Pairs(some)))
    return replace(kernel, psd=False) if s[0] < -_NEGATIVE * np.abs(s).max() else kernel


def names_of(X: Any) -> list[str] | None:
    """Return the names of the columns of a DataFrame, None for other data."""
    columns = list(getattr(X, "columns", ()))
    return columns if columns and all(isinstance(name, str) for name in columns) else None


def as_ridges(ridge: Any) -> Array:
    """Return one or several ridges as an array of positive numbers."""
    ridges = np.array([check_ridge(r) for r in (ridge if is_list(ridge) else [ridge])])
    if ridges.size == 0:
        raise ValueError("ridge is empty: give a positive number or a list of them.")
    return ridges


def check_lengths(X: Any, n: int) -> None:
    """Say so where the data and the target are of different lengths."""
    if X.shape[0] != n:
        raise ValueError(f"X has {X.shape[0]} rows but y has {n} entries.")


def weighted_rows(
    X: Any, y: Any, params: dict[str, Any], class_weight: Any, task: str, is_matrix: bool
) -> tuple[Any, Any, Array | None, dict[str, Any]]:
    """Return rows and targets, their weights if they have any, and the parameters of a fit.

    The weights are those of the rows in the parameters times those of the classes. Rows of weight
    zero, which have no influence, are dropped.
    """
    sample_weight = params.get("sample_weight")
    if sample_weight is None and class_weight is None:
        return X, y, None, params
    given = checked_weights(sample_weight, y)
    weights = check_range(given, "sample_weight")
    if class_weight is not None:
        targets = Targets.of(y, task)
        if targets.classes is None:
            raise ValueError("class_weight is for classes: give real targets a sample_weight.")
        # Labels of one type can be counted; weights by label name them as they were given.
        labels = targets.labels if isinstance(class_weight, str) else y
        weights = with_class_weights(given, class_weight, labels)
    used = weights != 0.0
    if not used.all():
        _check_used(y[used], is_matrix)
        X, y, given, weights = X[used], y[used], given[used], weights[used]
    return X, y, weights, params if sample_weight is None else {**params, "sample_weight": given}


def _check_used(y: Array, is_matrix: bool) -> None:
    """Say so where rows of weight zero cannot be dropped."""
    if is_matrix:
        raise ValueError(
            "sample_weight has zeros, which a given matrix cannot follow: leave out those rows and "
            "columns."
        )
    if np.all(y == y[:1]):
        raise ValueError("y has less than two classes or values of positive sample_weight.")
