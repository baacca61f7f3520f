"""What we use of scikit-learn's private parts, and its checks of data and parameters.

Other modules import private names of scikit-learn from here only, so that a new version of it has
one place to look at. Tested with scikit-learn 1.6.1 (1.6 is the oldest supported) and 1.9.1.
"""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import _fit_context as _fit_context
from sklearn.gaussian_process import _gpc
from sklearn.utils._param_validation import HasMethods as HasMethods
from sklearn.utils._param_validation import Interval as Interval
from sklearn.utils._param_validation import Options as Options
from sklearn.utils._param_validation import StrOptions as StrOptions
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.metadata_routing import _routing_enabled as _routing_enabled
from sklearn.utils.validation import _check_sample_weight as _check_sample_weight
from sklearn.utils.validation import validate_data

from kernelwise._progress import SHARE, SILENT, Task

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin  # from 1.9 on
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support: this scikit-learn has no callbacks."""


COLUMN_PLACES = "_transformer_to_input_indices"  # of a fitted ColumnTransformer, by step
BinaryLaplace = _gpc._BinaryGaussianProcessClassifierLaplace  # parts of a GaussianProcessClassifier

# Constraints on parameters.
POSITIVE = Interval(Real, 0.0, None, closed="neither")
CLASS_WEIGHT: list[Any] = [dict, StrOptions({"balanced"}), None]

_OUTER = "_outer_task"  # attribute of an estimator that is fitted as part of another


def check_numbers(X: Any, name: str = "X") -> None:
    """Refuse dates and texts, which numpy would turn into numbers."""
    table = np.asarray(X[:1]) if hasattr(X, "dtypes") else X  # a frame of one type has that type
    if getattr(getattr(table, "dtype", None), "kind", "") in ("m", "M", "S", "U"):
        raise ValueError(
            f"{name} holds dates or texts: encode them as numbers first (docs/tables.md shows how)."
        )


def validate_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Return X, and y where it is given, as scikit-learn's ``validate_data`` has them."""
    check_numbers(X)
    return validate_data(estimator, X, y, accept_sparse="csr", dtype=np.float64, **options)


def check_parameters(caller: str, allowed: dict[str, Any], **given: Any) -> None:
    """Raise ValueError where a parameter meets none of its constraints."""
    validate_parameter_constraints(allowed, given, caller)


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
