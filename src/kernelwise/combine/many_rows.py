"""What changes with thousands of rows: base matrices from features, and how a machine is fitted."""

import warnings
from collections.abc import Sequence
from typing import Any

from kernelwise._arguments import as_bytes, in_words
from kernelwise.combine.mkl.base import BaseMatrices
from kernelwise.combine.mkl.building import (
    MOST_EXACT,
    base_matrices,
    bytes_for,
    check_memory,
    feature_matrices,
    rank_for,
)
from kernelwise.combine.mkl.methods import Method
from kernelwise.gram.dense import needed
from kernelwise.kernels import Kernel
from kernelwise.selection.cascade import loo_criterion
from kernelwise.selection.diagnostics import Code, Diagnostic, has_code
from kernelwise.selection.selector import KernelSelector
from kernelwise.targets import Targets

_NEARBY = (0.1, 1.0, 10.0)  # ridges, in units of the one that features of low rank call for
_SHARED = ("memory", "n_jobs", "random_state", "class_weight")


def prepared(
    model: Any, rows: tuple[Any, bool], targets: Targets, kernels: Sequence[Kernel], method: Method
) -> BaseMatrices:
    """Return the base matrices of a model's kernels; of given matrices, and few rows, exactly.

    Where these do not fit, and features do, they are replaced as those of more rows are.
    """
    (X, is_matrix), budget, k = rows, as_bytes(model.memory), len(kernels)
    how = {"center": model.center, "normalize": model.normalize}
    if is_matrix or _are_kept(kernels, targets.n, budget, method):
        check_memory(k, targets.n, budget)
        base = base_matrices(kernels, X, targets, **how)
    else:
        method.check_scales(MOST_EXACT)
        if targets.y.ndim > 1:
            _check_several(targets.n, budget)
        rank = rank_for(k, targets.n, budget)
        check_memory(k, targets.n, budget, rank)
        base = feature_matrices(kernels, X, targets, rank, **how)
    if not base.usable.any():
        raise ValueError("kernels are all constant on the rows of X: give other kernels.")
    return base


def _are_kept(kernels: Sequence[Kernel], n: int, budget: float, method: Method) -> bool:
    """Say whether base matrices are kept: those of few rows are, where features would not do."""
    k = len(kernels)
    if n > MOST_EXACT:
        return False
    if bytes_for(k, n) <= budget:
        return True
    may_be_replaced = not method.forms_matrix and all(kernel.is_psd is True for kernel in kernels)
    return not (may_be_replaced and bytes_for(k, n, rank_for(k, n, budget)) <= budget)


def _check_several(n: int, budget: float) -> None:
    """Refuse several targets whose machine, which takes the matrix of all rows, does not fit."""
    if needed(n) > budget:
        raise ValueError(
            f"several targets on {n} rows take {in_words(needed(n))}, memory allows "
            f"{in_words(budget)}: fit one target at a time, or raise memory."
        )


def selected(model: Any, X: Any, targets: Targets, params: dict[str, Any]) -> KernelSelector:
    """Return a selector with the weighted sum of a model as its only kernel.

    Its engine is the one for so many rows, and sees more of the sum than the features did: it
    chooses among the ridges nearby.
    """
    near = [factor * model.best_ridge_ for factor in _NEARBY]
    selector = KernelSelector(
        kernels=[model.best_kernel_],
        criterion=loo_criterion(targets),
        task=targets.task,
        ridge=near if isinstance(model.ridge, str) else model.ridge,
        **{name: getattr(model, name) for name in _SHARED},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # guards of a choice among kernels
        selector.fit(X, targets.labels, **params)
    return selector


def limits(selector: KernelSelector) -> list[Diagnostic]:
    """Return what a selector says of too few landmarks, with what there is to do about a sum."""
    if not has_code(selector.guards_, Code.RANK_LIMITED):
        return []
    said = (
        f"the weighted sum is still limited by its {selector.best_estimator_.X_fit_.shape[0]} "
        "landmarks: fit KernelSelector(kernels=[model.best_kernel_]), which may take more"
    )
    return [Diagnostic(said, Code.RANK_LIMITED)]
