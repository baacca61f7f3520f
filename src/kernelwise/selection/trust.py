"""What a model file may name, and what it may refer to.

A skops file is a description (``schema.json``) of the objects to rebuild, and the arrays that it
refers to. Both are looked at before anything is rebuilt.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import model_selection as splits
from sklearn.gaussian_process import kernels as gp

from kernelwise._dates import days
from kernelwise._registry import PACKAGE, members
from kernelwise._sklearn import BinaryLaplace
from kernelwise.criteria import Criterion
from kernelwise.gram import Engine
from kernelwise.kernels import Kernel
from kernelwise.machines import KRR, LSSVC, PrecomputedAdapter
from kernelwise.machines.calibration import Calibration
from kernelwise.machines.folds import GivenSplits
from kernelwise.selection.cascade import Cascade
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.selector import KernelSelector

_MACHINES = (LSSVC, KRR, PrecomputedAdapter, Calibration, GivenSplits)
_SELECTION = (KernelSelector, Cascade, SelectionResult, ErrorEstimate)
_FUNCTIONS = (days,)  # what a preparation by the command line holds
_PROCESS_KERNELS = "ConstantKernel DotProduct Exponentiation Matern Product RBF Sum WhiteKernel"
_SPLITTERS = (
    "GroupKFold KFold LeaveOneGroupOut LeaveOneOut RepeatedKFold RepeatedStratifiedKFold "
    "ShuffleSplit StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit"
)
# Harmless, and not on skops' own list, which has the other estimators of scikit-learn.
_PLAIN = (
    frozenset,
    np.dtype,
    sp.csr_array,
    sp.csr_matrix,
    BinaryLaplace,
    *(getattr(gp, name) for name in _PROCESS_KERNELS.split()),
    *(getattr(splits, name) for name in _SPLITTERS.split()),
)
# What makes memory of a number when it is called.
_HUNGRY = {
    ("ConstructorFromReduceNode", "csr_array"),
    ("ConstructorFromReduceNode", "csr_matrix"),
    ("NdArrayNode", "void"),
}


def trusted_names(trusted: Iterable[str]) -> list[str]:
    """Return the types that a model may hold: ours, and those that the user trusts."""
    theirs = [trusted] if isinstance(trusted, str) else list(trusted)
    if isinstance(trusted, str) or not all(isinstance(name, str) for name in theirs):
        raise TypeError(f"trusted must be a list of names as 'module.Class', got {theirs!r}.")
    values = [cls for base in (Kernel, Criterion, Engine) for cls in members(base)]
    known = map(full_name, (*values, *_MACHINES, *_SELECTION, *_FUNCTIONS))
    ours = [name for name in known if name.startswith(PACKAGE)]
    return [*ours, *map(full_name, _PLAIN), *theirs]


def full_name(named: Any) -> str:
    """Return the name by which a model file refers to a class or a function."""
    return f"{named.__module__}.{named.__qualname__}"


class Schema:
    """The description of the objects of a model file.

    Skops writes an object out as often as it occurs, and so rebuilding takes time in proportion to
    what is written. A file in which objects refer to each other in a few bytes could double the
    work at every step: it is refused.

    ``plain`` is the content of ``schema.json``.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self.files: list[str] = []  # that are read, as often as they are
        self._sizes: dict[Any, int] = {}
        self._size(plain)

    def _size(self, plain: Any) -> int:
        """Return how many objects are written in a part."""
        if isinstance(plain, list):
            return sum(map(self._size, plain))
        if not isinstance(plain, dict):
            return 0
        if (plain.get("__loader__"), plain.get("__class__")) in _HUNGRY:
            raise ValueError(f"{plain['__class__']} of a size that is not written")
        name = plain.get("__id__")
        if isinstance(plain.get("file"), str) and (name is None or name not in self._sizes):
            self.files.append(plain["file"])
        size = 1 + sum(map(self._size, plain.values()))
        if name is not None and self._sizes.setdefault(name, size) != size:
            raise ValueError("an object that is not written out")
        return size
