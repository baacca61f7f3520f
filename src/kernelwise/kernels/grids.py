"""Candidate kernels: the papers' grids, and one made from the distances in the data."""

from numbers import Integral
from typing import Any

from kernelwise._sklearn import Interval, check_parameters
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.gaussian import Gaussian
from kernelwise.kernels.gaussian import widths_for as widths_for
from kernelwise.kernels.geometry import as_rows
from kernelwise.kernels.laplacian import Laplacian, scales_for
from kernelwise.kernels.linear import Linear
from kernelwise.kernels.matern import Matern
from kernelwise.kernels.polynomial import HIGHEST, Polynomial
from kernelwise.kernels.sigmoid import Sigmoid

_WIDTHS = (-996, 1023)  # the exponents of two that kernels take for widths
_GAMMAS = (-1024, 995)  # and for 1 / (2 width)


__all__ = [
    "auto",
    "gaussian",
    "gaussian_gamma",
    "laplacian",
    "laplacian_for",
    "libsvm",
    "matern",
    "polynomial",
]


def __dir__() -> list[str]:
    """Complete to the grids alone, not to what they are made of."""
    return __all__


def gaussian(lo: int = -15, hi: int = 15) -> list[Gaussian]:
    r"""Return Gaussian kernels with :math:`\tau = 2^i`, i = lo..hi.

    The default is the grid of 31 widths of the papers on the spectral measure (2017), eigenvalues
    ratio (2015) and kernel stability (2019).

    Parameters
    ----------
    lo : int, default=-15
        The first exponent i, at least -996.
    hi : int, default=15
        The last one, not below `lo`, at most 1023.

    Returns
    -------
    kernels : list of Gaussian
        From the narrowest to the widest.

    Examples
    --------
    >>> from kernelwise import grids
    >>> grids.gaussian(-1, 1)
    [Gaussian(tau=0.5), Gaussian(tau=1.0), Gaussian(tau=2.0)]
    """
    return [Gaussian(2.0**i) for i in _whole(lo, hi, *_WIDTHS)]


def gaussian_gamma(lo: int = -10, hi: int = 9) -> list[Gaussian]:
    r"""Return the kernels :math:`\exp(-2^i |x - z|^2)`, i = lo..hi.

    The default is the grid of 20 widths of the spectral perturbation stability paper (2014), which
    writes :math:`\tau` for what is called gamma here.

    Parameters
    ----------
    lo : int, default=-10
        The first exponent i, at least -1024.
    hi : int, default=9
        The last one, not below `lo`, at most 995.

    Returns
    -------
    kernels : list of Gaussian
        From the widest to the narrowest.

    Examples
    --------
    >>> from kernelwise import grids
    >>> grids.gaussian_gamma(-1, 1)
    [Gaussian(tau=1.0), Gaussian(tau=0.5), Gaussian(tau=0.25)]
    """
    return [Gaussian(2.0 ** (-1 - i)) for i in _whole(lo, hi, *_GAMMAS)]


def polynomial(lo: int = 1, hi: int = 10) -> list[Polynomial]:
    """Return the kernels (1 + x.z)^d, d = lo..hi.

    The kernel stability paper (2019) has degrees 1..10, that on spectral perturbation 1..20.

    Parameters
    ----------
    lo : int, default=1
        The lowest degree d, at least 1.
    hi : int, default=10
        The highest one, not below `lo`, at most 10,000.

    Returns
    -------
    kernels : list of Polynomial
        From the lowest degree to the highest.
    """
    return [Polynomial(degree=d) for d in _whole(lo, hi, 1, HIGHEST)]


def laplacian(lo: int = -5, hi: int = 10) -> list[Laplacian]:
    """Return Laplacian kernels with scale = 2^i, i = lo..hi.

    Parameters
    ----------
    lo : int, default=-5
        The first exponent i, at least -996.
    hi : int, default=10
        The last one, not below `lo`, at most 1023.

    Returns
    -------
    kernels : list of Laplacian
        From the narrowest to the widest.
    """
    return [Laplacian(2.0**i) for i in _whole(lo, hi, *_WIDTHS)]


