"""What we use of scikit-learn's private parts, and validation in our words.

Other modules import private names of scikit-learn from here only, so that a new version of it has
one place to look at. Tested with scikit-learn 1.6.1 (1.6 is the oldest supported) and 1.9.1.
"""

import re
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import _fit_context as _fit_context
from sklearn.gaussian_process import _gpc
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metadata_routing import _routing_enabled as _routing_enabled
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from kernelwise._arguments import as_real, shown, some
from kernelwise._progress import SHARE, SILENT, Task
from kernelwise._types import Array

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin  # from 1.9 on
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support: this scikit-learn has no callbacks."""


class PositiveNumber(Interval):
    """A constraint on a parameter: a real number above zero; a boolean is no number here."""

    def __init__(self) -> None:
        super().__init__(Real, 0.0, None, closed="neither")

    def is_satisfied_by(self, val: Any) -> bool:
        """Say whether a value is such a number."""
        return as_real(val) is not None and bool(super().is_satisfied_by(val))


COLUMN_PLACES = "_transformer_to_input_indices"  # of a fitted ColumnTransformer, by step
BinaryLaplace = _gpc._BinaryGaussianProcessClassifierLaplace  # parts of a GaussianProcessClassifier

# How conversions to numbers fail in numpy and Python.
_CONVERSIONS = re.compile(
    "could not convert|setting an array element|argument must be a string|too large to convert|"
    "must be real number|[cC]annot convert|No loop matching|ufunc|could not be promoted"
)

_OUTER = "_outer_task"  # attribute of an estimator that is fitted as part of another
_MOST_CLASSES = 10  # in a message
_NO_NUMBERS = ("m", "M", "S", "U")  # the kinds of dates and texts
_NOT_NUMBERS = (
    "the X argument must be a table of numbers: encode strings and dates as numbers, and give "
    "every row the same length (docs/tables.md shows how)."
)
# What scikit-learn says, and the remedy in place of what it goes on with: other models, or nothing.
_REMEDIES = {
    "Input X contains NaN": "fill the gaps first, as make_pipeline(SimpleImputer(), "
    "StandardScaler(), ...) does (docs/tables.md has more)",
    "Input y contains NaN": "drop those rows first",
    r"y should be a 1d array, got an array of shape \(\d+, \d+\)": "fit one estimator a column, as "
    "MultiOutputRegressor and MultiOutputClassifier of scikit-learn do",
}
_RAGGED_Y = "y must hold one label or number per row, got rows of different lengths."


def validate_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Return X, and y where it is given, as scikit-learn's ``validate_data`` has them."""
    for name, value in (("X", X), ("y", y)):
        if np.ma.is_masked(value):
            raise ValueError(f"{name} has masked entries: fill or drop them first.")
    table = np.asarray(X[:1]) if hasattr(X, "dtypes") else X  # a frame of one type has that type
    if getattr(getattr(table, "dtype", None), "kind", "") in _NO_NUMBERS:
        raise ValueError(_NOT_NUMBERS)  # numpy would count days, and read digits
    if isinstance(y, np.ndarray) and y.dtype.kind in ("O", "T"):
        y = _check_labels(y)
    try:
        with np.errstate(
            invalid="ignore"
        ):  # of infinities of both signs scikit-learn takes the sum
            return validate_data(estimator, X, y, accept_sparse="csr", dtype=np.float64, **options)
    except (TypeError, ValueError, OverflowError) as error:
        raise _explained(error, _RAGGED_Y if _is_ragged(y) else _NOT_NUMBERS) from None


def _check_labels(y: Array) -> Array:
    """Return labels of any length as scikit-learn knows them; refuse arrays, which it compares."""
    if y.dtype.kind == "T":
        return np.array(y.tolist())
    if any(isinstance(entry, np.ndarray) for entry in y.flat):
        raise ValueError(_RAGGED_Y)
    return y


def validate_weights(sample_weight: Any, X: Any) -> Any:
    """Return one non-negative weight per row."""
    message = "sample_weight must hold one non-negative number per row."
    if np.asarray(sample_weight).dtype.kind == "c":
        raise ValueError(message)
    try:
        return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    except (TypeError, ValueError, OverflowError) as error:
        if np.ndim(sample_weight) and np.shape(sample_weight) != np.shape(X)[:1]:
            raise ValueError(f"{message[:-1]}, got shape {np.shape(sample_weight)}.") from None
        raise _explained(error, message) from None


