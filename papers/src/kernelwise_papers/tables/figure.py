"""Ours against published, drawn."""

from typing import TYPE_CHECKING

import numpy as np

from kernelwise_papers.figures import panels
from kernelwise_papers.tables.comparison import Results, compare

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def agreement(results: Results) -> "Figure":
    """Draw ours against published, a panel a column; the bars are the published spread."""
    cells = compare(results)
    names = list(dict.fromkeys(c.published.criterion for c in cells))
    figure, axes = panels(len(names))
    for ax, name in zip(axes, names, strict=True):
        shown = [c for c in cells if c.published.criterion == name]
        theirs = np.array([c.published.value for c in shown], dtype=float)
        spread = np.array([c.published.spread for c in shown], dtype=float)
        ours = np.array([c.mean for c in shown])
        ax.errorbar(theirs, ours, xerr=spread, fmt="o", ms=3, lw=0.6, color="#3b6ea5")
        low, high = min(theirs.min(), ours.min()), max(theirs.max(), ours.max())
        ax.axline((low, low), (high, high), color="0.6", lw=0.8, zorder=0)
        ax.set_title(name, fontsize=9)
        ax.tick_params(labelsize=7)
        if results.table.task == "regression":
            ax.set_xscale("log")
            ax.set_yscale("log")
    figure.supxlabel("published", fontsize=9)
    figure.supylabel("ours", fontsize=9)
    return figure
