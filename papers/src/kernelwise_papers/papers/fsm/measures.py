"""What both figures of the FSM paper measure, judge and draw.

References
----------
C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, Section 4.
"""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.svm import SVC

from kernelwise._types import Array
from kernelwise.criteria import KTA, Evidence, FSMError
from kernelwise.gram import Gram, Targets
from kernelwise.kernels import Kernel
from kernelwise.machines import Split
from kernelwise_papers import publications
from kernelwise_papers.tables.split import value_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ERROR, ALIGNMENT, BOUND = MEASURES = ("error", "1-KTA", "FSMerr")

C, FOLDS, TIMES = 1.0, 5, 10
_LOOKS = dict(zip(MEASURES, (("#333333", "o"), ("#c0562f", "s"), ("#3b6ea5", "D")), strict=True))


def criteria(gram: Gram, targets: Targets, kernel: Kernel) -> dict[str, float]:
    """Return 1 - KTA and FSMerr of a kernel matrix; NaN where one is undefined."""
    evidence = Evidence(gram, targets, kernel)
    return {ALIGNMENT: 1.0 - value_of(KTA(), evidence), BOUND: value_of(FSMError(), evidence)}


def measures(
    kernel: Kernel, gram: Gram, targets: Targets, splits: Iterable[Split]
) -> dict[str, float]:
    """Return the cross-validation error of a kernel matrix and its criteria."""
    error = cross_validation_error(gram.entries(), targets, splits)
    return {ERROR: error} | criteria(gram, targets, kernel)


def cross_validation_error(K: Array, targets: Targets, splits: Iterable[Split]) -> float:
    """Return the share of rows that a machine trained without them gets wrong, as LIBSVM's."""
    wrong = tested = 0
    for split in splits:
        train, test = split.train, split.test
        machine = SVC(kernel="precomputed", C=C)
        machine.fit(K[np.ix_(train, train)], targets.y[train])
        answers = machine.predict(K[np.ix_(test, train)])
        wrong += int(np.count_nonzero(answers != targets.y[test]))
        tested += test.size
    return wrong / tested


def written(measured: dict[str, float]) -> dict[str, str]:
    """Return the numbers as they stand in a file of results."""
    return {name: f"{value:.5g}" for name, value in measured.items()}


def correlation(a: Array, b: Array) -> float:
    """Return Pearson's correlation, NaN where one does not vary."""
    a, b = a - a.mean(), b - b.mean()
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norms if norms > 0.0 else math.nan


class Verdict(NamedTuple):
    """Whether a statement of the paper holds for our results, and by which numbers."""

    found: str
    holds: bool | None  # None where it was not looked at
    short: str = ""  # the numbers alone

    def __str__(self) -> str:
        """Return the numbers, then the verdict."""
        if self.holds is None:
            return self.found
        return f"{self.found}: {'holds' if self.holds else '**does not hold**'}"

    @property
    def plain(self) -> str:
        """The same without marks."""
        return str(self).replace("*", "")


def quotations(figure: str) -> list[str]:
    """Return what the paper says of a figure, word by word, in quotation marks."""
    return [
        f'"{said["quote"]}"'
        for said in publications.records("figures")
        if (said["paper"], said["figure"]) == ("fsm2007", figure)
    ]


def printed_cells() -> dict[str, publications.Cell]:
    """Return the few numbers that the paper prints, by what they are."""
    return {cell.criterion: cell for cell in publications.load("fsm2007_text")}


def style(name: str) -> dict[str, Any]:
    """Return how the line of a quantity looks."""
    colour, marker = _LOOKS[name]
    return {"color": colour, "marker": marker, "label": name, "ms": 3, "lw": 1.0}


def finish(ax: "Axes", title: str) -> None:
    """Give a panel what all have."""
    ax.set_title(title, fontsize=9)
    ax.tick_params(labelsize=7)
    ax.set_ylim(0.0, 1.03)


def add_legend(figure: "Figure", ax: "Axes", columns: int) -> None:
    """Explain the lines of a panel above all panels."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, fontsize=8)
