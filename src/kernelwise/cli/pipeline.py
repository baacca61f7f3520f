"""What the commands that look at a table share: read it, prepare it, choose or score kernels."""

import argparse
import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isqrt
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR

from kernelwise._arguments import as_bytes, in_words
from kernelwise.cli.answer import described_weights
from kernelwise.cli.candidates import Candidates
from kernelwise.cli.formats.libsvm import dense
from kernelwise.cli.groups import grouped, set_aside
from kernelwise.cli.prepare import Prepared, prepare, without
from kernelwise.cli.read import read_table
from kernelwise.cli.screen import BadInput, Screen
from kernelwise.cli.write import Folder
from kernelwise.combine import KernelStack
from kernelwise.criteria import Criterion, available, get
from kernelwise.gram import Dense
from kernelwise.gram.dense import needed
from kernelwise.kernels import Kernel
from kernelwise.selection import Cascade, KernelSelector, SelectionResult, score_kernels
from kernelwise.selection.problem import FEWEST_ROWS
from kernelwise.targets import Targets, stratified_order

_SURVIVORS = 5  # of every stage but the last
_ENTRY = 8  # bytes


class Job:
    """A command on a table: what is asked, where the answer goes, and the data.

    What is wrong with the options and with the folder is said before the table is read.
    """

    def __init__(self, args: argparse.Namespace, screen: Screen, *, chooses: bool = True) -> None:
        self.args, self.screen = args, screen
        self.criteria = _named(args.criterion)
        self._cascade = _cascade(self.criteria) if chooses else None
        self._machine = getattr(args, "machine", "")
        self.folder = Folder(args.out)
        self._class_weight = getattr(args, "class_weight", None)
        self.data = _weighed(self._load()) if self._class_weight else self._load()
        for sentence in self.data.facts["prepared"]:
            screen.note(sentence, "warning" if sentence in self.data.warnings else "note")

    def _load(self) -> Prepared:
        """Return the data of the table."""
        args = self.args
        with self.screen.heard(), self.screen.status(f"reading {args.file}"):
            table = read_table(args.file, args.format)
            table = without(table.drawn(args.rows, args.seed), args.drop, args.target)
            table, groups = set_aside(table, getattr(args, "groups", None), args.target)
            if table.frame is None and self._machine == "svm":
                table = dense(table)  # with a kernel function scikit-learn's SVMs need dense rows
            scale, task = not args.no_scale, self._task()
            data = prepare(table, args.target, task, scale, self._check_size)
            return grouped(data, table, groups)

    def _task(self) -> str:
        if self._machine != "krr":
            return str(self.args.task)
        if self.args.task == "classification":
            raise BadInput("--machine krr is for regression: use --machine lssvm or svm.")
        return "regression"

    def _check_size(self, n: int, d: int) -> None:
        """Complain of n rows of d columns that do not fit, before time is spent on them."""
        memory = self.args.memory
        # Many rows, and comparisons, may do without the matrix in memory.
        if self.args.command != "compare" and n <= FEWEST_ROWS:
            with explain_memory_error(memory, n):
                Dense(memory).check_memory(frozenset(), n)
        size, budget = _ENTRY * n * d, as_bytes(memory)
        if size > budget:
            raise BadInput(
                f"{n:,} rows of {d:,} columns need {in_words(size)} and the budget is "
                f"{in_words(budget)}: use --rows, or leave out columns."
            )

    def selector(self) -> Any:
        """Return the selector that was asked for."""
        args, data = self.args, self.data
        svm = SVR() if data.task == "regression" else SVC()
        return KernelSelector(
            estimator=svm if self._machine == "svm" else None,
            kernels="auto" if args.kernels.is_auto else args.kernels.kernels(data.X, args.seed),
            criterion=self._cascade,
            ridge=args.ridge,
            task=data.task,
            memory=args.memory,
            time=getattr(args, "time", None),
            random_state=args.seed,
            class_weight=self._class_weight,
        )

    @property
    def single_options(self) -> list[str]:
        """The options given that are for the choice of one kernel."""
        args = self.args
        asked = {
            "--single": args.single,
            "--kernels": args.kernels != Candidates.parse("auto"),
            "--criterion": bool(self.criteria),
            "--ridge": args.ridge != "auto",
            "--machine svm": self._machine == "svm",
        }
        return [option for option, is_given in asked.items() if is_given]

    def stack(self) -> KernelStack:
        """Return the stack that is fitted where no option asks for one kernel."""
        return KernelStack(
            task=self.data.task,
            memory=self.args.memory,
            time=self.args.time,
            random_state=self.args.seed,
            class_weight=self._class_weight,
        )

    def sampled(self, most: int) -> "Job":
        """Return the same on a sample of so many rows, if there are more."""
        if self.data.targets.n <= most:
            return self
        self.screen.note(f"the criteria are compared on a sample of {most:,} rows")
        rows, part = np.sort(stratified_order(self.data.targets)[:most]), copy.copy(self)
        part.data = replace(
            self.data,
            X=self.data.X[rows],
            y=self.data.y[rows],
            targets=self.data.targets.part(rows),
        )
        return part

    def score(self, kernels: list[Kernel], ridge: float, criteria: list[Any]) -> SelectionResult:
        """Score kernels by some criteria."""
        return score_kernels(
            self.data.X,
            self.data.y,
            kernels,
            criteria,
            ridge=ridge,
            task=self.data.task,
            memory=self.args.memory,
            progress=None if self.screen.watched else False,
            class_weight=self._class_weight,
        )

    def score_by_all(self, kernels: list[Kernel], ridge: float, up_to: int) -> SelectionResult:
        """Score kernels by all criteria for the target; beyond some rows by the cheap ones only.

        Those that the rows do not allow are left out, with a notice.
        """
        names = _applicable(self.data.targets, up_to, trains=self._machine in ("", "svm"))
        try:
            return self.score(kernels, ridge, names)
        except ValueError as error:
            if len(names) < 2:
                raise
            reason = error
        found = []
        for name in names:
            try:
                found.append(self.score(kernels, ridge, [name]))
            except ValueError as error:
                self.screen.note(f"{name} is left out: {error}")
        if not found:
            raise reason
        return _side_by_side(found)


