"""The numbers five papers published, as data.

The files stand in ``published/``, one per table, with a README on how they were typed and checked.
"""

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

TABLES: Final = (
    "sm2017_table2",
    "sm2017_table3",
    "er2015_table1",
    "ks2019_table2",
    "ks2019_table3",
    "sps2014_table1",
    "fsm2007_text",
)
RECORDS: Final = ("claims", "figures", "protocols", "elements")
MARKS: Final = frozenset({"", "best", "not_worse"})
LOOSE: Final = frozenset({"fsm2007_text"})  # numbers from running text, not a grid of cells


@dataclass(frozen=True)
class Cell:
    """One printed number.

    Parameters
    ----------
    table : str
        Name of the table, one of :func:`available`.
    dataset : str
        Name of the data set in the project's own collection.
    paper_dataset : str
        Name of the data set in the paper.
    lam : float or None
        The regularisation as printed, None where the table has none. What it means differs
        between the papers: see ``ridge_on_K`` in :func:`protocol`.
    criterion : str
        Heading of the column.
    value : float or None
        The number as printed, None where it is illegible.
    spread : float or None
        The number behind the ± sign or in brackets, None where there is none.
    mark : {"", "best", "not_worse"}
        Bold, underlined or neither, as far as the text shows it.
    legible : bool
        Whether the value can be read without guessing.
    note : str
        What is odd about this cell.
    text : str
        The value as it was printed, zeros at the end included.
    """

    table: str
    dataset: str
    paper_dataset: str
    lam: float | None
    criterion: str
    value: float | None
    spread: float | None
    mark: str
    legible: bool
    note: str
    text: str = ""

    def __post_init__(self) -> None:
        if self.mark not in MARKS:
            raise ValueError(f"{self}: unknown mark")
        if self.legible is (self.value is None):
            raise ValueError(f"{self}: a value is there exactly where the cell is legible")
        if not (self.legible or self.note):
            raise ValueError(f"{self}: an illegible cell says why")
        for number in (self.value, self.spread, self.lam):
            if number is not None and not (math.isfinite(number) and number >= 0):
                raise ValueError(f"{self}: numbers are finite and not negative")

    @property
    def place(self) -> tuple[float | None, str, str]:
        """Regularisation, data set and criterion."""
        return self.lam, self.dataset, self.criterion


def available() -> tuple[str, ...]:
    """Return the names of the tables.

    Returns
    -------
    tuple of str
        Names that :func:`load` takes.
    """
    return TABLES


@cache
def load(table: str) -> tuple[Cell, ...]:
    """Return the cells of one published table, in the order of the paper.

    Parameters
    ----------
    table : str
        One of :func:`available`.

    Returns
    -------
    tuple of Cell
        Every cell of the table, illegible ones included.

    Raises
    ------
    ValueError
        If the table is unknown, or its file is damaged.
    """
    if table not in TABLES:
        raise ValueError(f"unknown table {table!r}; there are {', '.join(TABLES)}")
    cells = [_cell(row) for row in _rows(table)]
    _check(table, cells)
    return tuple(cells)


def records(name: str) -> list[dict[str, str]]:
    """Return what the papers say in words.

    Parameters
    ----------
    name : {"claims", "figures", "protocols", "elements"}
        Claims of significance, statements on figures, how each table was made, or all elements of
        the papers with where they are here.

    Returns
    -------
    list of dict
        One per row of the file, every entry a string.
    """
    if name not in RECORDS:
        raise ValueError(f"unknown records {name!r}; there are {', '.join(RECORDS)}")
    return _rows(name)


def protocol(table: str) -> dict[str, str]:
    """Return how one table was made.

    Parameters
    ----------
    table : str
        One of :func:`available`.

    Returns
    -------
    dict
        Item (``repetitions``, ``train_share``, ``ridge_on_K`` ...) and what the paper says.
    """
    if table not in TABLES:
        raise ValueError(f"unknown table {table!r}; there are {', '.join(TABLES)}")
    return {row["item"]: row["value"] for row in _rows("protocols") if row["table"] == table}


def _rows(name: str) -> list[dict[str, str]]:
    source = files("kernelwise_papers") / "published" / f"{name}.csv"
    lines = source.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, strict=True))


def _cell(row: dict[str, str]) -> Cell:
    return Cell(
        table=row["table"],
        dataset=row["dataset"],
        paper_dataset=row["paper_dataset"] or row["dataset"],
        lam=_number(row["lambda"]),
        criterion=row["criterion"],
        value=_number(row["value"]),
        spread=_number(row["spread"]),
        mark=row["mark"],
        legible={"yes": True, "no": False}[row["legible"]],
        note=row["note"],
        text=row["value"],
    )


def _number(text: str) -> float | None:
    return float(text) if text else None


def _check(table: str, cells: list[Cell]) -> None:
    """Raise unless the cells belong to the table and fill a grid, each place once."""
    if {cell.table for cell in cells} != {table}:
        raise ValueError(f"{table}: the file holds cells of another table")
    places = [cell.place for cell in cells]
    if len(set(places)) != len(places):
        raise ValueError(f"{table}: a cell is there twice")
    grid = math.prod(_distinct(axis) for axis in zip(*places, strict=True))
    if table not in LOOSE and grid != len(cells):
        raise ValueError(f"{table}: {len(cells)} cells do not fill a grid of {grid}")


def _distinct(values: Iterable[object]) -> int:
    return len(set(values))
