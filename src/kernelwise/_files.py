"""Files: read without waiting for ever, written whole or not at all."""

import hashlib
import os
import select
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 10.0  # seconds that a pipe may be without a writer
_PAUSE = 100  # milliseconds between two looks at a silent pipe
_CHUNK = 2**20  # bytes


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
        return _joined(_piped(path), path, most)
    if stat.S_ISREG(info.st_mode) and info.st_size > most:
        raise TooLarge(path, f"holds more than {amount(most)}")
    for is_kind, kind in ((stat.S_ISDIR, "directory"), (stat.S_ISSOCK, "socket")):
        if is_kind(info.st_mode):
            raise Unreadable(f"{os.fspath(path)!r} is a {kind}: give a file.")
    with open(path, "rb") as file:
        if not stat.S_ISREG(info.st_mode) and not file.isatty():
            raise Unreadable(f"{os.fspath(path)!r} is a device: give a file.")
        return file.read()


def _joined(chunks: Iterator[bytes], path: str | os.PathLike[str], most: float) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > most:
            raise TooLarge(path, f"holds more than {amount(most)}")
    return bytes(content)


def _piped(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield what is written to a pipe until its last writer closes it.

    Without a writer reading gives nothing, as at the end; with a writer that has nothing to say
    yet it is an error. So the two can be told apart.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # would wait for a writer otherwise
    try:
        poll, deadline, had_writer = select.poll(), time.monotonic() + _PATIENCE, False
        poll.register(handle, select.POLLIN)
        while had_writer or time.monotonic() < deadline:
            had_writer = bool(poll.poll(_PAUSE)) or had_writer
            try:
                chunk = os.read(handle, _CHUNK)
            except BlockingIOError:
                had_writer = True
                continue
            if chunk:
                yield chunk
            elif had_writer:
                return
    finally:
        os.close(handle)
    raise Unreadable(
        f"{os.fspath(path)!r} is a pipe to which nobody writes: give a file, or start its writer."
    )


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
            part.chmod(0o666 & ~_umask())  # mkstemp's files are for their owner only
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


def _umask() -> int:
    """Return the mask of new files; it can be read only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
