"""Tables from files of any format, compressed by gzip or not."""

import difflib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelwise._files import Damaged, TooLarge, Unpacking, Unreadable, read_file
from kernelwise.cli.formats import READERS, format_of
from kernelwise.cli.formats.base import Source, Table
from kernelwise.cli.screen import BadInput, listed

_MAX_SIZE = 256e6  # bytes that a compressed table may unpack to
_SHORT_LINE = 25  # bytes: a table of shorter lines takes the time and memory of a larger one
_GZIP = b"\x1f\x8b"


def read_table(
    path: str, kind: str | None = None, *, max_size: float | None = None, **known: Any
) -> Table:
    """Read a file of a kind, by its name; None finds out by the extension, then by the content.

    ``max_size`` is the most bytes that a compressed file may unpack to, or that a pipe may give;
    what else is known, ``text`` and ``is_bare``, is that of a :class:`Source`.
    """
    most = _MAX_SIZE if max_size is None else max_size
    data = _unpacked(read_bytes(path, math.inf if Path(path).is_file() else most), path, most)
    source = Source(path, data, most, **known)
    return _tidied(READERS[kind or format_of(source)](source))


def _tidied(table: Table) -> Table:
    """Return a table whose names have no blanks around them, nor doubled ones."""
    if table.frame is None:
        return table
    tidy = {name: " ".join(name.split()) or name for name in table.frame.columns}
    changed = [tidy[name] for name in tidy if tidy[name] != name]
    if not changed or len(set(tidy.values())) < len(tidy):
        return table
    note = f"needless blanks are taken out of names: {listed(changed)}."
    return replace(table, frame=table.frame.rename(columns=tidy), notes=(*table.notes, note))


def read_bytes(path: str, most: float = math.inf) -> bytes:
    """Return the content of a file, or say why it cannot be read."""
    try:
        return read_file(path, most)
    except FileNotFoundError:
        raise BadInput(f"there is no file {path!r}{_near(path)}") from None
    except PermissionError:
        raise BadInput(f"{path!r} may not be read: change its permissions.") from None
    except (Unreadable, TooLarge):
        raise
    except (OSError, ValueError) as error:
        raise BadInput(f"{path!r} cannot be read: {error}.") from None


def _near(path: str) -> str:
    """Return the end of a sentence on a missing file: its nearest neighbour, if there is one."""
    try:
        names = [entry.name for entry in Path(path).parent.iterdir() if entry.is_file()]
    except OSError:
        return ": check the path."
    near = difflib.get_close_matches(Path(path).name.lower(), names, n=1)
    return f": did you mean {near[0]!r}?" if near else ": check the path."


def _unpacked(data: bytes, path: str, most: float) -> bytes:
    """Return the content of a table; what compression or a pipe gives only up to a limit."""
    is_limited = data[:2] == _GZIP or not Path(path).is_file()
    if data[:2] == _GZIP:
        try:
            data = Unpacking(path, most).gunzip(data)
        except Damaged:
            raise BadInput(f"{path!r} is a damaged gzip file: copy it again.") from None
    if is_limited and data.count(b"\n") > most / _SHORT_LINE:
        raise TooLarge(path, f"unpacks to more than {most / _SHORT_LINE:,.0f} lines")
    if not data.strip():
        raise BadInput(f"{path!r} is empty: give a file with a table.")
    return data
