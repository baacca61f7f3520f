"""Candidate kernels as they are named on the command line."""

from dataclasses import dataclass
from typing import Any

from kernelwise._registry import unknown
from kernelwise.kernels import Kernel, grids
from kernelwise.kernels.geometry import as_rows
from kernelwise.kernels.named import NAMES, grid_of

_GRIDS = {  # functions of kernels.grids, for ranges
    "gaussian": "gaussian",
    "rbf": "gaussian",
    "laplacian": "laplacian",
    "matern": "matern",
    "polynomial": "polynomial",
    "poly": "polynomial",
}
_FAMILIES = ("auto", *dict.fromkeys([*_GRIDS, *NAMES]), "all")
_MOST = 100  # kernels of one family
_ALL = "rbf,laplacian,matern,poly,linear"


@dataclass(frozen=True)
class Candidates:
    """Families of kernels, each with the range of its exponents or degrees."""

    families: tuple[tuple[str, tuple[int, ...]], ...]  # an empty range where none was given

    @classmethod
    def parse(cls, text: str) -> "Candidates":
        """Read "auto", "rbf,laplacian", "gaussian:-5:5" or the like; commas separate families."""
        text = _ALL if text == "all" else text
        return cls(tuple(_family(part.strip()) for part in text.split(",")))

    @property
    def is_auto(self) -> bool:
        """Whether the library is to choose."""
        return self.families in ((("auto", ()),), (("rbf", ()),))

    def kernels(self, X: Any, seed: int | None) -> list[Kernel]:
        """Return the kernels for the rows X."""
        found: list[Kernel] = []
        for family, limits in self.families:
            if limits:
                found += getattr(grids, _GRIDS[family])(*limits)
            else:
                found += grid_of(family, as_rows(X), seed)
        return list(dict.fromkeys(found))


def _family(text: str) -> tuple[str, tuple[int, ...]]:
    family, *limits = text.split(":")
    if family not in _FAMILIES:
        known = unknown("kernel family", family, _FAMILIES).rstrip(".")
        raise ValueError(f"{known}; docs/candidates.md has kernels of your own")
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
    if _GRIDS[family] == "polynomial" and lo < 1:
        raise ValueError(f"{text!r}: degrees begin at 1")
    return family, (lo, hi)
