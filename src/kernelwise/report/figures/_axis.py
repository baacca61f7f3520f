"""Kernels along an axis: by their width or degree where they share one, else by number."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from kernelwise._types import Array
from kernelwise.kernels import Gaussian, Kernel, Laplacian, Matern, Polynomial
from kernelwise.kernels.transform import Transformed, unwrapped
from kernelwise.report.figures._canvas import number, short

_PARAMETERS: MappingProxyType[type[Kernel], str] = MappingProxyType(
    {Gaussian: "tau", Laplacian: "scale", Matern: "scale", Polynomial: "degree"}
)
_SYMBOLS = MappingProxyType({"tau": "τ", "scale": "scale", "degree": "degree"})
_MOST_FAMILIES = 6  # more lines than that in one panel cannot be told apart
_MOST_NAMES = 16


@dataclass(frozen=True)
class KernelAxis:
    """Distinct kernels and where they stand."""

    kernels: tuple[Kernel, ...]  # in the order of their positions
    positions: tuple[float, ...]  # width, degree or number, counted from one
    families: tuple[str, ...]  # what kernels on one line have in common
    label: str  # what the positions are
    parameter: str  # "tau", "scale", "degree" or "number"

    @classmethod
    def of(cls, kernels: Iterable[Kernel]) -> "KernelAxis":
        """Return the axis of the distinct ones of some kernels."""
        distinct = tuple(dict.fromkeys(kernels))
        names = {_PARAMETERS.get(type(unwrapped(kernel)[0])) for kernel in distinct}
        parameter = names.pop() if len(names) == 1 else None
        if parameter is None or len(set(_families(distinct, parameter))) > _MOST_FAMILIES:
            types = tuple(type(kernel).__name__ for kernel in distinct)
            numbers = tuple(range(1, len(distinct) + 1))
            # Names speak for themselves.
            label = "" if len(distinct) <= _MOST_NAMES else "number of the candidate"
            return cls(distinct, numbers, types, label, "number")
        ordered = tuple(sorted(distinct, key=lambda kernel: _position(kernel, parameter)))
        positions = tuple(_position(kernel, parameter) for kernel in ordered)
        types = tuple(dict.fromkeys(type(unwrapped(k)[0]).__name__ for k in ordered))
        label = f"{_SYMBOLS[parameter]} of {' and '.join(types)}"
        return cls(ordered, positions, _families(ordered, parameter), label, parameter)

    def lines(self) -> dict[str, Array]:
        """Return the places of every family's kernels in :attr:`kernels`."""
        families = np.array(self.families)
        return {name: np.flatnonzero(families == name) for name in dict.fromkeys(self.families)}

    def names(self) -> list[str]:
        """Return a text for every kernel: the parameter suffices within one family."""
        if self.parameter == "number" or len(set(self.families)) > 1:
            return [short(kernel) for kernel in self.kernels]
        return [number(position) for position in self.positions]

    def apply(self, ax: Any) -> None:
        """Set scale and ticks of a horizontal axis; few kernels without a parameter are named."""
        if self.parameter in ("tau", "scale"):
            from matplotlib.ticker import NullLocator

            ax.set_xscale("log", base=2)
            ax.xaxis.set_minor_locator(NullLocator())
        elif self.parameter == "number" and len(self.kernels) <= _MOST_NAMES:
            ax.set_xticks(self.positions, self.names(), rotation=40, ha="right")
            ax.set_xlim(0.5, len(self.kernels) + 0.5)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)


def _position(kernel: Kernel, parameter: str) -> float:
    return float(getattr(unwrapped(kernel)[0], parameter))


def _others(kernel: Kernel, parameter: str) -> list[str]:
    """Return all but a parameter, as text; transforms of the features last."""
    if isinstance(kernel, Transformed):
        return [*_others(kernel.kernel, parameter), f"{type(kernel).__name__} {kernel.shown}"]
    return [f"{k}={v:g}" for k, v in asdict(kernel).items() if k != parameter]


def _families(kernels: Iterable[Kernel], parameter: str) -> tuple[str, ...]:
    """Return type and other parameters of every kernel; the type alone where that says it all."""
    types = [type(unwrapped(kernel)[0]).__name__ for kernel in kernels]
    others = [", ".join(_others(kernel, parameter)) for kernel in kernels]
    variants: dict[str, set[str]] = {}
    for name, other in zip(types, others, strict=True):
        variants.setdefault(name, set()).add(other)
    return tuple(
        name if len(variants[name]) == 1 or not other else f"{name}({other})"
        for name, other in zip(types, others, strict=True)
    )
