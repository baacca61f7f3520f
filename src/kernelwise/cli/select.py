"""kernelwise select: choose, fit, save, report."""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, SVR

from kernelwise import __version__
from kernelwise._arguments import as_bytes, in_words
from kernelwise.cli.answer import answer, runner_up
from kernelwise.cli.formats.base import Table
from kernelwise.cli.formats.libsvm import MOST_DENSE, dense
from kernelwise.cli.prepare import Prepared, prepare
from kernelwise.cli.read import read_table
from kernelwise.cli.scoring import explain_memory_error, score_those_defined, scorer
from kernelwise.cli.screen import BadInput, Screen, tell
from kernelwise.cli.write import RESULT, Folder
from kernelwise.criteria import Criterion, available, get
from kernelwise.gram import Dense, Targets
from kernelwise.selection import Cascade, KernelSelector
from kernelwise.selection.estimates import by_folds
from kernelwise.selection.guards import no_signal
from kernelwise.selection.record import ErrorEstimate, Record

_SURVIVORS = 5  # of every stage but the last
_ALL_UP_TO = 1000  # rows: beyond, the report compares by the cheap criteria only
_ENTRY = 8  # bytes
_FOLDS = 5  # of the nested error
_OWN_BAR = "comparing criteria"
Steps = dict[str, tuple[str, Callable[[], Any]]]  # by what is said: a field, and how to find it


def select(args: argparse.Namespace, screen: Screen) -> int:
    """Choose a kernel for a table; return the exit status."""
    start = time.perf_counter()
    criterion = as_criterion(named_criteria(args.criterion))
    folder = Folder(args.out)
    data = load(args, screen)
    selector = selector_for(args, data, criterion)
    with screen.heard() as heard, screen.fitting(selector, "choosing the kernel"):
        with explain_memory_error(args.memory, data.targets.n):
            selector.fit(data.X, data.y)
    record = _first_record(selector, data, heard)
    with screen.status("writing the model"):
        steps = [("preparation", data.preparation), ("machine", selector.best_estimator_)]
        record = replace(record, **folder.model(Pipeline(steps), screen))
    with screen.heard():
        record, interrupted = _improve(record, _steps(args, selector, data, screen), screen)
    record = replace(_look_twice(record, screen), seconds=time.perf_counter() - start)
    _write(record, folder, screen, interrupted)
    _print(args, record, folder.written)
    folder.check()
    return 130 if interrupted else 0


def load(args: argparse.Namespace, screen: Screen) -> Prepared:
    """Return the data of a table, and say what was done to it."""
    with screen.heard(), screen.status(f"reading {args.file}"):
        table = read_table(args.file, args.format, header=args.header, max_size=args.max_size)
        table = table.drawn(args.rows, args.seed)
        if table.frame is None and getattr(args, "machine", "") == "svm":
            table = _dense(table)
        fits = partial(_check_size, args)
        data = prepare(table, args.target, _task(args), not args.no_scale, fits)
    for sentence in data.facts["prepared"]:
        screen.note(sentence)
    return data


def _check_size(args: argparse.Namespace, n: int, d: int) -> None:
    """Complain of n rows of d columns that do not fit, before time is spent on them."""
    if args.command != "compare":  # it may do without the matrix in memory
        with explain_memory_error(args.memory, n):
            Dense(args.memory).check_memory(frozenset(), n)
    size, budget = _ENTRY * n * d, as_bytes(args.memory)
    if size > budget:
        raise BadInput(
            f"{n:,} rows of {d:,} columns need {in_words(size)} and the budget is "
            f"{in_words(budget)}: use --rows, or leave out columns."
        )


def named_criteria(names: list[str] | None) -> list[Criterion]:
    """Return criteria by their names, separated by commas or not."""
    parts = [part for name in names or [] for part in name.split(",") if part]
    return [get(part) for part in dict.fromkeys(parts)]


def applicable(targets: Targets, rows: int) -> list[str]:
    """Return the criteria for a kind of target; beyond some rows the cheap ones only."""
    return [
        info.name
        for info in available()
        if targets.kind in get(info.name).tasks and (info.cost == "n^2" or targets.n <= rows)
    ]


def _task(args: argparse.Namespace) -> str:
    if getattr(args, "machine", "") == "krr":
        if args.task == "classification":
            raise BadInput("--machine krr is for regression: use --machine lssvm or svm.")
        return "regression"
    return str(args.task)


def _dense(table: Table) -> Table:
    """Return a table that scikit-learn's SVMs take: with a kernel function they need it dense."""
    n, d = table.rows.shape
    if n * d > MOST_DENSE:
        raise BadInput("--machine svm takes no sparse rows of this size: use --machine lssvm.")
    return dense(table)


