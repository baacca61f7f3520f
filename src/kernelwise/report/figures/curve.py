"""Criteria over the width or degree of the kernel."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from itertools import cycle
from types import MappingProxyType
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.kernels import Gaussian, Kernel, Laplacian, Matern, Polynomial
from kernelwise.kernels.transform import Transformed, unwrapped
from kernelwise.report.figures._display import (
    GREY,
    PALETTE,
    VERMILION,
    Display,
    last_step,
    short,
    tidy,
    title,
)
from kernelwise.selection.result import SelectionResult

_PARAMETERS: MappingProxyType[type[Kernel], str] = MappingProxyType(
    {Gaussian: "tau", Laplacian: "scale", Matern: "scale", Polynomial: "degree"}
)
_SYMBOLS = MappingProxyType({"tau": "τ", "scale": "scale", "degree": "degree"})
_MOST_FAMILIES = 6  # more lines than that in one panel cannot be told apart
_MOST_NAMES = 16
_LOG_FROM = 1e2  # values that differ by more are shown on a log scale
_BETTER = {True: "larger is better", False: "smaller is better", None: "no direction"}


@dataclass(frozen=True)
class KernelAxis:
    """Distinct kernels along an axis: by the width or degree that they share, else by number."""

    kernels: tuple[Kernel, ...]  # in the order of their positions
    positions: tuple[float, ...]  # width, degree or number, counted from one
    families: tuple[str, ...]  # what kernels on one line have in common
    label: str  # what the positions are
    parameter: str  # "tau", "scale", "degree" or "number"

    @classmethod
    def of(cls, kernels: Iterable[Kernel]) -> "KernelAxis":
        """Return the axis of the distinct ones of some kernels."""
        distinct = tuple(dict.fromkeys(kernels))
        names = {_PARAMETERS.get(type(unwrapped(kernel)[0])) for kernel in distinct}
        parameter = names.pop() if len(names) == 1 else None
        if parameter is None or len(set(_families(distinct, parameter))) > _MOST_FAMILIES:
            types = tuple(type(kernel).__name__ for kernel in distinct)
            numbers = tuple(range(1, len(distinct) + 1))
            # Names speak for themselves.
            label = "" if len(distinct) <= _MOST_NAMES else "number of the candidate"
            return cls(distinct, numbers, types, label, "number")
        ordered = tuple(sorted(distinct, key=lambda kernel: _position(kernel, parameter)))
        positions = tuple(_position(kernel, parameter) for kernel in ordered)
        types = tuple(dict.fromkeys(type(unwrapped(k)[0]).__name__ for k in ordered))
        label = f"{_SYMBOLS[parameter]} of {' and '.join(types)}"
        return cls(ordered, positions, _families(ordered, parameter), label, parameter)

    def lines(self) -> dict[str, Array]:
        """Return the places of every family's kernels in :attr:`kernels`."""
        families = np.array(self.families)
        return {name: np.flatnonzero(families == name) for name in dict.fromkeys(self.families)}

    def apply(self, ax: Any) -> None:
        """Set scale and ticks of a horizontal axis; few kernels without a parameter are named."""
        if self.parameter in ("tau", "scale"):
            from matplotlib.ticker import NullLocator

            ax.set_xscale("log", base=2)
            ax.xaxis.set_minor_locator(NullLocator())
        elif self.parameter == "number" and len(self.kernels) <= _MOST_NAMES:
            names = [short(kernel) for kernel in self.kernels]
            ax.set_xticks(self.positions, names, rotation=40, ha="right")
            ax.set_xlim(0.5, len(self.kernels) + 0.5)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)


