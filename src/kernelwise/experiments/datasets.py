"""The papers' data sets, found in a folder; every deviation from the papers is stated.

The folder is the environment variable KERNELWISE_DATA, or ``../shared/data`` beside the project. A
set is one gzipped CSV file ``name.csv.gz`` with numeric columns and a last column ``target``.
"""

import csv
import gzip
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernelwise.kernels.geometry import Array

VARIABLE = "KERNELWISE_DATA"

# Of sets with more than two classes the pair that the paper's run times and errors point to.
PAIRS = {
    "anneal": ("1", "2"),
    "autos": ("-2", "-1"),
    "glass": ("build wind float", "build wind non-float"),
    "segment": ("brickface", "sky"),
    "vehicle": ("bus", "saab"),
}


class NoData(FileNotFoundError):
    """The data are not on this machine; the message says how to have them."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set.

    Attributes
    ----------
    name : str
    X : array of shape (n, d)
        NaN where a value is missing.
    y : array of shape (n,)
        Real targets, or texts of two classes.
    remarks : tuple of str
        How it differs from what the papers describe.
    """

    name: str
    X: Array
    y: Array
    remarks: tuple[str, ...]

    @property
    def n(self) -> int:
        """The number of rows."""
        return int(self.y.size)

    def head(self, rows: int | None) -> "Dataset":
        """Return at most some rows, drawn once and for all."""
        if rows is None or rows >= self.n:
            return self
        kept = np.sort(np.random.default_rng(0).permutation(self.n)[:rows])
        remark = f"{rows} of {self.n} rows"
        return Dataset(self.name, self.X[kept], self.y[kept], (*self.remarks, remark))


def folder() -> Path:
    """Return where the data are, or say that they are nowhere."""
    given = os.environ.get(VARIABLE)
    places = [Path(given)] if given else [p / "shared" / "data" for p in Path.cwd().parents]
    for place in places:
        if (place / "MANIFEST.csv").is_file():
            return place
    raise NoData(f"no data found: set {VARIABLE} to the folder with MANIFEST.csv.")


def load(name: str, *, task: str = "classification") -> Dataset:
    """Return a data set by name; of more than two classes the papers' pair."""
    path = folder() / f"{name}.csv.gz"
    if not path.is_file():
        raise NoData(f"{path} does not exist: the name is none of MANIFEST.csv.")
    with gzip.open(path, "rt", newline="") as file:
        _, *rows = csv.reader(file)
    X = np.array([[float(v) if v else np.nan for v in row[:-1]] for row in rows])
    target = np.array([row[-1] for row in rows])
    if task == "regression":
        return Dataset(name, X, target.astype(float), _missing(X))
    return _two_classes(name, X, target)


def _two_classes(name: str, X: Array, target: Array) -> Dataset:
    remarks = _missing(X)
    labels = np.unique(target)
    if labels.size > 2:
        pair = PAIRS[name]
        kept = np.isin(target, pair)
        remarks += (f"classes {pair[0]!r} and {pair[1]!r} of {labels.size}",)
        X, target = X[kept], target[kept]
    return Dataset(name, X, target, remarks)


def _missing(X: Array) -> tuple[str, ...]:
    gaps = int(np.isnan(X).sum())
    return (f"{gaps} missing values set to the median of the training rows",) if gaps else ()
