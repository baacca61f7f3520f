"""Which features a machine uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._arguments import as_integer, shown
from kernelwise._types import Array
from kernelwise.machines.relevance import relevance
from kernelwise.report.figures._canvas import BLUE, GREY, Display, tidy, title
from kernelwise.report.figures._inputs import last_step


@dataclass(eq=False, repr=False)
class RelevanceDisplay(Display):
    """How much the decision function changes with every feature, the largest first.

    A bar is the root mean squared change of the decision function when the feature changes by one
    standard deviation, to first order; a line is one standard error to either side.

    Parameters
    ----------
    effects : array of shape (d,)
        The lengths of the bars.
    standard_errors : array of shape (d,)
        Their standard errors.
    names : sequence of str
        Of the features.
    max_features : int, default=20
        How many bars to draw.

    Attributes
    ----------
    bars_ : BarContainer
        The largest bar is the first.
    """

    effects: Array
    standard_errors: Array
    names: Sequence[str]
    max_features: int = 20

    @property
    def order(self) -> Array:
        """The features that are drawn, the largest first."""
        return np.argsort(-self.effects, kind="stable")[: self.max_features]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, names: Any = None, max_features: int = 20,
        ax: Any = None, **kwargs: Any,
    ) -> "RelevanceDisplay":  # fmt: skip
        """Draw the features of a fitted machine.

        Parameters
        ----------
        estimator : LSSVC, KRR, KernelSelector of them, or Pipeline that ends in one
        X : array of shape (m, d), default=None
            Rows at which to take the gradient, as the machine gets them; None means those that it
            was fitted to.
        names : sequence of str, default=None
            Of the features as the machine gets them. After the first steps of a pipeline:
            ``pipeline[:-1].get_feature_names_out()``.
        max_features : int, default=20
            How many bars to draw.
        ax, **kwargs
            As in :meth:`plot`.
        """
        most = as_integer(max_features)
        if most is None or most < 1:
            raise ValueError(f"max_features must be at least 1, got {shown(max_features)}.")
        found = relevance(last_step(estimator), X)
        names = found.names if names is None else list(names)
        if len(names) != len(found.values):
            raise ValueError(
                f"names must be one for each of the {len(found.values)} features, got {len(names)}."
            )
        # The square root of a mean M of error e is off by e / (2 sqrt M).
        twice = 2.0 * np.sqrt(np.where(found.values > 0.0, found.values, 1.0))
        errors = found.spreads * found.standard_errors / twice
        return cls(found.effects, errors, names, most).plot(ax, **kwargs)

    @property
    def _size(self) -> tuple[float, float]:
        return 6.2, 1.2 + 0.26 * len(self.order)

    def _draw(self, kwargs: dict[str, Any]) -> None:
        order = self.order
        tidy(self.ax_)
        style = {"color": BLUE, "ecolor": GREY, "xerr": np.nan_to_num(self.standard_errors[order])}
        self.bars_ = self.ax_.barh(range(order.size), self.effects[order], **{**style, **kwargs})
        self.ax_.set_yticks(range(order.size), [str(self.names[j]) for j in order])
        self.ax_.set_ylim(order.size - 0.4, -0.6)
        self.ax_.set_xlim(left=0.0)
        self.ax_.grid(visible=False, axis="y")
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_xlabel("change of the decision function by one standard deviation")
        total = len(self.effects)
        which = f"the {order.size} largest of {total:,}" if order.size < total else "all"
        title(self.ax_, f"features that the machine uses: {which}")
