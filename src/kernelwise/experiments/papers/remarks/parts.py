"""What both remarks are judged and drawn by."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import ttest_rel

from kernelwise.kernels.geometry import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDING = 1e-9
_LEVEL = 0.05


def verdict(ours: Array, theirs: Array) -> int:
    """Return 1, -1 or 0: larger, smaller, or neither by a paired t-test, two-sided, 95 %."""
    difference = ours - theirs
    direction = int(np.sign(difference.mean()))
    if difference.size < 2:
        return 0
    if np.ptp(difference) <= ROUNDING:  # as certain as can be
        return direction if abs(difference.mean()) > ROUNDING else 0
    return direction if ttest_rel(ours, theirs).pvalue < _LEVEL else 0


def holds(is_so: bool) -> str:
    """Return the verdict on a statement in words."""
    return "holds" if is_so else "does not hold"


def against(ax: "Axes", x: Any, y: Any, labels: Sequence[str] = ("",)) -> None:
    """Draw points, a colour a row, and the diagonal."""
    for across, up, name in zip(np.atleast_2d(x), np.atleast_2d(y), labels, strict=True):
        ax.plot(across, up, "o", ms=3, label=name)
    low, high = min(np.min(x), np.min(y)), max(np.max(x), np.max(y))
    ax.axline((low, low), (high, high), color="0.6", lw=0.8, zorder=0)


def label(ax: "Axes", title: str, x: str, y: str) -> None:
    """Give a panel its title and the names of its axes."""
    ax.set_title(title, fontsize=8)
    ax.set_xlabel(x, fontsize=7)
    ax.set_ylabel(y, fontsize=7)
    ax.tick_params(labelsize=7)