@dataclass(eq=False, repr=False)
class CriterionCurveDisplay(Display):
    """The values of criteria over the candidates, one panel per criterion.

    The candidates stand at their width (the squared width tau of Gaussian kernels) on a log2 axis,
    at their degree, or, where they share no such parameter, at their number. With several ridges
    per kernel the best value is shown. A band is one standard error wide to each side.

    Parameters
    ----------
    axis : KernelAxis
        The kernels and their positions.
    values : dict of str to array of shape (kernels,)
        The values by column name, in the order of the axis; NaN where undefined.
    errors : dict of str to array of shape (kernels,)
        Their standard errors; NaN where unknown.
    best : dict of str to Kernel
        What each criterion prefers.
    directions : dict of str to bool or None
        Whether larger values are better.
    chosen : Kernel or None, default=None
        The kernel to mark in every panel.

    Attributes
    ----------
    axes_ : array of Axes
        One per criterion; ``ax_`` is the first.
    lines_ : dict of str to list of Line2D
        The curves by column name: one per family of kernels.
    best_points_ : dict of str to Line2D
        The marks of the preferred kernels.
    chosen_lines_ : list of Line2D
        The vertical lines; empty where no kernel was chosen.
    """

    axis: KernelAxis
    values: dict[str, Array]
    _: KW_ONLY
    errors: dict[str, Array]
    best: dict[str, Kernel]
    directions: dict[str, bool | None]
    chosen: Kernel | None = None

    @classmethod
    def from_result(
        cls,
        result: SelectionResult,
        criteria: Any = None,
        chosen: Kernel | None = None,
        *,
        ax: Any = None,
        **kwargs: Any,
    ) -> "CriterionCurveDisplay":
        """Draw the columns of a result.

        Parameters
        ----------
        result : SelectionResult
        criteria : str, list of str or None, default=None
            Names of columns; None shows all that have a value somewhere.
        chosen : Kernel or None, default=None
            One of the result's kernels, marked by a vertical line.
        ax, **kwargs
            As in :meth:`plot`; one Axes per criterion.
        """
        names = _columns(result, criteria)
        axis = KernelAxis.of(result.kernels)
        if chosen is not None and chosen not in axis.kernels:
            raise ValueError(f"chosen must be one of the result's kernels, got {chosen!r}.")
        rows = {name: _best_rows(result, name) for name in names}
        unknown = np.full(len(result), np.nan)
        errors = {name: result.standard_errors.get(name, unknown) for name in names}
        directions = {name: result.criteria[name].greater_is_better for name in names}
        display = cls(
            axis,
            {name: _along(axis, rows[name], result.table[name]) for name in names},
            errors={name: _along(axis, rows[name], errors[name]) for name in names},
            best={name: next(iter(rows[name])) for name in names if directions[name] is not None},
            directions=directions,
            chosen=chosen,
        )
        return display.plot(ax, **kwargs)

    @classmethod
    def from_selector(
        cls, selector: Any, criteria: Any = None, *, ax: Any = None, **kwargs: Any
    ) -> "CriterionCurveDisplay":
        """Draw the stages of a fitted KernelSelector, or of a pipeline that ends in one.

        Parameters
        ----------
        selector : KernelSelector or Pipeline
        criteria, ax, **kwargs
            As in :meth:`from_result`.
        """
        fitted = last_step(selector)
        result = getattr(fitted, "result_", None)
        if result is None:
            raise ValueError(
                f"selector must be a fitted KernelSelector, got {type(fitted).__name__}: use "
                "from_result for a table of scores."
            )
        return cls.from_result(result, criteria, fitted.best_kernel_, ax=ax, **kwargs)

    def _axes(self, ax: Any) -> Any:
        self._is_own_figure = ax is None
        self.axes_ = self._new_panels() if ax is None else self._given_panels(ax)
        return self.axes_[0]

    def _draw(self, kwargs: dict[str, Any]) -> None:
        self.lines_: dict[str, list[Any]] = {}
        self.best_points_: dict[str, Any] = {}
        self.chosen_lines_: list[Any] = []
        for panel, name in zip(self.axes_, self.values, strict=True):
            self._draw_panel(panel, name, kwargs)
            if _is_lowest(panel, self.axes_):
                panel.tick_params(labelbottom=True)
                panel.set_xlabel(self.axis.label)
        self._legend()

    def _new_panels(self) -> Array:
        """Return panels of a new figure that share the horizontal axis."""
        count = len(self.values)
        columns = 1 if count <= 5 else 2 if count <= 10 else 3
        rows = math.ceil(count / columns)
        size = (6.4 if columns == 1 else 4.2 * columns, 0.9 + (2.8 if rows == 1 else 1.6 * rows))
        shape = {"sharex": True, "squeeze": False, "figsize": size, "layout": "constrained"}
        grid = self._pyplot().subplots(rows, columns, **shape)[1].ravel()
        for spare in grid[count:]:
            spare.remove()
        return np.asarray(grid[:count])

    def _given_panels(self, ax: Any) -> Array:
        plt = self._pyplot()
        panels = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if panels.size != len(self.values) or not all(isinstance(p, plt.Axes) for p in panels):
            raise ValueError(
                f"ax must hold one Axes per criterion, {len(self.values)} here, or be None."
            )
        return panels

    def _draw_panel(self, panel: Any, name: str, kwargs: dict[str, Any]) -> None:
        """Draw one criterion."""
        tidy(panel)
        positions = np.array(self.axis.positions)
        values, errors = self.values[name], self.errors[name]
        lowest, highest = (bound(values[np.isfinite(values)]) for bound in (np.min, np.max))
        log = lowest > 0.0 and highest > _LOG_FROM * lowest
        self.lines_[name] = []
        lines = self.axis.lines().items()
        for (family, places), colour in zip(lines, cycle(PALETTE), strict=False):
            style = {"color": colour, "marker": "o", "markersize": 3.5, "linewidth": 1.5, **kwargs}
            x, y, e = positions[places], values[places], errors[places]
            self.lines_[name] += panel.plot(x, y, label=family, **style)
            low = np.maximum(y - e, lowest) if log else y - e
            panel.fill_between(x, low, y + e, color=colour, alpha=0.15, linewidth=0)
        self._mark(panel, name)
        self.axis.apply(panel)
        if log:
            panel.set_yscale("log")
        title(panel, f"{name}  ({_BETTER[self.directions[name]]})")

    def _mark(self, panel: Any, name: str) -> None:
        """Mark the preferred kernel and the chosen one."""
        if self.chosen is not None:
            x = self.axis.positions[self.axis.kernels.index(self.chosen)]
            line = panel.axvline(x, color=GREY, linestyle="--", linewidth=1.2, zorder=1.5)
            self.chosen_lines_.append(line)
        if name in self.best:
            place = self.axis.kernels.index(self.best[name])
            point = (self.axis.positions[place], self.values[name][place])
            [self.best_points_[name]] = panel.plot(
                *point, "o", markersize=10, markerfacecolor="none", markeredgecolor=VERMILION,
                markeredgewidth=2, zorder=3, clip_on=False,
            )  # fmt: skip

    def _legend(self) -> None:
        """Explain the marks once, beside the panels where there is room."""
        entries = dict(zip(self.axis.lines(), self.lines_[next(iter(self.lines_))], strict=True))
        if len(entries) == 1:
            entries = {}
        if self.best_points_:
            entries["best of the criterion"] = next(iter(self.best_points_.values()))
        if self.chosen is not None:
            entries[f"chosen: {short(self.chosen)}"] = self.chosen_lines_[0]
        if entries and self._is_own_figure:
            columns = len(entries) if len(entries) <= 2 else 2
            self.figure_.legend(
                entries.values(), entries, loc="outside upper center", ncols=columns, frameon=False
            )
        elif entries:
            self.ax_.legend(entries.values(), entries, fontsize="small")


