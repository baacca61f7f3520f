"""The eigenvalues of a kernel matrix."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.gram.psd import check_matrix
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import as_rows
from kernelwise.report.figures._display import (
    BLUE,
    GREY,
    VERMILION,
    Display,
    last_step,
    short,
    tidy,
    title,
)

_MAX_ROWS = 2000  # a matrix of 32 MB, whose eigenvalues take a second
_EPS = float(np.finfo(np.float64).eps)


@dataclass(eq=False, repr=False)
class SpectrumDisplay(Display):
    r"""The eigenvalues of a kernel matrix on a log scale, with the ridge among them.

    The effective degrees of freedom of ridge regression without a bias are

    .. math:: \sum_i \frac{s_i}{s_i + \lambda}.

    Eigenvalues well above the ridge :math:`\lambda` are fitted freely, those well below it hardly.
    Beyond ``max_rows`` rows the matrix is that of a random part of m rows; its eigenvalues, times
    n / m, stand for the leading ones of all n.

    Parameters
    ----------
    eigenvalues : array of shape (m,)
        From the largest to the smallest.
    ridge : float or None, default=None
    total : int or None, default=None
        The number of rows n; None if all are in the matrix.
    name : str, default=""
        The kernel's name, for the title.

    Attributes
    ----------
    lines_ : list of Line2D
        The eigenvalues above rounding error, then the absolute values of negative ones where there
        are any.
    ridge_line_ : Line2D or None
    text_ : Text or None
    """

    eigenvalues: Array
    ridge: float | None = None
    total: int | None = None
    name: str = ""
    _size = (5.6, 3.8)

    def __post_init__(self) -> None:
        self.total = len(self.eigenvalues) if self.total is None else self.total

    @property
    def degrees_of_freedom(self) -> float | None:
        """The sum of s / (s + ridge), None without a ridge; negative eigenvalues count as zero."""
        if self.ridge is None:
            return None
        s = np.maximum(self.eigenvalues, 0.0)
        return float(np.sum(s / (s + self.ridge)))

    @classmethod
    def from_kernel(
        cls,
        kernel: Any,
        X: Any,
        ridge: float | None = None,
        *,
        max_rows: int = _MAX_ROWS,
        random_state: Any = 0,
        ax: Any = None,
        **kwargs: Any,
    ) -> "SpectrumDisplay":
        """Draw the eigenvalues of a kernel's matrix.

        Parameters
        ----------
        kernel : Kernel
        X : array or sparse matrix of shape (n, d)
        ridge : float or None, default=None
        max_rows : int, default=2000
        random_state : int, RandomState or None, default=0
            Draws the rows where there are more than ``max_rows``.
        ax, **kwargs
            As in :meth:`plot`.
        """
        if ridge is not None and not ridge > 0.0:
            raise ValueError(f"ridge must be positive or None, got {ridge!r}.")
        if isinstance(kernel, type) or not callable(kernel):
            raise ValueError(f"kernel must be a kernel such as Gaussian(1.0), got {kernel!r}.")
        if max_rows < 2:
            raise ValueError(f"max_rows must be at least 2, got {max_rows}.")
        points = as_rows(X)
        total = points.shape[0]
        if total > max_rows:
            rows = check_random_state(random_state).choice(total, max_rows, replace=False)
            rows.sort()
            given = isinstance(kernel, Kernel) and kernel.takes_matrix
            points = points[np.ix_(rows, rows)] if given else points[rows]
        K = check_matrix(kernel(points, points))
        with limited(rows=len(K)):
            eigenvalues = np.linalg.eigvalsh(K)[::-1] * (total / len(K))
        return cls(eigenvalues, ridge, total, short(kernel)).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> "SpectrumDisplay":
        """Draw the eigenvalues of a fitted machine's kernel on its training rows.

        Parameters
        ----------
        estimator : LSSVC, KRR, KernelSelector of them, or Pipeline that ends in one
        ax, **kwargs
            As in :meth:`from_kernel`.
        """
        outer = last_step(estimator)
        machine = last_step(getattr(outer, "best_estimator_", outer))
        if getattr(machine, "X_fit_", None) is None:
            raise ValueError(
                "estimator must be a fitted LSSVC, KRR or KernelSelector of them, with X_fit_, got "
                f"{type(machine).__name__}: use SpectrumDisplay.from_kernel(kernel, X, ridge)."
            )
        if machine.X_fit_.shape[0] < len(machine.loo_values_):
            raise ValueError(
                "the machine keeps landmarks in the place of its training rows: use "
                "SpectrumDisplay.from_kernel(kernel, X, ridge)."
            )
        return cls.from_kernel(machine.kernel, machine.X_fit_, machine.ridge, ax=ax, **kwargs)

    def _draw(self, kwargs: dict[str, Any]) -> None:
        tidy(self.ax_)
        self._draw_eigenvalues(kwargs)
        self.ridge_line_ = self.text_ = None
        if self.ridge is not None:
            self._draw_ridge(self.ridge)
        rows = self.eigenvalues.size
        part = f" of {self.total:,} rows drawn at random, scaled to all"
        shown = f"{rows:,}{' rows' if rows == self.total else part}"
        title(self.ax_, f"{self.name}, {shown}".removeprefix(", "))
        self.ax_.set(yscale="log", xlabel="number of the eigenvalue", ylabel="eigenvalue")
        self.ax_.set_xlim(1.0 - 0.02 * rows, rows + 0.02 * rows)
        self.ax_.set_ylim(bottom=self._floor())

    def _floor(self) -> float:
        """Return where the axis ends: there is rounding error only below, and room for the text."""
        sizes = np.abs(self.eigenvalues)
        smallest = float(np.min(sizes[sizes > self._rounding], initial=sizes.max()))
        return 0.5 * smallest if self.ridge is None else min(0.5 * smallest, 0.05 * self.ridge)

    @property
    def _rounding(self) -> float:
        """The size below which eigenvalues are rounding error."""
        return float(self.eigenvalues.size * _EPS * np.abs(self.eigenvalues).max())

    def _draw_eigenvalues(self, kwargs: dict[str, Any]) -> None:
        place, s = np.arange(1, self.eigenvalues.size + 1), self.eigenvalues
        style = {"marker": "o", "markersize": 2.5, "linestyle": "none"}
        self.lines_ = self.ax_.plot(
            place, np.where(s > self._rounding, s, np.nan), **{"color": BLUE, **style, **kwargs}
        )
        negative = s < -self._rounding
        if negative.any():
            label = "negative eigenvalues, absolute"
            self.lines_ += self.ax_.plot(
                place[negative], -s[negative], color=VERMILION, label=label, **style
            )
            self.ax_.legend(frameon=False, fontsize="small", loc="upper right")

    def _draw_ridge(self, ridge: float) -> None:
        self.ridge_line_ = self.ax_.axhline(ridge, color=GREY, linestyle="--", linewidth=1.2)
        about = "=" if self.total == self.eigenvalues.size else "≈"
        # The curve falls: there is room above the line on the right, or else below it.
        above = ridge >= self.eigenvalues.min()
        place = (0.5, "center") if self.eigenvalues[-1] < -self._rounding else (1.0, "right")
        self.text_ = self.ax_.annotate(
            f"ridge = {ridge:.3g}\neffective degrees of freedom {about} "
            f"{self.degrees_of_freedom:.1f}",
            (place[0], ridge), (-4 if place[0] == 1.0 else 0, 4 if above else -4),
            xycoords=("axes fraction", "data"), textcoords="offset points",
            ha=place[1], va="bottom" if above else "top", fontsize="small", color=GREY,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )  # fmt: skip
