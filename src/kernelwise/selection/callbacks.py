"""scikit-learn's callbacks, from 1.9 on; before that, their absence."""

from typing import Any

from kernelwise._progress import SILENT, Task

__all__ = ["CallbackSupportMixin", "fit_task"]

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support: this scikit-learn has no callbacks."""


class _CallbackTask(Task):
    """A task of an estimator, of which its callbacks are told."""

    def __init__(self, context: Any, known: dict[str, Any]) -> None:
        self._context, self._known = context, known
        context.call_on_fit_task_begin(**known)

    def part(self, name: str = "", parts: int = 0) -> Task:
        """Begin a subtask."""
        context = self._context.subcontext(task_name=name, max_subtasks=parts)
        return _CallbackTask(context, self._known)

    def end(self) -> None:
        """Tell that the task has ended."""
        self._context.call_on_fit_task_end(**self._known)


def fit_task(estimator: Any, X: Any, y: Any, parts: int) -> Task:
    """Return the task of fitting an estimator; silent where there are no callbacks."""
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None or not getattr(estimator, "_skl_callbacks", None):
        return SILENT
    return _CallbackTask(begin(max_subtasks=parts), {"estimator": estimator, "X": X, "y": y})