def _along(axis: KernelAxis, rows: dict[Kernel, int], column: Array) -> Array:
    """Return the entries of the kernels on the axis; NaN for kernels without a row."""
    return np.array([column[rows[k]] if k in rows else np.nan for k in axis.kernels])


def _is_lowest(panel: Any, panels: Array) -> bool:
    """Say whether no other panel stands below one in the same column of a grid."""
    place = panel.get_subplotspec()
    others = [other.get_subplotspec() for other in panels]
    return place is None or not any(
        other is not None
        and other.colspan.start == place.colspan.start
        and other.rowspan.start > place.rowspan.start
        for other in others
    )


def _position(kernel: Kernel, parameter: str) -> float:
    return float(getattr(unwrapped(kernel)[0], parameter))


def _others(kernel: Kernel, parameter: str) -> list[str]:
    """Return all but a parameter, as text; transforms of the features last."""
    if isinstance(kernel, Transformed):
        return [*_others(kernel.kernel, parameter), f"{type(kernel).__name__} {kernel.shown}"]
    return [f"{k}={v:g}" for k, v in asdict(kernel).items() if k != parameter]


def _families(kernels: Iterable[Kernel], parameter: str) -> tuple[str, ...]:
    """Return type and other parameters of every kernel; the type alone where that says it all."""
    types = [type(unwrapped(kernel)[0]).__name__ for kernel in kernels]
    others = [", ".join(_others(kernel, parameter)) for kernel in kernels]
    variants: dict[str, set[str]] = {}
    for name, other in zip(types, others, strict=True):
        variants.setdefault(name, set()).add(other)
    return tuple(
        name if len(variants[name]) == 1 or not other else f"{name}({other})"
        for name, other in zip(types, others, strict=True)
    )


def _columns(result: Any, criteria: Any) -> list[str]:
    """Return the columns to show: those asked for, or all that have a value somewhere."""
    if not isinstance(result, SelectionResult):
        raise ValueError(
            "result must be a SelectionResult, from score_kernels or KernelSelector.result_, got "
            f"{type(result).__name__}."
        )
    defined = [name for name, values in result.table.items() if np.isfinite(values).any()]
    if not defined:
        raise ValueError("result has no criterion with a value: its notes say why.")
    if criteria is None:
        return defined
    asked = [criteria] if isinstance(criteria, str) else list(criteria)
    for name in asked or [None]:
        if name not in defined:
            raise ValueError(
                f"criteria must name columns of the result with values, got {name!r}: choose from "
                f"{', '.join(defined)}."
            )
    return asked


def _best_rows(result: SelectionResult, name: str) -> dict[Kernel, int]:
    """Return the row of every kernel's best ridge, by kernel, in the order of preference.

    A criterion without a direction keeps the order of the table.
    """
    if result.criteria[name].greater_is_better is None:
        order: Sequence[int] = np.flatnonzero(~np.isnan(result.table[name])).tolist()
    else:
        order = result.ranking(name)
    best: dict[Kernel, int] = {}
    for row in order:
        best.setdefault(result.kernels[row], row)
    return best
