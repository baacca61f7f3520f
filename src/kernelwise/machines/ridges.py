"""Which ridges there are."""

from typing import Any

from kernelwise._arguments import as_real, shown

SMALLEST_RIDGE = 1e-100  # squares of coefficients stay within float64
LARGEST_RIDGE = 1.0 / SMALLEST_RIDGE


def check_ridge(ridge: Any) -> float:
    """Return a ridge as a float, or say that it must be a positive number within reason.

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
    value = as_real(ridge)
    if value is not None and SMALLEST_RIDGE <= value <= LARGEST_RIDGE:
        return value
    raise ValueError(f"ridge must be a positive number (1e-100 to 1e100), got {shown(ridge)}.")
