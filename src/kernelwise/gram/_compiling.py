"""Says that numba compiles: the first run on a machine waits for it, later ones find the cache."""

from typing import Any

from numba.core import event

from kernelwise._progress import tell_watcher

_SENTENCE = "kernelwise compiles its inner loops: only the first run on this machine waits for it."


class _Announcement(event.Listener):
    """Speaks once, when the first function of this package is compiled rather than found."""

    def __init__(self) -> None:
        self._said = False

    def on_start(self, event: Any) -> None:
        """Speak before the wait."""
        function = event.data["dispatcher"].py_func
        if not self._said and function.__module__.startswith("kernelwise."):
            self._said = True
            tell_watcher(_SENTENCE)

    def on_end(self, event: Any) -> None:
        """Say nothing: whatever comes next is the answer."""


event.register("numba:compile", _Announcement())  # type: ignore[no-untyped-call]