def matern(lo: int = -5, hi: int = 10, nu: float = 1.5) -> list[Matern]:
    """Return Matérn kernels of one smoothness with scale = 2^i, i = lo..hi.

    Parameters
    ----------
    lo : int, default=-5
        The first exponent i, at least -996.
    hi : int, default=10
        The last one, not below `lo`, at most 1023.
    nu : {0.5, 1.5, 2.5}, default=1.5
        The smoothness of all of them.

    Returns
    -------
    kernels : list of Matern
        From the narrowest to the widest.
    """
    return [Matern(2.0**i, nu) for i in _whole(lo, hi, *_WIDTHS)]


def libsvm(n_features: int) -> list[Kernel]:
    """Return the linear, cubic, RBF and tanh kernels of the FSM paper (2007).

    LIBSVM sets gamma to ``1 / n_features``; the paper takes its defaults, but scale 1 for
    the cubic kernel.

    Parameters
    ----------
    n_features : int
        The number of columns of the data, at least 1.

    Returns
    -------
    kernels : list of Kernel
        The four, in this order.

    Examples
    --------
    >>> from kernelwise import grids
    >>> grids.libsvm(4)[2]  # exp(-|x - z|^2 / 4)
    Gaussian(tau=2.0)
    """
    counts = Interval(Integral, 1, None, closed="left")
    check_parameters("libsvm", {"n_features": [counts]}, n_features=n_features)
    gamma = 1.0 / n_features
    return [Linear(), Polynomial(degree=3), Gaussian.from_gamma(gamma), Sigmoid(gamma, 0.0)]


def auto(X: Any, *, random_state: Any = None) -> list[Gaussian]:
    r"""Return Gaussian kernels whose widths follow the distances between the rows of X.

    The widths are consecutive powers of two: the smallest resolves typical nearest neighbours, the
    largest is 64 times the width at which typical pairs still interact, where the kernel is as good
    as quadratic. There are at most 31; at most 1,000 rows, drawn at random, are looked at.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The data, at least two different rows.
    random_state : int, RandomState or None, default=None
        Draws the rows where there are more than 1,000; None draws the same rows every time.

    Returns
    -------
    kernels : list of Gaussian
        From the narrowest to the widest.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import grids
    >>> grids.auto(np.arange(10.0)[:, None])[0]
    Gaussian(tau=0.25)
    """
    return widths_for(as_rows(X), random_state)


def laplacian_for(X: Any, *, random_state: Any = None) -> list[Laplacian]:
    r"""Return Laplacian kernels whose scales follow the distances between the rows of X.

    The scales are :math:`2^k m`, k = -2..5, with m the median city-block distance of rows that
    differ. At most 1,000 rows, drawn at random, are looked at; fewer pairs if there are many
    features. For rescaled features make the grid from rescaled data:
    ``[Scaled(w, k) for k in laplacian_for(X * w)]``.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The data, at least two different rows.
    random_state : int, RandomState or None, default=None
        Draws the rows where there are more than 1,000; None draws the same rows every time.

    Returns
    -------
    kernels : list of Laplacian
        From the narrowest to the widest.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import grids
    >>> grids.laplacian_for(np.arange(3.0)[:, None])[0]
    Laplacian(scale=0.25)
    """
    return scales_for(as_rows(X), random_state)


def _whole(lo: Any, hi: Any, least: int, most: int) -> range:
    """Return the integers from lo to hi, after checking them."""
    allowed = [Interval(Integral, least, most, closed="both")]
    check_parameters("a grid", {"lo": allowed, "hi": allowed}, lo=lo, hi=hi)
    if hi < lo:
        raise ValueError(f"hi must not be below lo, got lo={lo} and hi={hi}.")
    return range(int(lo), int(hi) + 1)
