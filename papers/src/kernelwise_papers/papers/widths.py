"""Kernel stability and spectral perturbation over the width of Gaussian kernels.

Both are smallest for the narrowest kernel, as is the training error once the ridge is small, so
that RKS and SPS have nothing that speaks against kernels which are too narrow (docs/widths.md).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise.criteria import Evidence, Undefined
from kernelwise.criteria.perturbation import total_move
from kernelwise.criteria.stability import kernel_stability
from kernelwise.gram import Dense
from kernelwise.kernels import Kernel, Pairs, grids
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.markdown import holds, table
from kernelwise_papers.papers.ks import KS_TABLE2
from kernelwise_papers.tables.split import Part, part_of
from kernelwise_papers.tables.table import widest_first

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIDGES = (0.1, 1.0)
ETA, DELTA = 0.25, 1.0  # the defaults of RKS and SPS
_TABLE = replace(KS_TABLE2, machine="least-squares", fit_intercept=False)
_FAMILIES: dict[str, list[Kernel]] = {
    "gaussian": widest_first(list(grids.gaussian()))[::-1],  # from the narrowest
    "polynomial": list(grids.polynomial(1, 10)),
}
_TERMS = ("stability", "perturbation", "relative")
_ROUNDING = 1e-12


class Widths(Experiment):
    """What the terms of RKS and SPS do as a kernel widens, and as a degree rises."""

    key = "widths"
    title = "Stability over the width: why RKS and SPS pick narrow Gaussian kernels"

    @property
    def datasets(self) -> Sequence[str]:
        """Four of KS Table II."""
        return ("heart", "ionosphere", "sonar", "diabetes")

    @property
    def repetitions(self) -> int:
        """Ours: a statement about all samples needs few."""
        return 5

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return a line a kernel."""
        part = part_of(_TABLE, job)
        return [
            {"family": family, "kernel": k} | line
            for family, kernels in _FAMILIES.items()
            for k, line in enumerate(_kernel_lines(part, kernels))
        ]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return what holds."""
        return "\n".join(_findings(_curves(lines)))

    def page(self, lines: Sequence[Line]) -> str:
        """Return what holds, and the errors of what is picked."""
        return _page(_curves(lines))

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw all terms over the width, and over the degree."""
        return _draw(_curves(lines))


def _kernel_lines(part: Part, kernels: Sequence[Kernel]) -> Iterable[dict[str, Any]]:
    test_pairs, n = Pairs(part.X_test, part.X), part.targets.n
    for kernel, gram in zip(kernels, Dense().grams(kernels, part.X, part.targets), strict=True):
        evidence = Evidence(gram, part.targets, kernel, fit_intercept=False)
        machine, cross = evidence.least_squares, kernel.values(test_pairs)
        stability = kernel_stability(evidence.statistics)
        relative = stability / float(evidence.gram.leading_eigenvalues(1)[0])
        values = [stability / n, total_move(evidence) / n**2, relative]
        line: dict[str, Any] = {
            name: f"{value:.15g}" for name, value in zip(_TERMS, values, strict=True)
        }
        for ridge in RIDGES:
            try:
                training = machine.training_loss(ridge)
                error = machine.error_on(ridge, cross, part.test_targets)
            except Undefined:  # of a polynomial of high degree, whose matrix has lost its digits
                training = error = np.nan
            line |= {f"training {ridge:g}": f"{training:.15g}", f"error {ridge:g}": f"{error:.6g}"}
        yield line


class Curve(NamedTuple):
    """The terms of one split, by name an array over the kernels of a family."""

    dataset: str
    family: str
    terms: dict[str, Array]

    def picks(self, ridge: float) -> dict[str, int]:
        """Return what every criterion picks."""
        training = self.terms[f"training {ridge:g}"]
        penalties = {
            "RKS": ETA * self.terms["stability"],
            "SPS": DELTA * self.terms["perturbation"],
            "RelativeRKS": self.terms["relative"],
        }
        found = {name: int(np.nanargmin(training + each)) for name, each in penalties.items()}
        return found | {"best": int(np.nanargmin(self.terms[f"error {ridge:g}"]))}


def _curves(lines: Sequence[Line]) -> list[Curve]:
    groups: dict[tuple[str, str, str], list[Line]] = defaultdict(list)
    for line in lines:
        groups[line["dataset"], line["repetition"], line["family"]].append(line)
    names = [*_TERMS, *(f"{what} {r:g}" for what in ("training", "error") for r in RIDGES)]
    return [
        Curve(dataset, family, {name: np.array([float(x[name]) for x in own]) for name in names})
        for (dataset, _, family), own in groups.items()
    ]


