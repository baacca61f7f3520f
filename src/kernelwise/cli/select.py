"""kernelwise select: choose, fit, save, report."""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from kernelwise import __version__
from kernelwise.cli import features
from kernelwise.cli.answer import (
    answer,
    choice,
    quality,
    rarely_found,
    rest,
    runner_up,
    too_good,
)
from kernelwise.cli.fitted import Fitted
from kernelwise.cli.groups import folds_of
from kernelwise.cli.pipeline import Job, explain_memory_error
from kernelwise.cli.prepare import Prepared
from kernelwise.cli.screen import BadInput, Screen, tell
from kernelwise.cli.write import RESULT, Folder
from kernelwise.machines import KRR, LSSVC
from kernelwise.selection.archive import to_plain
from kernelwise.selection.estimates import by_folds
from kernelwise.selection.guards import no_signal
from kernelwise.selection.left_out import confusion, residuals
from kernelwise.selection.params import numeric_params
from kernelwise.selection.record import ErrorEstimate, Record

_ALL_UP_TO = 1000  # rows: beyond, the report compares by the cheap criteria only
_MOST_COMPARED = 20_000  # rows by which it compares: their time grows with the square
_FOLDS = 5  # of the nested error
_FEW_TO_STACK = 60  # rows: below, the gate of a stack is erratic
_OWN_BAR = "comparing criteria"
Steps = dict[str, tuple[str, Callable[[], Any]]]  # by what is said: a field, and how to find it


def select(args: argparse.Namespace, screen: Screen) -> int:
    """Choose a kernel for a table; return the exit status."""
    job = Job(args, screen)
    fitted, heard = _fit(job)
    data, folder = job.data, job.folder
    record = _first_record(fitted, data, heard)
    with screen.status("writing the model"):
        steps = [("preparation", data.preparation), ("machine", fitted.model)]
        record = replace(record, **folder.model(Pipeline(steps)))
    told = _Answer(args)
    told.part(choice(record))
    record, interrupted = _improve(record, _error(job, fitted), screen)
    record = _look_twice(record, screen)
    told.part(quality(record))
    record = _mention_rare_class(record, screen)
    for sentence in too_good(record):
        screen.note(sentence)
    if not interrupted:
        record, interrupted = _improve(record, _steps(job, fitted), screen)
    record = replace(record, seconds=told.seconds)
    _write(record, folder, screen)
    told.end(replace(record, seconds=told.seconds), folder.written, interrupted)
    folder.check()
    return 130 if interrupted else 0


def _fit(job: Job) -> tuple[Fitted, list[str]]:
    """Fit what was asked for, a stack unless options are for one kernel; return what was heard."""
    asked = job.single_options
    if asked and "--single" not in asked:
        named = " and ".join(filter(None, [", ".join(asked[:-1]), asked[-1]]))
        job.screen.note(f"with {named} one kernel is chosen, not a stack of several.")
    if not asked and job.data.targets.n < _FEW_TO_STACK:
        few = f"with fewer than {_FEW_TO_STACK} rows a stack may do worse than one kernel"
        job.screen.note(f"{few}: --single chooses one.")
    estimator = job.selector() if asked else job.stack()
    with job.screen.heard() as heard, job.screen.fitting(estimator, "choosing the kernel"):
        with explain_memory_error(job.args.memory, job.data.targets.n):
            estimator.fit(job.data.X, job.data.y)
    for sentence in getattr(estimator, "notes_", ()):
        job.screen.note(sentence)
    return Fitted(estimator), heard