def validate_labels(y: Any) -> None:
    """Refuse targets that are not class labels, and labels that cannot be sorted."""
    if y.dtype.kind == "V":
        raise ValueError(f"y must hold one label per row, got the type {y.dtype}.")
    if y.dtype.kind in "mM" and np.isnat(y).any():
        raise ValueError("y contains missing values: drop those rows first.")
    try:
        check_classification_targets(y)
        np.unique(y)
    except TypeError:
        raise ValueError(
            "y mixes labels of different types, such as 1 and 'a': make them one type."
        ) from None


def validate_targets(y: Any) -> Any:
    """Return real targets as floats; None, and what is numeric already, as it is."""
    try:
        values = np.asarray(y)
        if y is None or (values.dtype.kind in "biufc" and values.dtype != np.longdouble):
            return y
        if values.dtype.kind in "mM":
            raise TypeError
        return values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("y must be numeric: KRR is for numbers, LSSVC for labels.") from None


def validate_class_weights(class_weight: Any, y: Any) -> Any:
    """Return the weight of every row's class."""
    try:
        weights = compute_sample_weight(class_weight, y)
    except (TypeError, ValueError, OverflowError) as error:
        if "are not in class_weight" in str(error):  # which goes on with all of them
            _check_known(class_weight, np.unique(y).tolist())
        raise _explained(error, "class_weight must map classes to numbers.") from None
    if not np.all(weights >= 0.0):
        raise ValueError(f"class_weight must not be negative, got {shown(class_weight)}.")
    return weights


def _check_known(class_weight: Any, classes: list[Any]) -> None:
    """Say which key of a dictionary is no class, and which classes there are."""
    for key in class_weight:
        if key not in classes:
            raise ValueError(
                f"class_weight names {shown(key)}, which is no class of y: its classes are "
                f"{some(list(map(shown, classes)), _MOST_CLASSES)}."
            )


def _is_ragged(y: Any) -> bool:
    try:
        np.asarray(y)
    except ValueError:
        return True
    return False


def _explained(error: Exception, message: str) -> Exception:
    """Return the error with a sentence of ours where it is about a conversion to numbers."""
    if "Complex data not supported" in str(error):  # which goes on with the data, line by line
        return ValueError("Complex data not supported: X and y must hold real numbers.")
    if _CONVERSIONS.search(str(error)):
        return TypeError(message) if isinstance(error, TypeError) else ValueError(message)
    first = str(error).split("\n")[0].rstrip(".")
    for known, remedy in _REMEDIES.items():
        if re.match(known, first):
            return ValueError(f"{first}: {remedy}.")
    return error


class _CallbackTask(Task):
    """A task of an estimator, of which its callbacks are told.

    To scikit-learn all subtasks are alike: one that stands for several is followed by empty ones. A
    callback of ours finds its share in the context.
    """

    def __init__(self, context: Any, known: dict[str, Any], share: int = 1) -> None:
        self._context, self._known, self._owed = context, known, 0
        setattr(context, SHARE, share)
        context.call_on_fit_task_begin(**known)

    def part(self, name: str = "", parts: int = 0, share: int = 1) -> Task:
        """Begin a subtask."""
        self._settle()
        self._owed = share - 1
        return self._subtask(name, parts, share)

    def _subtask(self, name: str, parts: int, share: int) -> "_CallbackTask":
        context = self._context.subcontext(task_name=name, max_subtasks=parts)
        return _CallbackTask(context, self._known, share)

    def _settle(self) -> None:
        """Count the last subtask as many times as it stands for."""
        while self._owed > 0:
            self._owed -= 1
            self._subtask("", 0, 0).end()

    def end(self) -> None:
        """Tell that the task has ended."""
        self._settle()
        self._context.call_on_fit_task_end(**self._known)


def fit_inside(estimator: Any, task: Task) -> None:
    """Let the next fit of an estimator be a part of a task."""
    setattr(estimator, _OUTER, task)


def fit_task(estimator: Any, X: Any, y: Any, parts: int) -> Task:
    """Return the task of fitting an estimator; silent where there are no callbacks.

    One that is a part of another (:func:`fit_inside`) is a part of its task.
    """
    outer: Task | None = vars(estimator).pop(_OUTER, None)
    if outer is not None:
        return outer.part(type(estimator).__name__, parts)
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None or not getattr(estimator, "_skl_callbacks", None):
        return SILENT
    return _CallbackTask(begin(max_subtasks=parts), {"estimator": estimator, "X": X, "y": y})
