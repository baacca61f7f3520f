"""Compressed content, unpacked up to a limit: a small file can hold a thousand times its size."""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from kernelwise._files import TooLarge, amount

_CHUNK = 2**20  # bytes
_ARCHIVE = b"PK"  # how a zip archive begins
_KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without bounds


class Damaged(ValueError):
    """Compressed content that cannot be unpacked."""


class Unpacking:
    """Unpacks a file as long as all that comes out stays within a limit.

    Sizes that a file states of itself are not relied on: what is counted is what comes out.
    """

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
        """Return a zip archive of the same files, stored as they are.

        An archive of arrays in it (``.npz``) is unpacked alike; another archive is refused.
        """
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
