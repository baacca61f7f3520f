"""What the displays share: where they draw, what they draw of, colours, and names of kernels."""

import re
from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Self

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kernelwise.kernels import Kernel
from kernelwise.kernels.base import PairKernel

# Okabe and Ito's palette, which colour-blind readers can tell apart; yellow is pale on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442")
BLUE, VERMILION = PALETTE[:2]
GREY, PALE = "#555555", "#E6E6E6"


class Display(ABC):
    """Numbers that can be drawn: every display is a dataclass of them.

    Attributes
    ----------
    figure_, ax_ : Figure and Axes
        Where they were drawn.
    """

    figure_: Any
    ax_: Any
    _size: Any  # of a new figure, in inches

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the numbers.

        Parameters
        ----------
        ax : Axes or None, default=None
            The axes to draw on, an array of them for several panels; None makes a figure.
        **kwargs
            For ``plot`` of matplotlib, which draws the data.
        """
        self.ax_ = self._axes(ax)
        self.figure_ = self.ax_.figure
        self._draw(kwargs)
        return self

    @abstractmethod
    def _draw(self, kwargs: dict[str, Any]) -> None:
        """Draw on ``ax_``."""

    def _axes(self, ax: Any) -> Any:
        """Return the axes to draw on: the user's, or those of a new figure."""
        plt = self._pyplot()
        if ax is None:
            return plt.subplots(figsize=self._size, layout="constrained")[1]
        if not isinstance(ax, plt.Axes):
            raise ValueError(f"ax must be one matplotlib Axes or None, got {type(ax).__name__}.")
        return ax

    def _pyplot(self) -> Any:
        """Return ``matplotlib.pyplot``, or say how to install it."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError(
                f"{type(self).__name__} needs matplotlib: pip install 'kernelwise[figures]'."
            ) from None
        return plt


def title(ax: Any, text: str) -> None:
    """Write a title above the left end of the axes."""
    ax.set_title(text, loc="left", fontsize="medium")


def tidy(ax: Any) -> None:
    """Leave two spines and a faint grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)


def short(kernel: Any) -> str:
    """Return the name of a kernel: its numbers rounded, its minor parameters where they matter."""
    if not isinstance(kernel, Kernel):
        return str(getattr(kernel, "__name__", type(kernel).__name__))
    text = str(kernel)
    if isinstance(kernel, PairKernel):
        shown = [
            f"{field.name}={getattr(kernel, field.name)!r}"
            for place, field in enumerate(fields(kernel))
            if place == 0 or getattr(kernel, field.name) != field.default
        ]
        text = f"{type(kernel).__name__}({', '.join(shown)})"
    return re.sub(r"\d+\.\d+(e[-+]?\d+)?", lambda number: f"{float(number[0]):.3g}", text)


def last_step(estimator: Any) -> Any:
    """Return a fitted estimator, or the last step of a fitted pipeline."""
    if isinstance(estimator, Pipeline):
        estimator = estimator.steps[-1][1]
    check_is_fitted(estimator)
    return estimator
