"""Files that are written whole or not at all."""

import errno
import os

import pytest

from inside import replacing


def test_an_error_of_the_system_names_the_file(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError) as caught, replacing(tmp_path / "file") as part:
        part.write_bytes(b"x")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
