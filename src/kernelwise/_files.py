"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a name beside a path to write to; the path gets the file when all of it is written.

    Whatever kills the process meanwhile, the path holds either what it held before or all of the
    new. An error of the system, such as a full disk, names the path, not the draft.
    """
    target = Path(path)
    try:
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
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
