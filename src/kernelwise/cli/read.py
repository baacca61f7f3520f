"""Tables from files: CSV, TSV, LIBSVM, ARFF and Parquet, compressed by gzip or not."""

import difflib
import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._files import TooLarge, Unreadable, read_file
from kernelwise._unpacking import Damaged, Unpacking
from kernelwise.cli.arff import read_arff
from kernelwise.cli.delimited import read_delimited
from kernelwise.cli.libsvm import looks_like_libsvm, read_libsvm, to_frame
from kernelwise.cli.parquet import read_parquet
from kernelwise.cli.screen import BadInput

_EXTENSIONS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "libsvm": (".libsvm", ".svm", ".svmlight"),
    "arff": (".arff",),
    "parquet": (".parquet", ".pq"),
}
FORMATS = tuple(_EXTENSIONS)
_MAX_SIZE = 256e6  # bytes that a compressed table may unpack to
_SHORT_LINE = 25  # bytes: a table of shorter lines takes the time and memory of a larger one
_GZIP = b"\x1f\x8b"
_DENSE_SHARE = 0.3  # of non-zero entries: from here on a sparse matrix saves nothing


@dataclass(frozen=True, eq=False)
class Table:
    """What a file holds: a frame or, where that saves memory, the sparse rows of a LIBSVM file."""

    source: str  # the file
    frame: Any = None  # the columns, target included
    rows: Any = None  # column 0 stands for index 0 unless there are indices
    indices: Any = None  # the index of every column, where those are not 0, 1, 2 and so on
    labels: Any = None
    notes: tuple[str, ...] = ()  # what had to be assumed to read it

    def dense(self) -> "Table":
        """Return the table with a frame, sparse rows turned into columns named by their index."""
        if self.frame is not None:
            return self
        return replace(self, frame=to_frame(self.rows, self.labels, self.indices))

    def drawn(self, rows: int | None, seed: int | None) -> "Table":
        """Return the table with some of its rows, drawn at random; None keeps all."""
        n = len(self.frame) if self.frame is not None else self.rows.shape[0]
        if rows is None or rows >= n:
            return self
        draw = np.sort(np.random.default_rng(seed or 0).choice(n, rows, replace=False))
        return replace(
            self,
            frame=None if self.frame is None else self.frame.iloc[draw].reset_index(drop=True),
            rows=None if self.rows is None else self.rows[draw],
            labels=None if self.labels is None else self.labels[draw],
            notes=(*self.notes, f"{rows:,} of {n:,} rows drawn at random."),
        )


def read_table(
    path: str,
    kind: str | None = None,
    *,
    text: tuple[str, ...] = (),
    header: bool | None = None,
    max_size: float | None = None,
) -> Table:
    """Read a file.

    Parameters
    ----------
    path : str
    kind : str or None
        One of the formats; None finds out by the extension, then by the content.
    text : tuple of str
        Columns to be read as text even if they look like numbers.
    header : bool or None
        Whether the first line of delimited text names the columns; None finds out.
    max_size : float or None
        The most bytes that a compressed file may unpack to, or that a pipe may give.
    """
    most = _MAX_SIZE if max_size is None else max_size
    data = _unpacked(read_bytes(path, math.inf if Path(path).is_file() else most), path, most)
    kind = kind or _by_extension(path)
    if kind == "parquet" or (kind is None and data[:4] == b"PAR1"):
        return Table(path, read_parquet(data, path, most))
    content, notes = _decoded(data, path)
    kind = kind or _by_content(content)
    if kind == "arff":
        return Table(path, read_arff(content, path, most), notes=notes)
    if kind == "libsvm":
        return _read_sparse(content, path, notes)
    frame, more = read_delimited(
        content, path, tab=kind == "tsv", text=text, header=header, most=most
    )
    return Table(path, frame, notes=notes + more)


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


def _by_extension(path: str) -> str | None:
    suffixes = ["", *(s.lower() for s in Path(path).suffixes if s.lower() != ".gz")]
    return next((kind for kind, known in _EXTENSIONS.items() if suffixes[-1] in known), None)


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


def _decoded(data: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    """Return bytes as text, with a notice where the encoding had to be guessed."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace"), ()
    if b"\0" in data[:65536]:
        raise BadInput(f"{path!r} is no text: give CSV, TSV, LIBSVM, ARFF or Parquet.")
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError:
        content = data.decode("latin-1")
    # Bytes 0x80 to 0x9f are control characters in Latin-1, and so are most of the first 32.
    if re.search("[\x01-\x08\x0e-\x1f]", content[:65536]):
        raise BadInput(f"{path!r} is no text: give CSV, TSV, LIBSVM, ARFF or Parquet.")
    return content, ("the file is not UTF-8: it was read as Latin-1.",)


def _by_content(content: str) -> str:
    if re.search(r"^\s*@relation\b", content[:65536], re.IGNORECASE | re.MULTILINE):
        return "arff"
    return "libsvm" if looks_like_libsvm(content) else "csv"


def _read_sparse(content: str, path: str, notes: tuple[str, ...]) -> Table:
    X, y, indices = read_libsvm(content, path)
    table = Table(path, rows=X, indices=indices, labels=y, notes=notes)
    columns = X.shape[1] - 1 if indices is None else X.shape[1]
    return table if X.nnz < _DENSE_SHARE * X.shape[0] * columns else table.dense()
