"""Weights of kernels by the papers' criteria: what SM, ER and SPS say of multiple kernel learning.

SM 2017, Remark 3 (which prints min for max), ER 2015, Remark 1, and SPS 2014, Remark 1 and Section
6 (which prints max for min) name the problem and run nothing. MultiKernelSelector solves it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise import KernelSelector, MultiKernelSelector
from kernelwise._types import Array
from kernelwise.kernels import grids
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.markdown import table
from kernelwise_papers.papers.sm import SM_TABLE2
from kernelwise_papers.tables.split import Part, part_of
from kernelwise_papers.timing import cpu_seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROWS = 300  # of a data set: gradients of eigenvalues take a decomposition a step
_LOW, _HIGH = -1, 7  # base kernels: tau = 2^-1 to 2^7
SINGLE = "best single, LOO"
WEIGHTS: dict[str, dict[str, Any]] = {
    "equal": {"method": "uniform"},
    "l1 (our default)": {},
    "SM (r = 3)": {"method": "criterion", "criterion": "sm"},
    "ER": {"method": "criterion", "criterion": "er"},
    "RKS": {"method": "criterion", "criterion": "rks"},
    "SPS": {"method": "criterion", "criterion": "sps"},
}
WAYS = (SINGLE, *WEIGHTS)


class Combinations(Experiment):
    """Sums of Gaussian kernels weighted by criteria, beside the best single one."""

    key = "combinations"
    title = "Multiple kernel learning by SM, ER, RKS and SPS, as the papers' remarks propose"

    @property
    def datasets(self) -> Sequence[str]:
        """Sets of SM Table 2."""
        return ("heart", "ionosphere", "sonar", "bupa", "hepatitis", "wdbc")

    @property
    def repetitions(self) -> int:
        """Ours: the papers have no numbers."""
        return 5

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return a line a way to weigh."""
        part = part_of(SM_TABLE2, job._replace(rows=min(job.rows or _ROWS, _ROWS)))
        return [_line(way, part) for way in WAYS]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the mean errors."""
        return "\n".join(f"{way}: mean error {_mean(lines, way):.2f} %" for way in _known(lines))

    def page(self, lines: Sequence[Line]) -> str:
        """Return errors, weights and times."""
        return _page(lines)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw the error of every way against that of the best single kernel."""
        from kernelwise_papers.figures import panels
        from kernelwise_papers.papers.remarks.parts import against, label

        ways = [way for way in _known(lines) if way != SINGLE]
        figure, axes = panels(len(ways))
        for ax, way in zip(axes, ways, strict=True):
            names = _sets(lines)
            x, y = ([_errors(lines, w, n).mean() for n in names] for w in (SINGLE, way))
            against(ax, x, y)
            label(ax, f"{way}: test error in %", SINGLE, way)
        return figure


def _line(way: str, part: Part) -> dict[str, Any]:
    kernels = grids.gaussian(_LOW, _HIGH)
    if way == SINGLE:
        model: Any = KernelSelector(kernels=kernels, criterion="eloo")
    else:
        model = MultiKernelSelector(kernels, **WEIGHTS[way])
    y = part.targets.y
    seconds = cpu_seconds(lambda: model.fit(part.X, y))
    error = np.mean(model.predict(part.X_test) != part.test_targets.y)
    weights = np.ones(1) if way == SINGLE else np.asarray(model.weights_)
    # How many kernels of equal weight would be as spread out.
    kernels_used = 1.0 / float(np.sum((weights / weights.sum()) ** 2))
    return {
        "way": way,
        "rows": part.targets.n,
        "error": f"{error:.6g}",
        "kernels": f"{kernels_used:.4g}",
        "seconds": f"{seconds:.4g}",
    }


def _known(lines: Sequence[Line]) -> list[str]:
    return [way for way in WAYS if any(line["way"] == way for line in lines)]


def _sets(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line["dataset"] for line in lines))


def _errors(lines: Sequence[Line], way: str, name: str) -> Array:
    own = [line for line in lines if line["way"] == way and line["dataset"] == name]
    return np.array([100.0 * float(line["error"]) for line in own])


def _mean(lines: Sequence[Line], way: str) -> float:
    return float(np.mean([_errors(lines, way, name).mean() for name in _sets(lines)]))


def _page(lines: Sequence[Line]) -> str:
    names = _sets(lines)
    rows = []
    for way in _known(lines):
        own = [line for line in lines if line["way"] == way]
        cells = [f"{_errors(lines, way, name).mean():.2f}" for name in names]
        used = np.median([float(line["kernels"]) for line in own])
        seconds = np.median([float(line["seconds"]) for line in own])
        rows.append([way, *cells, f"{_mean(lines, way):.2f}", f"{used:.1f}", f"{seconds:.2g}"])
    splits = max(_errors(lines, SINGLE, name).size for name in names)
    parts = [
        "![Error against that of the best single kernel](combinations.svg)",
        "",
        "SM 2017 (Remark 3), ER 2015 (Remark 1) and SPS 2014 (Remark 1, Section 6) propose to find "
        "weights of several kernels by their criteria, and run nothing. Here "
        f"{_HIGH - _LOW + 1} Gaussian widths, 2^{_LOW} to 2^{_HIGH}, of centred matrices with a "
        "mean diagonal of one; weights of Euclidean norm one that are best by the criterion (SM at "
        "its largest, SPS at its smallest, against the prints), then the ridge by leave-one-out.",
        "",
        f"{splits} random splits, 70 % of at most {_ROWS} rows for training. Mean test error in "
        "percent; kernels: the median of 1 / sum of squared shares; seconds of processor time, "
        "median.",
        "",
        *table(["weights by", *names, "mean", "kernels", "seconds"], rows),
        "",
        "On ordinary tables a sum of widths gains little over the best single one, whichever "
        "criterion weighs them ([more](../../docs/views.md)).",
    ]
    return "\n".join(parts) + "\n"
