"""The eigenvalues of a kernel matrix."""

from typing import Any

import numpy as np

from kernelwise._threads import limited
from kernelwise._types import Array
from kernelwise.report.figures._canvas import BLUE, GREY, VERMILION, one_axes, short, tidy
from kernelwise.report.figures._inputs import MAX_ROWS, fitted_machine, sample_matrix

_EPS = float(np.finfo(np.float64).eps)


class SpectrumDisplay:
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
    degrees_of_freedom : float or None
        None without a ridge. Negative eigenvalues count as zero.
    lines_ : list of Line2D
        The eigenvalues above rounding error, then the absolute values of negative ones where there
        are any.
    ridge_line_ : Line2D or None
    text_ : Text or None
    figure_, ax_ : Figure and Axes

    Examples
    --------
    >>> import kernelwise as kw
    >>> from kernelwise.report.figures import SpectrumDisplay
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> display = SpectrumDisplay.from_estimator(kw.LSSVC(kw.Gaussian(8.0), ridge=0.1).fit(X, y))
    >>> round(display.degrees_of_freedom, 1)
    10.6
    """

    def __init__(
        self,
        eigenvalues: Array,
        ridge: float | None = None,
        total: int | None = None,
        name: str = "",
    ) -> None:
        self.eigenvalues = eigenvalues
        self.ridge = ridge
        self.total = len(eigenvalues) if total is None else total
        self.name = name

    @property
    def degrees_of_freedom(self) -> float | None:
        """The sum of s / (s + ridge)."""
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
        max_rows: int = MAX_ROWS,
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
        ax : Axes or None, default=None
        **kwargs
            For ``Axes.plot``.
        """
        if ridge is not None and not ridge > 0.0:
            raise ValueError(f"ridge must be positive or None, got {ridge!r}.")
        K, rows, total = sample_matrix(kernel, X, max_rows, random_state)
        with limited(rows=rows.size):
            eigenvalues = np.linalg.eigvalsh(K)[::-1] * (total / rows.size)
        return cls(eigenvalues, ridge, total, short(kernel)).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> "SpectrumDisplay":
        """Draw the eigenvalues of a fitted machine's kernel on its training rows.

        Parameters
        ----------
        estimator : LSSVC, KRR, KernelSelector of them, or Pipeline that ends in one
        ax : Axes or None, default=None
        **kwargs
            ``max_rows`` and ``random_state`` as in :meth:`from_kernel`; the rest for ``Axes.plot``.
        """
        machine = fitted_machine(
            estimator, "X_fit_", "use SpectrumDisplay.from_kernel(kernel, X, ridge)"
        )
        return cls.from_kernel(machine.kernel, machine.X_fit_, machine.ridge, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> "SpectrumDisplay":
        """Draw the eigenvalues.

        Parameters
        ----------
        ax : Axes or None, default=None
        **kwargs
            For ``Axes.plot``.
        """
        self.ax_ = one_axes(ax, type(self).__name__, (5.6, 3.8))
        self.figure_ = self.ax_.figure
        tidy(self.ax_)
        self._draw_eigenvalues(kwargs)
        self.ridge_line_ = self.text_ = None
        if self.ridge is not None:
            self._draw_ridge(self.ridge)
        self.ax_.set_title(self._title(), loc="left", fontsize="medium")
        self.ax_.set(yscale="log", xlabel="number of the eigenvalue", ylabel="eigenvalue")
        margin = 0.02 * self.eigenvalues.size
        self.ax_.set_xlim(1.0 - margin, self.eigenvalues.size + margin)
        self.ax_.set_ylim(bottom=self._floor())
        return self

    def _floor(self) -> float:
        """Return where the axis ends: there is rounding error only below, and room for the text."""
        sizes = np.abs(self.eigenvalues)
        smallest = float(np.min(sizes[sizes > self._rounding], initial=sizes.max()))
        return 0.5 * smallest if self.ridge is None else min(0.5 * smallest, 0.05 * self.ridge)

    @property
    def _rounding(self) -> float:
        """Return the size below which eigenvalues are rounding error."""
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

    def _title(self) -> str:
        used = self.eigenvalues.size
        if used == self.total:
            return f"{self.name}, {used:,} rows".removeprefix(", ")
        scaled = f"{used:,} of {self.total:,} rows drawn at random, scaled to all"
        return f"{self.name}, {scaled}".removeprefix(", ")
