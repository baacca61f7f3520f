"""How much memory there is to work with."""

import os
import re
from typing import Any

from kernelwise._arguments import as_real, shown

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SHARE = 0.8  # of the free memory, by default


def as_bytes(memory: Any, name: str = "memory") -> float:
    """Return a budget in bytes; an error names the parameter it came from.

    A string is an amount ("4GB", "500 MB"), a number up to 1 a share of the free memory, a larger
    one bytes; None stands for most of the free memory.
    """
    if memory is None:
        return _SHARE * free()
    if isinstance(memory, str):
        return _parse(memory, name)
    amount = as_real(memory)
    if amount is None or not amount > 0.0:
        raise _unclear(memory, name)
    return amount * (free() if amount <= 1.0 else 1.0)


def _parse(text: str, name: str) -> float:
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?\s*", text.upper())
    if match is None or float(match[1]) <= 0.0:
        raise _unclear(text, name)
    return float(match[1]) * _UNITS[match[2]]


def _unclear(memory: Any, name: str) -> ValueError:
    return ValueError(
        f"{name} must be an amount such as '4GB', a share of what is free such as 0.5, or None, "
        f"got {shown(memory)}."
    )


def free() -> float:
    """Return the free bytes, infinity where the platform does not tell."""
    try:
        with open("/proc/meminfo") as info:
            found = {line.split(":")[0]: line.split()[1] for line in info}
        return 1024.0 * float(found["MemAvailable"])
    except (OSError, KeyError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def in_words(amount: float) -> str:
    """Return bytes in readable units."""
    for unit, size in (("GB", 10**9), ("MB", 10**6)):
        if amount >= size:
            return f"{amount / size:.3g} {unit}"
    return f"{amount / 1000:.3g} kB"
