"""kernelwise reproduce: the papers' tables and figures, run again."""

import argparse
from dataclasses import replace
from pathlib import Path

from kernelwise._progress import SILENT, Bar, Task
from kernelwise._registry import unknown
from kernelwise.cli.screen import BadInput, Screen
from kernelwise.experiments.catalog import EXPERIMENTS
from kernelwise.experiments.datasets import NoData
from kernelwise.experiments.experiment import Effort, Experiment
from kernelwise.experiments.publish import publish, write_index
from kernelwise.experiments.runner import read, results_path, run


def reproduce(args: argparse.Namespace, screen: Screen) -> int:
    """Run what was asked for and write its pages; return the exit status."""
    if args.list:
        for experiment in EXPERIMENTS.values():
            print(f"{experiment.key:<17}{experiment.title}")
        return 0
    asked = _asked(args)
    effort = _effort(args)
    folder = Path(args.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"--out {args.out!r} cannot be a folder: {error.strerror}.") from None
    for experiment in asked:
        if not args.no_run:
            _run(experiment, folder, replace(effort, datasets=_sets(args, experiment)), screen)
        _tell(experiment, folder, effort)
    if effort.rows is None:
        print(f"written    {write_index(list(EXPERIMENTS.values()), folder)}")
    return 0


def _asked(args: argparse.Namespace) -> list[Experiment]:
    if args.all == bool(args.key):
        raise BadInput("name one or more of the tables, or use --all ('--list' has their names).")
    for key in args.key:
        if key not in EXPERIMENTS:
            raise BadInput(unknown("table", key, list(EXPERIMENTS)))
    return [EXPERIMENTS[key] for key in args.key] if args.key else list(EXPERIMENTS.values())


def _effort(args: argparse.Namespace) -> Effort:
    quick = Effort.quick() if args.quick else Effort()
    return Effort(args.repetitions or quick.repetitions, args.rows or quick.rows)


def _sets(args: argparse.Namespace, experiment: Experiment) -> tuple[str, ...] | None:
    """Return those of the named data sets, None for all."""
    for name in args.datasets or ():
        if name not in experiment.datasets:
            raise BadInput(unknown(f"data set of {experiment.key}", name, experiment.datasets))
    return tuple(args.datasets) if args.datasets else None


def _run(experiment: Experiment, folder: Path, effort: Effort, screen: Screen) -> None:
    """Run an experiment under a bar."""
    screen.note(f"{experiment.key}: a run that is stopped goes on where it was.")
    bar: Task = Bar(experiment.key) if screen.watched else SILENT
    work = bar
    told = 0

    def tell(done: int, of: int) -> None:
        nonlocal work, told
        if work is bar:
            work = bar.part("", of)
        for _ in range(done - told):
            work.advance()
        told = done

    try:
        run(experiment, folder, effort, tell)
    except NoData as error:
        raise BadInput(str(error)) from None
    finally:
        bar.end()


def _tell(experiment: Experiment, folder: Path, effort: Effort) -> None:
    """Write page and figure, and print what came out."""
    path = results_path(experiment, folder, effort)
    if not read(path):
        raise BadInput(f"{path} has no results of {experiment.key}: run it without --no-run.")
    published = publish(experiment, folder, effort)
    print(f"{experiment.title}\n\n{published.summary}\n")
    print(f"written    {path}, {published.page}, {published.figure}\n")
