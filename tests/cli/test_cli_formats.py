"""Formats of files: told by the extension, else by the content."""

import math

import pytest
from cli_helpers import flowers, run

from inside import Source, formats


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
    found = formats.format_of(Source("f.dat", content.encode(), math.inf))
    assert found == ("libsvm" if is_sparse else "csv")


def test_the_extension_comes_first():
    for path, name in (("a.TAB", "tsv"), ("a.csv.gz", "csv"), ("a.svm.gz", "libsvm")):
        assert formats.format_of(Source(path, b"PAR1", math.inf)) == name
    assert formats.format_of(Source("a.gz", b"PAR1", math.inf)) == "parquet"


def test_an_unknown_format(capsys, tmp_path):
    flowers().to_csv(tmp_path / "f.csv", index=False)
    status, _, err = run(capsys, "select", tmp_path / "f.csv", "--format", "cvs")
    assert status == 2 and "unknown format 'cvs': did you mean 'csv'?" in err
