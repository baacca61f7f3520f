"""Files: read without waiting for ever, unpacked up to a limit, written whole or not at all."""

import gzip
import hashlib
import io
import os
import select
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_PATIENCE = 10.0  # seconds that a pipe may be without a writer
_PAUSE = 100  # milliseconds between two looks at a silent pipe
_CHUNK = 2**20  # bytes
_ARCHIVE = b"PK"  # how a zip archive begins
_KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without bounds


class Unreadable(ValueError):
    """Something that is not a file with an end; the message says what it is."""


class TooLarge(ValueError):
    """More content than the limit allows."""

    def __init__(self, path: str | os.PathLike[str], what: str) -> None:
        self.what = f"{os.fspath(path)!r} {what}"  # the beginning of a sentence
        super().__init__(f"{self.what}: raise max_size if you trust it.")


def amount(size: float) -> str:
    """Return a number of bytes as a person says it."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size:,.0f} bytes"


def read_file(path: str | os.PathLike[str], most: float = float("inf")) -> bytes:
    """Return the content of a file, which may hold at most this many bytes.

    Pipes are read too, such as ``/dev/stdin`` and a shell's ``<(command)``, for as long as somebody
    writes to them. What else is not a file, such as a directory or a device, is Unreadable.
    """
    info = os.stat(path)
    if stat.S_ISFIFO(info.st_mode):
        return b"".join(_piped(path, most))
    if stat.S_ISREG(info.st_mode) and info.st_size > most:
        raise TooLarge(path, f"holds more than {amount(most)}")
    for is_kind, kind in ((stat.S_ISDIR, "directory"), (stat.S_ISSOCK, "socket")):
        if is_kind(info.st_mode):
            raise Unreadable(f"{os.fspath(path)!r} is a {kind}: give a file.")
    with open(path, "rb") as file:
        if not stat.S_ISREG(info.st_mode) and not file.isatty():
            raise Unreadable(f"{os.fspath(path)!r} is a device: give a file.")
        return file.read()


def _piped(path: str | os.PathLike[str], most: float) -> Iterator[bytes]:
    """Yield what is written to a pipe until its last writer closes it.

    Without a writer reading gives nothing, as at the end; with a writer that has nothing to say
    yet it is an error. So the two can be told apart.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # would wait for a writer otherwise
    try:
        poll, deadline, had_writer, size = select.poll(), time.monotonic() + _PATIENCE, False, 0
        poll.register(handle, select.POLLIN)
        while had_writer or time.monotonic() < deadline:
            had_writer = bool(poll.poll(_PAUSE)) or had_writer
            try:
                chunk = os.read(handle, _CHUNK)
            except BlockingIOError:
                had_writer = True
                continue
            size += len(chunk)
            if size > most:
                raise TooLarge(path, f"holds more than {amount(most)}")
            if chunk:
                yield chunk
            elif had_writer:
                return
    finally:
        os.close(handle)
    raise Unreadable(
        f"{os.fspath(path)!r} is a pipe to which nobody writes: give a file, or start its writer."
    )


class Damaged(ValueError):
    """Compressed content that cannot be unpacked."""


class Unpacking:
    """Unpacks a file as long as what comes out, whatever it states of itself, is within a limit."""

    def __init__(self, path: str | os.PathLike[str], most: float) -> None:
        self.path, self.most = path, most  # the path is for messages
        self.size = 0  # the bytes that have come out

    def gunzip(self, data: bytes) -> bytes:
        """Return what a gzip file holds, of one part or several."""
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                return b"".join(self._chunks(file))
        except (OSError, EOFError, zlib.error) as error:
            raise Damaged(f"{os.fspath(self.path)!r} is a damaged gzip file.") from error

    def unzip(self, data: bytes) -> bytes:
        """Return an archive of the same files, stored; of archives in it, only .npz is allowed."""
        return self._stored(data, frozenset([".npz"]))

    def _stored(self, data: bytes, nested: frozenset[str]) -> bytes:
        stored = io.BytesIO()
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stored, "w") as new:
                if self.size + sum(info.file_size for info in old.infolist()) > self.most:
                    raise self._too_large()
                for name in dict.fromkeys(old.namelist()):
                    new.writestr(name, self._member(old, name, nested))
        except (TooLarge, Damaged):
            raise
        except Exception as error:  # whatever a damaged archive makes zipfile stumble over
            raise Damaged(f"{os.fspath(self.path)!r} is a damaged archive.") from error
        return stored.getvalue()

    def _member(self, archive: zipfile.ZipFile, name: str, nested: frozenset[str]) -> bytes:
        if archive.getinfo(name).compress_type not in _KNOWN:
            raise Damaged(f"{os.fspath(self.path)!r} is packed by another method than deflation.")
        with archive.open(name) as file:
            content = b"".join(self._chunks(file))
        if not content.startswith(_ARCHIVE):
            return content
        if os.path.splitext(name)[1] not in nested:
            raise Damaged(f"{os.fspath(self.path)!r} holds another archive.")
        return self._stored(content, frozenset())

    def _chunks(self, file: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
        while chunk := file.read(_CHUNK):
            self.size += len(chunk)
            if self.size > self.most:
                raise self._too_large()
            yield chunk

    def _too_large(self) -> TooLarge:
        return TooLarge(self.path, f"unpacks to more than {amount(self.most)}")


def checksum(content: bytes | Path) -> str:
    """Return the SHA-256 of a content, or of that of a file."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside a path to write to; the path gets the file when all of it is written.

    Whatever kills the process meanwhile, the path holds either what it held before or all of the
    new. An error of the system, such as a full disk, names the path.
    """
    target = Path(path)
    with _naming(target):
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )
        os.close(handle)
        part = Path(name)
        try:
            yield part
            with part.open("rb") as written:
                os.fsync(written.fileno())
            mask = os.umask(0o077)  # it can be read only by setting it
            os.umask(mask)
            part.chmod(0o666 & ~mask)  # mkstemp's files are for their owner only
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


def append(path: Path, text: str) -> None:
    """Add a text to a file, all of it or, where the system has an error, nothing."""
    size = path.stat().st_size if path.exists() else 0
    with _naming(path):
        try:
            with path.open("a") as file:
                file.write(text)
        except OSError:
            os.truncate(path, size)
            raise


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let errors of the system name the file that was to be written, not the draft or nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
