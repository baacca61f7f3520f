"""Files: read without waiting for ever, unpacked within limits, written whole or not at all."""

import errno
import gzip
import io
import os
import socket
import threading
import zipfile

import pytest

from inside import Damaged, TooLarge, Unpacking, Unreadable, append, read_file, replacing
from inside import files as _files

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@needs_pipes
def test_a_pipe_without_a_writer_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_files, "_PATIENCE", 0.2)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unreadable, match="a pipe to which nobody writes"):
        read_file(tmp_path / "pipe")


@needs_pipes
def test_a_writer_may_come_late(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Timer(0.3, (tmp_path / "pipe").write_bytes, [b"b" * 100_000])
    writer.start()
    assert read_file(tmp_path / "pipe") == b"b" * 100_000
    writer.join()


@needs_pipes
def test_a_writer_may_be_silent(tmp_path, monkeypatch):
    """For longer than the patience with none at all."""
    monkeypatch.setattr(_files, "_PATIENCE", 0.1)
    os.mkfifo(tmp_path / "pipe")
    both = os.open(tmp_path / "pipe", os.O_RDWR)

    def write():
        os.write(both, b"late")
        os.close(both)

    writer = threading.Timer(0.5, write)
    writer.start()
    assert read_file(tmp_path / "pipe") == b"late"
    writer.join()


@needs_pipes
def test_a_pipe_is_read_up_to_a_limit(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(
        tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK
    )  # keeps the writer from waiting
    writer = os.open(tmp_path / "pipe", os.O_WRONLY)
    os.write(writer, b"x" * 1000)
    with pytest.raises(TooLarge, match="holds more than 999 bytes: raise max_size"):
        read_file(tmp_path / "pipe", 999)
    os.close(writer)
    os.close(reader)


def test_what_is_no_file(tmp_path):
    with pytest.raises(Unreadable, match="is a directory: give a file"):
        read_file(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs devices")
def test_devices_and_sockets(tmp_path, monkeypatch):
    for name in ("/dev/zero", "/dev/null"):
        with pytest.raises(Unreadable, match="is a device"):
            read_file(name)
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(Unreadable, match="is a socket"):
            read_file("socket")


def test_a_file_beyond_the_limit_is_not_read(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert read_file(tmp_path / "file", 5) == b"12345"
    with pytest.raises(TooLarge, match="more than 4 bytes"):
        read_file(tmp_path / "file", 4)


def _zip(method=zipfile.ZIP_DEFLATED, **members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def _members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())
        return {name: archive.read(name) for name in archive.namelist()}


def test_gzip_within_a_limit():
    parts = gzip.compress(b"a" * 700) + gzip.compress(b"b" * 300)
    assert Unpacking("f", 1000).gunzip(parts) == b"a" * 700 + b"b" * 300
    with pytest.raises(TooLarge, match="unpacks to more than 999 bytes"):
        Unpacking("f", 999).gunzip(parts)
    for damaged in (parts[:-20], parts[:30], b"\x1f\x8bjunk", parts + b"junk"):
        with pytest.raises(Damaged):
            Unpacking("f", 1000).gunzip(damaged)


def test_zip_within_a_limit():
    data = _zip(a=b"a" * 700, b=b"b" * 300)
    assert _members(Unpacking("f", 1000).unzip(data)) == {"a": b"a" * 700, "b": b"b" * 300}
    with pytest.raises(TooLarge):
        Unpacking("f", 999).unzip(data)
    for damaged in (data[:-10], data[:60], b"PK\x03\x04junk", b""):
        with pytest.raises(Damaged):
            Unpacking("f", 1000).unzip(damaged)


def _lying(data, size, stated):
    """An archive whose headers state another size of a file than it unpacks to."""
    return data.replace(size.to_bytes(4, "little"), stated.to_bytes(4, "little"))


def test_sizes_that_are_not_true_do_not_help():
    """What is counted is what comes out, and no more comes out than was stated."""
    data = _zip(a=b"a" * 123_456)
    with pytest.raises(Damaged):
        Unpacking("f", 1e6).unzip(_lying(data, 123_456, 1000))
    with pytest.raises(TooLarge):
        Unpacking("f", 1000).unzip(_lying(data, 123_456, 2000))


def test_archives_in_archives():
    inner = _zip(data_npy=b"d" * 500)
    assert _members(_members(Unpacking("f", 2000).unzip(_zip(x_npz=inner)))["x.npz"]) == {
        "data.npy": b"d" * 500
    }
    with pytest.raises(TooLarge):
        Unpacking("f", 600).unzip(_zip(x_npz=inner))
    with pytest.raises(Damaged, match="another archive"):
        Unpacking("f", 1e6).unzip(_zip(x_npy=inner))
    with pytest.raises(Damaged, match="another archive"):
        Unpacking("f", 1e6).unzip(_zip(x_npz=_zip(y_npz=inner)))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_unpack_without_bounds_are_refused(method):
    with pytest.raises(Damaged, match="another method"):
        Unpacking("f", 1e6).unzip(_zip(method, a=b"a" * 700))


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