def _rises(values: Array, sign: float = 1.0) -> bool:
    return bool(np.all(np.diff(sign * values) >= -_ROUNDING * np.abs(values).max()))


def _findings(curves: Sequence[Curve]) -> list[str]:
    gaussian = [c for c in curves if c.family == "gaussian"]
    polynomial = [c for c in curves if c.family == "polynomial"]
    return [
        _counted(
            "Stability rises with the width", [_rises(c.terms["stability"]) for c in gaussian]
        ),
        _counted("So does the term of SPS", [_rises(c.terms["perturbation"]) for c in gaussian]),
        _counted(
            "Relative stability falls at every step",
            [_rises(c.terms["relative"], -1.0) for c in gaussian],
        ),
        _counted(
            "A wider kernel than the narrowest is picked only where it fits the training rows "
            "better than one that memorises them",
            [_is_bounded(c, ridge) for c in gaussian for ridge in RIDGES],
        ),
        _counted(
            "Of polynomials, where Remark 8 argues, stability rises with the degree",
            [_rises(c.terms["stability"]) for c in polynomial],
        ),
    ]


def _counted(claim: str, found: Sequence[bool]) -> str:
    return f"{claim}: {holds(all(found))} ({sum(found)} of {len(found)})"


def _is_bounded(curve: Curve, ridge: float) -> bool:
    """Say whether the picks of RKS and SPS obey the corollary of docs/widths.md."""
    training = curve.terms[f"training {ridge:g}"]
    memorised = max((ridge / (1.0 + ridge)) ** 2, float(training[0]))
    picks = curve.picks(ridge)
    return all(training[picks[name]] <= memorised + _ROUNDING for name in ("RKS", "SPS"))


def _page(curves: Sequence[Curve]) -> str:
    gaussian = [c for c in curves if c.family == "gaussian"]
    rows = []
    for dataset in dict.fromkeys(c.dataset for c in gaussian):
        for ridge in RIDGES:
            own = [c for c in gaussian if c.dataset == dataset]
            cells = []
            for name in own[0].picks(ridge):
                at = [c.picks(ridge)[name] for c in own]
                errors = [c.terms[f"error {ridge:g}"][k] for c, k in zip(own, at, strict=True)]
                cells.append(f"{100 * np.mean(errors):.2f} % (2^{np.median(at) - 15:g})")
            rows.append([dataset, f"{ridge:g}", *cells])
    parts = [
        "![Training error and penalties over the width and over the degree](widths.svg)",
        "",
        "Theorem and proof: [docs/widths.md](../../docs/widths.md). Least squares without bias, "
        f"features standardised, 31 Gaussian widths and 10 degrees; RKS with eta = {ETA:g}, SPS "
        f"with delta = {DELTA:g}, relative stability with eta = 1.",
        "",
        *(f"- {text}." for text in _findings(curves)),
        "",
        "Mean test error of what is picked, and the median width picked:",
        "",
        *table(["set", "ridge", "RKS", "SPS", "relative RKS", "best width on the test rows"], rows),
    ]
    return "\n".join(parts) + "\n"


def _draw(curves: Sequence[Curve]) -> "Figure":
    from kernelwise_papers.figures import panels

    figure, axes = panels(2 * len(RIDGES), 3.2, 2.8)
    for row, (family, first) in enumerate((("gaussian", -15), ("polynomial", 1))):
        own = [c for c in curves if c.family == family]
        for column, ridge in enumerate(RIDGES):
            ax = axes[len(RIDGES) * row + column]
            for name, label in (
                (f"training {ridge:g}", "training error"),
                ("stability", "stability / n"),
                ("perturbation", "SPS term"),
                ("relative", "relative stability"),
                (f"error {ridge:g}", "test error"),
            ):
                mean = np.mean([c.terms[name] for c in own], axis=0)
                ax.semilogy(first + np.arange(mean.size), mean, label=label, lw=1.0)
            ax.set_title(f"{family}, ridge {ridge:g}", fontsize=9)
            ax.set_xlabel("log2 of the width" if row == 0 else "degree", fontsize=8)
    axes[0].legend(fontsize=6)
    return figure
