"""What the parameters of criteria may be, checked where a criterion is made."""

from typing import Any

import numpy as np

from kernelwise._sklearn import StrOptions, check_parameters


def check_fields(owner: object, **allowed: list[Any]) -> None:
    """Refuse fields of a criterion that meet none of their constraints, as scikit-learn has them.

    A trade-off parameter may also be "cv". Numbers of numpy are stored as those of Python.
    """
    tradeoffs = getattr(owner, "tradeoffs", {})
    for name, constraints in allowed.items():
        value = getattr(owner, name)
        is_open = [StrOptions({"cv"})] if name in tradeoffs else []
        check_parameters(type(owner).__name__, {name: constraints + is_open}, **{name: value})
        if isinstance(value, np.generic):
            object.__setattr__(owner, name, value.item())


def number(parameter: float | str) -> float:
    """Return a trade-off parameter as a number; refuse "cv"."""
    if isinstance(parameter, str):
        raise ValueError("a trade-off parameter is still 'cv': score kernels to have it chosen.")
    return float(parameter)
