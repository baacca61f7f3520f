"""Which ridges there are."""

from numbers import Real

from kernelwise._sklearn import Interval, check_parameters

SMALLEST_RIDGE = 1e-100  # squares of coefficients stay within float64
LARGEST_RIDGE = 1.0 / SMALLEST_RIDGE
RIDGE = Interval(Real, SMALLEST_RIDGE, LARGEST_RIDGE, closed="both")


def check_ridge(ridge: float) -> float:
    """Return a ridge as a float; refuse what is no positive number within reason.

    Parameters
    ----------
    ridge : float

    Returns
    -------
    ridge : float

    Raises
    ------
    ValueError
        Unless it is from 1e-100 to 1e100.
    """
    check_parameters("kernelwise", {"ridge": [RIDGE]}, ridge=ridge)
    return float(ridge)
