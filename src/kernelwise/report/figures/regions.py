"""What a machine predicts over the plane of two features."""

from dataclasses import KW_ONLY, dataclass
from itertools import cycle
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.kernels.geometry import as_rows
from kernelwise.report.figures._canvas import MARKERS, Display, class_colours, colour_bar
from kernelwise.report.figures._inputs import check_lengths, class_codes, last_step
from kernelwise.targets import as_vector

_MARGIN = 0.06  # of the range, around the points


@dataclass(eq=False, repr=False)
class DecisionRegionDisplay(Display):
    """The predictions of a fitted estimator over two features, with the data on top.

    Parameters
    ----------
    x0, x1 : array of shape (g,)
        The grid of either feature.
    response : array of shape (g, g)
        Class codes 0..c-1 or predictions: one row per value of ``x1``.
    points : array of shape (n, 2)
    y : array of shape (n,)
        Class codes, or real targets.
    classes : array of shape (c,) or None, default=None
        The class labels; None for regression.
    names : tuple of str, default=("feature 0", "feature 1")

    Attributes
    ----------
    surface_ : QuadMesh
        The regions.
    boundaries_ : list of ContourSet
        The lines between them, one set per class but the last.
    points_ : list of PathCollection
        The rows of every class; or all rows.
    """

    x0: Array
    x1: Array
    response: Array
    _: KW_ONLY
    points: Array
    y: Array
    classes: Array | None = None
    names: tuple[str, ...] = ("feature 0", "feature 1")
    _size = (5.4, 4.2)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, resolution: int = 250, ax: Any = None, **kwargs: Any
    ) -> "DecisionRegionDisplay":
        """Draw the regions of a fitted estimator: any of scikit-learn's, pipelines included.

        Parameters
        ----------
        estimator : classifier or regressor
            Fitted to two features.
        X : array or data frame of shape (n, 2)
            The rows to show.
        y : array of shape (n,)
            Their classes, or targets.
        resolution : int, default=250
            The number of grid points of either feature.
        ax, **kwargs
            As in :meth:`plot`.
        """
        step = last_step(estimator)
        points, target = _two_features(X), as_vector(y)
        check_lengths(target.size, len(points))
        if resolution < 2:
            raise ValueError(f"resolution must be at least 2, got {resolution}.")
        x0, x1 = (_grid(column, resolution) for column in points.T)
        plane = np.column_stack([axis.ravel() for axis in np.meshgrid(x0, x1)])
        predicted = np.asarray(estimator.predict(_like(plane, X)))
        classes = getattr(step, "classes_", None)
        response, shown = (_numbers(values, classes) for values in (predicted, target))
        grid = response.reshape(resolution, resolution)
        names = tuple(map(str, getattr(X, "columns", cls.names)))
        display = cls(x0, x1, grid, points=points, y=shown, classes=classes, names=names)
        return display.plot(ax, **kwargs)

    def _draw(self, kwargs: dict[str, Any]) -> None:
        style = {"s": 22, "edgecolor": "white", "linewidth": 0.5, **kwargs}
        if self.classes is None:
            self._plot_regression(style)
        else:
            self._plot_classes(self.classes, style)
        self.ax_.set(xlabel=self.names[0], ylabel=self.names[1])
        self.ax_.spines[:].set_visible(False)

    def _plot_regression(self, style: dict[str, Any]) -> None:
        """Draw prediction and target in the same colours."""
        low, high = (float(f([f(self.response), f(self.y)])) for f in (np.min, np.max))
        scale = {"cmap": "viridis", "vmin": low, "vmax": high}
        self.surface_ = self.ax_.pcolormesh(
            self.x0, self.x1, self.response, shading="nearest", rasterized=True, **scale
        )
        self.boundaries_: list[Any] = []
        self.points_ = [self.ax_.scatter(*self.points.T, c=self.y, **{**scale, **style})]
        colour_bar(self.ax_, self.surface_, "prediction, and target of the points")

    def _plot_classes(self, classes: Array, style: dict[str, Any]) -> None:
        from matplotlib.colors import ListedColormap

        colours = class_colours(len(classes))
        self.surface_ = self.ax_.pcolormesh(
            self.x0, self.x1, self.response, cmap=ListedColormap(colours), alpha=0.25,
            vmin=-0.5, vmax=len(classes) - 0.5, shading="nearest", rasterized=True,
        )  # fmt: skip
        self.boundaries_ = [
            self.ax_.contour(
                self.x0, self.x1, self.response == code, [0.5], colors="#333333", linewidths=1.0
            )
            for code in range(len(classes) - 1)
            if 0 < np.count_nonzero(self.response == code) < self.response.size
        ]
        self.points_ = []
        for code, (label, marker) in enumerate(zip(classes, cycle(MARKERS), strict=False)):
            one = {"color": colours[code], "marker": marker, "label": str(label), **style}
            self.points_.append(self.ax_.scatter(*self.points[self.y == code].T, **one))
        self.ax_.legend(title="class", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def _two_features(X: Any) -> Array:
    """Return the rows of X as a dense array, or say that it has not two features."""
    rows = as_rows(X)
    if rows.shape[1] != 2:
        raise ValueError(
            f"X must have two features to draw regions, got {rows.shape[1]}: fit the estimator to "
            "two columns of X, or to PCA(n_components=2).fit_transform(X)."
        )
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray())


def _grid(column: Array, resolution: int) -> Array:
    margin = _MARGIN * (np.ptp(column) or 1.0)
    return np.linspace(column.min() - margin, column.max() + margin, resolution)


def _like(plane: Array, X: Any) -> Any:
    """Return the plane with the column names of X, where it is a frame of pandas or polars."""
    if getattr(X, "iloc", None) is not None:
        return type(X)(plane, columns=X.columns)
    if getattr(X, "schema", None) is not None:
        return type(X)(plane, schema=list(X.columns))
    return plane


def _numbers(values: Array, classes: Any) -> Array:
    """Return class codes, or the values themselves for regression."""
    return np.asarray(values, float).ravel() if classes is None else class_codes(values, classes)
