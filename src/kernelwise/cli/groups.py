"""Rows that belong together, as those of one patient: left out together where errors are found."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from kernelwise._types import Array
from kernelwise.cli.formats.base import Table
from kernelwise.cli.prepare import Prepared
from kernelwise.cli.screen import BadInput, counted
from kernelwise.cli.target import are_known, found_column
from kernelwise.gram import Targets


def set_aside(table: Table, asked: str | None, target: str | None) -> tuple[Table, Any]:
    """Return a table without the column that says which rows belong together, and that column."""
    if asked is None:
        return table, None
    if table.frame is None:
        raise BadInput("--groups takes a name of a column, which a LIBSVM file has not.")
    columns = list(table.frame.columns)
    name = found_column(asked, columns, "column in --groups")
    if target is not None and name == found_column(target, columns, "target column"):
        raise BadInput(f"--groups names the target {name!r}: name another column.")
    return replace(table, frame=table.frame.drop(columns=name)), table.frame[name]


def grouped(data: Prepared, table: Table, column: Any) -> Prepared:
    """Return data that know which rows belong together, by a column that was set aside."""
    if column is None:
        return data
    used = are_known(table.frame[data.facts["target"]])
    groups, told = _numbered(column[used])
    facts = data.facts | {"prepared": [*data.facts["prepared"], told]}
    return replace(data, groups=groups, facts=facts)


def _numbered(column: Any) -> tuple[Array, str]:
    """Return a number for every group, and a sentence; rows without a group are each alone."""
    known = are_known(column)
    numbers = np.asarray(pd.factorize(column.astype(str).str.strip(), sort=True)[0])
    alone = np.count_nonzero(~known)
    numbers[~known] = len(numbers) + np.arange(alone)
    groups = np.unique(numbers).size
    if groups < 2:
        raise BadInput(f"--groups {column.name!r} has one value only: name a column with several.")
    if groups == len(numbers):
        raise BadInput(
            f"--groups {column.name!r} has another value in every row, so no rows belong together: "
            "name another column, or leave --groups out."
        )
    told = f"{column.name!r} is not used to predict: it tells which rows belong together"
    lost = f"; {counted(int(alone), 'row')} without a value, each alone" if alone else ""
    return numbers, f"{told}, {counted(groups, 'group')}{lost}."


def folds_of(groups: Array, targets: Targets, most: int) -> list[tuple[Array, Array]]:
    """Return folds that hold out whole groups, with the classes spread as far as that goes."""
    kind = GroupKFold if targets.classes is None else StratifiedGroupKFold
    folds = kind(min(most, np.unique(groups).size), shuffle=True, random_state=0)
    return list(folds.split(np.empty((targets.n, 0)), targets.labels, groups))
