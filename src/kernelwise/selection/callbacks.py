"""scikit-learn's callbacks, from 1.9 on; before that, their absence."""

from typing import Any

__all__ = ["CallbackSupportMixin", "Progress"]

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support: this scikit-learn has no callbacks."""


class Progress:
    """Tells an estimator's callbacks which of its tasks begin and end; silent where it has none."""

    def __init__(self, estimator: Any, X: Any, y: Any, steps: int) -> None:
        self._known = {"estimator": estimator, "X": X, "y": y}
        begin = getattr(estimator, "_init_callback_context", None)
        self._context = None if begin is None else begin(max_subtasks=steps)
        self._step: Any = None
        if self._context is not None:
            self._context.call_on_fit_task_begin(**self._known)

    def begin(self, task: str, steps: int) -> None:
        """Begin a task of several steps."""
        if self._context is not None:
            self._step = self._context.subcontext(task_name=task, max_subtasks=steps)
            self._step.call_on_fit_task_begin(**self._known)

    def advance(self) -> None:
        """Note that a step of the current task is done."""
        if self._step is not None:
            step = self._step.subcontext(task_name="kernel")
            step.call_on_fit_task_begin(**self._known)
            step.call_on_fit_task_end(**self._known)

    def end(self) -> None:
        """End the current task."""
        if self._step is not None:
            self._step.call_on_fit_task_end(**self._known)
            self._step = None

    def finish(self) -> None:
        """End the whole."""
        if self._context is not None:
            self._context.call_on_fit_task_end(**self._known)
