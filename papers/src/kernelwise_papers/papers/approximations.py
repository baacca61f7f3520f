"""KS, SPS and the training error of matrices of low rank (KS 2019, Remark 9; SPS 2014, Section 6).

The KS paper names the Nyström method and random projection for large samples and uses neither; the
SPS paper leaves the Nyström method to future work. Both are tried here, through the engine of low
rank, against exact values.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from kernelwise._types import Array
from kernelwise.criteria import Evidence
from kernelwise.criteria.perturbation import total_move
from kernelwise.criteria.stability import kernel_stability
from kernelwise.gram import Dense, Engine, LowRank, Targets
from kernelwise.kernels import Gaussian, Kernel, Linear
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.markdown import table
from kernelwise_papers.papers.ks import KS_TABLE2
from kernelwise_papers.papers.sps import SPS_TABLE1
from kernelwise_papers.tables.split import part_of
from kernelwise_papers.tables.table import PaperTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RANKS = (20, 50, 100, 200)
METHODS = ("Nyström, uniform", "Nyström, pivoted", "random projection")
_TAUS = tuple(2.0**e for e in (-2, 0, 2, 4, 6, 8))
_RIDGE = 1.0
_SETS: dict[str, PaperTable] = {
    "diabetes": KS_TABLE2,
    "german.numer": KS_TABLE2,
    "svmguide3": SPS_TABLE1,
}
_TERMS = ("stability", "perturbation", "training")
_NAMES = {"stability": "KS", "perturbation": "SPS term", "training": "R_emp"}


class Approximations(Experiment):
    """Terms of RKS and SPS by landmarks and by random projections."""

    key = "approximations"
    title = "KS, SPS and the training error by Nyström features and by random projection"

    @property
    def datasets(self) -> Sequence[str]:
        """Three sets of several hundred training rows."""
        return tuple(_SETS)

    @property
    def repetitions(self) -> int:
        """Ours: the papers have no numbers."""
        return 3

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return a line a method, rank and width, with its values over the exact ones."""
        part = part_of(_SETS[job.dataset], job)
        lines = []
        for tau in _TAUS:
            kernel = Gaussian(tau)
            exact = terms(Dense(), kernel, part.X, part.targets)
            for method in METHODS:
                for rank in RANKS:
                    found = approximate(method, rank, kernel, part.X, part.targets, job.seed)
                    line: dict[str, Any] = {"tau": f"{tau:g}", "method": method, "rank": rank}
                    line["rows"] = part.targets.n
                    for name in _TERMS:
                        line[name] = f"{found[name] / exact[name]:.6g}"
                    lines.append(line)
        return lines

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the errors at the largest rank."""
        return "\n".join(
            f"{method}, rank {RANKS[-1]}: "
            + ", ".join(
                f"{_NAMES[name]} {_percent(_errors(lines, method, RANKS[-1], name))}"
                for name in _TERMS
            )
            for method in METHODS
        )

    def page(self, lines: Sequence[Line]) -> str:
        """Return the errors of every method and rank."""
        return _page(lines)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw the median error over the rank, a panel a term."""
        from kernelwise_papers.figures import panels

        figure, axes = panels(len(_TERMS))
        for ax, name in zip(axes, _TERMS, strict=True):
            for method in METHODS:
                errors = [float(np.median(_errors(lines, method, r, name))) for r in RANKS]
                ax.loglog(RANKS, np.maximum(errors, 1e-12), "o-", ms=3, lw=1.0, label=method)
            ax.set_title(f"{_NAMES[name]}: median relative error", fontsize=8)
            ax.set_xlabel("rank", fontsize=8)
        axes[0].legend(fontsize=6)
        return figure


def terms(engine: Engine, kernel: Kernel, X: Array, targets: Targets) -> dict[str, float]:
    """Return beta, the sum in SPS and the training error of a matrix as an engine sees it."""
    [gram] = engine.grams([kernel], X, targets)
    evidence = Evidence(gram, targets, kernel, fit_intercept=False)
    return {
        "stability": kernel_stability(evidence.statistics),
        "perturbation": total_move(evidence),
        "training": evidence.machine.training_loss(_RIDGE),
    }


def approximate(
    method: str, rank: int, kernel: Kernel, X: Array, targets: Targets, seed: int
) -> dict[str, float]:
    """Return the same from a matrix of low rank."""
    if method == METHODS[2]:
        phi = projected(kernel(X), rank, seed)
        return terms(LowRank(rank, random_state=seed), Linear(), phi, targets)
    landmarks = "pivoted" if method == METHODS[1] else "uniform"
    engine = LowRank(rank, landmarks, random_state=seed)
    return terms(engine, kernel, X, targets)


def projected(K: Array, rank: int, seed: int) -> Array:
    r"""Return features :math:`\Phi` with :math:`\Phi \Phi^\top` the matrix as a sketch sees it.

    .. math:: \Phi \Phi^\top = K \Omega (\Omega^\top K \Omega)^+ \Omega^\top K

    with a matrix :math:`\Omega` of independent normal numbers: Nyström features of random sums of
    all rows instead of single rows.
    """
    omega = np.random.default_rng(seed).normal(size=(len(K), rank))
    C = K @ omega
    s, V = scipy.linalg.eigh(omega.T @ C)
    kept = s > len(K) * np.finfo(float).eps * s[-1]
    return np.asarray(C @ (V[:, kept] / np.sqrt(s[kept])))


def _errors(lines: Iterable[Line], method: str, rank: int, name: str) -> Array:
    """Return the relative errors of a term."""
    own = [x for x in lines if x["method"] == method and int(x["rank"]) == rank]
    return np.abs([float(x[name]) - 1.0 for x in own])


def _percent(errors: Array) -> str:
    return f"{100 * np.median(errors):.2g} % (at most {100 * errors.max():.2g} %)"


def _page(lines: Sequence[Line]) -> str:
    rows = [
        [method, str(rank), *(_percent(_errors(lines, method, rank, name)) for name in _TERMS)]
        for method in METHODS
        for rank in RANKS
    ]
    by_width: dict[str, list[list[str]]] = defaultdict(list)
    for tau in _TAUS:
        own = [x for x in lines if float(x["tau"]) == tau]
        for method in METHODS:
            found = [_percent(_errors(own, method, RANKS[-2], name)) for name in _TERMS]
            by_width[method].append([f"{tau:g}", method, *found])
    sets = ", ".join(
        f"{name} ({rows} rows)" for name, rows in {x["dataset"]: x["rows"] for x in lines}.items()
    )
    heads = [_NAMES[name] for name in _TERMS]
    parts = [
        "![Median relative error over the rank](approximations.svg)",
        "",
        f"Training rows of {sets}; Gaussian kernels of width {_TAUS[0]:g} to {_TAUS[-1]:g}; least "
        f"squares without bias, ridge {_RIDGE:g}. Nyström features by landmarks drawn at random or "
        "by a pivoted Cholesky factor are those of the engine of low rank, `LowRank`; a random "
        "projection takes random sums of all rows, which costs as much as the matrix itself, and "
        "then goes through the same engine. Median relative error, and the largest:",
        "",
        *table(["method", "rank", *heads], rows),
        "",
        f"At rank {RANKS[-2]}, width by width. A narrow kernel has no small rank: its matrix is "
        "nearly the identity, of which low rank keeps a part only.",
        "",
        *table(["width", "method", *heads], [row for own in by_width.values() for row in own]),
    ]
    return "\n".join(parts) + "\n"
