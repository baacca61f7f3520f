"""What the parameters of criteria may be, checked where a criterion is made."""

import math

from kernelwise._arguments import as_integer, as_real, is_one_of, shown

_LARGEST_INTEGER = 2**53  # the integers up to it are float64 numbers too


def check_positive(owner: object, name: str) -> None:
    """Say so where a parameter of a criterion is not positive."""
    given = getattr(owner, name)
    if _is_open(owner, name):
        return
    value = as_real(given)
    if value is None or not 0.0 < value < math.inf:
        raise ValueError(f"{name} of {type(owner).__name__} must be positive, got {shown(given)}.")


def check_integer(owner: object, name: str, least: int, most: int = _LARGEST_INTEGER) -> None:
    """Store a parameter of a criterion as an integer; refuse one out of range."""
    given = getattr(owner, name)
    if _is_open(owner, name):
        return
    value = as_integer(given)
    if value is None or not least <= value <= most:
        limit = "" if most == _LARGEST_INTEGER else f" and at most {most}"
        raise ValueError(
            f"{name} of {type(owner).__name__} must be an integer of at least {least}{limit}, "
            f"got {shown(given)}."
        )
    object.__setattr__(owner, name, value)


def _is_open(owner: object, name: str) -> bool:
    """Say whether a parameter is a valid "cv"."""
    value = getattr(owner, name)
    return isinstance(value, str) and value == "cv" and name in getattr(owner, "tradeoffs", {})


def number(parameter: float | str) -> float:
    """Return a trade-off parameter as a number; refuse "cv"."""
    if isinstance(parameter, str):
        raise ValueError("a trade-off parameter is still 'cv': score kernels to have it chosen.")
    return float(parameter)


def check_choice(owner: object, name: str, choices: tuple[object, ...]) -> None:
    """Say so where a parameter of a criterion is none of its choices."""
    value = getattr(owner, name)
    if not is_one_of(value, choices):
        raise ValueError(
            f"{name} of {type(owner).__name__} must be one of {', '.join(map(repr, choices))}, "
            f"got {shown(value)}."
        )
