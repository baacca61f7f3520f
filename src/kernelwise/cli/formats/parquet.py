"""Parquet files."""

import io
from typing import Any

import pandas as pd

from kernelwise.cli.formats.base import Source, Table
from kernelwise.cli.screen import BadInput


def is_parquet(source: Source) -> bool:
    """Say whether a file begins as Parquet files do."""
    return source.data.startswith(b"PAR1")


def read_parquet(source: Source) -> Table:
    """Return the table."""
    return Table(source.path, _read(source.data, source.path))


def _read(data: bytes, path: str) -> Any:
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise BadInput("Parquet files need pyarrow: pip install 'kernelwise[parquet]'.") from None
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise BadInput(f"{path!r} has two columns of the same name: rename one.")
        frame = pd.read_parquet(io.BytesIO(data))
    except BadInput:
        raise
    except Exception:  # pyarrow's own errors, and whatever pandas stumbles over
        raise BadInput(f"{path!r} is no Parquet file, or is damaged.") from None
    frame.columns = frame.columns.map(str)
    if not frame.columns.is_unique:
        raise BadInput(f"{path!r} has two columns of the same name: rename one.")
    return frame.reset_index(drop=True)
