"""Advice that goes with a refusal: settings that were tried, and would not be refused."""

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sklearn.base import clone

from kernelwise._arguments import is_one_of, shown
from kernelwise.gram import LowRank
from kernelwise.gram.refusals import DoesNotFit, NotProvided, enough, raised
from kernelwise.kernels import Kernel
from kernelwise.selection.plan import Plan, planned

_RANKS = (1000, 500, 250, 125, 60)  # that are worth a try
_MOST = 2  # pieces of advice beside the memory that would do
_TRIES = 3  # of amounts of memory

Change = dict[str, Any]
Way = tuple[str, Change]  # what to do, in words and as settings
Attempt = Callable[[Change], object]  # raises what refuses changed settings


def plan_or_advise(selector: Any, X: Any, y: Any, params: dict[str, Any]) -> Plan:
    """Return what a selector will do with data, or refuse it with advice that works."""
    try:
        return planned(selector, X, y, params)
    except (DoesNotFit, NotProvided) as error:
        refused = error

    def attempt(change: Change) -> None:
        changed = copy.copy(selector)
        vars(changed).update(change)
        check_rank(change, planned(changed, X, y, params).kernels)

    raise advised(refused, _ways_of(selector), attempt)


def advised(
    error: DoesNotFit | NotProvided, ways: Iterator[Sequence[Way]], attempt: Attempt
) -> Exception:
    """Return a refusal with advice: of every few ways the first that is not refused in turn."""
    found: list[str] = []
    enough_alone: list[Change] = []
    for alike in ways:
        for words, change in alike if len(found) < _MOST else ():
            is_more = any(less.items() <= change.items() for less in enough_alone)
            if not is_more and _refusal(attempt, change) is None:
                found.append(words)
                enough_alone.append(change)
                break
    if isinstance(error, DoesNotFit):
        wanted = error.wanted
        for _ in range(_TRIES):  # with more memory, more may be needed
            again = _refusal(attempt, {"memory": enough(wanted)})
            if not isinstance(again, DoesNotFit):
                break
            wanted = again.wanted
        found += [raised(wanted)] if again is None else []
    return error.advising(found)


def _refusal(attempt: Attempt, change: Change) -> Exception | None:
    """Return what refuses a change, None if nothing does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the data have been warned of, or will be
        try:
            attempt(change)
        except (ValueError, MemoryError) as error:
            return error
    return None


def check_rank(change: Change, kernels: Sequence[Kernel]) -> None:
    """Refuse low rank where kernels are not known to have matrices of that form."""
    if isinstance(change.get("engine"), LowRank) and any(k.is_psd is not True for k in kernels):
        raise ValueError("the kernels are not known to be positive semidefinite.")


def with_engines(engine: Any, *ways: Way) -> Iterator[list[Way]]:
    """Yield ways, and each with the engine left to us where one was asked for; then low ranks.

    A budget that the engine has of its own stays what it is.
    """
    budget = getattr(engine, "memory", None)
    kept, more = ({}, "") if budget is None else ({"memory": budget}, f", memory={budget!r}")
    if engine == "auto":
        yield from ([way] for way in ways)
    else:
        auto, leave = {"engine": "auto", **kept}, f"set engine='auto'{more}"
        yield [(leave, auto)]
        for words, change in ways:
            yield [(words, change), (f"{words} and {leave}", change | auto)]
    yield [
        (f"set engine=LowRank({rank}){more}", {"engine": LowRank(rank), **kept}) for rank in _RANKS
    ]


def _ways_of(selector: Any) -> Iterator[list[Way]]:
    """Yield what may help a selector, what changes least first."""
    yield from with_engines(selector.engine, *_simpler(selector))
    alone = {"refit": False}
    yield [
        ("set refit=False", alone),
        (
            "set refit=False, criterion='sm', ridge=1.0",
            {**alone, "criterion": "sm", "ridge": 1.0},
        ),
    ]


def _simpler(selector: Any) -> Iterator[Way]:
    """Yield the settings of a selector that can be left out, or given elsewhere."""
    estimator, name = selector.estimator, type(selector).__name__
    weights = getattr(estimator, "class_weight", None)
    if weights is not None and selector.class_weight is None:
        words = f"give class_weight={shown(weights)} to {name}, not to {type(estimator).__name__}"
        plain = clone(estimator).set_params(class_weight=None)
        yield words, {"estimator": plain, "class_weight": weights}
    if not (is_one_of(selector.kernels, (None, "auto")) or _takes_matrix(selector)):
        yield "set kernels='auto'", {"kernels": "auto"}
    if estimator is not None:
        yield "set estimator=None", {"estimator": None}
    if selector.criterion != "auto":
        yield "set criterion='auto'", {"criterion": "auto"}


def _takes_matrix(selector: Any) -> bool:
    return bool(selector.__sklearn_tags__().input_tags.pairwise)
