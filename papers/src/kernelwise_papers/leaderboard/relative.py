"""Forms of kernel stability beside each other and beside what others choose.

The leaderboard's splits and candidates, fewer splits and the criteria that it does not have.
"""

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kernelwise import criteria as c
from kernelwise._types import Array
from kernelwise.criteria import Criterion
from kernelwise_papers.criteria import CVVariance, RelativeRKS
from kernelwise_papers.experiment import Experiment, Job, Line
from kernelwise_papers.leaderboard.entrants import CHOSEN, FIXED, RELATIVE, TASKS, sets
from kernelwise_papers.leaderboard.ranks import ranks
from kernelwise_papers.leaderboard.trial import Trial, split_of
from kernelwise_papers.markdown import table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CRITERIA: Final[dict[str, Criterion]] = {
    RELATIVE: RelativeRKS(),
    "RKS": c.RKS(),
    "SPS": c.SPS(),
    "CVKS": c.CVKS(),
    "CVKS by BIF": c.CVKS(order=2),
    "CV and its variance": CVVariance(),
    "5-fold CV (squares)": c.KFold(5, "square"),
    "ER": c.ER(),
    "SM (r=2)": c.SM(r=2),
    "LOO (press)": c.ELOO("press"),
}


class Relative(Experiment):
    """RKS in units of the largest eigenvalue, and other forms of stability."""

    key = "relative"
    title = "Relative kernel stability, and other forms, beside nine criteria"

    @property
    def datasets(self) -> Sequence[str]:
        """Those of the leaderboard."""
        return tuple(sets())

    @property
    def repetitions(self) -> int:
        """The first of the leaderboard's."""
        return 3

    def work(self, job: Job) -> list[dict[str, Any]]:
        """Return the error of every choice, a line a setting."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial = Trial(split_of(job.dataset, job.rows, job.seed)[0], CRITERIA, searches=False)
            return [
                {"task": trial.task, "setting": setting}
                | {name: f"{trial.error(name, setting):.5g}" for name in CRITERIA}
                for setting in (FIXED, CHOSEN)
            ]

    def summary(self, lines: Sequence[Line]) -> str:
        """Return the place of the relative form."""
        return "\n".join(_place(lines, task, setting) for task, setting in _settings(lines))

    def page(self, lines: Sequence[Line]) -> str:
        """Return mean errors and ranks."""
        parts = ["![Mean rank of every criterion](relative.svg)", "", _INTRODUCTION, ""]
        for task, setting in _settings(lines):
            found = _errors(lines, task, setting)
            title = f"{TASKS[task]}, {setting} ({len(found)} sets)"
            parts += [f"## {title}", "", *_table(found), ""]
        return "\n".join(parts)

    def figure(self, lines: Sequence[Line]) -> "Figure":
        """Draw mean ranks, a panel a contest."""
        from kernelwise_papers.figures import panels

        asked = _settings(lines)
        figure, axes = panels(len(asked), 3.2)
        for ax, (task, setting) in zip(axes, asked, strict=True):
            found = _errors(lines, task, setting)
            means = ranks(found).mean(axis=0)
            order = np.argsort(means)[::-1]
            ax.barh([list(CRITERIA)[i] for i in order], means[order], height=0.6)
            ax.set_title(f"{TASKS[task]}, {setting}: mean rank", fontsize=8)
            ax.tick_params(labelsize=6)
        return figure


_INTRODUCTION = """\
The candidates (31 Gaussian widths), ridges and first splits of [the leaderboard](leaderboard.md).
Criteria that may not choose the ridge choose the kernel at ridge 1,
and leave-one-out the ridge. Errors are percent of rows, or the mean square in percent of the
variance. Why a relative form at all: [docs/widths.md](../../docs/widths.md)."""


def _settings(lines: Sequence[Line]) -> list[tuple[str, str]]:
    tasks = [task for task in TASKS if any(line["task"] == task for line in lines)]
    return [(task, setting) for task in tasks for setting in (FIXED, CHOSEN)]


def _errors(lines: Sequence[Line], task: str, setting: str) -> Array:
    """Return the mean error of every criterion on every set, (sets, criteria)."""
    own = [line for line in lines if line["task"] == task and line["setting"] == setting]
    names = dict.fromkeys(line["dataset"] for line in own)
    return np.array(
        [
            [
                np.mean([float(line[name]) for line in own if line["dataset"] == dataset])
                for name in CRITERIA
            ]
            for dataset in names
        ]
    )


def _table(found: Array) -> list[str]:
    means, places = found.mean(axis=0), ranks(found).mean(axis=0)
    rows = [
        [list(CRITERIA)[i], f"{means[i]:.2f} %", f"{places[i]:.2f}"] for i in np.argsort(places)
    ]
    return table(["criterion", "mean error", f"mean rank of {len(CRITERIA)}"], rows)


def _place(lines: Sequence[Line], task: str, setting: str) -> str:
    found = _errors(lines, task, setting)
    places = ranks(found).mean(axis=0)
    at = {name: float(place) for name, place in zip(CRITERIA, places, strict=True)}
    place = 1 + sum(other < at[RELATIVE] for other in at.values())
    return (
        f"{TASKS[task]}, {setting}: {RELATIVE} has rank {at[RELATIVE]:.1f}, place {place} of "
        f"{len(CRITERIA)}; RKS {at['RKS']:.1f}, SPS {at['SPS']:.1f}"
    )