def _weighed(data: Prepared) -> Prepared:
    """Return the data with weights that make every class count equally as a fact."""
    targets, facts = data.targets, data.facts
    if targets.classes is None:
        raise BadInput(
            f"--class-weight is for classes, but {facts['target']!r} is regressed on: leave it "
            "out, or use --task classification."
        )
    balance = targets.n / (targets.classes.size * targets.counts)
    weights = dict(zip(map(str, targets.classes.tolist()), balance.tolist(), strict=True))
    told = f"classes are weighted so that each counts equally: {described_weights(weights)}."
    facts = facts | {"class_weight": weights, "prepared": [*facts["prepared"], told]}
    return replace(data, facts=facts)


def _named(names: list[str] | None) -> list[Criterion]:
    """Return criteria by their names, separated by commas or not."""
    parts = [part for name in names or [] for part in name.split(",") if part]
    return [get(part) for part in dict.fromkeys(parts)]


def _cascade(criteria: list[Criterion]) -> str | Cascade:
    """Return what to choose by: criteria are the stages of a cascade."""
    if not criteria:
        return "auto"
    *first, last = criteria
    return Cascade(*((stage, _SURVIVORS) for stage in first), (last, 1))


def _applicable(targets: Targets, up_to: int, *, trains: bool) -> list[str]:
    """Return the criteria for a kind of target; beyond some rows the cheap ones only.

    Those that train a support vector machine say nothing of another machine.
    """
    return [
        info.name
        for info in available()
        if targets.kind in get(info.name).tasks
        and (info.cost == "n^2" or targets.n <= up_to)
        and (info.cost != "training" or trains)
    ]


def _side_by_side(found: list[SelectionResult]) -> SelectionResult:
    """Return the columns of results on the same candidates as one."""
    names = ("criteria", "table", "notes", "standard_errors")
    merged: dict[str, Any] = {name: {} for name in names}
    for result in found:
        for name in names:
            merged[name] |= getattr(result, name)
    return replace(found[0], **merged, seconds=sum(result.seconds for result in found))


@contextmanager
def explain_memory_error(memory: str | None, rows: int, remedy: str = "") -> Iterator[None]:
    """Turn a lack of memory into a sentence that says how many rows would do, or what else."""
    try:
        yield
    except MemoryError as error:
        raise BadInput(_too_much(memory, rows, remedy)) from error


def _too_much(memory: str | None, rows: int, remedy: str) -> str:
    budget = as_bytes(memory)
    if needed(rows) <= budget:
        return f"there is too little memory for {rows:,} rows: use --rows {max(3, rows // 2)}."
    fits = isqrt(int(budget / needed(1)))
    unit = 10 ** max(len(str(fits)) - 2, 0)  # what is free changes from one run to the next
    fits = fits // unit * unit
    ways = [f"--rows {fits}"] if fits >= 3 else []
    ways = [*ways, *([remedy] if remedy else []), "a larger --memory"]
    return (
        f"{rows:,} rows need about {in_words(needed(rows))} for their kernel matrix and the budget "
        f"is {in_words(budget)}: use {', or '.join(ways)}."
    )
