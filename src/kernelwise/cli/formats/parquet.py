"""Parquet files."""

import io
from typing import Any

import pandas as pd

from kernelwise._files import TooLarge, amount
from kernelwise.cli.formats.base import Source, Table
from kernelwise.cli.screen import BadInput

_VALUE = 8  # bytes of a value in memory


def is_parquet(source: Source) -> bool:
    """Say whether a file begins as Parquet files do."""
    return source.data.startswith(b"PAR1")


def read_parquet(source: Source) -> Table:
    """Return the table, if it unpacks to no more than it may."""
    return Table(source.path, _read(source.data, source.path, source.most))


def _read(data: bytes, path: str, most: float) -> Any:
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise BadInput("Parquet files need pyarrow: pip install 'kernelwise[parquet]'.") from None
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise BadInput(f"{path!r} has two columns of the same name: rename one.")
        if _unpacked_size(file, most) > most:
            raise TooLarge(path, f"unpacks to more than {amount(most)}")
        frame = pd.read_parquet(io.BytesIO(data))
    except (BadInput, TooLarge):
        raise
    except Exception:  # pyarrow's own errors, and whatever pandas stumbles over
        raise BadInput(f"{path!r} is no Parquet file, or is damaged.") from None
    frame.columns = frame.columns.map(str)
    if not frame.columns.is_unique:
        raise BadInput(f"{path!r} has two columns of the same name: rename one.")
    return frame.reset_index(drop=True)


def _unpacked_size(file: Any, most: float) -> float:
    """Return the bytes of all values: as the file states them, or as they are if it states less."""
    stated = _VALUE * file.metadata.num_rows * file.metadata.num_columns
    found = 0
    if stated <= most:
        for batch in file.iter_batches():
            found += batch.nbytes
            if found > most:
                break
    return float(max(stated, found))
