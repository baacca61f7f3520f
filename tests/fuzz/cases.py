"""What a case is, and the verdict on it.

A case is named ``area:seed``. Its area is a function that draws arguments from a generator and
makes a few calls. It passes if every call returns something sound, or refuses its arguments in one
sentence of kernelwise or of scikit-learn's validation. It fails if a call

- raises anything else, or lets an error of numpy, scipy or LAPACK through;
- warns of anything but what kernelwise or a documented warning says;
- takes more than 20 CPU seconds;
- changes its arguments, the limits of threads, or numpy's error state;
- prints;
- differs from a naive reference.
"""

import contextlib
import dis
import functools
import io
import re
import reprlib
import signal
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from threadpoolctl import ThreadpoolController

SECONDS = 20  # of processor time
LONGEST = 600  # characters of a refusal
REFUSALS = (ValueError, TypeError, MemoryError)
# Of the depths, though they are ValueErrors.
DEPTHS = (np.linalg.LinAlgError, UnicodeError)
# scikit-learn's way to say that y was a column, and that its own solver stopped early.
DOCUMENTED = (DataConversionWarning, ConvergenceWarning)
# What scikit-learn says to users of all its estimators, in these words.
ADVICE = (
    "The number of unique classes is greater than 50% of the number of samples",
    "The least populated class in y has only",
    "was fitted without feature names",
    "does not have valid feature names",
    "Singular matrix in solving dual problem",  # KernelRidge at a ridge that the user gave
)


class Refused(Exception):
    """A call refused its arguments as it should: the case is over."""


class Wrong(Exception):
    """A verdict: what is wrong with what a call did."""


class TooSlow(BaseException):
    """A call took too long; not an Exception, so that nothing on the way catches it."""


def insist(condition: Any, sentence: str) -> None:
    """Say what is wrong unless a condition holds."""
    if not condition:
        raise Wrong(sentence)


class Trial:
    """Makes the calls of one case, and remembers them for the report of a failure."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.warned: list[warnings.WarningMessage] = []
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def __call__(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call; a refusal in order ends the case."""
        return self._call(function, args, kwargs, refusable=True)

    def must(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call with arguments that nobody may refuse."""
        return self._call(function, args, kwargs, refusable=False)

    def try_(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call; None where it refuses."""
        with contextlib.suppress(Refused):
            return self(function, *args, **kwargs)

    def refuses(self, name: str, function: Any, *args: Any) -> None:
        """Call with arguments that must be refused."""
        try:
            self(function, *args)
        except Refused:
            return
        raise Wrong(f"{name} takes what the documentation says it refuses")

    def _call(self, function: Any, args: Any, kwargs: Any, refusable: bool) -> Any:
        self.calls.append((function, args, kwargs))
        given = (*args, *kwargs.values())
        before = list(map(_bytes, given))
        try:
            return function(*args, **kwargs)
        except Exception as error:
            complaint = complaint_about(error) or self._unasked(error)
            if complaint is not None or not refusable:
                raise Wrong(complaint or f"refuses ordinary arguments: {error}") from error
            raise Refused(str(error)) from error
        finally:
            insist(list(map(_bytes, given)) == before, "changes its arguments")

    def _unasked(self, error: Exception) -> str | None:
        """Return a complaint where the refusal is of a value that nobody gave."""
        named = re.search(r"got (None|nan|inf|-inf)\b", str(error))
        drawn = any(isinstance(argument, np.random.Generator) for argument in self.calls[-1][1])
        if named is None or drawn or any(named[1] in _written(*call) for call in self.calls):
            return None
        return f"refuses what was not given: {error}"

    def story(self) -> str:
        """Return the calls as one would write them, arrays of some size abridged."""
        return "\n".join(_written(*call) for call in self.calls)


def complaint_about(error: Exception) -> str | None:
    """Return what is wrong with the way a call refused its arguments, None if nothing is."""
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, AttributeError) and "refit=False" in str(error):
        return None  # as scikit-learn's searches say that there is no estimator to ask
    if not isinstance(error, REFUSALS) or isinstance(error, DEPTHS):
        return what
    trace = _innermost(error)
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    ours = module.startswith("kernelwise.")
    # narwhals reads frames for scikit-learn, and says where columns have the same name.
    if not module.startswith(("kernelwise.", "sklearn.", "narwhals.")) or not _is_raised(trace):
        # A class of Python says by itself which argument it does not know.
        return None if "unexpected keyword argument" in str(error) else f"from the depths: {what}"
    sentence = str(error).strip()
    if not sentence:
        return f"{what}: says nothing"
    if ours and (len(sentence) > LONGEST or "\n" in sentence):
        return f"not one sentence: {what}"
    return None


