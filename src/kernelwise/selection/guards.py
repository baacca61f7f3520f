"""What deserves a second look, each with a remedy."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise._warnings import warn_user
from kernelwise.kernels import Kernel, PairKernel
from kernelwise.kernels.geometry import Pairs
from kernelwise.machines.held_out import HeldOutFit
from kernelwise.selection.diagnostics import Code, Diagnostic, code_of, has_code
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.search import CascadeOutcome
from kernelwise.selection.widths import edge

_FEWEST = 5  # rows of a class, and of those it is judged by
_LOOKED_AT = 200  # rows
_ENTRIES = 2**21  # of the matrix between them and all rows, beyond which fewer are looked at
_GLANCED_AT = 20  # rows of a pick that nobody has chosen yet: a sweep should not wait for them
_ALONE = 0.05  # similarity to the most similar row, below which a row is alone
_CONSTANT = 1e-6  # relative difference of entries, below which all rows look alike
_DISAGREEMENT = 1.5  # how much worse by the last criterion the pick of the first one is
# Diagnostics that explain why a choice is no better than a constant.
_EXPLAINED = (Code.NO_SIGNAL, Code.CONSTANT_MATRIX, Code.IDENTITY_MATRIX)
_BEYOND = {"narrowest": "narrower kernels", "widest": "wider kernels, or Linear()"}  # an edge


class KernelChoiceWarning(UserWarning):
    """A choice of a kernel deserves a second look."""


def warn_about(found: CascadeOutcome, error: ErrorEstimate | None) -> tuple[Diagnostic, ...]:
    """Warn of everything that deserves a second look, and return it."""
    said: list[Diagnostic] = []
    for check in (_few_rows, _few_judged, _edges, _degenerate_matrix, _disagreement, _rank_limit):
        said += check(found)
    if error is not None:
        said += no_signal(error, found.evidence.targets.classes is None, said)
    for diagnostic in said:
        warn_user(diagnostic, KernelChoiceWarning)
    return tuple(said)


def warn_about_picks(result: SelectionResult, X: Any) -> None:
    """Warn of what deserves a second look in a table of candidates that nobody chose from yet."""
    said = list(_picks_on_the_edge(result))
    if not result.kernels[0].takes_matrix:
        said += _degenerate_picks(result, X)
    for diagnostic in said:
        warn_user(diagnostic, KernelChoiceWarning)


def _few_rows(found: CascadeOutcome) -> Iterator[Diagnostic]:
    targets = found.evidence.targets
    if targets.classes is None:
        return
    for label, count in zip(targets.classes.tolist(), targets.counts.tolist(), strict=True):
        if count < _FEWEST:
            rows = "row" if count == 1 else "rows"
            yield Diagnostic(
                f"class {label!r} has only {count} {rows}: merge it with another class, or find "
                "more rows of it",
                Code.FEW_ROWS,
            )


def _few_judged(found: CascadeOutcome) -> Iterator[Diagnostic]:
    """See of which classes, not too few for anything, there are few rows held out."""
    targets, fit = found.evidence.targets, None if found.known is None else found.known.fit
    if targets.classes is None or not isinstance(fit, HeldOutFit) or fit.judged is None:
        return
    held = np.bincount(targets.y[fit.judged], minlength=targets.classes.size)
    few = np.flatnonzero((held < _FEWEST) & (targets.counts >= _FEWEST))
    if few.size:
        first, count = targets.classes[few].tolist()[0], held[few[0]]
        others = "1 other class" if few.size == 2 else f"{few.size - 1} other classes"
        more = f" (and {others} fewer than {_FEWEST})" if few.size > 1 else ""
        yield Diagnostic(
            f"class {first!r} has only {count} of the {held.sum()} rows held out{more}, so that "
            "little is known of its errors: find more rows of it, or merge it with another class",
            Code.FEW_ROWS,
        )


def _edges(found: CascadeOutcome) -> Iterator[Diagnostic]:
    """See whether a kernel or a ridge beyond those offered may be better."""
    side = edge(found.result.kernels, found.winner)
    if side is not None:
        yield Diagnostic(
            f"the chosen {found.kernel} is the {side} offered: add {_BEYOND[side]}", Code.GRID_EDGE
        )
    offered = found.offered_ridges
    if offered is None or np.unique(offered).size < 3:
        return
    if found.ridge in (offered.min(), offered.max()):
        is_smallest = found.ridge == offered.min()
        which, more = ("smallest", "smaller") if is_smallest else ("largest", "larger")
        yield Diagnostic(
            f"the chosen ridge {found.ridge:g} is the {which} offered: add {more} ones",
            Code.RIDGE_EDGE,
        )


def _picks_on_the_edge(result: SelectionResult) -> Iterator[Diagnostic]:
    """See, for both sides of the grid, which criteria prefer the last kernel there."""
    sides: dict[str, list[str]] = {}
    for name in result.choosing():
        side = edge(result.kernels, result.best_index(name))
        if side is not None:
            sides.setdefault(side, []).append(name)
    for side, names in sides.items():
        yield Diagnostic(
            f"{', '.join(names)} would pick the {side} kernel offered: add {_BEYOND[side]}",
            Code.GRID_EDGE,
        )


def _degenerate_matrix(found: CascadeOutcome) -> Iterator[Diagnostic]:
    gram, n = found.evidence.gram, found.evidence.n
    rows = _some_rows(n, min(_LOOKED_AT, max(_GLANCED_AT, _ENTRIES // n)))
    yield from _degenerate(found.kernel, gram.rows(rows), gram.diagonal, rows)


def _degenerate_picks(result: SelectionResult, X: Any) -> Iterator[Diagnostic]:
    """See whether no pick has a matrix that tells rows apart, as with features of other scales."""
    said: list[Diagnostic] = []
    rows = _some_rows(X.shape[0], _GLANCED_AT)
    for kernel in dict.fromkeys(map(result.best, result.choosing())):
        if not isinstance(kernel, PairKernel) or not kernel.inverse_widths:
            return
        with np.errstate(all="ignore"):  # what is infinite tells nothing, and is not looked at
            K = kernel.values(Pairs(X[rows], X))
        # A row is as similar to itself as any other is to itself.
        found = list(_degenerate(kernel, K, np.full(X.shape[0], K[0, rows[0]]), rows))
        if not found:
            return
        said += found
    yield from said[:1]


def _some_rows(n: int, most: int) -> Array:
    return np.linspace(0, n - 1, min(n, most)).astype(int)


def _degenerate(kernel: Kernel, K: Array, diagonal: Array, rows: Array) -> Iterator[Diagnostic]:
    """Look at the matrix between some rows and all of them."""
    if not np.isfinite(K).all() or diagonal.min() <= 0.0:
        return
    if np.ptp(K) <= _CONSTANT * np.abs(K).max():
        yield Diagnostic(
            f"the matrix of {kernel} is nearly constant, so that all rows look alike: standardise "
            "the features, or offer narrower kernels",
            Code.CONSTANT_MATRIX,
        )
        return
    sizes = np.sqrt(diagonal)
    similarity = np.abs(K) / np.outer(sizes[rows], sizes)
    similarity[np.arange(rows.size), rows] = 0.0
    if np.median(similarity.max(axis=1)) < _ALONE:
        yield Diagnostic(
            f"the matrix of {kernel} is nearly the identity, so that every row is alone: "
            "standardise the features, drop irrelevant ones, or offer wider kernels",
            Code.IDENTITY_MATRIX,
        )


def _disagreement(found: CascadeOutcome) -> Iterator[Diagnostic]:
    """Compare the first stage with the last: its pick should not be far from the best."""
    result, winner, finalists = found.result, found.winner, found.finalists
    names = list(result.table)
    if len(names) < 2 or result.criteria[names[-1]].greater_is_better is not False:
        return
    if len({kernel.family for kernel in result.kernels}) > 1:
        return  # a first stage does not rank families against each other
    order, last = result.ranking(names[0]), result.table[names[-1]]
    rank = order.index(winner) + 1
    # A pick of the first stage that was set aside on the way has no value to compare.
    is_far = last[order[0]] > _DISAGREEMENT * last[winner] > 0.0
    if finalists > 2 and rank == finalists and is_far:
        yield Diagnostic(
            f"{names[0]} and {names[-1]} disagree: {found.kernel} was the last that {names[0]} "
            f"let pass and is the best by {names[-1]}: let more kernels pass, or choose by "
            f"{names[-1]} alone",
            Code.DISAGREEMENT,
        )


def _rank_limit(found: CascadeOutcome) -> Iterator[Diagnostic]:
    """Repeat what the search noted of an engine of low rank."""
    for note in found.result.notes.values():
        if code_of(note) == Code.RANK_LIMITED:
            yield Diagnostic(note, Code.RANK_LIMITED)


def no_signal(error: ErrorEstimate, is_real: bool, said: Iterable[str]) -> Iterator[Diagnostic]:
    """Warn if a constant does as well as the choice and no other warning explains why."""
    if error.value < error.baseline or has_code(said, *_EXPLAINED):
        return
    yield Diagnostic(
        f"always predicting the same {'value' if is_real else 'class'} does as well as the choice, "
        f"by {error.method}: the features may not tell the target, or other kernels are needed",
        Code.NO_SIGNAL,
    )
