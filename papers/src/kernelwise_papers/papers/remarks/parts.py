"""What both remarks are judged and drawn by."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise._types import Array
from kernelwise_papers.significance import LEVEL, paired

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-9
_DIGITS = 9  # of percent; what differs beyond is rounding


def verdict(ours: Array, theirs: Array) -> int:
    """Return 1, -1 or 0: larger, smaller, or neither by a paired t-test, two-sided, 95 %."""
    differences = np.round(ours - theirs, _DIGITS)
    p = paired(differences)
    if not 2.0 * min(p, 1.0 - p) < LEVEL:
        return 0
    return 1 if p < 0.5 else -1


def against(ax: "Axes", x: Any, y: Any, labels: Sequence[str] = ("",)) -> None:
    """Draw points, a colour a row, and the diagonal."""
    for across, up, name in zip(np.atleast_2d(x), np.atleast_2d(y), labels, strict=True):
        ax.plot(across, up, "o", ms=3, label=name)
    low = float(min(np.min(x), np.min(y)))
    ax.axline((low, low), slope=1.0, color="0.6", lw=0.8, zorder=0)


def label(ax: "Axes", title: str, x: str, y: str) -> None:
    """Give a panel its title and the names of its axes."""
    ax.set_title(title, fontsize=8)
    ax.set_xlabel(x, fontsize=7)
    ax.set_ylabel(y, fontsize=7)
    ax.tick_params(labelsize=7)
