"""Models as files that execute nothing when they are loaded.

The files are skops files: a zip archive of plain data that names the types to be rebuilt. A type
that is not known to be harmless is refused before anything of it is imported; pickle is never used.
What a file unpacks to is limited, and what was rebuilt is checked before it is used.
"""

import io
import json
import math
import os
import warnings
import zipfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import model_selection as splits
from sklearn.gaussian_process import kernels as gp

from kernelwise._arguments import as_bytes
from kernelwise._dates import days
from kernelwise._files import TooLarge, Unpacking, amount, read_file, replacing
from kernelwise._registry import PACKAGE, members
from kernelwise._sklearn import BinaryLaplace
from kernelwise._texts import texts
from kernelwise._words import words
from kernelwise._written import numbers
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

MAX_SIZE = "1GB"
_SCHEMA = "schema.json"
_JSON_COST = 16  # JSON takes many times its size in memory
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
_EARLIER = "kernelwise.kernels.compose.Scaled"  # in files of earlier versions: Multiple
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
# Types that allocate as much memory as asked.
_HUNGRY = {
    ("ConstructorFromReduceNode", "csr_array"),
    ("ConstructorFromReduceNode", "csr_matrix"),
    ("NdArrayNode", "void"),
}


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


def load_model(
    path: str | os.PathLike[str], trusted: Iterable[str] = (), max_size: Any = MAX_SIZE
) -> Any:
    """Load a model that :func:`save_model` wrote; a file of another kind executes nothing.

    Parameters
    ----------
    path : str or path
    trusted : list of str, default=()
        Further types, as "module.Class", that the file may hold. Trusting a type means to run its
        code: name only what you wrote or know.
    max_size : str, float or None, default="1GB"
        The most that the file may unpack to: an amount such as "4GB", or a share of the memory that
        is free (None: 0.8).

    Returns
    -------
    model : estimator

    Raises
    ------
    ValueError
        If the file is no such model, is damaged, unpacks to more than it may, or names a type that
        is not trusted.

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
    most = as_bytes(max_size, "max_size")
    return restored(read_file(path, most), path, trusted, most)


def restored(data: bytes, path: str | os.PathLike[str], trusted: Iterable[str], most: float) -> Any:
    """Return the model that a file holds, if it unpacks to at most this many bytes."""
    from kernelwise.selection.soundness import Unsound, check_model  # and much of scikit-learn

    skops, names = _skops(), _trusted_names(trusted)
    try:
        data, _ = _unpacked(data, path, most)
        foreign = _foreign(skops.get_untrusted_types(data=data), names)
    except TooLarge:
        raise
    except Exception as error:  # whatever a damaged or malicious file makes skops stumble over
        raise _no_model(path) from error
    if foreign:
        raise ValueError(
            f"{path} names the type {foreign:.100}, which is not trusted: nothing was loaded."
        )
    try:
        with warnings.catch_warnings(), np.errstate(invalid="raise"):  # flipped types
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            model = skops.loads(data, trusted=names)
        check_model(model)
    except Unsound as error:
        raise ValueError(f"{path} is a damaged model ({error}): save it again.") from error
    except Exception as error:
        raise _no_model(path) from error
    if not hasattr(model, "fit"):
        raise ValueError(f"{path} holds a {type(model).__name__}, which is no model.")
    return model


def max_size_for(data: bytes) -> float:
    """Return the bytes that a model unpacks to: the ``max_size`` that loading it takes."""
    return _unpacked(data, "", math.inf)[1]


def _unpacked(data: bytes, path: str | os.PathLike[str], most: float) -> tuple[bytes, float]:
    """Return the archive with its files unpacked, and the bytes that rebuilding takes."""
    unpacking = Unpacking(path, most)
    data = unpacking.unzip(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        description = _JSON_COST * sizes[_SCHEMA]
        if description > most:
            raise TooLarge(path, f"has a {_SCHEMA} of more than {amount(most / _JSON_COST)}")
        files = _files_read(json.loads(archive.read(_SCHEMA)))
    size = max(unpacking.size, sum(sizes[name] for name in files), description)
    if size > most:
        raise TooLarge(path, f"unpacks to more than {amount(most)}")
    return data, float(size)


def _files_read(schema: Any) -> list[str]:
    """Return the files that the description of a model has read, as often as they are.

    Skops writes an object out as often as it occurs, and so rebuilding takes time in proportion to
    what is written. A file in which objects refer to each other in a few bytes could double the
    work at every step: it is refused.
    """
    files: list[str] = []
    sizes: dict[Any, int] = {}  # how many objects are written in each, by its number

    def size_of(part: Any) -> int:
        if isinstance(part, list):
            return sum(map(size_of, part))
        if not isinstance(part, dict):
            return 0
        if (part.get("__loader__"), part.get("__class__")) in _HUNGRY:
            raise ValueError(f"{part['__class__']} of a size that is not written")
        number = part.get("__id__")
        if isinstance(part.get("file"), str) and (number is None or number not in sizes):
            files.append(part["file"])
        size = 1 + sum(map(size_of, part.values()))
        if number is not None and sizes.setdefault(number, size) != size:
            raise ValueError("an object that is not written out")
        return size

    size_of(schema)
    return files


def _trusted_names(trusted: Iterable[str]) -> list[str]:
    """Return the types that a model may hold: ours, and those that the user trusts."""
    theirs = [trusted] if isinstance(trusted, str) else list(trusted)
    if isinstance(trusted, str) or not all(isinstance(name, str) for name in theirs):
        raise TypeError(f"trusted must be a list of names as 'module.Class', got {theirs!r}.")
    values = [cls for base in (Kernel, Criterion, Engine) for cls in members(base)]
    known = map(_full_name, (*values, *_MACHINES, *_SELECTION, *_FUNCTIONS))
    ours = [name for name in known if name.startswith(PACKAGE)]
    return [*ours, *_ABOVE, _EARLIER, *map(_full_name, _PLAIN), *theirs]


def _full_name(named: Any) -> str:
    """Return the name by which a model file refers to a class or a function."""
    return f"{named.__module__}.{named.__qualname__}"


def _foreign(found: Iterable[str], names: Iterable[str]) -> str:
    """Return the first type, by name, that is none of the trusted ones; nothing if all are."""
    first = min(set(found) - set(names), default="")
    return " ".join(first.split())  # a name in a damaged file may hold anything


def _no_model(path: str | os.PathLike[str]) -> ValueError:
    return ValueError(
        f"{path} is no model of kernelwise, or is damaged: give the model.skops that kernelwise "
        "select wrote."
    )


def _skops() -> Any:
    try:
        import skops.io
    except ImportError:
        raise ImportError("models in files need skops: pip install 'kernelwise[cli]'.") from None
    return skops.io
