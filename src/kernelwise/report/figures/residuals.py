"""What leave-one-out says of every training row."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.machines.base import winners
from kernelwise.report.figures._canvas import BLUE, GREY, Display, class_colours, tidy, title
from kernelwise.report.figures._inputs import class_codes, fitted_machine
from kernelwise.targets import as_vector

_BINS = 40
_ROOMY = 6  # classes that have two lines of text each; more have one
_SEED = 0


@dataclass(eq=False, repr=False)
class LooResidualsDisplay(Display):
    """Leave-one-out values of the training rows, in closed form.

    For two classes the decision value of every row, for more the margin: the decision value of its
    own class less the largest of the others. Each class has a strip, as wide as its values are
    dense; misclassified rows are crosses. For regression, prediction against target.

    Parameters
    ----------
    values : array of shape (n,) or (n, c)
        Leave-one-out decision values, or predictions.
    y : array of shape (n,)
        Class codes 0..c-1, or real targets.
    classes : array of shape (c,) or None, default=None
        The class labels; None for regression.

    Attributes
    ----------
    points_ : list of PathCollection
        The rows of every class that are classified correctly; or all rows.
    wrong_points_ : PathCollection or None
        The misclassified rows.
    """

    values: Array
    y: Array
    classes: Array | None = None

    @property
    def wrong(self) -> Array:
        """Whether each row is misclassified; never for regression."""
        if self.classes is None:
            return np.zeros(len(self.y), dtype=bool)
        return np.asarray(winners(self.values) != self.y)

    @property
    def error(self) -> float:
        """The share of misclassified rows; the root mean squared error for regression."""
        if self.classes is None:
            return float(np.sqrt(np.mean((self.y - self.values) ** 2)))
        return float(self.wrong.mean())

    @property
    def positions(self) -> Array:
        """What is on the horizontal axis: decision values, margins, or targets."""
        if self.classes is None:
            return self.y
        if self.values.ndim == 1:
            return self.values
        own = np.equal.outer(self.y, np.arange(self.values.shape[1]))
        others = np.where(own, -np.inf, self.values).max(axis=1)
        return np.asarray(self.values[own] - others)

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any, *, ax: Any = None, **kwargs: Any
    ) -> "LooResidualsDisplay":
        """Draw the leave-one-out values of a fitted machine.

        Parameters
        ----------
        estimator : LSSVC, KRR, KernelSelector of them, or Pipeline that ends in one
        y : array of shape (n,)
            What it was fitted to. Rows of weight zero are left out.
        ax, **kwargs
            As in :meth:`plot`.
        """
        machine = fitted_machine(
            estimator, "loo_values_", "fit LSSVC or KRR with its kernel and ridge"
        )
        values, target = machine.loo_values_, as_vector(y)
        if target.size != len(values):
            raise ValueError(
                f"y must be the target of the {len(values)} training rows, got {target.size} "
                "entries."
            )
        used = ~np.isnan(values.reshape(target.size, -1)).any(axis=1)
        classes = getattr(machine, "classes_", None)
        if classes is None:
            display = cls(*_regression(values[used], target[used]))
        else:
            display = cls(values[used], class_codes(target[used], classes), classes)
        return display.plot(ax, **kwargs)

    @property
    def _size(self) -> tuple[float, float]:
        if self.classes is None:
            return 4.6, 4.6
        rows = len(self.classes)
        return 6.2, 1.3 + (0.8 * rows if rows <= _ROOMY else 0.5 * min(rows, 20))

    def _draw(self, kwargs: dict[str, Any]) -> None:
        tidy(self.ax_)
        style = {"s": 14, "alpha": 0.7, "linewidth": 0, **kwargs}
        self.wrong_points_ = None
        if self.classes is None:
            self._plot_regression(style)
        else:
            self._plot_classes(self.classes, style)

    def _plot_regression(self, style: dict[str, Any]) -> None:
        self.points_ = [self.ax_.scatter(self.y, self.values, **{"color": BLUE, **style})]
        both = np.concatenate([self.y, self.values])
        ends = both.min() - 0.04 * np.ptp(both), both.max() + 0.04 * np.ptp(both)
        self.ax_.plot(ends, ends, color=GREY, linestyle="--", linewidth=1.2, label="exact")
        explained = 1.0 - self.error**2 / np.var(self.y)
        self.ax_.set(xlabel="target", ylabel="leave-one-out prediction", aspect="equal")
        self.ax_.set(xlim=ends, ylim=ends)
        title(self.ax_, f"root mean squared error {self.error:.3g}, R² {explained:.2f}")

    def _plot_classes(self, classes: Array, style: dict[str, Any]) -> None:
        x, height, wrong = self.positions, self.y + _spread(self.positions, self.y), self.wrong
        self.points_ = []
        for code, colour in enumerate(class_colours(len(classes))):
            rows, one = (self.y == code) & ~wrong, {"color": colour, **style}
            self.points_.append(self.ax_.scatter(x[rows], height[rows], **one))
        if wrong.any():
            self.wrong_points_ = self.ax_.scatter(
                x[wrong], height[wrong], marker="x", s=30, color="black", linewidth=1.2,
                label="misclassified", zorder=3,
            )  # fmt: skip
        self._draw_lines()
        codes = range(len(classes))
        self.ax_.set_yticks(codes, [self._class_label(classes, code) for code in codes])
        self.ax_.set_ylim(len(classes) - 0.4, -0.6)
        self.ax_.grid(visible=False, axis="y")
        shown = f"{100 * self.error:.1f} % ({wrong.sum():,} of {wrong.size:,})"
        title(self.ax_, f"leave-one-out error {shown}")

    def _draw_lines(self) -> None:
        """Draw zero, where the decision changes, and the values the machine is fitted to."""
        from matplotlib.transforms import offset_copy

        binary = self.values.ndim == 1
        self.ax_.axvline(0.0, color=GREY, linewidth=1.2, label="decision")
        for number, target in enumerate((-1.0, 1.0) if binary else (2.0,)):
            label = None if number else "target"
            self.ax_.axvline(target, color=GREY, linestyle=":", linewidth=1.2, label=label)
        what = "decision value" if binary else "margin: own class less the best other"
        self.ax_.set_xlabel(f"leave-one-out {what}")
        below = offset_copy(self.ax_.transAxes, self.figure_, y=-36, units="points")
        self.ax_.legend(
            loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=below, ncols=3,
            frameon=False, fontsize="small",
        )  # fmt: skip

    def _class_label(self, classes: Array, code: int) -> str:
        rows = self.y == code
        gap = "\n" if len(classes) <= _ROOMY else ": "
        return f"{classes[code]}{gap}{np.count_nonzero(self.wrong & rows)} of {rows.sum()} wrong"


def _regression(values: Array, y: Array) -> tuple[Array, Array]:
    """Return predictions and targets."""
    if values.ndim > 1 and values.shape[1] > 1:
        raise ValueError(
            f"estimator must have one target, got {values.shape[1]}: fit KRR to one column of y."
        )
    if y.dtype.kind not in "biuf":
        raise ValueError("y must be numeric, as it was when the estimator was fitted.")
    target = y.astype(np.float64)
    return values.reshape(target.shape), target


def _spread(x: Array, codes: Array) -> Array:
    """Return seeded offsets within ±0.4, wide where a class is dense."""
    edges = np.histogram_bin_edges(x, _BINS)
    bins = np.clip(np.digitize(x, edges) - 1, 0, _BINS - 1)
    counts = np.zeros((codes.max() + 1, _BINS))
    np.add.at(counts, (codes, bins), 1.0)
    density = counts[codes, bins] / counts.max(axis=1)[codes]
    return np.asarray(np.random.default_rng(_SEED).uniform(-0.4, 0.4, x.size) * density)