def selector_for(args: argparse.Namespace, data: Prepared, criterion: str | Cascade) -> Any:
    """Return the selector that was asked for."""
    svm = SVR() if data.task == "regression" else SVC()
    return KernelSelector(
        estimator=svm if getattr(args, "machine", "") == "svm" else None,
        kernels="auto" if args.kernels.is_auto else args.kernels.kernels(data.X, args.seed),
        criterion=criterion,
        ridge=args.ridge,
        task=data.task,
        memory=args.memory,
        random_state=args.seed,
    )


def as_criterion(criteria: list[Criterion]) -> str | Cascade:
    """Return what to choose by: criteria are the stages of a cascade."""
    if not criteria:
        return "auto"
    *first, last = criteria
    return Cascade(*((stage, _SURVIVORS) for stage in first), (last, 1))


def _first_record(selector: Any, data: Prepared, heard: list[str]) -> Record:
    return Record(
        kernel=selector.best_kernel_,
        ridge=selector.best_ridge_,
        machine=type(selector.best_estimator_).__name__,
        task=data.task,
        result=selector.result_,
        warnings=tuple(dict.fromkeys([*selector.guards_, *heard])),
        data=data.facts,
        version=__version__,
    )


def _improve(record: Record, steps: Steps, screen: Screen) -> tuple[Record, bool]:
    """Return the record with all that is found, and whether a person interrupted the search.

    The choice is made already: an interruption keeps it, and what was found so far.
    """
    try:
        for what, (name, find) in steps.items():
            try:
                # A bar of the library's own and a status line would fight for the same line.
                with nullcontext() if what == _OWN_BAR else screen.status(what):
                    record = replace(record, **{name: find()})
            except (ValueError, MemoryError) as error:  # as with too few rows for folds
                screen.note(f"{what} was not possible: {error}")
    except KeyboardInterrupt:
        return record, True
    return record, False


def _look_twice(record: Record, screen: Screen) -> Record:
    """Say what the library's guard says, where the error became known after the guards spoke."""
    if record.error is None:
        return record
    for sentence in no_signal(record.error, record.task == "regression", record.warnings):
        screen.note(sentence)
        record = replace(record, warnings=(*record.warnings, sentence))
    return record


def _steps(args: argparse.Namespace, selector: Any, data: Prepared, screen: Screen) -> Steps:
    """Return what is to be found out after the choice."""

    def stability() -> dict[str, float]:
        picks = selector.pick_stability(data.X, data.y)
        return {str(kernel): share for kernel, share in picks.items()}

    steps: Steps = {
        "estimating the error": ("error", lambda: selector.error_estimate(data.X, data.y))
    }
    if args.nested:
        what = "estimating the error of the whole choice"
        steps[what] = "nested", lambda: _nested(selector, data)
    if args.out is not None or args.json:
        steps["choosing again on random parts"] = "stability", stability
        steps[_OWN_BAR] = "comparison", lambda: _comparison(selector, data, screen)
    return steps


def _nested(selector: Any, data: Prepared) -> ErrorEstimate:
    """Return the error of all that was done: every fold prepares and chooses for itself."""
    whole = Pipeline([("preparation", data.preparation), ("selector", selector)])
    return by_folds(clone(whole), data.raw, data.targets, _FOLDS, "nested ")


def _comparison(selector: Any, data: Prepared, screen: Screen) -> Any:
    """Return what the other criteria say of the candidates, at the chosen ridge."""
    kernels = list(dict.fromkeys(selector.result_.kernels))
    score = scorer(data, kernels, selector.best_ridge_, selector.memory, screen)
    with warnings.catch_warnings():
        # The table says where a criterion is undefined; here that is no news.
        warnings.simplefilter("ignore")
        return score_those_defined(score, applicable(data.targets, _ALL_UP_TO), screen)


def _write(record: Record, folder: Folder, screen: Screen, interrupted: bool) -> None:
    folder.text(RESULT, record.to_json())
    if not interrupted:
        with screen.status("writing the report"):
            folder.report(record, screen)
    elif folder.is_wanted:
        path = folder.path / RESULT
        screen.note(f"interrupted before the report; 'kernelwise report {path}' makes it.")


def _print(args: argparse.Namespace, record: Record, written: list[str]) -> None:
    if not args.json:
        tell(answer(record, written))
        return
    plain = json.loads(record.to_json())
    tell(json.dumps(plain | {"runner_up": runner_up(record), "files": written}))
