"""How the weights of views change with the penalty."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.report.figures._canvas import GREY, PALE, PALETTE, Display, tidy, title
from kernelwise.report.figures._inputs import last_step

_COLOURS = PALETTE[:-1]  # yellow is pale on white


@dataclass(eq=False, repr=False)
class WeightPathDisplay(Display):
    """The weights of views at every penalty, and the penalty that leave-one-out picked.

    Parameters
    ----------
    penalties : array of shape (p,)
    weights : array of shape (p, v)
        Of the views, one in sum at every penalty.
    views : sequence of str
        Their names.
    losses : array of shape (p,)
        Of leave-one-out; the lowest is marked.

    Attributes
    ----------
    lines_ : list of Line2D
        Of the views, those with most weight at the marked penalty first.
    """

    penalties: Array
    weights: Array
    views: Sequence[str]
    losses: Array

    _size = (6.2, 3.6)

    @property
    def chosen(self) -> int:
        """The place of the penalty with the lowest loss."""
        return int(np.argmin(self.losses))

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Any = None, **kwargs: Any
    ) -> "WeightPathDisplay":
        """Draw the path of a fitted estimator.

        Parameters
        ----------
        estimator : MultiKernelSelector, or Pipeline that ends in one
            Fitted by a method that has several penalties, as the default has.
        ax, **kwargs
            As in :meth:`plot`.
        """
        model = last_step(estimator)
        if not hasattr(model, "path_"):
            raise ValueError(
                f"estimator must be a fitted MultiKernelSelector, got {type(model).__name__}."
            )
        penalties, weights = model.path_["penalty"], model.path_["weights"]
        if len(penalties) < 2:
            raise ValueError(
                "estimator has one set of weights and no path: fit it with method='l1', or look at "
                "view_weights_."
            )
        views, owners = np.unique(np.array(model.views_, dtype=object), return_inverse=True)
        by_view = np.array([np.bincount(owners, row, views.size) for row in weights])
        found = cls(penalties, by_view, list(map(str, views)), model.path_["loss"])
        return found.plot(ax, **kwargs)

    def _draw(self, kwargs: dict[str, Any]) -> None:
        tidy(self.ax_)
        order = np.argsort(-self.weights[self.chosen], kind="stable")
        self.lines_ = []
        for rank, view in enumerate(order.tolist()):
            is_named = rank < len(_COLOURS)
            style = {"color": _COLOURS[rank] if is_named else PALE, "marker": "o", "markersize": 4}
            label = self.views[view] if is_named else None
            more = {"label": label, "zorder": 3 if is_named else 1}
            self.lines_ += self.ax_.plot(
                self.penalties, self.weights[:, view], **{**style, **more, **kwargs}
            )
        self.ax_.axvline(self.penalties[self.chosen], color=GREY, linestyle=":", zorder=0)
        self.ax_.set_xscale("log")
        self.ax_.invert_xaxis()
        self.ax_.set_ylim(bottom=0.0)
        self.ax_.set_xlabel("penalty, from strong to weak")
        self.ax_.set_ylabel("weight")
        self.ax_.legend(frameon=False, fontsize="small")
        title(self.ax_, "weights of views; dotted: picked by leave-one-out")
