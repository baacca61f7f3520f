"""Figures of the experiments; matplotlib is imported when something is drawn."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL = 2.6  # inches
_ACROSS = 4  # panels


def panels(
    count: int, width: float = _PANEL, height: float = _PANEL
) -> "tuple[Figure, list[Axes]]":
    """Return a figure with so many panels, four in a row."""
    from matplotlib.figure import Figure

    across = min(count, _ACROSS)
    down = -(-count // across)
    figure = Figure(figsize=(width * across, height * down), layout="constrained")
    axes = [figure.add_subplot(down, across, i + 1) for i in range(count)]
    return figure, axes
