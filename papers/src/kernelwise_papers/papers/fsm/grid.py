"""The results of Figure 3 of the FSM paper: errors and criteria by set and kernel, and verdicts.

References
----------
C. H. Nguyen and T. B. Ho, Kernel matrix evaluation, IJCAI 2007, Section 4.2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._types import Array
from kernelwise_papers.experiment import Line
from kernelwise_papers.papers.fsm.measures import (
    ALIGNMENT,
    BOUND,
    ERROR,
    MEASURES,
    Verdict,
    correlation,
    printed_cells,
)
from kernelwise_papers.papers.fsm.sets import KERNELS, SETS
from kernelwise_papers.significance import LEVEL, paired, welch
from kernelwise_papers.tables.comparison import spread_of

_ABOUT = 0.01  # of errors, how far above the lowest is about the lowest
_NEARLY_ALL = 7 / 8
_HIGH, _LOW = 0.8, 0.5  # correlations


def at(values: Array, columns: Array) -> Array:
    """Return one value of every row: that in the column which is named for it."""
    return np.asarray(np.take_along_axis(values, columns[:, None], axis=1)[:, 0])


@dataclass(frozen=True, eq=False)
class Grid:
    """Means over the repetitions.

    Attributes
    ----------
    sets : list of str
    kernels : tuple of str
        In the order of the paper; a variant stands in the place of its kernel.
    values : dict of str to array
        By quantity, a row a set, a column a kernel; infinite where a criterion is undefined.
    spreads : dict of str to array
        Standard deviations over the repetitions.
    """

    sets: list[str]
    kernels: tuple[str, ...]
    values: dict[str, Array]
    spreads: dict[str, Array]

    @classmethod
    def of(
        cls, lines: Sequence[Line], chosen: tuple[str, ...] = KERNELS, heading: str = "{}"
    ) -> "Grid":
        """Sort the lines; ``heading`` makes the column of a criterion from its name."""
        found: dict[tuple[str, str], list[Line]] = {}
        for line in lines:
            found.setdefault((line["dataset"], line["kernel"]), []).append(line)
        sets = [name for name in SETS if (name, chosen[0]) in found]
        values, spreads = {}, {}
        for name in MEASURES:
            column = name if name == ERROR else heading.format(name)
            cells = [
                [np.array([float(line[column]) for line in found[s, k]]) for k in chosen]
                for s in sets
            ]
            means = np.array([[cell.mean() for cell in row] for row in cells])
            values[name] = np.where(np.isnan(means), np.inf, means)
            spreads[name] = np.array([[spread_of(cell) for cell in row] for row in cells])
        return cls(sets, chosen, values, spreads)

    @property
    def best(self) -> Array:
        """The kernel with the lowest error, by set."""
        return np.asarray(self.values[ERROR].argmin(axis=1))

    def ranks(self, name: str) -> Array:
        """Return 1 for the lowest value of a set, and so on; equal values share the better rank."""
        values = self.values[name]
        return np.asarray(1 + (values[:, None, :] < values[:, :, None]).sum(axis=2))

    def ranks_of_best(self, name: str) -> Array:
        """Return the rank that a criterion gives to the kernel with the lowest error, by set."""
        return at(self.ranks(name), self.best)

    def correlations(self, name: str) -> list[float]:
        """Return the correlation of a criterion and the error over the kernels, by set."""
        pairs = zip(self.values[name], self.values[ERROR], strict=True)
        return [correlation(*pair) if np.isfinite(pair[0]).all() else math.nan for pair in pairs]


def _rbf_is_best_yet_last(grid: Grid) -> Verdict:
    n, rbf = len(grid.sets), KERNELS.index("RBF")
    errors, alignments = grid.values[ERROR], grid.values[ALIGNMENT]
    above = errors[:, rbf] - errors.min(axis=1)
    low, lower = int(np.sum(above <= _ABOUT)), int(np.sum(above <= 2.0 * _ABOUT))
    last = int(np.sum(alignments.argmax(axis=1) == rbf))
    found = f"at most {_ABOUT:g} above the lowest error on {low} of {n} (at most {2 * _ABOUT:g} on "
    found += f"{lower}), highest 1-KTA on {last} of {n}"
    return Verdict(found, min(low, last) >= _NEARLY_ALL * n, f"{low}, {last}")


def _tanh_is_worst_yet_liked(grid: Grid) -> Verdict:
    n, tanh = len(grid.sets), KERNELS.index("tanh")
    worst = int(np.sum(grid.values[ERROR].argmax(axis=1) == tanh))
    liked = int(np.sum(grid.ranks(ALIGNMENT)[:, tanh] <= 2))
    found = f"highest error on {worst} of {n}, first or second by KTA on {liked} of {n}"
    return Verdict(found, 2 * min(worst, liked) > n, f"{worst}, {liked}")


def _breast_cancer_follows_fsm(grid: Grid) -> Verdict:
    if "breast-cancer" not in grid.sets:
        return Verdict("not run", None, "–")
    i = grid.sets.index("breast-cancer")
    fsm, kta = grid.correlations(BOUND)[i], grid.correlations(ALIGNMENT)[i]
    found = f"correlation with the error {fsm:.2f} of FSMerr, {kta:.2f} of 1-KTA"
    return Verdict(found, fsm >= _HIGH and kta < _LOW, f"{fsm:.2f}, {kta:.2f}")


class RankTest(NamedTuple):
    """Mean and spread of the ranks of the best kernel, and how sure it is that FSM's are lower.

    The probabilities are one-sided, of Welch's test and of the paired t-test.
    """

    kta: tuple[float, float]
    fsm: tuple[float, float]
    welch: float
    paired: float

    @classmethod
    def of(cls, grid: Grid) -> "RankTest":
        """Compare the ranks of all sets."""
        kta, fsm = (grid.ranks_of_best(name) for name in (ALIGNMENT, BOUND))
        high, low = ((float(ranks.mean()), spread_of(ranks)) for ranks in (kta, fsm))
        return cls(high, low, _one_sided(low, high, kta.size), paired(kta - fsm))

    @property
    def verdict(self) -> Verdict:
        """Whether FSM ranks the best kernel significantly better, by either test."""
        found = f"KTA {_plus_minus(self.kta)}, FSM {_plus_minus(self.fsm)}; p = {self.welch:.3f} "
        return Verdict(f"{found}(paired {self.paired:.3f})", min(self.welch, self.paired) < LEVEL)

    @property
    def cells(self) -> list[str]:
        """Both ranks and both probabilities, as they stand in a table."""
        ranks = [_plus_minus(self.kta), _plus_minus(self.fsm)]
        return [*ranks, f"{self.welch:.3f}", or_dash(self.paired)]


def _one_sided(low: tuple[float, float], high: tuple[float, float], n: int) -> float:
    """Return Welch's probability of such a difference where there is none."""
    if n < 2:
        return math.nan
    t, p = welch(*low, *high, n)
    return p / 2.0 if t > 0.0 else 1.0 - p / 2.0


