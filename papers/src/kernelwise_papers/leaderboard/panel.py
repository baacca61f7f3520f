"""What the lines say: for each task and setting a contest, with errors and times."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kernelwise._types import Array
from kernelwise_papers.experiment import Line
from kernelwise_papers.leaderboard.entrants import (
    BEST,
    CHOSEN,
    CONSTANT,
    FIXED,
    TASKS,
    entrants,
    reference,
    sets,
)
from kernelwise_papers.leaderboard.ranks import Contest


@dataclass(frozen=True, eq=False)
class Panel:
    """One task in one setting.

    Attributes
    ----------
    task, setting : str
    sets : tuple of str
        The data sets, in the order of the rows of the contest.
    contest : Contest
    beside : dict of str to array
        The mean error on every set of the best possible choice and of no kernel at all.
    seconds : dict of str to array
        The time of every entrant on the sets where it was measured.
    undefined : dict of str to int
        On how many splits a criterion was undefined for every kernel.
    """

    task: str
    setting: str
    sets: tuple[str, ...]
    contest: Contest
    beside: dict[str, Array]
    seconds: dict[str, Array]
    undefined: dict[str, int]

    @property
    def title(self) -> str:
        """The task and the setting in words."""
        return f"{TASKS[self.task]}, {self.setting}"

    @classmethod
    def of(cls, lines: Sequence[Line], task: str, setting: str) -> "Panel | None":
        """Sort the lines of a run; None where there is nothing to compare on two sets."""
        ours = [line for line in lines if (line["task"], line["setting"]) == (task, setting)]
        errors = [line for line in ours if line["quantity"] == "error"]
        known = {line["dataset"] for line in errors}
        names = tuple(name for name in sets() if name in known)
        if len(names) < 2:
            return None
        by_set = {n: [line for line in errors if line["dataset"] == n] for n in names}
        who = tuple(n for n in entrants(task, setting) if all(line.get(n) for line in errors))
        means = [[_mean(rows, name) for name in who] for rows in by_set.values()]
        times = [line for line in ours if line["quantity"] == "seconds"]
        return cls(
            task,
            setting,
            names,
            Contest(who, np.array(means), reference(setting)),
            {b: np.array([_mean(r, b) for r in by_set.values()]) for b in (BEST, CONSTANT)},
            {name: np.array([float(line[name] or "nan") for line in times]) for name in who},
            {name: sum(line[name] == "nan" for line in errors) for name in who},
        )


def _mean(lines: Sequence[Line], name: str) -> float:
    """Return the mean error over splits; one who could not choose has the error of no kernel."""
    return float(
        np.mean([_percent(line, CONSTANT if line[name] == "nan" else name) for line in lines])
    )


def _percent(line: Line, name: str) -> float:
    """Return an error; of classes the exact share of the test rows that its digits stand for.

    Two entrants that err on as many rows must have the same mean, or rounding would rank them.
    """
    error = float(line[name])
    if line["task"] == "regression":
        return error
    tested = int(line["test"])
    return 100.0 * round(error * tested / 100.0) / tested


def panels(lines: Sequence[Line]) -> list[Panel]:
    """Return every task in every setting."""
    found = [Panel.of(lines, task, setting) for task in TASKS for setting in (FIXED, CHOSEN)]
    return [panel for panel in found if panel is not None]
