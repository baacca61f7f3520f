"""What deserves a second look, each with a remedy."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from kernelwise._warnings import warn_user
from kernelwise.kernels import Gaussian, Kernel
from kernelwise.selection.diagnostics import Code, Diagnostic, has_code
from kernelwise.selection.outcome import CascadeOutcome
from kernelwise.selection.record import ErrorEstimate

_FEWEST = 5  # rows of a class
_LOOKED_AT = 200  # rows
_ALONE = 0.05  # similarity to the most similar row, below which a row is alone
_CONSTANT = 1e-6  # relative difference of entries, below which all rows look alike
_DISAGREEMENT = 1.5  # how much worse by the last criterion the pick of the first one is
_STEPS = 4  # by which a grid is extended
# Diagnostics that explain why a choice is no better than a constant.
_EXPLAINED = (Code.NO_SIGNAL, Code.CONSTANT_MATRIX, Code.IDENTITY_MATRIX)


class KernelChoiceWarning(UserWarning):
    """A choice of a kernel deserves a second look."""


def warn_about(found: CascadeOutcome, error: ErrorEstimate | None) -> tuple[Diagnostic, ...]:
    """Warn of everything that deserves a second look, and return it."""
    said: list[Diagnostic] = []
    for check in (_few_rows, _edge_of_the_grid, _edge_of_the_ridges, _degenerate_matrix):
        said += check(found)
    said += _disagreement(found)
    if error is not None:
        said += no_signal(error, found.evidence.targets.classes is None, said)
    for diagnostic in said:
        warn_user(diagnostic, KernelChoiceWarning)
    return tuple(said)


def edge(kernels: Sequence[Kernel], winner: int) -> str | None:
    """Return "narrowest" or "widest" where the winner is the last of its family on that side."""
    family = {k.roughness for k in kernels if type(k) is type(kernels[winner])}
    if len(family) < 3 or not kernels[winner].inverse_widths:
        return None
    roughness = kernels[winner].roughness
    if roughness == max(family):
        return "narrowest"
    return "widest" if roughness == min(family) else None


def extended(kernels: Sequence[Kernel], side: str) -> list[Kernel]:
    """Return a grid of Gaussians with four more powers of two on one side."""
    widths = sorted(kernel.tau for kernel in kernels if isinstance(kernel, Gaussian))
    steps = range(1, _STEPS + 1)
    if side == "narrowest":
        return [Gaussian(widths[0] / 2.0**i) for i in reversed(steps)] + list(kernels)
    return list(kernels) + [Gaussian(widths[-1] * 2.0**i) for i in steps]


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


def _edge_of_the_grid(found: CascadeOutcome) -> Iterator[Diagnostic]:
    side = edge(found.result.kernels, found.winner)
    if side is not None:
        more = "narrower kernels" if side == "narrowest" else "wider kernels, or Linear()"
        yield Diagnostic(
            f"the chosen {found.kernel} is the {side} offered: add {more}", Code.GRID_EDGE
        )


def _edge_of_the_ridges(found: CascadeOutcome) -> Iterator[Diagnostic]:
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


def _degenerate_matrix(found: CascadeOutcome) -> Iterator[Diagnostic]:
    """Look at the matrix between some rows and all of them."""
    kernel, gram, n = found.kernel, found.evidence.gram, found.evidence.n
    rows = np.linspace(0, n - 1, min(n, _LOOKED_AT)).astype(int)
    K, diagonal = gram.rows(rows), gram.statistics.diagonal
    if not np.isfinite(K).all() or diagonal.min() <= 0.0:
        return
    if np.ptp(K) <= _CONSTANT * np.abs(K).max():
        yield Diagnostic(
            f"the matrix of {kernel} is nearly constant, so that all rows look alike: standardise "
            "the features, or offer narrower kernels",
            Code.CONSTANT_MATRIX,
        )
        return
    similarity = np.abs(K) / np.sqrt(np.outer(diagonal[rows], diagonal))
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
    first, last = result.best_index(names[0]), result.table[names[-1]]
    rank = result.ranking(names[0]).index(winner) + 1
    # A pick of the first stage that was set aside on the way has no value to compare.
    is_far = last[first] > _DISAGREEMENT * last[winner] > 0.0
    if finalists > 2 and rank >= finalists and is_far:
        yield Diagnostic(
            f"{names[0]} and {names[-1]} disagree: {found.kernel} was the last that {names[0]} "
            f"let pass and is the best by {names[-1]}: let more kernels pass, or choose by "
            f"{names[-1]} alone",
            Code.DISAGREEMENT,
        )


def no_signal(error: ErrorEstimate, is_real: bool, said: Iterable[str]) -> Iterator[Diagnostic]:
    """Warn if a constant does as well as the choice and no other warning explains why."""
    if error.value < error.baseline or has_code(said, *_EXPLAINED):
        return
    yield Diagnostic(
        f"always predicting the same {'value' if is_real else 'class'} does as well as the choice, "
        f"by {error.method}: the features may not tell the target, or other kernels are needed",
        Code.NO_SIGNAL,
    )
