"""Files to be read, and the tables that they hold."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kernelwise.cli.screen import BadInput

HEAD = 65536  # characters of a file that tell its format


def _western(data: bytes) -> tuple[str, str]:
    """Return text as Windows writes it, which is Latin-1 and the euro sign, and what that is."""
    try:
        return data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:  # it has gaps
        return data.decode("latin-1"), "Latin-1"


def look_of(name: str) -> str:
    """Return what a name looks like to a person: without needless blanks, whatever its case."""
    return " ".join(name.split()).casefold()


def by_look(names: Iterable[str]) -> dict[str, str]:
    """Return the names that look like no other, by what they look like."""
    found = [(look_of(name), name) for name in names]
    counts = Counter(look for look, _ in found)
    return {look: name for look, name in found if counts[look] == 1}


@dataclass(frozen=True, eq=False)
class Table:
    """What a file holds: a frame or, where that saves memory, the sparse rows of a LIBSVM file."""

    source: str  # the file
    frame: Any = None  # the columns, target included
    rows: Any = None  # column 0 stands for index 0 unless there are indices
    indices: Any = None  # the index of every column, where those are not 0, 1, 2 and so on
    labels: Any = None
    notes: tuple[str, ...] = ()  # what had to be assumed to read it
    decimal: str = "."  # the mark of its numbers
    total: int | None = None  # rows of the file, where some were drawn

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
            total=n,
            notes=(*self.notes, f"{rows:,} of {n:,} rows drawn at random."),
        )


@dataclass(frozen=True, eq=False)
class Source:
    """A file that is to be read."""

    path: str  # for messages
    data: bytes  # unpacked
    text: tuple[str, ...] = ()  # columns to be read as text even if they look like numbers
    is_bare: bool = False  # whether no line names the columns; else that is found out

    @cached_property
    def decoded(self) -> tuple[str, tuple[str, ...]]:
        """The content as text, and a notice where the encoding had to be guessed."""
        if self.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return self.data.decode("utf-16", errors="replace"), ()
        try:
            if b"\0" not in self.data[:HEAD]:
                return self.data.decode("utf-8-sig"), ()
        except UnicodeDecodeError:
            content, name = _western(self.data)
            # Most of the first 32 characters are control characters, of which text has few.
            if not re.search("[\x01-\x08\x0e-\x1f]", content[:HEAD]):
                return content, (f"the file is not UTF-8: it was read as {name}.",)
        raise BadInput(f"{self.path!r} is no text: give CSV, TSV, LIBSVM or Parquet.")
