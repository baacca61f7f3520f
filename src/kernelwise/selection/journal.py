"""A file that keeps every finished piece of a choice, so that a stopped run goes on where it was.

A piece is what took time and is small beside the data: the sums of a pass over the rows, the values
of criteria for a kernel, the leave-one-out losses of a machine. Its key is a hash of all that it
depends on, so that a journal never gives an answer to another question.

The file is a list of records, only ever added to: a mark, a checksum, the key, the content. What a
process writes when it is killed is a last record that is not whole; whoever writes next cuts it
off. Processes that share a journal take turns writing, and look for what others have added before
they begin a piece. Nothing in it is executed when it is read.
"""

import io
import json
import os
import struct
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._arguments import shown
from kernelwise.selection.fingerprint import fingerprint

try:
    import fcntl
except ImportError:  # no locks here: one process at a time
    fcntl = None  # type: ignore[assignment]

_FIRST = b"kernelwise journal 1\n"
_MARK = b"KWJ1"
_HEAD = struct.Struct("<4sIQ32s")  # mark, checksum, length of the content, key
_LARGEST = 100_000_000  # bytes of a piece; larger ones are computed again
_OF_DATA = fingerprint("the data of this journal")


class Journal:
    """Finished pieces of work in a file.

    Parameters
    ----------
    path : str or Path
        Made where it does not exist.

    Attributes
    ----------
    found : int
        How many pieces were taken from the file.
    added : int
        How many were written to it.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path, self._is_checked = Path(path), True
        self.found = self.added = 0
        self._places: dict[bytes, tuple[int, int]] = {}  # where the content of a key is
        self._end = len(_FIRST)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        weakref.finalize(self, os.close, self._file)
        self._begin()
        self._read_on()

    def __len__(self) -> int:
        """Return how many pieces there are."""
        self._read_on()
        return len(self._places) - (_OF_DATA in self._places)

    def __deepcopy__(self, memo: Any) -> "Journal":
        """Return itself: clones of an estimator share the file."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process open the file for itself."""
        return _opened, (self.path, self._is_checked)

    def _begin(self) -> None:
        """Begin a new file, also where somebody was killed when he began it."""
        with self._alone():
            first = os.pread(self._file, len(_FIRST), 0)
            if first != _FIRST and _FIRST.startswith(first):
                os.pwrite(self._file, _FIRST, 0)
                first = _FIRST
        if first != _FIRST:
            raise ValueError(
                f"journal {str(self.path)!r} is not a journal of kernelwise: give another file."
            )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from writing."""
        if fcntl is None:
            yield
            return
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def check_data(self, *data: Any) -> None:
        """Refuse a journal that was begun with other data."""
        if not self._is_checked:
            return
        ours = fingerprint(*data)
        if _OF_DATA not in self._places:
            self._write(_OF_DATA, ours)
        if self._content(_OF_DATA) != ours:
            raise ValueError(
                f"journal {str(self.path)!r} was begun with other data: give the data it was begun "
                "with, or another file."
            )

    def piece(self, key: bytes, compute: Callable[[], Any]) -> Any:
        """Return the piece of a key, which is computed and written where it is not there yet."""
        if key not in self._places:
            self._read_on()
        if key in self._places:
            self.found += 1
            return _decoded(self._content(key))
        value = compute()
        content = _encoded(value)
        if len(content) <= _LARGEST:
            self._write(key, content)
            self.added += 1
        return value

    def get(self, key: bytes) -> Any:
        """Return the piece of a key; None where it is not there yet."""
        self._read_on()
        return _decoded(self._content(key)) if key in self._places else None

    def _content(self, key: bytes) -> bytes:
        start, length = self._places[key]
        return os.pread(self._file, length, start)

    def _write(self, key: bytes, content: bytes) -> None:
        record = _HEAD.pack(_MARK, zlib.crc32(key + content), len(content), key) + content
        with self._alone():
            self._read_on()
            if key in self._places:  # somebody else was as quick
                return
            os.ftruncate(self._file, self._end)  # a record that is not whole
            written = 0
            while written < len(record):
                written += os.pwrite(self._file, record[written:], self._end + written)
            self._places[key] = self._end + _HEAD.size, len(content)
            self._end += len(record)

    def _read_on(self) -> None:
        """Look for records that were added since, by whomever; stop at one that is not whole."""
        while True:
            head = os.pread(self._file, _HEAD.size, self._end)
            if len(head) < _HEAD.size:
                return
            mark, checksum, length, key = _HEAD.unpack(head)
            start = self._end + _HEAD.size
            if mark != _MARK or length > _LARGEST:
                return
            content = os.pread(self._file, length, start)
            if len(content) < length or zlib.crc32(key + content) != checksum:
                return
            self._places[key] = start, length
            self._end = start + length


def _encoded(value: Any) -> bytes:
    """Return numbers, texts, arrays, and lists of these as bytes."""
    arrays: list[Any] = []

    def plain(item: Any) -> Any:
        if isinstance(item, np.ndarray):
            arrays.append(item)
            return {"array": len(arrays) - 1}
        if isinstance(item, list | tuple):
            return [plain(one) for one in item]
        if isinstance(item, np.generic):
            return item.item()
        assert item is None or isinstance(item, bool | int | float | str), type(item)
        return item

    text = json.dumps(plain(value)).encode()
    out = io.BytesIO()
    out.write(struct.pack("<Q", len(text)) + text)
    for array in arrays:
        np.save(out, array, allow_pickle=False)
    return out.getvalue()


def _decoded(content: bytes) -> Any:
    """Return what was encoded, tuples as lists."""
    [length] = struct.unpack_from("<Q", content)
    source = io.BytesIO(content)
    source.seek(8 + length)
    arrays: list[Any] = []
    while source.tell() < len(content):
        arrays.append(np.load(source, allow_pickle=False))

    def whole(item: Any) -> Any:
        if isinstance(item, dict):
            return arrays[item["array"]]
        return [whole(one) for one in item] if isinstance(item, list) else item

    return whole(json.loads(content[8 : 8 + length]))


def _opened(path: Path, is_checked: bool) -> Journal:
    found = Journal(path)
    found._is_checked = is_checked
    return found


def for_parts(journal: Any) -> Journal | None:
    """Return the journal of a path for parts of the data it was begun with, such as folds."""
    found = as_journal(journal)
    if found is not None:
        found._is_checked = False
    return found


def as_journal(journal: Any) -> Journal | None:
    """Return the journal of a path; None where there is none."""
    if journal is None or isinstance(journal, Journal):
        return journal
    if not isinstance(journal, str | os.PathLike):
        raise TypeError(f"journal must be a path such as 'run.kwj', or None, got {shown(journal)}.")
    return Journal(journal)
