"""The papers' data sets; every deviation from the papers is stated.

A set is one gzipped CSV file ``name.csv.gz`` with numeric columns and a last column ``target``. It
is looked for in the folder that the environment variable KERNELWISE_DATA names, and nowhere else
if that is set; then in ``shared/data`` in a folder above the working directory; then in the user's
cache (``~/.cache/kernelwise``). What is nowhere is fetched from its public location into the
cache, unless KERNELWISE_DOWNLOAD is ``no``.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernelwise._types import Array
from kernelwise_papers import downloads, publications
from kernelwise_papers.conversion import Source
from kernelwise_papers.markdown import table

VARIABLE = "KERNELWISE_DATA"
DOWNLOAD = "KERNELWISE_DOWNLOAD"

# Of sets with more than two classes the pair that the paper's run times and errors point to.
PAIRS = {
    "anneal": ("1", "2"),
    "autos": ("-2", "-1"),
    "glass": ("build wind float", "build wind non-float"),
    "segment": ("brickface", "sky"),
    "vehicle": ("bus", "saab"),
}


_INTRODUCTION = f"""\
# The data sets

Made by `kernelwise_papers.datasets.describe()`; do not edit.

A data set is looked for in the folder that `{VARIABLE}` names, and nowhere else if that is set;
then in `shared/data` in a folder above the working directory; then in the user's cache,
`~/.cache/kernelwise`, or `kernelwise` in `XDG_CACHE_HOME`. What is nowhere is fetched from its
public location into the cache, with a notice, unless `{DOWNLOAD}` is `no`. A download is turned
into numbers and compared by checksum with the table that our results were made with: it is that
table, to six digits, or it is refused.

How far the conversion was tried on the public text: *whole*, all rows gave the table; *head*, the
first rows did (those of a1a and breast-cancer_libsvm10 as other projects quote them); *unproven*,
neither was shown. The checksum is compared in any case.
"""

_DEVIATIONS = """\
## How they differ from the papers' data

Missing values are set to the median of the training rows of each split, and every feature is
standardised by the training rows; of the papers only SPS 2014 says what it does, and it
standardises. Nominal attributes of ARFF files become columns of 0 and 1: one for two observed
categories, one each for more, none for a single one. Sets that are not listed here have the rows,
features and targets that the papers or their sources state.
"""


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
    tried = f" in {given}" if given else ""
    raise NoData(f"no data found{tried}: set {VARIABLE} to the folder with MANIFEST.csv.")


def load(name: str, *, task: str = "classification") -> Dataset:
    """Return a data set by name; of more than two classes the papers' pair."""
    X, target = downloads.read(path(name))
    if task == "regression":
        return Dataset(name, X, target.astype(float), _missing(X))
    return _two_classes(name, X, target)


def path(name: str) -> Path:
    """Return the file of a data set, which may have to be fetched."""
    file = f"{name}.csv.gz"
    if os.environ.get(VARIABLE):
        found = folder() / file
        if not found.is_file():
            raise NoData(f"{found} does not exist: the name is none of MANIFEST.csv.")
        return found
    try:
        places = [folder(), downloads.cache_folder()]
    except NoData:
        places = [downloads.cache_folder()]
    for found in (place / file for place in places):
        if found.is_file():
            return found
    return _fetched(name)


def _fetched(name: str) -> Path:
    remedy = f"set {VARIABLE} to a folder with MANIFEST.csv and {name}.csv.gz"
    if os.environ.get(DOWNLOAD, "").lower() in ("no", "0", "never"):
        raise NoData(f"{name} is not on this machine and {DOWNLOAD} forbids to fetch it: {remedy}.")
    place = downloads.cache_folder()
    for url in downloads.sources()[name].urls if name in downloads.sources() else ():
        print(f"Fetching {name} from {url} into {place}.", file=sys.stderr)
    try:
        return downloads.fetch(name, place)
    except downloads.Unavailable as error:
        raise NoData(f"{error}: {remedy}.") from error


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


def describe() -> str:
    """Return the page of the documentation on all data sets, in Markdown."""
    known = downloads.sources().values()
    heads = "set | rows | features | missing | classes | published by | used by | conversion"
    users = _users()
    rows = [_cells(source, users) for source in known]
    lines = [_INTRODUCTION, *table(heads.split(" | "), rows), "", _DEVIATIONS]
    lines += [f"- **{s.name}**: {_pair(s)}{s.deviation}" for s in known if s.deviation]
    return "\n".join(lines) + "\n"


def _users() -> dict[str, set[str]]:
    """Return the data sets that each paper publishes numbers of, by its name, such as SM 2017."""
    found: dict[str, set[str]] = {}
    for name in publications.available():
        key = name.partition("_")[0]
        paper = found.setdefault(f"{key[:-4].upper()} {key[-4:]}", set())
        paper |= {cell.dataset for cell in publications.load(name)}
    return found


def _cells(source: Source, users: dict[str, set[str]]) -> list[str]:
    links = [f"[{url.rsplit('/', 1)[1]}]({url})" for url in source.urls]
    return [
        source.name,
        str(source.rows),
        str(source.features),
        str(source.missing or ""),
        source.classes,
        f"{source.origin}: {', '.join(links)}",
        ", ".join(paper for paper, names in users.items() if source.name in names),
        source.proof,
    ]


def _pair(source: Source) -> str:
    """Return which two classes of many are taken, and how many rows they have."""
    if source.name not in PAIRS:
        return ""
    counts = dict(entry.rsplit(": ", 1) for entry in source.classes.split("; "))
    first, second = PAIRS[source.name]
    rows = int(counts[first]) + int(counts[second])
    return f"the classes {first!r} and {second!r}, {rows} rows. "