def _plus_minus(moments: tuple[float, float]) -> str:
    return f"{moments[0]:.4g} ± {moments[1]:.3f}"


def or_dash(number: float, digits: int = 3) -> str:
    """Return a number, or a dash where there is none."""
    return "–" if math.isnan(number) else f"{number:.{digits}f}"


def printed_ranks() -> RankTest:
    """Return the printed moments; a paired test cannot be made from them."""
    printed = printed_cells()
    cells = [printed[f"rank of the best kernel by {name}"] for name in ("KTA", "FSM")]
    kta, fsm = [(c.value or math.nan, c.spread or math.nan) for c in cells]
    return RankTest(kta, fsm, _one_sided(fsm, kta, len(SETS)), math.nan)


def figure3_verdicts(grid: Grid) -> list[Verdict]:
    """Return whether the paper's three statements on Figure 3 hold, in its order."""
    return [
        _rbf_is_best_yet_last(grid),
        _tanh_is_worst_yet_liked(grid),
        _breast_cancer_follows_fsm(grid),
    ]


FIGURE3_RULES = (
    f"its mean error is at most {_ABOUT:g} above the lowest of the four on 7 of 8 sets, and its "
    "1-KTA the highest on 7 of 8",
    "its mean error is the highest on more than half of the sets, and KTA ranks it first or second "
    "on more than half",
    f"over the four kernels, correlation with the error at least {_HIGH:g} for FSMerr and below "
    f"{_LOW:g} for 1-KTA",
)
RANK_STATEMENT = "FSM ranks the best kernel closer to 1 than KTA, significantly at 95 %"
RANK_RULE = f"one-sided p below {LEVEL:g} by Welch's or by the paired t-test over the sets"
