"""The run times of a run beside the published ones: seconds, ratios, order."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import gmean, spearmanr

from kernelwise._types import Array
from kernelwise_papers import publications
from kernelwise_papers.experiment import Line
from kernelwise_papers.papers.sm import SM_TABLE2

PUBLISHED_TIMES = "sm2017_table3"
CRITERIA = ("SM", "CV", "ELOO", "CKTA", "FSM", "ER")
OTHERS = CRITERIA[1:]
MUCH = 2.0  # times: more is much faster, less is comparable

PUBLISHED, BY_HAND, LIBRARY = "published", "by hand", "library"
OURS = (BY_HAND, LIBRARY)
KINDS = (PUBLISHED, *OURS)

Times = dict[str, dict[str, float]]  # seconds by data set and criterion


def all_times(lines: Sequence[Line]) -> dict[str, Times]:
    """Return the seconds by kind, of the sets that were run: medians, or as published."""
    names = [name for name in SM_TABLE2.datasets if any(line["dataset"] == name for line in lines)]
    found: dict[str, Times] = {kind: {name: {} for name in names} for kind in KINDS}
    for cell in publications.load(PUBLISHED_TIMES):
        if cell.dataset in names and cell.value is not None:
            found[PUBLISHED][cell.dataset][cell.criterion] = cell.value
    for kind in OURS:
        for name in names:
            mine = [one for one in lines if one["dataset"] == name and one["kind"] == kind]
            found[kind][name] = {
                c: float(np.median([float(line[c]) for line in mine])) for c in CRITERIA
            }
    return found


def rows_of(lines: Sequence[Line]) -> dict[str, int]:
    """Return the number of training rows of every set."""
    return {line["dataset"]: int(line["rows"]) for line in lines}


def ratios(times: Times, name: str) -> Array:
    """Return the time of a criterion over that of SM, for every set."""
    return np.array([row[name] / row["SM"] for row in times.values()])


def mean(of: Array) -> float:
    """Return the geometric mean."""
    return float(gmean(of))


def agreeing(times: Times, published: Times) -> str:
    """Name the criteria whose mean ratio is the published one but for a factor."""
    factors = {c: mean(ratios(times, c) / ratios(published, c)) for c in OTHERS}
    return ", ".join(c for c, f in factors.items() if 1.0 / MUCH < f < MUCH) or "none"


def sm_first(times: Times) -> str:
    """Say on how many sets SM is the quickest."""
    count = sum(min(row, key=lambda name: row[name]) == "SM" for row in times.values())
    return f"{count} of {len(times)}"


def order(times: Times) -> str:
    """Name the criteria from the quickest on."""
    return ", ".join(sorted(CRITERIA, key=lambda name: mean(ratios(times, name))))


def correlation(times: Times, published: Times) -> float:
    """Return the mean over the sets of the rank correlation between two rows of six times."""
    pairs = [
        ([times[name][c] for c in CRITERIA], [published[name][c] for c in CRITERIA])
        for name in times
    ]
    return float(np.mean([spearmanr(*pair).statistic for pair in pairs]))
