"""A kernel matrix as a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.gram import Targets
from kernelwise.report.figures._canvas import Display, short, title
from kernelwise.report.figures._inputs import MAX_ROWS, check_lengths, sample_matrix

_TARGET_TICKS = 5
_SHOWN = 0.99  # the share of entries within the colour scale of kernels without a width


@dataclass(eq=False, repr=False)
class KernelMatrixDisplay(Display):
    """A kernel matrix with its rows ordered by class, or by a real target.

    A kernel that suits the classes shows bright blocks along the diagonal.

    Parameters
    ----------
    matrix : array of shape (m, m)
        In the order shown.
    y : array of shape (m,)
        Class codes 0..c-1, or real targets, in the same order.
    classes : array of shape (c,) or None, default=None
        The class labels; None for regression.
    order : array of shape (m,) or None, default=None
        The rows of X.
    title : str, default=""

    Attributes
    ----------
    im_ : AxesImage
    lines_ : list of Line2D
        The class boundaries: one horizontal and one vertical line each.
    """

    matrix: Array
    y: Array
    classes: Array | None = None
    order: Array | None = None
    title: str = ""
    _size, _layout = (5.8, 4.6), "compressed"

    def __post_init__(self) -> None:
        self.order = np.arange(len(self.matrix)) if self.order is None else self.order

    @property
    def boundaries(self) -> Array:
        """The first places of all classes but the first; empty for regression."""
        return np.zeros(0, int) if self.classes is None else np.flatnonzero(np.diff(self.y)) + 1

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: Any,
        y: Any,
        *,
        task: str = "auto",
        max_rows: int = MAX_ROWS,
        random_state: Any = 0,
        ax: Any = None,
        **kwargs: Any,
    ) -> "KernelMatrixDisplay":
        """Draw the matrix of a kernel.

        Parameters
        ----------
        kernel : Kernel
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
            Class labels of any type, or real targets.
        task : {"auto", "classification", "regression"}, default="auto"
        max_rows : int, default=2000
        random_state : int, RandomState or None, default=0
            Draws the rows where there are more than ``max_rows``.
        ax, **kwargs
            As in :meth:`plot`.
        """
        targets = Targets.of(y, task)
        K, rows, total = sample_matrix(kernel, X, max_rows, random_state)
        check_lengths(targets.n, total)
        order = rows[np.argsort(targets.y[rows], kind="stable")]
        places = np.searchsorted(rows, order)
        shown = "" if rows.size == total else f" of {total:,}, drawn at random"
        about = f"{short(kernel)}, {rows.size:,} rows{shown}"
        display = cls(K[np.ix_(places, places)], targets.y[order], targets.classes, order, about)
        return display.plot(ax, **kwargs)

    def _draw(self, kwargs: dict[str, Any]) -> None:
        scale, extend = self._colours()
        self.im_ = self.ax_.imshow(self.matrix, **{**scale, **kwargs})
        style = {"color": "white" if scale["cmap"] == "viridis" else "black", "linewidth": 1.0}
        edges = self.boundaries - 0.5
        self.lines_ = [self.ax_.axhline(edge, **style) for edge in edges]
        self.lines_ += [self.ax_.axvline(edge, **style) for edge in edges]
        self._label()
        bar = self.figure_.colorbar(self.im_, ax=self.ax_, label="kernel value", extend=extend)
        bar.outline.set_visible(False)

    def _colours(self) -> tuple[dict[str, Any], str]:
        """Return the colour scale and on which sides values exceed it.

        Viridis, or a map that is white at zero where the kernel takes both signs. Long rows, whose
        products outshine all others, exceed the scale; the unit diagonal of a width does not.
        """
        sizes = np.abs(self.matrix)
        top = float(sizes.max())
        if np.ptp(np.diag(self.matrix)) > 1e-9 * top:
            top = min(top, float(np.quantile(sizes, _SHOWN)))
        exceeds = sizes.max() > top
        if self.matrix.min() >= -1e-12 * top:
            return {"cmap": "viridis", "vmin": 0.0, "vmax": top}, "max" if exceeds else "neither"
        return {"cmap": "RdBu_r", "vmin": -top, "vmax": top}, "both" if exceeds else "neither"

    def _label(self) -> None:
        """Name the classes in the middle of their rows, or some values of the target."""
        if self.classes is None:
            places = np.linspace(0, len(self.y) - 1, _TARGET_TICKS).round().astype(int)
            names = [f"{value:.3g}" for value in self.y[places]]
        else:
            edges = np.concatenate([[0], self.boundaries, [len(self.y)]])
            places = (edges[:-1] + edges[1:] - 1) / 2.0
            names = [str(self.classes[int(self.y[edge])]) for edge in edges[:-1]]
        long = sum(map(len, names)) > 40
        turn = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if long else {}
        self.ax_.set_xticks(places, names, **turn)
        self.ax_.set_yticks(places, names)
        self.ax_.tick_params(length=0 if self.classes is not None else 3)
        by = "target" if self.classes is None else "class"
        self.ax_.set(xlabel=f"rows by {by}", ylabel=f"rows by {by}")
        title(self.ax_, self.title)
