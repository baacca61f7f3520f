"""Models as files that execute nothing when they are loaded.

The files are skops files: a zip archive of plain data that names the types to be rebuilt. A type
that is not known to be harmless is refused before anything of it is imported; pickle is never used.
"""

import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kernelwise._registry import PACKAGE, members
from kernelwise.criteria import Criterion
from kernelwise.gram import Dense, Tiled
from kernelwise.kernels import Kernel
from kernelwise.machines import KRR, LSSVC, OnMatrix
from kernelwise.machines.calibration import Calibration
from kernelwise.machines.folds import GivenSplits
from kernelwise.selection.cascade import Cascade
from kernelwise.selection.record import ErrorEstimate
from kernelwise.selection.result import SelectionResult
from kernelwise.selection.selector import KernelSelector

_OURS = (
    LSSVC,
    KRR,
    OnMatrix,
    Calibration,
    KernelSelector,
    Cascade,
    SelectionResult,
    ErrorEstimate,
    GivenSplits,
    Dense,
    Tiled,
)
# The one function that a preparation by the command line holds; by name, for it is above us.
_FUNCTIONS = ("kernelwise.cli.prepare.days",)
_PROCESS_KERNELS = "ConstantKernel DotProduct Exponentiation Matern Product RBF Sum WhiteKernel"
_SPLITTERS = (
    "GroupKFold KFold LeaveOneGroupOut LeaveOneOut RepeatedKFold RepeatedStratifiedKFold "
    "ShuffleSplit StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit"
)
# Harmless, and not on skops' own list, which has the other estimators of scikit-learn.
_PLAIN = (
    "builtins.frozenset",
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.gaussian_process._gpc._BinaryGaussianProcessClassifierLaplace",
    *(f"sklearn.gaussian_process.kernels.{name}" for name in _PROCESS_KERNELS.split()),
    *(f"sklearn.model_selection._split.{name}" for name in _SPLITTERS.split()),
)


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model: a machine, a selector, or a scikit-learn pipeline around one.

    The file appears under its name only when it is complete.

    Parameters
    ----------
    model : estimator
        Made of types of kernelwise, scikit-learn, numpy and scipy.
    path : str or path
        Usually ending in ".skops".

    Raises
    ------
    ValueError
        If the model holds a type that :func:`load_model` would refuse.
    """
    io = _skops()
    try:
        data = io.dumps(model, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    except (io.exceptions.UnsupportedTypeException, TypeError) as error:
        raise ValueError(f"the model cannot be saved: {error}") from None
    foreign = _refused(io.get_untrusted_types(data=data))
    if foreign:
        raise ValueError(
            f"the model holds a {foreign[0]}, which load_model would refuse: use kernels and "
            "machines of kernelwise and scikit-learn."
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
        If the file is no such model, or names a type that is not trusted.
    """
    io, trusted = _skops(), list(trusted)
    try:
        names = io.get_untrusted_types(file=Path(path))
    except OSError:
        raise
    except Exception as error:  # whatever a damaged or malicious file makes skops stumble over
        raise _no_model(path) from error
    foreign = _refused(names, trusted)
    if foreign:
        raise ValueError(
            f"{path} names the type {foreign[0]}, which is not trusted: nothing was loaded."
        )
    try:
        model = io.load(Path(path), trusted=[*_trusted(), *trusted])
    except Exception as error:
        raise _no_model(path) from error
    if not hasattr(model, "fit"):
        raise ValueError(f"{path} holds a {type(model).__name__}, which is no model.")
    return model


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside a path to write to; the path gets the file when all of it is written.

    Whatever kills the process meanwhile, the path holds either what it held before or all of the
    new.
    """
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.chmod(0o666 & ~_umask())  # mkstemp's files are for their owner only
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    """Return the mask of new files; it can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _trusted() -> list[str]:
    """Return the types of ours that a model may hold."""
    values = [cls for base in (Kernel, Criterion) for cls in members(base)]
    names = [f"{cls.__module__}.{cls.__qualname__}" for cls in (*values, *_OURS)]
    return [name for name in names if name.startswith(PACKAGE)] + [*_FUNCTIONS, *_PLAIN]


def _refused(names: Iterable[str], trusted: Iterable[str] = ()) -> list[str]:
    return sorted(set(names) - set(_trusted()) - set(trusted))


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
