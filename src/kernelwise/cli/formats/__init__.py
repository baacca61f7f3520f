"""Files as tables: a module for every kind of file.

A function of each makes a :class:`~kernelwise.cli.formats.base.Table` of a file::

    FILE ──> Source (unpacked) ──> READERS[name] ──> Table
"""

from collections.abc import Callable
from pathlib import Path

from kernelwise.cli.formats.base import Source, Table
from kernelwise.cli.formats.delimited import read_csv, read_tsv
from kernelwise.cli.formats.libsvm import is_libsvm, read_libsvm
from kernelwise.cli.formats.parquet import is_parquet, read_parquet

READERS: dict[str, Callable[[Source], Table]] = {
    "csv": read_csv,
    "libsvm": read_libsvm,
    "parquet": read_parquet,
    "tsv": read_tsv,
}
_SUFFIXES = {
    ".csv": "csv",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".tsv": "tsv",
    ".tab": "tsv",
}


def format_of(source: Source) -> str:
    """Return the name of a file's format, by its extension, else by its content."""
    suffixes = [suffix.lower() for suffix in Path(source.path).suffixes]
    last = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if last in _SUFFIXES:
        return _SUFFIXES[last]
    if is_parquet(source):  # before its content is looked at as text
        return "parquet"
    return "libsvm" if is_libsvm(source) else "csv"
