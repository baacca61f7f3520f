"""The text of a published data set becomes a table of numbers.

The steps of the conversion, which ``sources.csv`` names for every set, are

- ``header``: the first line of a CSV file is not data;
- ``target=A``: the target is the column A, in place of the last one;
- ``front=A``: the column A comes first;
- ``without=A``: the column A is left out;
- ``one-hot``: of nominal attributes two observed levels give one column of 0 and 1, more give one
  such column each, one gives none; without this step levels are read as numbers;
- ``complete``: rows with missing values are left out;
- ``last=I,J``: these rows come last;
- ``label:A=B``: the class A is called B.

Columns of ARFF files go by their names; those of CSV files, and rows, by their number from 0.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kernelwise._types import Array


class ConvertedTable(NamedTuple):
    """Rows of numbers, NaN where one is missing, and the text of their targets."""

    X: Array
    y: Array


@dataclass(frozen=True)
class Source:
    """Where a data set is from, and what it must be.

    Attributes
    ----------
    name : str
    task : {"classification", "regression"}
    rows, features, missing : int
        Of the table; missing are single values.
    classes : str
        Labels and their rows, by number of rows; empty for regression.
    origin : str
        Who published it.
    urls : tuple of str
        The files whose rows follow one another; none where no public location is known.
    format : {"arff", "csv", "libsvm"}
    steps : tuple of str
        How it becomes a table of numbers.
    proof : {"whole", "head", "unproven"}
        Whether the conversion of the public text was seen to give the table: all rows, the first
        ones, or not.
    deviation : str
        How it differs from what the papers had.
    sha256 : str
        See :func:`kernelwise_papers.downloads.checksum`.
    """

    name: str
    task: str
    rows: int
    features: int
    missing: int
    classes: str
    origin: str
    urls: tuple[str, ...]
    format: str
    steps: tuple[str, ...]
    proof: str
    deviation: str
    sha256: str

    def step(self, key: str) -> str | None:
        """Return what a step names, None where the source has no such step."""
        found = [step.partition("=")[2] for step in self.steps if step.startswith(f"{key}=")]
        return found[0] if found else None

    @property
    def labels(self) -> dict[str, str]:
        """The new names of classes by their old ones."""
        steps = [step.removeprefix("label:") for step in self.steps if step.startswith("label:")]
        return {old: new for old, _, new in (step.partition("=") for step in steps)}


def convert(source: Source, parts: Sequence[bytes]) -> ConvertedTable:
    """Return the table of numbers that the text of a source becomes.

    Parameters
    ----------
    source : Source
    parts : sequence of bytes
        One per file.
    """
    tables = [_FORMATS[source.format](part, source) for part in parts]
    X, y = np.vstack([t.X for t in tables]), np.concatenate([t.y for t in tables])
    last = [int(row) for row in (source.step("last") or "").split(",") if row]
    order = [*np.delete(np.arange(y.size), last), *last]
    X, y = X[order], y[order]
    if "complete" in source.steps:
        kept = ~np.isnan(X).any(axis=1)
        X, y = X[kept], y[kept]
    return ConvertedTable(X, np.array([source.labels.get(label, label) for label in y.tolist()]))


def _libsvm(content: bytes, source: Source) -> ConvertedTable:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(
        io.BytesIO(content), n_features=source.features, zero_based=False, dtype=np.float64
    )
    return ConvertedTable(X.toarray(), y.astype(str))


def _csv(content: bytes, source: Source) -> ConvertedTable:
    rows = [row for row in csv.reader(_lines_of(content)) if row]
    columns = zip(*rows["header" in source.steps :], strict=True)
    return _table({str(i): np.array(column) for i, column in enumerate(columns)}, {}, source)


def _arff(content: bytes, source: Source) -> ConvertedTable:
    from scipy.io import arff

    data, attributes = arff.loadarff(_lines_of(content))
    levels = {name: attributes[name][1] for name in attributes if attributes[name][1]}
    columns = {name: data[name].astype(str) for name in attributes}
    return _table(columns, levels if "one-hot" in source.steps else {}, source)


def _lines_of(content: bytes) -> io.StringIO:
    """Return a text with plain ends of lines; comments may be in any encoding."""
    return io.StringIO("\n".join(content.decode("utf-8", errors="replace").splitlines()))


_FORMATS = {"arff": _arff, "csv": _csv, "libsvm": _libsvm}


def _table(
    columns: dict[str, Array], levels: dict[str, tuple[str, ...]], source: Source
) -> ConvertedTable:
    """Return the table of columns of text; those with levels are nominal."""
    target = columns.pop(source.step("target") or list(columns)[-1])
    columns.pop(source.step("without") or "", None)
    first = source.step("front")
    names = sorted(columns, key=lambda name: name != first)
    blocks = [
        _one_hot(columns[name], levels[name]) if name in levels else _numbers(columns[name])
        for name in names
    ]
    return ConvertedTable(np.hstack(blocks), target)


def number(text: str) -> float:
    """Return the number that a text is, NaN for an empty one or a question mark."""
    return float(text) if text.strip(" ?") else np.nan


def _numbers(column: Array) -> Array:
    return np.array([[number(v)] for v in column.tolist()])


def _one_hot(column: Array, levels: tuple[str, ...]) -> Array:
    """Return the columns of a nominal attribute; a question mark that is no level is a gap."""
    observed = [level for level in levels if level in set(column.tolist())]
    if len(observed) <= 1:
        return np.empty((column.size, 0))
    block: Array = (column[:, None] == np.array(observed)).astype(float)
    block[~np.isin(column, levels)] = np.nan
    return block[:, 1:] if len(observed) == 2 else block
