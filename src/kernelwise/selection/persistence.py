"""Models as files that execute nothing when they are loaded.

The files are skops files: a zip archive of plain data that names the types to be rebuilt. A type
that is not known to be harmless is refused before anything of it is imported; pickle is never used.
"""

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import model_selection as splits
from sklearn.gaussian_process import kernels as gp

from kernelwise._dates import days
from kernelwise._files import replacing
from kernelwise._registry import PACKAGE, members
from kernelwise._sklearn import BinaryLaplace
from kernelwise._texts import texts
from kernelwise._words import words
from kernelwise._written import numbers
from kernelwise.criteria import Criterion
from kernelwise.gram.engines import ENGINES
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
_ABOVE = (  # what this package must not import
    "kernelwise.combine.multi.MultiKernelSelector",
    "kernelwise.combine.stack.KernelStack",
)
_FUNCTIONS = (days, numbers, texts, words)  # what a preparation by the command line holds
_PROCESS_KERNELS = "ConstantKernel DotProduct Matern Product RBF Sum WhiteKernel"
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


def save_model(model: Any, path: str | os.PathLike[str], trusted: Iterable[str] = ()) -> None:
    """Save a fitted model: a machine, a selector, or a scikit-learn pipeline around one.

    The file appears under its name only when it is complete.

    Parameters
    ----------
    model : estimator
        Made of types of kernelwise, scikit-learn, numpy and scipy.
    path : str or path
        Usually ending in ".skops".
    trusted : list of str, default=()
        Further types, as "module.Class", that the model may hold, such as a kernel of your own.
        :func:`load_model` must be given them too.

    Raises
    ------
    ValueError
        If the model holds a type that :func:`load_model` would refuse.

    Examples
    --------
    >>> import os
    >>> from tempfile import TemporaryDirectory
    >>> import kernelwise as kw
    >>> machine = kw.KRR(kw.Linear()).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> with TemporaryDirectory() as folder:
    ...     kw.save_model(machine, os.path.join(folder, "model.skops"))
    ...     os.listdir(folder)
    ['model.skops']
    """
    skops, names = _skops(), _trusted_names(trusted)
    try:
        data = skops.dumps(model, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    except (skops.exceptions.UnsupportedTypeException, TypeError, RecursionError) as error:
        raise ValueError(f"the model cannot be saved: {error}") from None
    foreign = _foreign(skops.get_untrusted_types(data=data), names)
    if foreign and "<" in foreign:
        raise ValueError(
            f"the model holds the function {foreign}, which a file cannot name: define it with def "
            "at the top of a module that can be imported."
        )
    if foreign:
        raise ValueError(
            f"the model holds a {foreign}, which load_model would refuse: use kernels and machines "
            f"of kernelwise and scikit-learn, or trusted=[{foreign!r}] when saving and loading."
        )
    with replacing(path) as part:
        part.write_bytes(data)


def load_model(path: str | os.PathLike[str], trusted: Iterable[str] = ()) -> Any:
    """Load a model that :func:`save_model` wrote; a file of another kind executes nothing.

    Parameters
    ----------
    path : str or path
    trusted : list of str, default=()
        Further types, as "module.Class", that the file may hold. Trusting a type means to run its
        code: name only what you wrote or know.

    Returns
    -------
    model : estimator

    Raises
    ------
    ValueError
        If the file is no such model, is damaged, or names a type that is not trusted.

    Examples
    --------
    >>> import os
    >>> from tempfile import TemporaryDirectory
    >>> import kernelwise as kw
    >>> machine = kw.KRR(kw.Linear()).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> with TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.skops")
    ...     kw.save_model(machine, path)
    ...     again = kw.load_model(path)
    >>> again.predict([[2.0]]).tolist() == machine.predict([[2.0]]).tolist()
    True
    """
    skops, names, data = _skops(), _trusted_names(trusted), Path(path).read_bytes()
    try:
        foreign = _foreign(skops.get_untrusted_types(data=data), names)
        model = None if foreign else skops.loads(data, trusted=names)
    except Exception as error:  # whatever a file of another kind makes skops stumble over
        raise ValueError(
            f"{path} is no model of kernelwise, is damaged, or is of another version: give the "
            "model.skops that kernelwise select wrote."
        ) from error
    if foreign:
        raise ValueError(
            f"{path} names the type {foreign}, which is not trusted: nothing was loaded."
        )
    if not hasattr(model, "fit"):
        raise ValueError(f"{path} holds a {type(model).__name__}, which is no model.")
    return model


def _trusted_names(trusted: Iterable[str]) -> list[str]:
    """Return the types that a model may hold: ours, and those that the user trusts."""
    theirs = [trusted] if isinstance(trusted, str) else list(trusted)
    if isinstance(trusted, str) or not all(isinstance(name, str) for name in theirs):
        raise TypeError(f"trusted must be a list of names as 'module.Class', got {theirs!r}.")
    values = [*members(Kernel), *members(Criterion), *ENGINES.values()]
    known = map(_full_name, (*values, *_MACHINES, *_SELECTION, *_FUNCTIONS))
    ours = [name for name in known if name.startswith(PACKAGE)]
    return [*ours, *_ABOVE, *map(_full_name, _PLAIN), *theirs]


def _full_name(named: Any) -> str:
    """Return the name by which a model file refers to a class or a function."""
    return f"{named.__module__}.{named.__qualname__}"


def _foreign(found: Iterable[str], names: Iterable[str]) -> str:
    """Return the first type, by name, that is none of the trusted ones; nothing if all are."""
    return min(set(found) - set(names), default="")


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ImportError("models in files need skops: pip install 'kernelwise[cli]'.") from None
    return skops.io
