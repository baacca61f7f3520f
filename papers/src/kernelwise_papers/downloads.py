"""Data sets from their public locations: fetched, turned into numbers, checked, kept.

What is fetched from where, and how it becomes a table, stands in ``sources.csv``, with the checksum
of the table; ``conversion`` says what its steps mean. A download that gives another table is
refused. pooch does the transfer and says where caches are on this system.
"""

import csv
import gzip
import hashlib
import io
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pooch

from kernelwise._files import replacing
from kernelwise_papers.conversion import ConvertedTable, Source, convert, number

_SCHEMES = ("https",)
_AGENT = "kernelwise (data sets of kernel selection papers)"
_TIMEOUT = 30.0  # seconds without an answer
_LARGEST = 20 * 2**20  # bytes of a file; the largest of these has 0.6 MB


class Unavailable(Exception):
    """A data set cannot be had; the message says in one sentence why."""


@cache
def sources() -> dict[str, Source]:
    """Return all sources by the name of the data set."""
    text = (files("kernelwise_papers") / "sources.csv").read_text(encoding="utf-8")
    return {row["name"]: _source(row) for row in csv.DictReader(text.splitlines(), strict=True)}


def _source(row: dict[str, str]) -> Source:
    return Source(
        name=row["name"],
        task=row["task"],
        rows=int(row["rows"]),
        features=int(row["features"]),
        missing=int(row["missing"]),
        classes=row["classes"],
        origin=row["origin"],
        urls=tuple(row["url"].split()),
        format=row["format"],
        steps=tuple(row["steps"].split()),
        proof=row["proof"],
        deviation=row["deviation"],
        sha256=row["sha256"],
    )


def cache_folder() -> Path:
    """Return where fetched data sets are kept."""
    return Path(pooch.os_cache("kernelwise"))


def fetch(name: str, folder: Path) -> Path:
    """Fetch a data set, and return the file ``name.csv.gz`` that it became.

    Parameters
    ----------
    name : str
        One of :func:`sources`.
    folder : Path
        Is made if it does not exist.

    Raises
    ------
    Unavailable
        If the set is unknown, cannot be fetched, or is not what it must be. Nothing is written
        then.
    """
    source = sources().get(name)
    if source is None or not source.urls:
        raise Unavailable(f"no public location of the data set {name!r} is known")
    parts = [_download(name, url) for url in source.urls]
    refused = f"{name} from {' and '.join(source.urls)} is refused"
    try:
        table = convert(source, parts)
    except Exception as error:  # whatever a file of another kind makes the readers stumble over
        reason = f"no {source.format} file, or a damaged one"
        raise Unavailable(f"{refused}: {reason} ({' '.join(str(error).split())[:200]})") from error
    complaint = difference(source, table)
    if complaint:
        raise Unavailable(f"{refused}: {complaint}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv.gz"
    with replacing(path) as part:
        write(part, table)
    return path


def verify(folder: Path) -> dict[str, str]:
    """Return, for every known data set in a folder, what is wrong with it; empty where nothing is.

    Parameters
    ----------
    folder : Path
        With files ``name.csv.gz``.
    """
    found = {}
    for name, source in sources().items():
        path = folder / f"{name}.csv.gz"
        if path.is_file():
            try:
                found[name] = difference(source, read(path))
            except (OSError, EOFError, zlib.error, ValueError, IndexError) as error:
                found[name] = f"the file cannot be read ({error})"
    return found


def difference(source: Source, table: ConvertedTable) -> str:
    """Return how a table differs from what it must be, in the coarsest way; empty if it does not.

    Parameters
    ----------
    source : Source
    table : ConvertedTable
    """
    gaps = int(np.isnan(table.X).sum())
    pairs: list[tuple[object, object, str]] = [
        (source.rows, table.X.shape[0], "rows"),
        (source.features, table.X.shape[1], "features"),
        (source.missing, gaps, "missing values"),
    ]
    if source.task == "classification":
        pairs.append((source.classes, classes(table), "as classes"))
    for expected, found, of in pairs:
        if expected != found:
            return f"expected {expected} {of}, found {found}"
    found = checksum(table)
    if found == source.sha256:
        return ""
    return (
        f"of the {source.rows} rows and {source.features} features that were expected some values "
        f"are others (checksum {source.sha256[:12]} expected, {found[:12]} found)"
    )


def checksum(table: ConvertedTable) -> str:
    """Return the SHA-256 of a table: numbers to six digits, labels as text, a line a row."""
    digest = hashlib.sha256()
    for row in _lines(table, "{:.6g}"):
        digest.update((",".join(row) + "\n").encode())
    return digest.hexdigest()


def classes(table: ConvertedTable) -> str:
    """Return the labels of a table and the number of rows of each, the most frequent first."""
    counts = Counter(_text(target, "{:.6g}") for target in table.y)
    return "; ".join(f"{k}: {n}" for k, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])))


def read(path: Path) -> ConvertedTable:
    """Return the table of a file: gzipped CSV with a header, the target last."""
    content = gzip.decompress(path.read_bytes()).decode()
    _, *rows = csv.reader(io.StringIO(content, newline=""))
    X = np.array([[number(v) for v in row[:-1]] for row in rows])
    return ConvertedTable(X, np.array([row[-1] for row in rows]))


def write(path: Path, table: ConvertedTable) -> None:
    """Write the file that :func:`read` reads."""
    heads = [*(f"f{i}" for i in range(table.X.shape[1])), "target"]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *_lines(table, "{:.12g}")])
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def _lines(table: ConvertedTable, form: str) -> Iterator[list[str]]:
    for values, target in zip(table.X.tolist(), table.y.tolist(), strict=True):
        # Adding zero makes minus zero plain.
        yield [*("" if isnan(v) else form.format(v + 0.0) for v in values), _text(target, form)]


def _text(target: str, form: str) -> str:
    """Return a target in one spelling: +1, 1 and 1.0 are the same."""
    try:
        return form.format(float(target) + 0.0)
    except ValueError:
        return target


def _download(name: str, url: str, attempts: int = 2) -> bytes:
    try:
        return _body(url)
    except OSError as error:  # all errors of a transfer are
        answer = getattr(error, "response", None)
        if attempts > 1 and (answer is None or answer.status_code >= 500):
            return _download(name, url, attempts - 1)
        reason = error if answer is None else answer.reason
        raise Unavailable(f"{name} cannot be fetched from {url} ({reason})") from error


class _LimitedFile(io.BytesIO):
    """What is received; more than the limit is refused while it comes in."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > _LARGEST:
            raise Unavailable(f"{self.url} is refused: it is larger than {_LARGEST // 2**20} MB")
        return super().write(data)


def _body(url: str) -> bytes:
    _check_scheme(url)
    received, answers = _LimitedFile(url), []

    def look_at(answer: Any, **_: Any) -> None:
        answers.append(answer)
        _check_scheme(answer.url)  # where it was led to

    transfer = pooch.HTTPDownloader(
        timeout=_TIMEOUT,
        headers={"User-Agent": _AGENT, "Accept-Encoding": "identity"},
        hooks={"response": look_at},
    )
    try:
        transfer(url, received, None)
    finally:
        for answer in answers:  # a transfer that fails leaves its connection open
            answer.close()
    return received.getvalue()


def _check_scheme(url: str) -> None:
    if urlsplit(url).scheme not in _SCHEMES:
        raise Unavailable(f"{url} is refused: it is no address of {' or '.join(_SCHEMES)}")
