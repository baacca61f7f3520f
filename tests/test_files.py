"""Files that are written whole or not at all."""

import errno
import io
import os

import pytest

from inside import append, replacing


def test_an_error_of_the_system_names_the_file(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OSError) as caught, replacing(tmp_path / "file") as part:
        part.write_bytes(b"x")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


class _Full(io.StringIO):
    """A file on a full disk: half of what is written arrives."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def close(self):
        if not self.closed:
            with open(self.path, "a") as file:
                file.write(self.getvalue()[: len(self.getvalue()) // 2])
            super().close()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_append_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "file"
    append(path, "first\n")
    append(path, "second\n")
    assert path.read_text() == "first\nsecond\n"
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.open", lambda self, mode: _Full(self))
        with pytest.raises(OSError) as caught:
            append(path, "third\n")
    assert caught.value.filename == str(path)
    assert path.read_text() == "first\nsecond\n"