def _innermost(error: Exception) -> TracebackType:
    trace = error.__traceback__
    assert trace is not None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _is_raised(trace: TracebackType) -> bool:
    """Say whether the line raises by itself, rather than calls something written in C that does."""
    code = trace.tb_frame.f_code.co_code
    return dis.opname[code[trace.tb_lasti]] == "RAISE_VARARGS"


def _bytes(value: Any) -> bytes | None:
    """Return what an array holds, to see whether it changes."""
    held = value.data if isinstance(value, sp.csr_matrix | sp.csr_array) else value
    return held.tobytes() if type(held) is np.ndarray and held.dtype.kind != "O" else None


_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 2000
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 60


def _written(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__qualname__", repr(function))
    if owner is not None and not isinstance(owner, type):
        name = f"{_shown(owner)}.{function.__name__}"
    given = [_shown(a) for a in args] + [f"{k}={_shown(v)}" for k, v in kwargs.items()]
    return f"{name}({', '.join(given)})"


def _shown(value: Any) -> str:
    if sp.issparse(value):
        return f"{type(value).__name__}({_shown(value.toarray())})"
    with np.printoptions(threshold=120, linewidth=200):
        return _SHORT.repr(value)


class Failure(NamedTuple):
    """A case that failed."""

    name: str
    what: str
    where: str
    details: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what.splitlines()[0]}\n  at {self.where}"


Area = Callable[[Trial], None]


def run_case(area: Area, name: str) -> Failure | None:
    """Run one case; return what is wrong with it."""
    trial = Trial(generator(name))
    printed = io.StringIO()
    try:
        with _unchanged(), warnings.catch_warnings(record=True) as trial.warned:
            warnings.simplefilter("always")
            with _time_limit(), _quiet(printed), contextlib.suppress(Refused):
                area(trial)
        _check_warnings(trial.warned)
        insist(not printed.getvalue(), f"prints {printed.getvalue()[:200]!r}")
    except (Exception, TooSlow) as error:
        return _failure(name, trial, error)
    return None


def generator(name: str) -> np.random.Generator:
    """Return the generator of a case: its own for every area and seed."""
    area, seed = name.split(":")
    return np.random.default_rng([zlib.crc32(area.encode()), int(seed)])


@functools.cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def _state() -> tuple[Any, ...]:
    """Return what a call must leave as it is."""
    limits = tuple(pool["num_threads"] for pool in _threads().info())
    return limits, tuple(np.geterr().items())


@contextlib.contextmanager
def _unchanged() -> Iterator[None]:
    """Insist on the state from before, and restore the limits of threads for the next case."""
    before = _state()
    with _threads().limit(limits=None):
        yield
        after = _state()
    insist(after == before, f"leaves {after} where {before} was")


def _check_warnings(caught: list[warnings.WarningMessage]) -> None:
    for warning in caught:
        ours = warning.category.__module__.startswith("kernelwise.")
        said = str(warning.message)
        documented = issubclass(warning.category, DOCUMENTED) or any(a in said for a in ADVICE)
        if not ours and not documented:
            where = f"{warning.filename}:{warning.lineno}"
            if "sklearn/gaussian_process" in where:
                continue  # of a process that the user gave, about its own matrix
            raise Wrong(f"{warning.category.__name__}: {said} ({where})")


@contextlib.contextmanager
def _quiet(printed: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: Any) -> None:
        raise TooSlow(f"takes more than {SECONDS} CPU seconds")

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)


def _failure(name: str, trial: Trial, error: BaseException) -> Failure:
    cause = error.__cause__ or error
    frames = traceback.extract_tb(cause.__traceback__)
    inside = [f for f in frames if "/kernelwise/" in f.filename] or frames
    where = f"{inside[-1].filename.split('/src/')[-1]}:{inside[-1].lineno}"
    what = str(error) if isinstance(error, Wrong | TooSlow) else f"{type(error).__name__}: {error}"
    details = "".join(traceback.format_exception(cause))
    return Failure(name, what, where, f"{what}\n\n{trial.story()}\n\n{details}")