class _Answer:
    """An answer that is printed as far as it is known; JSON is printed at the end.

    That nobody reads it any more is no reason to leave files unwritten.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._start, self._is_json = args.started, args.json
        self._failure: BrokenPipeError | BadInput | None = None

    @property
    def seconds(self) -> float:
        """How long a person has waited so far."""
        return time.perf_counter() - float(self._start)

    def part(self, text: str) -> None:
        """Print a part, unless an earlier one could not be printed."""
        if self._is_json or self._failure is not None:
            return
        try:
            tell(text)
        except (BrokenPipeError, BadInput) as failure:
            self._failure = failure

    def end(self, record: Record, written: list[str], interrupted: bool) -> None:
        """Print the rest; all of it where an interruption stands in between."""
        if self._failure is not None:
            raise self._failure
        if self._is_json:
            more = {"runner_up": runner_up(record), "files": written}
            more["params"] = to_plain(numeric_params(record.kernel, record.ridge))
            tell(json.dumps(json.loads(record.to_json()) | more))
        else:
            tell(answer(record, written) if interrupted else rest(record, written))


def _first_record(fitted: Fitted, data: Prepared, heard: list[str]) -> Record:
    is_weighted, selector, whole = "class_weight" in data.facts, fitted.single, fitted.whole
    return Record(
        kernel=selector.best_kernel_,
        ridge=selector.best_ridge_,
        machine=type(selector.best_estimator_).__name__,
        task=data.task,
        result=selector.result_,
        balanced_error=whole.balanced_error_ if is_weighted else None,
        confusion=confusion(fitted.model, data.targets),
        residuals=residuals(fitted.model, data.targets),
        stack=fitted.stack,
        warnings=tuple(dict.fromkeys([*data.warnings, *whole.guards_, *heard])),
        data=data.facts,
        version=__version__,
    )


def _improve(record: Record, steps: Steps, screen: Screen) -> tuple[Record, bool]:
    """Return the record with all that is found, and whether a person interrupted the search.

    The choice is made already: it is kept then, and so is what was found so far.
    """
    try:
        with screen.heard():
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
    """Say what the library's guard says, where the error became known after the guards spoke.

    With weights of classes more errors in all may be meant: nothing follows from them.
    """
    if record.error is None or "class_weight" in record.data:
        return record
    for sentence in no_signal(record.error, record.task == "regression", record.warnings):
        screen.note(sentence)
        record = replace(record, warnings=(*record.warnings, sentence))
    return record


def _mention_rare_class(record: Record, screen: Screen) -> Record:
    """Say what helps where a rare class is given up, in the report too."""
    told = rarely_found(record)
    for sentence in told:
        screen.note(sentence)
    return replace(record, warnings=(*record.warnings, *told))


def _error(job: Job, fitted: Fitted) -> Steps:
    """Return how to find the error of the choice."""
    return {"estimating the error": ("error", lambda: fitted.error(job.data))}


def _steps(job: Job, fitted: Fitted) -> Steps:
    """Return what is to be found out once the choice and its error are known."""
    args, data, selector = job.args, job.data, fitted.single

    steps: Steps = {}
    if args.nested or data.groups is not None:
        what = "estimating the error of the whole choice"
        steps[what] = "nested", lambda: _nested(fitted.whole, data)
    if args.out is not None or args.json:
        steps[_OWN_BAR] = "comparison", lambda: _comparison(job, selector)
        if isinstance(selector.best_estimator_, LSSVC | KRR):
            steps["finding the columns that matter"] = "relevance", lambda: _relevance(fitted, data)
    return steps


def _relevance(fitted: Fitted, data: Prepared) -> dict[str, float]:
    """Return how much the columns matter, those that matter most first."""
    features.check_size(data.X)
    return features.shares(fitted.model, data.preparation)


def _nested(estimator: Any, data: Prepared) -> ErrorEstimate:
    """Return the error of all that was done: every fold prepares and chooses for itself."""
    steps = ("preparation", clone(data.preparation)), ("selector", clone(estimator))
    whole = Pipeline([*steps])
    if data.groups is None:
        return by_folds(whole, data.raw, data.targets, _FOLDS, "nested ")
    folds = folds_of(data.groups, data.targets, _FOLDS)
    error = by_folds(whole, data.raw, data.targets, folds, "nested ")
    return replace(error, method=f"nested {len(folds)}-fold, whole groups left out")


def _comparison(job: Job, selector: Any) -> Any:
    """Return what the other criteria say of the candidates, at the chosen ridge."""
    kernels = list(dict.fromkeys(selector.result_.kernels))
    with warnings.catch_warnings():
        # The table says where a criterion is undefined; here that is no news.
        warnings.simplefilter("ignore")
        return job.sampled(_MOST_COMPARED).score_by_all(kernels, selector.best_ridge_, _ALL_UP_TO)


def _write(record: Record, folder: Folder, screen: Screen) -> None:
    folder.text(RESULT, record.to_json())
    with screen.status("writing the report"):
        folder.report(record)
