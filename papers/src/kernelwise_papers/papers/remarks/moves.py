"""SPS 2014, Section 4.2: the moves of eigenvalues may be replaced by their first-order form."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.stats import spearmanr

from kernelwise._types import Array
from kernelwise.criteria import Evidence
from kernelwise.gram import Dense
from kernelwise.kernels import grids
from kernelwise_papers.experiment import Job, Line
from kernelwise_papers.markdown import holds, table
from kernelwise_papers.papers.remarks.parts import ROUNDING, against, label, verdict
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.papers.sps import SPS_TABLE1
from kernelwise_papers.tables.split import part_of, score
from kernelwise_papers.tables.table import widest_first

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PART = "SPS"  # how the lines of this remark are marked
SPS_TABLE = replace(SPS_TABLE1, kernels=widest_first(list(grids.gaussian_gamma())))
SPS_SETS = tuple(name for name in SPS_TABLE.datasets if name in SM_TABLE2.datasets)
SPS_SPLITS = 5
_ROWS = 300  # of which half train: a matrix takes as many decompositions as it has rows
_LAMBDAS = SPS_TABLE.lambdas
_LOSSES, _ERRORS = ([f"{what} {lam:g}" for lam in _LAMBDAS] for what in ("loss", "error"))
FIELDS = ("excess", "first order", "astray", *_LOSSES, *_ERRORS)  # that only they have
_CLOSE = 0.1  # relative error of a good approximation
_ALIKE = 0.9  # rank correlation
_HEADS = ("rank correlation", "error %, exact", "error %, first order", "least possible")


def move_lines(job: Job) -> list[dict[str, Any]]:
    """Return, for every width, the sums of the moves, training losses and test errors."""
    part = part_of(SPS_TABLE, job._replace(rows=min(job.rows or _ROWS, _ROWS)))
    ridges = np.array([SPS_TABLE.ridge(lam, part.targets.n) for lam in _LAMBDAS])
    errors = score(part, SPS_TABLE, {}, ridges).errors
    lines = []
    grams = Dense().grams(SPS_TABLE.kernels, part.X, part.targets)
    for k, (kernel, gram) in enumerate(zip(SPS_TABLE.kernels, grams, strict=True)):
        evidence = Evidence(gram, part.targets, kernel, SPS_TABLE.fit_intercept)
        line = {"part": PART, "rows": part.targets.n, "kernel": k} | sums(gram.entries())
        losses = [evidence.machine.training_loss(float(ridge)) for ridge in ridges]
        for field, value in zip([*_LOSSES, *_ERRORS], [*losses, *errors[k]], strict=True):
            line[field] = f"{value:.5g}"
        lines.append(line)
    return lines


def sums(K: Array) -> dict[str, str]:
    """Return the sums of the moves relative to the trace.

    ``excess`` is that of the exact moves less one, ``first order`` that of the approximate ones,
    ``astray`` the sum of the errors of the single moves.
    """
    exact, first = exact_moves(K), first_order_moves(K)
    trace = float(np.trace(K))
    return {
        "excess": f"{np.abs(exact).sum() / trace - 1.0:.2g}",
        "first order": f"{np.abs(first).sum() / trace:.5g}",
        "astray": f"{np.abs(first - exact).sum() / trace:.5g}",
    }


def exact_moves(K: Array) -> Array:
    """Return how far every eigenvalue (column) falls when a row is set to zero."""
    s = scipy.linalg.eigvalsh(K)
    moves = np.empty_like(K)
    for i in range(len(K)):
        removed = K.copy()
        removed[i, :] = removed[:, i] = 0.0
        moves[i] = s - scipy.linalg.eigvalsh(removed)
    return moves


def first_order_moves(K: Array) -> Array:
    """Return the derivatives of the eigenvalues by the weights of the rows (Theorem 3)."""
    s, Q = scipy.linalg.eigh(K)
    return np.asarray(Q**2 * (2.0 * s - np.diag(K)[:, None]))


class Curve(NamedTuple):
    """The widths on one split, from the widest; losses and errors of every lambda as columns."""

    dataset: str
    rows: int
    excess: Array
    first_order: Array
    astray: Array
    losses: Array
    errors: Array

    def criterion(self, relative_sum: Array | float) -> Array:
        """Return R_emp + sum / n^2; the trace of a Gaussian kernel matrix is n."""
        return np.asarray(self.losses + np.reshape(relative_sum, (-1, 1)) / self.rows)

    @property
    def exact_values(self) -> Array:
        """The criterion with exact moves."""
        return self.criterion(1.0 + self.excess)

    @property
    def first_order_values(self) -> Array:
        """The criterion with approximate moves."""
        return self.criterion(self.first_order)

    @property
    def least_loss_picked(self) -> Array:
        """Whether the exact criterion picks a smallest training error, for every lambda."""
        picked = self.losses[self.exact_values.argmin(axis=0), np.arange(len(_LAMBDAS))]
        return np.asarray(picked == self.losses.min(axis=0))

    def errors_of(self, values: Array) -> Array:
        """Return the test error in percent of what a criterion picks, for every lambda."""
        return np.asarray(100.0 * self.errors[values.argmin(axis=0), np.arange(len(_LAMBDAS))])

    @property
    def correlations(self) -> Array:
        """The rank correlation over the widths of both criteria, for every lambda."""
        pairs = zip(self.exact_values.T, self.first_order_values.T, strict=True)
        return np.array([spearmanr(*pair).statistic for pair in pairs])


def curves_of(lines: Iterable[Line]) -> list[Curve]:
    """Return the curve of every split of a run."""
    found: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lines:
        if line["part"] == PART:
            found[line["dataset"], line["repetition"]].append(line)
    return [_curve(name, mine) for (name, _), mine in found.items()]


def _by_set(curves: Iterable[Curve]) -> dict[str, list[Curve]]:
    """Return the curves by set, in the order of the paper."""
    found: dict[str, list[Curve]] = {name: [] for name in SPS_SETS}
    for curve in curves:
        found[curve.dataset].append(curve)
    return {name: mine for name, mine in found.items() if mine}


def _curve(name: str, lines: Sequence[Line]) -> Curve:
    def columns(*fields: str) -> Array:
        return np.array([[float(line[field]) for field in fields] for line in lines])

    excess, first, astray = columns("excess", "first order", "astray").T
    rows = int(lines[0]["rows"])
    return Curve(name, rows, excess, first, astray, columns(*_LOSSES), columns(*_ERRORS))


def _picked(curves: Sequence[Curve]) -> tuple[Array, Array, Array]:
    """Return the errors of the exact pick, of the first-order pick and the least, (splits, l)."""
    exact = np.array([c.errors_of(c.exact_values) for c in curves])
    first = np.array([c.errors_of(c.first_order_values) for c in curves])
    return exact, first, np.array([c.errors_of(c.errors) for c in curves])


def move_findings(curves: list[Curve]) -> list[str]:
    """Return what holds, with the numbers it is judged by; nothing where nothing was run."""
    if not curves:
        return []
    excess = max(float(np.abs(c.excess).max()) for c in curves)
    off = np.concatenate([c.first_order for c in curves]) - 1.0
    close = int(np.sum(np.abs(off) <= _CLOSE))
    by_loss = [c.least_loss_picked for c in curves]
    exact, first, _ = _picked(curves)
    correlations = np.array([c.correlations for c in curves])
    same = [c.exact_values.argmin(axis=0) == c.first_order_values.argmin(axis=0) for c in curves]
    return [
        f"**The exact sum is tr(K) for every width** {holds(excess <= ROUNDING)}: it differs by "
        f"{excess:.1g} of it at most. The exact criterion therefore ranks the widths by their "
        f"training error alone: it picks the smallest one in {np.sum(by_loss)} of "
        f"{np.size(by_loss)} choices.",
        f"**The first-order sum approximates the exact one** "
        f"{holds(close == off.size)}: it is within {100 * _CLOSE:.0f} % for {close} of "
        f"{off.size} matrices, and up to {off.max() + 1.0:.2f} times as large.",
        f"**Both criteria rank the widths alike** "
        f"{holds(bool(np.nanmean(correlations) >= _ALIKE))}: rank correlation "
        f"{np.nanmean(correlations):.2f} on average, from {np.nanmin(correlations):.2f} to "
        f"{np.nanmax(correlations):.2f}; they pick the same width in {np.sum(same)} of "
        f"{np.size(same)} choices.",
        f"**The approximation is the significantly better criterion** "
        f"{holds(_verdict_of_means(curves) > 0)}: "
        f"mean error {exact.mean():.4g} % by the exact form, {first.mean():.4g} % by the "
        "first-order form.",
    ]


def _verdict_of_means(curves: list[Curve]) -> int:
    """Return 1 where the exact form errs significantly more, over the means of the sets."""
    means = [[v.mean() for v in _picked(mine)[:2]] for mine in _by_set(curves).values()]
    exact, first = np.array(means).T
    return verdict(exact, first)


def move_page(curves: list[Curve]) -> list[str]:
    """Return the section on the remark: what was run, what holds, all numbers."""
    if not curves:
        return ["The sets of the other remark were not run."]
    rows = [curve.rows for curve in curves]
    sets = _by_set(curves)
    splits = max(map(len, sets.values()))
    kernels = SPS_TABLE.kernels
    return [
        "## SPS 2014, Section 4.2: the first-order approximation",
        "",
        "The criterion adds up how far every eigenvalue moves when a row is removed, over all "
        'rows; to save n decompositions the paper takes derivatives for the moves. "This '
        'approximation error can be bounded by the residue terms." It gives no bound and no '
        "numbers.",
        "",
        f"- {len(sets)} sets of SPS Table 1, {splits} random splits each, "
        f"{min(rows)} to {max(rows)} training rows ({100 * SPS_TABLE.train_share:.0f} % of at "
        f"most {_ROWS}), as the exact form takes a decomposition a row; the paper's "
        f"{len(kernels)} Gaussian widths, lambda {', '.join(f'{lam:g}' for lam in _LAMBDAS)} "
        "(ridge: times the rows), least squares without bias.",
        f"- Approximates: within {100 * _CLOSE:.0f} % for every matrix. Alike: a mean rank "
        f"correlation of at least {_ALIKE:g} over the widths. Better criterion: significantly "
        "smaller errors, paired t-test over the means of the sets, two-sided, 95 %.",
        "- No eigenvalue rises when a row of a positive semidefinite matrix is removed, so that "
        "the exact moves sum to tr(K). The first-order moves sum to 2 tr(K) - tr(K) = tr(K), too, "
        "if their signs are kept: besides the training error, what tells kernels apart are the "
        "moves that the approximation gives the wrong sign, that is, its error.",
        "",
        "What holds:",
        "",
        *(f"- {text}" for text in move_findings(curves)),
        "",
        *_lambda_table(curves),
        "",
        *_set_table(curves),
        "",
        *_width_table(curves),
    ]


def _lambda_table(curves: list[Curve]) -> list[str]:
    errors = zip(*(found.mean(axis=0) for found in _picked(curves)), strict=True)
    correlations = np.nanmean([c.correlations for c in curves], axis=0)
    rows = [
        [f"{lam:g}", f"{correlation:.2f}", *(f"{error:.4g}" for error in own)]
        for lam, correlation, own in zip(_LAMBDAS, correlations, errors, strict=True)
    ]
    return table(["lambda", *_HEADS], rows)


def _set_table(curves: list[Curve]) -> list[str]:
    rows = []
    for name, mine in _by_set(curves).items():
        correlation = np.nanmean([c.correlations for c in mine])
        errors = [f"{values.mean():.4g}" for values in _picked(mine)]
        rows.append([name, f"{correlation:.2f}", *errors])
    return table(["set", *_HEADS], rows)


def _width_table(curves: list[Curve]) -> list[str]:
    first = np.mean([c.first_order for c in curves], axis=0)
    astray = np.mean([c.astray for c in curves], axis=0)
    rows = [
        [str(kernel), f"{one:.3f}", f"{other:.3f}"]
        for kernel, one, other in zip(SPS_TABLE.kernels, first, astray, strict=True)
    ]
    note = (
        "By width, means over sets and splits. The error of the single moves is the sum of their "
        "absolute errors, moves being matched by the order of the eigenvalues, as the paper has "
        "it; where nearly all eigenvalues are equal, the move goes to another one than the "
        "derivative says, so that the sum is right although its parts are not."
    )
    heads = ["kernel", "first-order sum / tr(K)", "error of the single moves / tr(K)"]
    return [note, "", *table(heads, rows)]


def draw_sums(ax: "Axes", curves: list[Curve]) -> None:
    """Draw the first-order sums over the widths, a line a set."""
    gammas = [kernel.roughness for kernel in SPS_TABLE.kernels]
    for name, mine in _by_set(curves).items():
        first = np.mean([curve.first_order for curve in mine], axis=0)
        ax.semilogx(gammas, first, lw=0.9, label=name)
    ax.axhline(1.0, color="black", lw=1.2, ls="--", label="exact")
    ax.legend(fontsize=5, frameon=False)
    label(ax, "SPS: first-order sum / tr(K)", "gamma, wide to narrow", "")


def draw_picks(ax: "Axes", curves: list[Curve]) -> None:
    """Draw the errors of the two forms against each other, a point a set and lambda."""
    sets = _by_set(curves).values()
    means = [[v.mean(axis=0) for v in _picked(mine)[:2]] for mine in sets]
    exact, first = np.moveaxis(np.array(means), 1, 0)
    against(ax, first.T, exact.T, [f"lambda {lam:g}" for lam in _LAMBDAS])
    ax.legend(fontsize=5, frameon=False)
    label(ax, "SPS: test error in %", "first order", "exact")
