"""The ranks that criteria give to kernels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.report.figures._axis import KernelAxis
from kernelwise.report.figures._canvas import PALE, VERMILION, Display, colour_bar
from kernelwise.report.figures._inputs import best_candidates, check_result
from kernelwise.selection.result import SelectionResult

_MOST_TEXTS = 45  # kernels; beyond it the numbers would not fit into the cells


@dataclass(eq=False, repr=False)
class RankHeatmapDisplay(Display):
    """A heat map of ranks, criteria by kernels: 1 is best.

    With several ridges per kernel a kernel ranks by its best ridge.

    Parameters
    ----------
    ranks : array of shape (criteria, kernels)
        NaN where a criterion is undefined.
    criteria : list of str
        The column names.
    axis : KernelAxis
        The kernels.

    Attributes
    ----------
    im_ : AxesImage
    text_ : list of Text
        The numbers in the cells; empty beyond 45 kernels.
    outlines_ : list of Rectangle
        Around the best cell of every criterion.
    """

    ranks: Array
    criteria: list[str]
    axis: KernelAxis

    @classmethod
    def from_result(
        cls, result: SelectionResult, *, ax: Any = None, **kwargs: Any
    ) -> "RankHeatmapDisplay":
        """Draw the ranks of a result, for the criteria that have a direction.

        Parameters
        ----------
        result : SelectionResult
        ax, **kwargs
            As in :meth:`plot`.
        """
        names = check_result(result).choosing()
        if not names:
            raise ValueError("result has no criterion that can rank: its notes say why.")
        axis = KernelAxis.of(result.kernels)
        ranks = np.full((len(names), len(axis.kernels)), np.nan)
        for row, name in enumerate(names):
            for rank, kernel in enumerate(best_candidates(result, name), start=1):
                ranks[row, axis.kernels.index(kernel)] = rank
        return cls(ranks, names, axis).plot(ax, **kwargs)

    @property
    def _size(self) -> tuple[float, float]:
        rows, columns = self.ranks.shape
        longest = max(map(len, self.axis.names()))
        return max(4.5, 2.2 + 0.32 * columns), 1.5 + 0.32 * rows + 0.05 * longest

    def _draw(self, kwargs: dict[str, Any]) -> None:
        rows, columns = self.ranks.shape
        style = {"cmap": "viridis_r", "vmin": 1, "vmax": columns, "aspect": "auto", **kwargs}
        self.im_ = self.ax_.imshow(self.ranks, **style)
        self.ax_.set_facecolor(PALE)
        self._label(self.axis.names())
        self.text_ = self._numbers() if columns <= _MOST_TEXTS else []
        self.outlines_ = [self._outline(row) for row in range(rows)]
        ticks = np.unique(np.linspace(1, columns, columns if columns <= 8 else 5).round())
        colour_bar(self.ax_, self.im_, "rank (1 = best)", ticks=ticks).ax.invert_yaxis()

    def _label(self, names: list[str]) -> None:
        self.ax_.set_yticks(range(len(self.criteria)), self.criteria)
        upright = max(map(len, names)) <= 3 or "$" in "".join(names)
        turn = {} if upright else {"rotation": 50, "ha": "right", "rotation_mode": "anchor"}
        self.ax_.set_xticks(range(len(names)), names, **turn)
        self.ax_.set_xlabel("kernel" if self.axis.parameter == "number" else self.axis.label)
        self.ax_.tick_params(length=0)
        self.ax_.spines[:].set_visible(False)

    def _numbers(self) -> list[Any]:
        """Write the rank into every cell, dark on light and light on dark."""
        texts = []
        for (row, column), rank in np.ndenumerate(self.ranks):
            red, green, blue, _ = self.im_.cmap(self.im_.norm(rank))
            light = np.isnan(rank) or 0.299 * red + 0.587 * green + 0.114 * blue > 0.5
            text = "–" if np.isnan(rank) else f"{rank:.0f}"
            style = {"ha": "center", "va": "center", "fontsize": "small"}
            texts.append(
                self.ax_.text(column, row, text, color="black" if light else "white", **style)
            )
        return texts

    def _outline(self, row: int) -> Any:
        """Draw a frame around the best cell of a row."""
        from matplotlib.patches import Rectangle

        column = int(np.nanargmin(self.ranks[row]))
        frame = Rectangle(
            (column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=VERMILION, linewidth=2.2,
            clip_on=False, zorder=3,
        )  # fmt: skip
        return self.ax_.add_patch(frame)
