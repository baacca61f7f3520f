"""kernelwise reproduce: the papers' tables and figures, run again."""

import argparse
from dataclasses import replace
from pathlib import Path

from kernelwise._progress import SILENT, Bar
from kernelwise._registry import unknown
from kernelwise.cli.screen import BadInput, Screen, tell
from kernelwise_papers.catalog import EXPERIMENTS
from kernelwise_papers.datasets import NoData
from kernelwise_papers.experiment import Effort, Experiment
from kernelwise_papers.publish import publish, write_index
from kernelwise_papers.runner import read, results_path, run


def reproduce(args: argparse.Namespace, screen: Screen) -> int:
    """Run what was asked for and write its pages; return the exit status."""
    if args.list:
        for experiment in EXPERIMENTS.values():
            tell(f"{experiment.key:<{max(map(len, EXPERIMENTS)) + 2}}{experiment.title}")
        return 0
    asked = _asked(args)
    effort = _effort(args)
    folder = Path(args.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--out {args.out!r} cannot be a folder: {error.strerror}.") from None
    chosen = _with_results(asked, folder, effort, screen) if args.no_run else asked
    for experiment in chosen:
        if not args.no_run:
            names = _sets(args, experiment)
            if names == ():
                screen.note(f"{experiment.key} has none of these data sets: left out.")
                continue
            _run(experiment, folder, replace(effort, datasets=names), screen)
        _publish(experiment, folder, effort)
    if effort.rows is None:
        tell(f"written    {write_index(list(EXPERIMENTS.values()), folder)}")
    return 0


def _asked(args: argparse.Namespace) -> list[Experiment]:
    if args.all == bool(args.key):
        raise BadInput("name one or more of the tables, or use --all ('--list' has their names).")
    for key in args.key:
        if key not in EXPERIMENTS:
            raise BadInput(unknown("table", key, list(EXPERIMENTS)))
    found = [EXPERIMENTS[key] for key in args.key or EXPERIMENTS]
    known = dict.fromkeys(name for experiment in found for name in experiment.datasets)
    for name in args.datasets or ():
        if name not in known:
            of = ", ".join(args.key) or "all"
            raise BadInput(unknown(f"data set of {of}", name, list(known)))
    return found


def _effort(args: argparse.Namespace) -> Effort:
    quick = Effort.quick() if args.quick else Effort()
    return Effort(args.repetitions or quick.repetitions, args.rows or quick.rows)


def _sets(args: argparse.Namespace, experiment: Experiment) -> tuple[str, ...] | None:
    """Return those of the named data sets that an experiment has, None for all."""
    if not args.datasets:
        return None
    return tuple(name for name in args.datasets if name in experiment.datasets)


def _with_results(
    asked: list[Experiment], folder: Path, effort: Effort, screen: Screen
) -> list[Experiment]:
    """Return those that have been run, and name the others."""
    missing = [e.key for e in asked if not read(results_path(e, folder, effort))]
    if len(missing) == len(asked):
        raise BadInput(
            f"{folder / 'results'} has no results of {', '.join(missing)}: run without --no-run."
        )
    if missing:
        screen.note(f"no results, so no page, of {', '.join(missing)}.")
    return [experiment for experiment in asked if experiment.key not in missing]


def _run(experiment: Experiment, folder: Path, effort: Effort, screen: Screen) -> None:
    """Run an experiment under a bar."""
    screen.note(f"{experiment.key}: a run that is stopped goes on where it was.")
    try:
        with Bar(experiment.key) if screen.watched else SILENT as bar:
            run(experiment, folder, effort, bar)
    except (NoData, ValueError) as error:
        raise BadInput(f"{experiment.key}: {error}") from None


def _publish(experiment: Experiment, folder: Path, effort: Effort) -> None:
    """Write page and figure, and print what came out."""
    path = results_path(experiment, folder, effort)
    published = publish(experiment, folder, effort)
    tell(f"{experiment.title}\n\n{published.summary}\n")
    tell(f"written    {path}, {published.page}, {published.figure}\n")
