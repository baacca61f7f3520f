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

from kernelwise._arguments import as_bytes
from kernelwise._files import TooLarge, Unpacking, amount, read_file, replacing
from kernelwise.selection.soundness import Unsound, check_model
from kernelwise.selection.trust import Schema, trusted_names

MAX_SIZE = "1GB"
_SCHEMA = "schema.json"
_JSON_COST = 16  # JSON takes many times its size in memory


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
    """
    skops, names = _skops(), trusted_names(trusted)
    try:
        data = skops.dumps(model, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    except (skops.exceptions.UnsupportedTypeException, TypeError, RecursionError) as error:
        raise ValueError(f"the model cannot be saved: {error}") from None
    foreign = _foreign(skops.get_untrusted_types(data=data), names)
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
    """
    most = as_bytes(max_size, "max_size")
    return restored(read_file(path, most), path, trusted, most)


def restored(data: bytes, path: str | os.PathLike[str], trusted: Iterable[str], most: float) -> Any:
    """Return the model that a file holds, if it unpacks to at most this many bytes."""
    skops, names = _skops(), trusted_names(trusted)
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
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)  # a flipped type
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
        files = Schema(json.loads(archive.read(_SCHEMA))).files
    size = max(unpacking.size, sum(sizes[name] for name in files), description)
    if size > most:
        raise TooLarge(path, f"unpacks to more than {amount(most)}")
    return data, float(size)


def _foreign(found: Iterable[str], names: Iterable[str]) -> str:
    """Return the first type, by name, that is none of the trusted ones; nothing if all are."""
    return min(set(found) - set(names), default="")


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
