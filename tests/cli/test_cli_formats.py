"""Formats of files, one from outside the package among them."""

import gc
import importlib.util
import json
import math
import pathlib
import re
import sys

import pytest
from cli_helpers import run

from inside import Source, formats, read_table

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "command_line.md"


@pytest.fixture
def json_lines(tmp_path):
    """The format that the page on the command line shows, in a file of its own."""
    path = tmp_path / "json_lines.py"
    [source] = re.findall(r"```python\n(# json_lines\.py.*?)```", PAGE.read_text(), re.DOTALL)
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[path.stem], module.JsonLines
    gc.collect()  # the registry is the list of subclasses that are alive


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text("".join(json.dumps({"a": i % 7, "y": "uv"[i % 2]}) + "\n" for i in range(40)))
    return path


def test_ours_have_distinct_names_and_extensions():
    known = formats.available()
    assert {"arff", "csv", "libsvm", "parquet", "tsv"} <= known.keys()
    extensions = [extension for each in known.values() for extension in each.extensions]
    assert len(extensions) == len(set(extensions))


def test_a_format_from_outside(json_lines, rows, capsys, tmp_path):
    assert isinstance(formats.available()["jsonl"], json_lines.JsonLines)
    assert read_table(str(rows)).frame["a"].tolist() == [i % 7 for i in range(40)]
    status, out, _ = run(capsys, "select", rows, "--kernels", "linear", "--quiet")
    assert status == 0 and "2 classes of 'y' on 40 rows" in out
    other = rows.rename(tmp_path / "f.dat")
    assert list(read_table(str(other)).frame) == ["a", "y"]
    assert run(capsys, "select", other, "--format", "jsonl", "--kernels", "linear")[0] == 0


def test_a_format_of_an_entry_point(monkeypatch):
    loaded = []

    class Point:
        def load(self):
            loaded.append(self)

    def points(group):
        assert group == "kernelwise.formats"
        return [Point()]

    monkeypatch.setattr("kernelwise.cli.formats.entry_points", points)
    formats.available()
    assert len(loaded) == 1


def test_an_unknown_format(capsys, rows):
    status, _, err = run(capsys, "select", rows, "--format", "cvs")
    assert status == 2 and "unknown format 'cvs': did you mean 'csv'?" in err


@pytest.mark.parametrize(
    ("content", "is_sparse"),
    [
        ("1 1:2 5:3\n-1 2:1\n", True),
        ("# a remark\n\n1 1:2 5:3\n-1 2:1\n", True),
        ("1\n2:3 4\n", False),
        ("a b\n1 2\n", False),
    ],
)
def test_libsvm_is_recognised_by_its_first_row(content, is_sparse):
    source = Source("f.dat", content.encode(), math.inf)
    assert formats.available()["libsvm"].recognises(source) == is_sparse
