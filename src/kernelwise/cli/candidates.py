"""Candidate kernels as they are named on the command line."""

from dataclasses import dataclass
from typing import Any

from kernelwise._registry import unknown
from kernelwise.kernels import Kernel, Linear, grids

_GRIDS = ("gaussian", "laplacian", "matern", "polynomial")  # functions of kernels.grids
_FAMILIES = ("auto", *_GRIDS, "linear", "all")
_MOST = 100  # kernels of one family
_ALL = "gaussian,laplacian,matern,polynomial:1:5,linear"


@dataclass(frozen=True)
class Candidates:
    """Families of kernels, each with the range of its exponents or degrees."""

    families: tuple[tuple[str, tuple[int, ...]], ...]  # an empty range where none was given

    @classmethod
    def parse(cls, text: str) -> "Candidates":
        """Read "auto", "gaussian:-5:5" or several such, separated by commas."""
        text = _ALL if text == "all" else text
        return cls(tuple(_family(part.strip()) for part in text.split(",")))

    @property
    def is_auto(self) -> bool:
        """Whether the library is to choose."""
        return self.families == (("auto", ()),)

    def kernels(self, X: Any, seed: int | None) -> list[Kernel]:
        """Return the kernels for the rows X."""
        found: list[Kernel] = []
        for family, limits in self.families:
            if family == "linear":
                found.append(Linear())
            elif family in ("auto", "gaussian") and not limits:
                found += grids.auto(X, random_state=seed)
            else:
                found += getattr(grids, family)(*limits)
        return list(dict.fromkeys(found))


def _family(text: str) -> tuple[str, tuple[int, ...]]:
    family, *limits = text.split(":")
    if family not in _FAMILIES:
        raise ValueError(unknown("kernel family", family, _FAMILIES))
    if not limits:
        return family, ()
    try:
        lo, hi = map(int, limits)
    except ValueError:
        raise ValueError(f"{text!r} is no range of kernels such as gaussian:-5:5") from None
    if family not in _GRIDS:
        raise ValueError(f"{family} has no range: write {family!r} alone")
    if not (lo <= hi < lo + _MOST and max(abs(lo), abs(hi)) <= _MOST):
        raise ValueError(f"{text!r} is no range: from low to high, within -{_MOST} to {_MOST}")
    if family == "polynomial" and lo < 1:
        raise ValueError(f"{text!r}: degrees begin at 1")
    return family, (lo, hi)
