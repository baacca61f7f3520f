"""Warnings that point at the user's line."""

import sys
import warnings

# scikit-learn wraps fit; a warning from inside belongs to whoever called fit.
_INSIDE = ("kernelwise", "sklearn")


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn from the first frame outside the package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
