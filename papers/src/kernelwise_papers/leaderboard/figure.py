"""The critical-difference diagram: mean ranks on a line, and bars over what may be alike.

References
----------
J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006).
"""

from typing import TYPE_CHECKING

import numpy as np

from kernelwise_papers.leaderboard.ranks import Contest, alike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH = 9.5  # inches
_LINE = 0.2  # inches, from one name to the next
_BAR = 0.45  # of a line, from one bar to the next
_HEAD = 3.6  # lines over the axis
_MARGIN = 0.5  # of the width of the axis, for the names on either side
_COLOUR = "#b5392b"


def diagram(contests: dict[str, Contest]) -> "Figure":
    """Draw one panel per contest, by title; the reference of each is coloured."""
    from matplotlib.figure import Figure

    if not contests:
        return Figure(figsize=(_WIDTH, _LINE * _HEAD))
    heights = [_HEAD + _lines_below(contest) for contest in contests.values()]
    figure = Figure(figsize=(_WIDTH, _LINE * sum(heights)))
    grid = figure.add_gridspec(
        len(heights), 1, height_ratios=heights, hspace=0.0, left=0, right=1, bottom=0, top=1
    )
    for i, (title, contest) in enumerate(contests.items()):
        _panel(figure.add_subplot(grid[i]), title, contest, heights[i])
    return figure


def _lines_below(contest: Contest) -> float:
    return _bars_height(contest) + (len(contest.names) + 1) // 2 + 1.5


def _bars_height(contest: Contest) -> float:
    levels = _levels(alike(_sorted_means(contest), contest.difference))
    return 0.8 + _BAR * (max(levels, default=0) + 1)


def _sorted_means(contest: Contest) -> "np.ndarray":
    return np.array([row.rank for row in contest.rows])


def _levels(runs: list[tuple[int, int]]) -> list[int]:
    """Return a height for every bar, so that no two of a height touch."""
    ends: list[int] = []
    levels = []
    for first, last in runs:
        free = [level for level, end in enumerate(ends) if end < first]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [last]
        levels.append(level)
    return levels


def _panel(ax: "Axes", title: str, contest: Contest, height: float) -> None:
    """Draw an axis of ranks, the bars under it and the names on both sides."""
    k = len(contest.names)
    margin = _MARGIN * (k - 1)
    ax.set_xlim(1 - margin, k + margin)
    ax.set_ylim(_HEAD - height, _HEAD)
    ax.axis("off")
    ax.text(1 - 0.98 * margin, _HEAD - 0.7, title, fontsize=10, fontweight="bold", va="center")
    _axis(ax, k)
    _critical(ax, contest)
    _bars(ax, contest)
    _names(ax, contest)


def _axis(ax: "Axes", k: int) -> None:
    ax.plot([1, k], [0, 0], color="black", lw=1)
    step = 1 if k <= 12 else 2
    for rank in range(1, k + 1):
        is_named = (rank - 1) % step == 0
        ax.plot([rank, rank], [0, 0.35 if is_named else 0.2], color="black", lw=0.8)
        if is_named:
            ax.text(rank, 0.5, str(rank), ha="center", va="bottom", fontsize=8)


def _critical(ax: "Axes", contest: Contest) -> None:
    """Draw the critical difference as a length over the axis."""
    length, y = contest.difference, 1.9
    ax.plot([1, 1 + length], [y, y], color="0.3", lw=1.2)
    for end in (1, 1 + length):
        ax.plot([end, end], [y - 0.15, y + 0.15], color="0.3", lw=1.2)
    text = f"critical difference {length:.2f}"
    ax.text(1 + length / 2, y + 0.15, text, ha="center", va="bottom", fontsize=8, color="0.3")


def _bars(ax: "Axes", contest: Contest) -> None:
    means = _sorted_means(contest)
    runs = alike(means, contest.difference)
    for (first, last), level in zip(runs, _levels(runs), strict=True):
        y = -0.6 - _BAR * level
        ends = [means[first] - 0.05, means[last] + 0.05]
        ax.plot(ends, [y, y], color="black", lw=2.4, solid_capstyle="butt", zorder=3)


def _names(ax: "Axes", contest: Contest) -> None:
    """Write the better half on the left, the best on top; the other half on the right."""
    k = len(contest.names)
    half, top = (k + 1) // 2, -_bars_height(contest)
    gap = 0.02 * (k - 1)
    for i, row in enumerate(contest.rows):
        is_left = i < half
        y = top - (i if is_left else k - 1 - i) - 0.3
        side = 1 - gap if is_left else k + gap
        marked = row.name == contest.reference
        colour = _COLOUR if marked else "0.45"
        ax.plot([row.rank, row.rank, side], [0, y, y], color=colour, lw=1.4 if marked else 0.6)
        text = f"{row.name}  {row.rank:.1f}" if is_left else f"{row.rank:.1f}  {row.name}"
        ax.text(
            side - gap / 2 if is_left else side + gap / 2,
            y,
            text,
            ha="right" if is_left else "left",
            va="center",
            fontsize=8.5,
            color=_COLOUR if marked else "black",
            fontweight="bold" if marked else "normal",
        )
