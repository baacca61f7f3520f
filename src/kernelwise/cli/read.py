"""Tables from files of any format, compressed by gzip or not."""

import difflib
import gzip
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelwise.cli.formats import READERS, format_of
from kernelwise.cli.formats.base import Source, Table
from kernelwise.cli.screen import BadInput, listed

_GZIP = b"\x1f\x8b"


def read_table(path: str, kind: str | None = None, **known: Any) -> Table:
    """Read a file of a kind, by its name; None finds out by the extension, then by the content.

    What else is known, ``text`` and ``is_bare``, is that of a :class:`Source`.
    """
    source = Source(path, _content(path), **known)
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


def _content(path: str) -> bytes:
    """Return the content of a file, unpacked, or say why it cannot be read."""
    try:
        data = Path(path).read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP) else data
    except FileNotFoundError:
        raise BadInput(f"there is no file {path!r}{_near(path)}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise BadInput(f"{path!r} is a damaged gzip file: copy it again.") from None
    if not data.strip():
        raise BadInput(f"{path!r} is empty: give a file with a table.")
    return data


def _near(path: str) -> str:
    """Return the end of a sentence on a missing file: its nearest neighbour, if there is one."""
    try:
        names = [entry.name for entry in Path(path).parent.iterdir() if entry.is_file()]
    except OSError:
        return ": check the path."
    near = difflib.get_close_matches(Path(path).name.lower(), names, n=1)
    return f": did you mean {near[0]!r}?" if near else ": check the path."
