"""The lines of one split: errors, and of the first split the time of every choice.

Every entrant's time is measured on its own, from the data to the choice. Lines of an earlier run
are completed by the entrants that have joined since.
"""

import warnings
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from kernelwise.gram import Targets
from kernelwise_papers.experiment import Job, Line
from kernelwise_papers.leaderboard.entrants import (
    BEST,
    CHOSEN,
    CONSTANT,
    CRITERIA,
    DEFAULT,
    ENTRANTS,
    FIXED,
    GRID,
    RKS,
    entrants,
)
from kernelwise_papers.leaderboard.models import can_run
from kernelwise_papers.leaderboard.trial import Trial, split_of
from kernelwise_papers.tables.split import Part
from kernelwise_papers.timing import cpu_seconds

_LONG_ENOUGH = 0.3  # seconds that measuring one entrant takes at least, up to three times
_TIMES = 3


def split_lines(job: Job) -> list[dict[str, Any]]:
    """Return the errors of one split, a line a setting; of the first split the times as well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # guards and small classes: said to users, not here
        part, available = split_of(job.dataset, job.rows, job.seed)
        trial = Trial(part)
        facts = {
            "task": trial.task,
            "available": available,
            "train": part.targets.n,
            "test": part.test_targets.n,
        }
        lines = [facts | _errors(trial, setting) for setting in (FIXED, CHOSEN)]
        if job.repetition == 0:
            _warm_up(trial.task)
            lines += [facts | _seconds(trial, setting) for setting in (FIXED, CHOSEN)]
    return lines


def missing(line: Line) -> list[str]:
    """Return the entrants that take part in a line, could run here, and have not."""
    who = entrants(line["task"], line["setting"])
    return [name for name in who if not line.get(name) and can_run(name)]


def completed(job: Job, lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the lines of an earlier run with the entrants that are missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        part = split_of(job.dataset, job.rows, job.seed)[0]
        joined = {name for line in lines for name in missing(line)}
        asked = {name: CRITERIA[name] for name in CRITERIA if name in joined | {RKS}}
        trial = Trial(part, asked, searches=GRID in joined)
        if any(line["quantity"] == "seconds" for line in lines):
            _warm_up(trial.task)
        return [line | _added(trial, line) for line in lines]


def _added(trial: Trial, line: Line) -> dict[str, str]:
    """Return what a line lacks; times are in units of the earlier run."""
    names, setting = missing(line), line["setting"]
    if line["quantity"] == "error":
        values = {name: trial.error(name, setting) for name in names}
    else:
        values = {name: _time(trial, name, setting) for name in names}
        units = {other: _unit(trial, line, other) for other in dict.fromkeys(map(beside, names))}
        values = {name: units[beside(name)] * value for name, value in values.items()}
    written = {name: f"{value:.5g}" for name, value in values.items()}
    return {name: line.get(name, "") for name in ENTRANTS} | written


def beside(name: str) -> str:
    """Return the earlier entrant that is timed again beside one who joins: the most like it."""
    return RKS if name in CRITERIA else DEFAULT


def _unit(trial: Trial, line: Line, name: str) -> float:
    """Return the time of an entrant in the earlier run over its time now; 1 if it took no part."""
    if not line.get(name):
        return 1.0
    return float(line[name]) / _time(trial, name, line["setting"])


def _line(setting: str, quantity: str, values: dict[str, float]) -> dict[str, Any]:
    """Return a line with all columns; empty where an entrant takes no part."""
    columns = (*ENTRANTS, BEST, CONSTANT)
    written = {name: f"{values[name]:.5g}" if name in values else "" for name in columns}
    return {"setting": setting, "quantity": quantity, **written}


def _errors(trial: Trial, setting: str) -> dict[str, Any]:
    values = {name: trial.error(name, setting) for name in _able(trial.task, setting)}
    values |= {BEST: trial.best(setting), CONSTANT: trial.constant()}
    return _line(setting, "error", values)


def _seconds(trial: Trial, setting: str) -> dict[str, Any]:
    values = {name: _time(trial, name, setting) for name in _able(trial.task, setting)}
    return _line(setting, "seconds", values)


def _able(task: str, setting: str) -> list[str]:
    return [name for name in entrants(task, setting) if can_run(name)]


def _time(trial: Trial, name: str, setting: str) -> float:
    """Return the processor's seconds of a choice; NaN where it is undefined for every kernel."""
    choice = partial(trial.choose, name, setting)
    try:
        return cpu_seconds(choice, enough=_LONG_ENOUGH, most=_TIMES)
    except ValueError:
        return float("nan")


@cache
def _warm_up(task: str) -> None:
    """Let every entrant choose once: what is compiled or loaded at first use is not its time."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=30)
    targets = Targets.of(y if task == "regression" else y > 0.0, task)
    small = Trial(Part(X, targets, X, targets))
    for setting in (FIXED, CHOSEN):
        for name in _able(task, setting):
            if name != GRID:
                small.choose(name, setting)
